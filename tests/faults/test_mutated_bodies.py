"""Requests that something happened to are refused or answered rightly, and alike however they come."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.http.reductions import flow, intake, reduce
from tests.faults.bodies import COMPRESS, FORMATS, Sent, encoded
from tests.faults.mutations import BYTES, misled, requeried
from tests.faults.outcomes import check
from tests.faults.reading import read
from tests.faults.ways import Ways
from tests.oracle import NoAnswer, answer
from tests.strategies import SEEDS

EXAMPLES = 150
"""Of each format."""

CHANGES = st.lists(st.sampled_from([*BYTES, "misled", "requeried"]), max_size=3)


@pytest.fixture(scope="module")
def ways() -> Iterator[Ways]:
    """Batches and steps are so small that there are several of each even in a small body."""
    with pytest.MonkeyPatch.context() as patch:
        for module, name, size in ((reduce, "LARGE_BYTES", 200), (flow, "BATCH", 300), (intake, "STEP", 100)):
            patch.setattr(module, name, size)
        found = Ways()
        yield found
        found.close()


def changed(sent: Sent, changes: list[str], random: Random) -> Sent:
    for change in changes:
        if change == "misled":
            sent = misled(sent, random)
        elif change == "requeried":
            sent = requeried(sent, random)
        elif sent.content:
            sent = sent._replace(content=BYTES[change](sent.content, random))
    return sent


def encodings(format: str) -> list[str]:
    """Those that it may come in."""
    return [name for name in COMPRESS if name != "deflate" or format.startswith("inference")]


def request(format: str, seed: int, encoding: str, changes: list[str], within: bool) -> Sent:
    """A request that something happened to; `within`: before it was compressed."""
    random = Random(seed)
    valid = FORMATS[format](random)
    if within:
        return encoded(changed(valid, changes, random), encoding)
    return changed(encoded(valid, encoding), changes, random)


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=EXAMPLES)
@given(data=st.data(), seed=SEEDS, changes=CHANGES, within=st.booleans())
def test_it_is_refused_or_answered_rightly(
    ways: Ways, format: str, data: st.DataObject, seed: int, changes: list[str], within: bool
) -> None:
    encoding = data.draw(st.sampled_from(encodings(format)))
    sent = request(format, seed, encoding, changes, within)
    check(sent, dict(ways.all(sent, Random(seed))))


@pytest.mark.parametrize("format", FORMATS)
def test_what_nothing_happened_to_is_answered(ways: Ways, format: str) -> None:
    answered = 0
    for seed, encoding in enumerate(encodings(format) * 10):
        sent = request(format, seed, encoding, [], within=False)
        answers = dict(ways.all(sent, Random(seed)))
        check(sent, answers)
        try:
            answer(*read(sent))
        except NoAnswer:
            continue
        assert {each.status for each in answers.values()} == {200}
        answered += 1
    assert answered > 20
