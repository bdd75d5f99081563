"""Freed memory that stays at hand.

glibc maps every larger array afresh and hands it back when it is freed: each intermediate result of a tile then pays
for new pages, up to three times its arithmetic. It learns from what is freed, though: once a block of some size has
been, blocks up to that size come from the heap, and the heap keeps twice as much at its end.
"""

import ctypes
from contextlib import suppress

import numpy as np

RETAINED_BYTES = 1 << 24
"""The pieces of a body of 20 MB then find memory that is there: new pages for them cost as much as receiving them."""


def retain_freed_memory() -> None:
    """Let this process reuse the memory of arrays up to RETAINED_BYTES. No page is touched; harmless elsewhere."""
    np.empty(RETAINED_BYTES, np.uint8)


def release_freed_memory() -> None:
    """Give back to the machine all pages of the heaps on which nothing is in use; nothing where there is no glibc."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
