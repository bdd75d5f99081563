"""What must hold of the answers to one request, whatever it is."""

import json

from tests.faults.answers import Answer, is_raw, tensor_of, with_one_nan
from tests.faults.bodies import Sent
from tests.faults.reading import read
from tests.oracle import answer


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
