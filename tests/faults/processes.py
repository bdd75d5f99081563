"""The processes of a server."""

import os
import time
from pathlib import Path


def exit_status(pid: int, seconds: float) -> int | None:
    """What a child has ended with, minus the signal if it was one; None if it has not. Its parent may still ask."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)
        if ended is not None:
            return ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
        time.sleep(0.02)
    return None


def workers(pid: int) -> set[int]:
    """The worker processes of a supervisor."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return {int(child) for child in children if b"spawn_main" in _command(child)}


def _command(pid: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended since
        return b""


def memory(pid: int, field: str) -> int:
    """Bytes that a process has: VmRSS now, or VmHWM at its highest."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(next(line for line in status.splitlines() if line.startswith(field)).split()[1])
