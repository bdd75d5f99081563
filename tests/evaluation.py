"""Calling the application without HTTP, the way its callers do: names, JSON fields and an array."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from re import sub
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.blocks import Block, Header, Tensor
from app.evaluate import evaluate
from app.kernels.team import ALONE, Team
from app.spec.arguments import parse_parameters
from app.spec.operators import Operator, resolve


def row(operator: str, version: int) -> Operator:
    """The row of the table with this ONNX name and this version."""
    found = resolve(sub("(?<!^)(?=[A-Z])", "_", operator).lower(), version)
    assert (found.name, found.version) == (operator, version)
    return found


def reduced(
    operator: str,
    version: int,
    dtype: str,
    values: NDArray[Any],
    fields: Mapping[str, Any],
    blocks: Iterable[Block] | None = None,
    team: Team = ALONE,
) -> tuple[str, NDArray[Any]]:
    """dtype and elements of the answer; a Refusal where there is none."""
    found = row(operator, version)
    header = Header(dtype, values.shape)
    pieces = Tensor(header, values).blocks() if blocks is None else blocks
    answer = evaluate(found, parse_parameters(found, fields), header, pieces, team)
    return answer.header.dtype, answer.values


def cut(values: NDArray[Any], places: Sequence[int], order: Sequence[int] | None = None) -> Iterator[Block]:
    """The tensor as blocks cut at sorted `places` of its flat range, coming in `order`."""
    flat = np.ascontiguousarray(values).reshape(-1)
    bounds = [0, *places, flat.size]
    pieces = [Block(start, flat[start:stop]) for start, stop in pairwise(bounds)]
    for index in range(len(pieces)) if order is None else order:
        yield pieces[index]


def bits(values: NDArray[Any]) -> bytes:
    """What two answers must share to be the same."""
    return np.ascontiguousarray(values).tobytes()
