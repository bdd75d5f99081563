"""Many small requests at once: wrk where it is installed, an asyncio client of our own where it is not.

wrk costs a fraction of a core; the asyncio client is itself the bottleneck of a quick server, so rates taken with
it can only be compared with one another.
"""

import asyncio
import re
import shutil
import subprocess
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Event, Thread

from benchmarks.client import Connection, Failed, Request

CONNECTIONS = 16
GENERATOR = "wrk" if shutil.which("wrk") else "asyncio"


def rate(port: int, request: Request, seconds: float) -> float:
    """Requests per second over CONNECTIONS connections, each with one request in flight."""
    if GENERATOR == "wrk" and seconds >= 1:  # it counts in whole seconds
        return _wrk(port, request, round(seconds))
    return asyncio.run(_asyncio(port, request, seconds))


def latency(port: int, request: Request, seconds: float, beside: Request | None = None) -> float:
    """Median seconds of one request after another, while a second connection sends `beside` without a pause."""
    stop = Event()
    failures: list[Failed] = []

    def flood(beside: Request) -> None:
        with Connection(port) as connection:
            try:
                while not stop.is_set():
                    connection.exchange(beside)
            except Failed as failure:
                failures.append(failure)

    thread = Thread(target=flood, args=(beside,))
    if beside is not None:
        thread.start()
    try:
        with Connection(port) as connection:
            times: list[float] = []
            end = time.perf_counter() + seconds
            while not times or time.perf_counter() < end:
                start = time.perf_counter()
                connection.exchange(request)
                times.append(time.perf_counter() - start)
    finally:
        stop.set()
        if beside is not None:
            thread.join()
    for failure in failures:
        raise failure
    return median(times)


def _wrk(port: int, request: Request, seconds: int) -> float:
    lines = ['wrk.method = "POST"', f"wrk.body = {_lua(request.body.decode())}"]
    lines += [f"wrk.headers[ {_lua(name)} ] = {_lua(value)}" for name, value in request.headers.items()]
    with TemporaryDirectory() as folder:
        script = Path(folder) / "post.lua"
        script.write_text("\n".join(lines))
        command = ["wrk", "--threads=1", f"--connections={CONNECTIONS}", f"--duration={seconds}s", f"--script={script}"]
        url = f"http://127.0.0.1:{port}{request.path}"
        run = subprocess.run([*command, url], capture_output=True, text=True, timeout=seconds + 30, check=False)
    found = re.search(r"Requests/sec: +([\d.]+)", run.stdout)
    if found is None or "Non-2xx" in run.stdout or "Socket errors" in run.stdout:
        raise Failed(f"wrk: {run.stdout[-300:]} {run.stderr[-300:]}")
    return float(found[1])


def _lua(text: str) -> str:
    """A string in Lua: one long bracket, which ends at nothing that JSON can contain outside of a string."""
    return f"[====[{text}]====]"


async def _asyncio(port: int, request: Request, seconds: float) -> float:
    payload = request.head + request.body
    end = time.perf_counter() + seconds

    async def one() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answered = 0
        while time.perf_counter() < end:
            writer.write(payload)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
            if length is None or not head.startswith(b"HTTP/1.1 200"):
                raise Failed(head.decode(errors="replace"))
            await reader.readexactly(int(length[1]))
            answered += 1
        writer.close()
        await writer.wait_closed()
        return answered

    start = time.perf_counter()
    answered = await asyncio.gather(*(one() for _ in range(CONNECTIONS)))
    return sum(answered) / (time.perf_counter() - start)
