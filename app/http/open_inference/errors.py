"""Refusals as the protocol has them: {"error": "…"}, with the words of our problem documents."""

from json import dumps

import orjson

from app.errors import Refusal
from app.http.problems import PROBLEMS, Problem
from app.http.reply import RawHeaders, Reply

JSON_TYPE = (b"content-type", b"application/json")


def refused(refusal: Refusal) -> Reply:
    """The error that a refusal is; clients of the protocol know 400 for whatever breaks a rule."""
    of = PROBLEMS[type(refusal)]
    place = refusal.place
    if not place.isprintable():  # a name stands in it as it was sent
        place = dumps(place)[1:-1]
    said = f"{refusal} (at {place})" if place else str(refusal)
    return problem(of._replace(status=400 if of.status == 422 else of.status), said)


def problem(of: Problem, message: str, headers: RawHeaders = ()) -> Reply:
    """An error. Text that came from outside may hold what UTF-8 cannot."""
    said = orjson.dumps({"error": message.encode(errors="replace").decode()})
    return Reply(of.status, said, (JSON_TYPE, *of.headers, *headers), reason=of.reason)
