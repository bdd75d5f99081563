"""Who is measured, and how each is asked for the minimum of every row of a float32 matrix.

Every peer gets its tensors in the way its own documentation recommends. Programs are in `servers/`; those of a
peer that is not in the development environment run in a virtual environment of their own (`make bench-peers`).
"""

from dataclasses import dataclass
from pathlib import Path

from benchmarks import formats
from benchmarks.formats import Format

SERVERS = Path(__file__).parent / "servers"

FLOOR = "bare uvicorn"
KEPT = "bare, memory kept"
OURS = "keepdims"


@dataclass(frozen=True)
class Peer:
    """A server. `package` is what to name the version of; `environment` the virtual environment, "" the one that
    runs this; `arguments` go to Python, before the port unless `port_setting` names a variable for it; `inference` is
    binary by the Open Inference Protocol, of a server that takes shared memory as well."""

    package: str
    arguments: tuple[str, ...]
    note: str
    json: Format
    binary: Format
    base64: Format | None = None
    inference: Format | None = None
    environment: str = ""
    port_setting: str = ""


def _program(name: str) -> tuple[str, ...]:
    return (str(SERVERS / name),)


PEERS: dict[str, Peer] = {
    FLOOR: Peer(
        "uvicorn",
        _program("bare.py"),
        "the floor: one process reads the body, drops it and answers two bytes",
        formats.UNREAD_JSON,
        formats.UNREAD_NPY,
        formats.UNREAD_BASE64,
    ),
    KEPT: Peer(
        "",
        (*_program("bare.py"), "keep"),
        "the same, but freed memory is kept for the next piece, as keepdims keeps it: large bodies cost fewer pages",
        formats.UNREAD_JSON,
        formats.UNREAD_NPY,
        formats.UNREAD_BASE64,
    ),
    OURS: Peer(
        "",
        ("-m", "app"),
        "`python -m app`, one process; shared memory allowed, no request logged, as by none here; binary is .npy",
        formats.JSON,
        formats.NPY,
        formats.BASE64,
        formats.REDUCING_INFERENCE,
        port_setting="KEEPDIMS_PORT",
    ),
    "naive FastAPI": Peer(
        "fastapi",
        _program("naive.py"),
        "a pydantic model and NumPy under uvicorn, one process; binary is the raw body",
        formats.ROWS,
        formats.RAW_COLUMNS_IN_QUERY,
    ),
    "Triton": Peer(
        "nvidia-pytriton",
        _program("triton/serve.py"),
        "the server of the nvidia-pytriton wheel, Python backend, one instance; binary is its binary tensor extension",
        formats.OPEN_INFERENCE,
        formats.OPEN_INFERENCE_BINARY,
        inference=formats.OPEN_INFERENCE_BINARY,
        environment="triton",
    ),
    "mosec": Peer(
        "mosec",
        _program("mosec/serve.py"),
        "Rust front end and one worker process for each route; binary is a serialization of its worker",
        formats.REDUCED_ROWS,
        formats.RAW_COLUMNS_IN_FRONT,
        environment="mosec",
    ),
    "MLServer": Peer(
        "mlserver",
        _program("mlserver/serve.py"),
        "REST, one process (parallel_workers 0); binary is base64 in JSON, its REST has nothing else",
        formats.OPEN_INFERENCE,
        formats.OPEN_INFERENCE_BASE64,
        formats.OPEN_INFERENCE_BASE64,
        environment="mlserver",
    ),
    "LitServe": Peer(
        "litserve",
        _program("litserve/serve.py"),
        "FastAPI in front and one worker process for each route, as it comes; binary is the body as bytes",
        formats.REDUCED_ROWS,
        formats.RAW_COLUMNS_IN_FRONT,
        environment="litserve",
    ),
}
