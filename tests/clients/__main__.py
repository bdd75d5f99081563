"""Make every client that can be made here."""

import sys
from concurrent.futures import ThreadPoolExecutor

from tests.clients import COMMANDS, FOLDER, lacking, make


def told(name: str) -> str:
    """Make a client; what came of it."""
    if why := lacking(COMMANDS[name][0]):
        return f"{name}: not made, {why}\n"
    make(name)
    return f"{name}: {FOLDER / name}\n"


with ThreadPoolExecutor(2) as pool:
    sys.stdout.writelines(pool.map(told, COMMANDS))
