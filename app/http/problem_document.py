"""Errors in words -> problem documents (RFC 9457), in one place."""

import orjson

from app.errors import Refusal
from app.http.problems import PROBLEMS, Problem
from app.http.reply import RawHeaders, Reply

MEDIA_TYPE = "application/problem+json"


def refused(refusal: Refusal) -> Reply:
    """The problem document of a refusal."""
    return document(PROBLEMS[type(refusal)], str(refusal), refusal.place)


def document(problem: Problem, detail: str, place: str = "", headers: RawHeaders = ()) -> Reply:
    """A problem document; `detail` is for people, `place` a JSON pointer into the request."""
    members: dict[str, object] = {
        "type": problem.type,
        "title": problem.title,
        "status": problem.status,
        # Text that came from outside may hold what UTF-8 cannot: half a surrogate pair is shown as a question mark.
        "detail": detail.encode(errors="replace").decode(),
    }
    if place:
        members["place"] = place
    content_type = (b"content-type", MEDIA_TYPE.encode())
    return Reply(
        problem.status, orjson.dumps(members), (content_type, *problem.headers, *headers), reason=problem.reason
    )
