"""What these tests cut open is told from states: they are small, and would all keep their elements."""

from collections.abc import Iterator

import pytest

from app.kernels import accumulate


@pytest.fixture(scope="package", autouse=True)
def no_kept_rows() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(accumulate, "KEPT_BYTES", 0)
        yield
