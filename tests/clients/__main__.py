"""Make every client that can be made here."""

import sys

from tests.clients import COMMANDS, FOLDER, make, missing

for name in COMMANDS:
    if lacking := missing(name):
        sys.stdout.write(f"{name}: not made, {lacking} is not here\n")
    else:
        make(name)
        sys.stdout.write(f"{name}: {FOLDER / name}\n")
