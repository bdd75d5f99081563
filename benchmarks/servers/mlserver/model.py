"""ReduceMin over axis 1 as an MLServer model."""

import numpy as np
from mlserver import MLModel
from mlserver.codecs import Base64Codec, NumpyCodec
from mlserver.types import InferenceRequest, InferenceResponse


class ReduceMin(MLModel):
    """`data` as numbers, or as base64 of its float32 elements beside the input `columns`."""

    async def predict(self, payload: InferenceRequest) -> InferenceResponse:
        data = payload.inputs[0]
        if data.datatype == "BYTES":
            (raw,) = Base64Codec.decode_input(data)
            rows = np.frombuffer(raw, np.float32).reshape(-1, NumpyCodec.decode_input(payload.inputs[1])[0])
        else:
            rows = NumpyCodec.decode_input(data)
        reduced = NumpyCodec.encode_output("reduced", rows.min(axis=1))
        return InferenceResponse(model_name=self.name, outputs=[reduced])
