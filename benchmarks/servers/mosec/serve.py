"""mosec: one worker process behind its Rust front end for each of two routes. `serve.py PORT`."""

import sys

import numpy as np
from mosec import Runtime, Server, Worker


class Json(Worker):
    """JSON in and out is mosec's default."""

    def forward(self, data):
        return {"reduced": np.array(data["values"], np.float32).min(axis=1).tolist()}


class Binary(Worker):
    """A serialization of one's own: the columns as 8 bytes, the elements behind them."""

    resp_mime_type = "application/octet-stream"

    def deserialize(self, data):
        return np.frombuffer(data, np.float32, offset=8).reshape(-1, int.from_bytes(data[:8], "little"))

    def forward(self, data):
        return data.min(axis=1)

    def serialize(self, data):
        return data.tobytes()


if __name__ == "__main__":
    options = {"address": "127.0.0.1", "port": sys.argv[1], "log-level": "warning"}
    options |= {"max-request-size": 1 << 30, "timeout": 60_000}
    sys.argv[1:] = [f"--{name}={value}" for name, value in options.items()]
    server = Server()
    server.register_runtime({"/json": [Runtime(Json)], "/binary": [Runtime(Binary)]})
    server.run()
