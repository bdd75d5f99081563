"""LitServe: one worker process behind FastAPI for each of two routes. `serve.py PORT`."""

import sys
from typing import Annotated

import litserve
import numpy as np
from fastapi import Body, Response


class Json(litserve.LitAPI):
    """A dict in, a dict out."""

    def setup(self, device):
        pass

    def decode_request(self, request):
        return np.array(request["values"], np.float32)

    def predict(self, x):
        return x.min(axis=1)

    def encode_response(self, output):
        return {"reduced": output.tolist()}


class Binary(Json):
    """The body as bytes: the columns as 8 bytes, the elements behind them."""

    def decode_request(self, request: Annotated[bytes, Body(media_type="application/octet-stream")]):
        return np.frombuffer(request, np.float32, offset=8).reshape(-1, int.from_bytes(request[:8], "little"))

    def encode_response(self, output):
        return Response(output.tobytes(), media_type="application/octet-stream")


if __name__ == "__main__":
    server = litserve.LitServer([Json(api_path="/json"), Binary(api_path="/binary")], accelerator="cpu", timeout=60)
    server.run(
        host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False, generate_client_file=False
    )
