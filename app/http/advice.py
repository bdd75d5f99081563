"""What a problem type means, and what a caller can do about it."""

from typing import NamedTuple

from app import errors
from app.http.problems import (
    BODY_TOO_SLOW,
    EXPECTATION_FAILED,
    HEAD_TOO_LONG,
    INTERNAL,
    MALFORMED_REQUEST,
    METHOD_NOT_ALLOWED,
    NOT_FOUND,
    PROBLEMS,
    STOPPING,
    UNAUTHORIZED,
    URL_TOO_LONG,
    Problem,
)


class Advice(NamedTuple):
    """Both in a sentence or two."""

    meaning: str
    remedy: str


def _of(error: type[errors.Refusal], remedy: str) -> tuple[Problem, Advice]:
    """A refusal's own words are what it means."""
    return PROBLEMS[error], Advice(str(error.__doc__), remedy)


ADVICE: dict[Problem, Advice] = dict(
    [
        _of(errors.MalformedBody, "Send what Content-Type says; where nothing says so, a body is JSON."),
        _of(errors.DuplicateKey, "Give each member once, in the object that the place names."),
        _of(errors.MalformedHeader, "Send the field as the detail says, or leave it out."),
        _of(errors.UnknownOperator, "Take one of the names that the detail lists, or that GET /operators does."),
        _of(errors.UnknownVersion, "Take an opset that has the operator; the detail says which do."),
        _of(errors.NotAcceptable, "Let Accept allow one of the media types in the detail, or leave it out."),
        _of(
            errors.BodyTooLarge,
            "Send a binary body, which may be far larger than a JSON one, or have the service run with larger limits.",
        ),
        _of(errors.UnsupportedMediaType, "Send one of the media types that Accept-Post lists."),
        _of(errors.UnsupportedEncoding, "Compress the body as Accept-Encoding lists, or not at all."),
        _of(errors.UnknownField, "Leave out the member that the place names."),
        _of(errors.MissingField, "Add the member that the detail names."),
        _of(errors.ConflictingFields, "Keep one of the two that the detail names."),
        _of(errors.UnknownParameter, "Leave it out, or take a version of the operator that has it."),
        _of(errors.InvalidParameter, "Give a value that the detail allows."),
        _of(errors.AxisOutOfRange, "Count axes from 0, or from -1 backwards at versions that read negative ones."),
        _of(errors.DuplicateAxis, "Name each axis once; a negative one may mean the same as a positive one."),
        _of(errors.UnknownDtype, "Take one of the dtypes that the detail lists."),
        _of(errors.DtypeNotAccepted, "Take another dtype, or a version of the operator that lists this one."),
        _of(errors.InvalidShape, "Give a list of sizes, each 0 or more; [] is a scalar."),
        _of(errors.ShapeMismatch, "Send as many elements as the shape has, or leave the shape out of nested lists."),
        _of(errors.RaggedNesting, "Make all lists of one depth equally long."),
        _of(errors.InvalidElement, "Send an element that the dtype holds; none is wrapped or cut to fit."),
        _of(
            errors.InvalidBase64, "Send the elements' little-endian bytes in base64 with padding, without line breaks."
        ),
        _of(errors.Undefined, "Send a tensor whose reduced sets have elements, or reduce other axes."),
        _of(errors.Overloaded, "Send it again after as many seconds as Retry-After says."),
        _of(errors.TimeUp, "Give more seconds in Request-Timeout, or leave it out."),
        (
            UNAUTHORIZED,
            Advice(
                "The service has keys, and the request names none of them.", "Send Authorization: Bearer and a key."
            ),
        ),
        (
            NOT_FOUND,
            Advice("Nothing of the service is at this path.", "GET / and GET /operators list what there is."),
        ),
        (
            METHOD_NOT_ALLOWED,
            Advice("The path is there, and is asked in another way.", "Take one of the methods that Allow lists."),
        ),
        (
            BODY_TOO_SLOW,
            Advice(
                "Nothing came of the body for too long, or too little in all.",
                "Send it again on a new connection; KEEPDIMS_BODY_TIMEOUT is how long the service waits.",
            ),
        ),
        (
            MALFORMED_REQUEST,
            Advice(
                "The head or the framing of the request breaks HTTP.", "Send it with a client that speaks HTTP/1.1."
            ),
        ),
        (
            URL_TOO_LONG,
            Advice("More bytes of path and query than are read.", "Send parameters beside the tensor, in a JSON body."),
        ),
        (
            HEAD_TOO_LONG,
            Advice("More bytes of header fields than are read.", "Leave out fields; cookies are not needed here."),
        ),
        (
            EXPECTATION_FAILED,
            Advice("Expect asks for something else than 100-continue.", "Leave Expect out."),
        ),
        (
            STOPPING,
            Advice("The process was told to stop.", "Send requests to another one, or again when there is a new one."),
        ),
        (
            INTERNAL,
            Advice(
                "A bug of the service; it is not the request's fault.",
                "Report it with the X-Request-ID of the answer; sending it again is unlikely to help.",
            ),
        ),
    ]
)
"""Every type of problem there is, those of refusals first."""
