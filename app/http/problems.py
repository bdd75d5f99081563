"""Errors in words -> problem documents (RFC 9457), in one place."""

from typing import NamedTuple

import orjson

from app import errors
from app.errors import Refusal
from app.http.encodings import ENCODINGS
from app.http.reply import RawHeaders, Reply
from app.tensors.formats import FORMATS

MEDIA_TYPE = "application/problem+json"


class Problem(NamedTuple):
    """What all refusals of one class share: `type` is stable, callers may depend on it."""

    status: int
    type: str
    title: str
    headers: RawHeaders = ()

    @property
    def reason(self) -> str:
        """Its type in short, as it is counted."""
        return self.type.rpartition("/")[2]


# fmt: off
PROBLEMS: dict[type[Refusal], Problem] = {
    errors.MalformedBody:        Problem(400, "/problems/malformed-body", "The body is not what its media type says"),
    errors.DuplicateKey:         Problem(400, "/problems/duplicate-key", "A key is given twice"),
    errors.MalformedHeader:      Problem(400, "/problems/malformed-header", "A header field cannot be read"),
    errors.UnknownOperator:      Problem(404, "/problems/unknown-operator", "There is no such operator"),
    errors.UnknownVersion:       Problem(404, "/problems/unknown-version", "There is no such version"),
    errors.NotAcceptable:        Problem(406, "/problems/not-acceptable", "No acceptable format can be sent"),
    errors.BodyTooLarge:         Problem(413, "/problems/body-too-large", "The body is too large"),
    errors.UnsupportedMediaType: Problem(415, "/problems/unsupported-media-type", "The media type is not supported",
                                         ((b"accept-post", ", ".join(FORMATS).encode()),)),
    errors.UnsupportedEncoding:  Problem(415, "/problems/unsupported-encoding", "The encoding is not supported",
                                         ((b"accept-encoding", ", ".join(ENCODINGS).encode()),)),
    errors.UnknownField:         Problem(422, "/problems/unknown-field", "There is no such field"),
    errors.MissingField:         Problem(422, "/problems/missing-field", "A field is missing"),
    errors.ConflictingFields:    Problem(422, "/problems/conflicting-fields", "Two fields exclude each other"),
    errors.UnknownParameter:     Problem(422, "/problems/unknown-parameter", "There is no such parameter"),
    errors.InvalidParameter:     Problem(422, "/problems/invalid-parameter", "A parameter cannot take this value"),
    errors.AxisOutOfRange:       Problem(422, "/problems/axis-out-of-range", "The tensor has no such axis"),
    errors.DuplicateAxis:        Problem(422, "/problems/duplicate-axis", "An axis is listed twice"),
    errors.UnknownDtype:         Problem(422, "/problems/unknown-dtype", "There is no such dtype"),
    errors.DtypeNotAccepted:     Problem(422, "/problems/dtype-not-accepted",
                                         "This operator version does not accept this dtype"),
    errors.InvalidShape:         Problem(422, "/problems/invalid-shape", "The shape is invalid or too large"),
    errors.ShapeMismatch:        Problem(422, "/problems/shape-mismatch", "Shape and elements disagree"),
    errors.RaggedNesting:        Problem(422, "/problems/ragged-nesting", "Nested lists have unequal lengths"),
    errors.InvalidElement:       Problem(422, "/problems/invalid-element", "An element is not a value of the dtype"),
    errors.InvalidBase64:        Problem(422, "/problems/invalid-base64", "The base64 text is invalid"),
    errors.Undefined:            Problem(422, "/problems/undefined", "The operator has no answer for this tensor"),
    errors.Overloaded:           Problem(503, "/problems/overloaded", "There is no room for this request now",
                                         ((b"retry-after", b"1"),)),
    errors.TimeUp:               Problem(503, "/problems/time-up", "The time of the request is up"),
}
# fmt: on

UNAUTHORIZED = Problem(
    401, "/problems/unauthorized", "The API key is missing or unknown", ((b"www-authenticate", b"Bearer"),)
)
NOT_FOUND = Problem(404, "/problems/not-found", "There is nothing at this path")
METHOD_NOT_ALLOWED = Problem(405, "/problems/method-not-allowed", "The method is not allowed here")
BODY_TOO_SLOW = Problem(408, "/problems/body-too-slow", "The body did not arrive in time", ((b"connection", b"close"),))
MALFORMED_REQUEST = Problem(400, "/problems/malformed-request", "The request is not well-formed HTTP")
URL_TOO_LONG = Problem(414, "/problems/url-too-long", "The URL is too long")
EXPECTATION_FAILED = Problem(417, "/problems/expectation-failed", "The expectation cannot be met")
HEAD_TOO_LONG = Problem(431, "/problems/head-too-long", "The head of the request is too long")
INTERNAL = Problem(500, "/problems/internal", "The service has a bug")
STOPPING = Problem(503, "/problems/stopping", "The service is stopping")

BUG = "this is a bug in the service, not in the request"
"""What is said of an internal problem; the log has the rest."""

OTHERS = (UNAUTHORIZED, NOT_FOUND, METHOD_NOT_ALLOWED, BODY_TOO_SLOW, INTERNAL, STOPPING)
"""Problems that are no refusal of what stands in a request."""

FAULTS = (
    MALFORMED_REQUEST,
    URL_TOO_LONG,
    EXPECTATION_FAILED,
    HEAD_TOO_LONG,
)
"""Problems of what never became a request."""

REASONS = tuple(problem.reason for problem in (*PROBLEMS.values(), *OTHERS, *FAULTS))
STATUSES = tuple(sorted({200, *(problem.status for problem in (*PROBLEMS.values(), *OTHERS))}))
"""Every status that a reduction can have."""


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
