"""How the protocol spells a dtype. BF16 is Triton's addition, and BYTES, which is text, has nothing to reduce."""

DATATYPES: dict[str, str] = {
    "BOOL": "bool",
    "INT8": "int8",
    "INT16": "int16",
    "INT32": "int32",
    "INT64": "int64",
    "UINT8": "uint8",
    "UINT16": "uint16",
    "UINT32": "uint32",
    "UINT64": "uint64",
    "FP16": "float16",
    "BF16": "bfloat16",
    "FP32": "float32",
    "FP64": "float64",
}
"""Our dtype by the protocol's datatype."""

SPELLED = {dtype: datatype for datatype, dtype in DATATYPES.items()}
"""The other way round."""
