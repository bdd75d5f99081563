"""The floor: uvicorn and an ASGI application that reads the body, drops it and answers. `bare.py [keep] PORT`."""

import sys
from typing import Any

import uvicorn


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answer whatever is asked, once all of it has come."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body", False):
        pass
    headers = [(b"content-type", b"application/json"), (b"content-length", b"2")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"[]"})


if __name__ == "__main__":
    if "keep" in sys.argv:
        # glibc maps each larger piece of a body afresh until one of this size has been freed.
        bytearray(1 << 22)
    uvicorn.run(app, port=int(sys.argv[-1]), access_log=False, log_level="warning", lifespan="off", ws="none")
