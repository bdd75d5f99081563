"""The element types ONNX names, and the families its operator schemas are written in."""

ONNX_NAMES: dict[str, str] = {
    "bool": "tensor(bool)",
    "int8": "tensor(int8)",
    "int16": "tensor(int16)",
    "int32": "tensor(int32)",
    "int64": "tensor(int64)",
    "uint8": "tensor(uint8)",
    "uint16": "tensor(uint16)",
    "uint32": "tensor(uint32)",
    "uint64": "tensor(uint64)",
    "float16": "tensor(float16)",
    "bfloat16": "tensor(bfloat16)",
    "float32": "tensor(float)",
    "float64": "tensor(double)",
}
"""Our spelling of each dtype, and ONNX's."""

FLOATS = ("float16", "float32", "float64", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")

HIGH_PRECISION = ("float16", "float32", "float64", "int32", "int64", "uint32", "uint64")
NUMERIC = (*HIGH_PRECISION, "int8", "int16", "uint8", "uint16")
BYTES = ("int8", "uint8")
BFLOAT16 = ("bfloat16",)
BOOL = ("bool",)
