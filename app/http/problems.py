"""Every problem that can be told (RFC 9457): its status and words, the same for all requests that have it."""

from typing import NamedTuple

from app import errors
from app.errors import Refusal
from app.http.encodings import ENCODINGS
from app.http.reply import RawHeaders
from app.tensors.formats import FORMATS


class Problem(NamedTuple):
    """A type of problem: `reason` is its name, stable, for callers may depend on it; `meaning` says when it comes,
    `remedy` what a caller can do."""

    status: int
    reason: str
    title: str
    meaning: str
    remedy: str
    headers: RawHeaders = ()

    @property
    def type(self) -> str:
        """Its address."""
        return f"/problems/{self.reason}"


# fmt: off
PROBLEMS: dict[type[Refusal], Problem] = {
    errors.MalformedBody: Problem(
        400, "malformed-body", "The body is not what its media type says",
        "The body is not what its media type says: not JSON, for instance, or cut short.",
        "Send what Content-Type says; where nothing says so, a body is JSON.",
    ),
    errors.DuplicateKey: Problem(
        400, "duplicate-key", "A key is given twice",
        "A JSON object or the query names a key twice.",
        "Give the key that the detail names once.",
    ),
    errors.MalformedHeader: Problem(
        400, "malformed-header", "A header field cannot be read",
        "A header field has a value that cannot be read.",
        "Send the header field as the detail says, or leave it out.",
    ),
    errors.UnknownOperator: Problem(
        404, "unknown-operator", "There is no such operator",
        "The path names an operator that does not exist.",
        "Use one of the names that the detail and GET /operators list.",
    ),
    errors.UnknownVersion: Problem(
        404, "unknown-version", "There is no such version",
        "The path names an opset that does not exist.",
        "Use one of the opsets that the detail names.",
    ),
    errors.NotAcceptable: Problem(
        406, "not-acceptable", "No acceptable format can be sent",
        "The service can send none of the formats that Accept allows.",
        "Let Accept allow one of the media types that the detail lists, or leave Accept out.",
    ),
    errors.BodyTooLarge: Problem(
        413, "body-too-large", "The body is too large",
        "The body, or what the request needs in memory, is larger than the settings allow.",
        "Send a binary body, which may be far larger than a JSON one, or have the service run with a larger limit, "
        "the one that the detail names.",
    ),
    errors.UnsupportedMediaType: Problem(
        415, "unsupported-media-type", "The media type is not supported",
        "Content-Type names a format or a charset that the service does not read.",
        "Send a body of a media type that Accept-Post lists, and name it in Content-Type.",
        ((b"accept-post", ", ".join(FORMATS).encode()),),
    ),
    errors.UnsupportedEncoding: Problem(
        415, "unsupported-encoding", "The encoding is not supported",
        "Content-Encoding names an encoding that the service does not read.",
        "Compress the body as Accept-Encoding lists, or not at all.",
        ((b"accept-encoding", ", ".join(ENCODINGS).encode()),),
    ),
    errors.UnknownField: Problem(
        422, "unknown-field", "There is no such field",
        "An object in the request has a field that is not known.",
        "Leave out the field that the detail names, or correct its name.",
    ),
    errors.MissingField: Problem(
        422, "missing-field", "A field is missing",
        "The request lacks a field that it needs.",
        "Add the field that the detail names.",
    ),
    errors.ConflictingFields: Problem(
        422, "conflicting-fields", "Two fields exclude each other",
        "Two fields of the request exclude each other.",
        "Keep one of the two that the detail names.",
    ),
    errors.UnknownParameter: Problem(
        422, "unknown-parameter", "There is no such parameter",
        "The operator version does not have this parameter, or not in this place.",
        "Leave the parameter out, put it where the detail says, or use a version of the operator that has it.",
    ),
    errors.InvalidParameter: Problem(
        422, "invalid-parameter", "A parameter cannot take this value",
        "A parameter has a value that it cannot take.",
        "Give a value that the detail allows.",
    ),
    errors.AxisOutOfRange: Problem(
        422, "axis-out-of-range", "The tensor has no such axis",
        "An axis lies outside the rank of the tensor.",
        "Count axes from 0, or from -1 backwards at versions that read negative ones.",
    ),
    errors.DuplicateAxis: Problem(
        422, "duplicate-axis", "An axis is listed twice",
        "One axis is listed twice.",
        "List each axis once; a negative one may mean the same as a positive one.",
    ),
    errors.UnknownDtype: Problem(
        422, "unknown-dtype", "There is no such dtype",
        "There is no dtype of this name.",
        "Use one of the dtypes that the detail lists.",
    ),
    errors.DtypeNotAccepted: Problem(
        422, "dtype-not-accepted", "This operator version does not accept this dtype",
        "The operator version does not take tensors of this dtype.",
        "Use another dtype, or a version of the operator that takes this one.",
    ),
    errors.InvalidShape: Problem(
        422, "invalid-shape", "The shape is invalid or too large",
        "The shape is not a list of dimensions, or is too large, or that of the answer would be.",
        "Give a list of sizes, each 0 or more; [] is a scalar. Where it is the answer that would be too large, reduce"
        " more axes, or have the service run with a larger KEEPDIMS_MAX_BODY_BYTES.",
    ),
    errors.ShapeMismatch: Problem(
        422, "shape-mismatch", "Shape and elements disagree",
        "The shape and the number of elements disagree.",
        "Send as many elements as the shape has, or leave the shape out of nested lists.",
    ),
    errors.RaggedNesting: Problem(
        422, "ragged-nesting", "Nested lists have unequal lengths",
        "Lists at the same depth have different lengths.",
        "Make all lists at the same depth equally long.",
    ),
    errors.InvalidElement: Problem(
        422, "invalid-element", "An element is not a value of the dtype",
        "An element is a value that the dtype does not have.",
        "Send a value that the dtype has, or use another dtype; no value is wrapped or cut to fit.",
    ),
    errors.InvalidBase64: Problem(
        422, "invalid-base64", "The base64 text is invalid",
        "The text is not base64, or not as many bytes as the elements have.",
        "Send the elements' little-endian bytes in base64 with padding, without line breaks.",
    ),
    errors.Undefined: Problem(
        422, "undefined", "The operator has no answer for this tensor",
        "The operator is not defined for these elements, or for a set without any.",
        "Where a set has no elements, reduce other axes; where a value does not exist, such as the logarithm of 0 "
        "among integers, use a float dtype, which has infinities and NaN. ArgMin and ArgMax need an element "
        "along their axis, and version 11 of both takes no empty tensor at all.",
    ),
    errors.Overloaded: Problem(
        503, "overloaded", "There is no room for this request now",
        "The service has no room for this request at the moment.",
        "Send the request again after as many seconds as Retry-After says.",
        ((b"retry-after", b"1"),),
    ),
    errors.TimeUp: Problem(
        503, "time-up", "The time of the request is up",
        "There was no answer within the seconds of Request-Timeout.",
        "Allow more seconds in Request-Timeout, or leave it out.",
    ),
}

UNAUTHORIZED = Problem(
    401, "unauthorized", "The API key is missing or unknown",
    "The path needs an API key, and the request has none, or one that the service does not know.",
    "Send the header field Authorization: Bearer KEY.",
    ((b"www-authenticate", b"Bearer"),),
)
NOT_FOUND = Problem(
    404, "not-found", "There is nothing at this path",
    "The service has nothing at this path.",
    "GET / and GET /operators list what there is.",
)
METHOD_NOT_ALLOWED = Problem(
    405, "method-not-allowed", "The method is not allowed here",
    "The path exists, but this method is not allowed on it.",
    "Use one of the methods that Allow lists.",
)
BODY_TOO_SLOW = Problem(
    408, "body-too-slow", "The body did not arrive in time",
    "The body came too slowly: nothing of it for too long, or too little in all.",
    "Send it again on a new connection; KEEPDIMS_BODY_TIMEOUT is how long the service waits.",
    ((b"connection", b"close"),),
)
MALFORMED_REQUEST = Problem(
    400, "malformed-request", "The request is not well-formed HTTP",
    "The head or the framing of the request breaks the rules of HTTP.",
    "Use a client that speaks HTTP/1.1.",
)
URL_TOO_LONG = Problem(
    414, "url-too-long", "The URL is too long",
    "The path and the query have more bytes than the service reads.",
    "Send parameters beside the tensor, in a JSON body.",
)
EXPECTATION_FAILED = Problem(
    417, "expectation-failed", "The expectation cannot be met",
    "Expect asks for something other than 100-continue.",
    "Leave Expect out.",
)
HEAD_TOO_LONG = Problem(
    431, "head-too-long", "The head of the request is too long",
    "The header fields have more bytes than the service reads.",
    "Leave out fields; cookies are not needed here.",
)
INTERNAL = Problem(
    500, "internal", "The service has a bug",
    "The service has a bug; the request is not to blame.",
    "Report it with the X-Request-ID of the answer; sending it again is unlikely to help.",
)
STOPPING = Problem(
    503, "stopping", "The service is stopping",
    "The process has been told to stop.",
    "Send the request to another process, or again once a new one runs.",
)
# fmt: on

BUG = "this is a bug in the service, not in the request"
"""What is said of an internal problem; the log has the rest."""

OTHERS = (UNAUTHORIZED, NOT_FOUND, METHOD_NOT_ALLOWED, BODY_TOO_SLOW, INTERNAL, STOPPING)
"""Problems that the HTTP layer raises, without a Refusal."""

FAULTS = (
    MALFORMED_REQUEST,
    URL_TOO_LONG,
    EXPECTATION_FAILED,
    HEAD_TOO_LONG,
)
"""Problems of what never became a request."""

REASONS = tuple(problem.reason for problem in (*PROBLEMS.values(), *OTHERS, *FAULTS))
STATUSES = tuple(sorted({200, *(problem.status for problem in (*PROBLEMS.values(), *OTHERS))}))
"""Every status that is counted."""
