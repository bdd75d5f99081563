"""Requests that something happened to are refused or answered rightly, and alike however they come."""

import json
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.http import flow, intake, reduce
from tests.faults.answers import Answer, is_raw, tensor_of, with_one_nan
from tests.faults.bodies import COMPRESS, FORMATS, Sent, encoded
from tests.faults.mutations import BYTES, misled, requeried
from tests.faults.reading import read
from tests.faults.ways import Ways
from tests.oracle import NoAnswer, answer
from tests.strategies import SEEDS

EXAMPLES = 200
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


def told_by(sent: Sent, way: str, answer: Answer) -> object:
    """What must be the same in every answer. A body with several faults is refused for the one that is met first:
    compressed, where its parts end decides which that is, and in chunks, how long it is comes last."""
    if answer.status == 200:
        return answer.body
    if way == "in chunks" or sent.fields.get("content-encoding"):
        return "refused"
    return answer.status, json.loads(answer.body).get("type")


def check(sent: Sent, answers: dict[str, Answer]) -> None:
    """Each is rightly answered or refused, and all are the same."""
    statuses = {way: each.status for way, each in answers.items()}
    assert all(status < 500 or status == 503 for status in statuses.values()), statuses
    told = [told_by(sent, way, each) for way, each in answers.items()]
    assert all(each in (told[0], "refused") for each in told), (statuses, told)
    first = next(iter(answers.values()))
    assert len({status == 200 for status in statuses.values()}) == 1, statuses
    if first.status == 200:
        asked = read(sent)
        if not is_raw(first):
            asked = asked._replace(values=with_one_nan(asked.dtype, asked.values))
        answer(*asked).assert_matches(*tensor_of(first))


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
