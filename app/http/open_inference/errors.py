"""Refusals as the protocol has them: {"error": "…"}, with the words of our problem documents."""

import orjson

from app.errors import Refusal
from app.http.problems import PROBLEMS, Problem
from app.http.reply import RawHeaders, Reply

JSON = (b"content-type", b"application/json")


def failed(status: int, message: str, headers: RawHeaders = ()) -> Reply:
    """An error. Text that came from outside may hold what UTF-8 cannot."""
    said = message.encode(errors="replace").decode()
    return Reply(status, orjson.dumps({"error": said}), (JSON, *headers))


def refused(refusal: Refusal) -> Reply:
    """The error that a refusal is; clients of the protocol know 400 for whatever breaks a rule."""
    problem = PROBLEMS[type(refusal)]
    place = f" (at {refusal.place})" if refusal.place.startswith("/inputs/") else ""
    return failed(400 if problem.status == 422 else problem.status, f"{refusal}{place}", problem.headers)


def problem(of: Problem, message: str) -> Reply:
    """The error for a problem that is no refusal."""
    return failed(of.status, message, of.headers)
