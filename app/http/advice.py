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
        _of(errors.DuplicateKey, "Give the key that the detail names once."),
        _of(errors.MalformedHeader, "Send the header field as the detail says, or leave it out."),
        _of(errors.UnknownOperator, "Use one of the names that the detail and GET /operators list."),
        _of(errors.UnknownVersion, "Use one of the opsets that the detail names."),
        _of(
            errors.NotAcceptable, "Let Accept allow one of the media types that the detail lists, or leave Accept out."
        ),
        _of(
            errors.BodyTooLarge,
            "Send a binary body, which may be far larger than a JSON one, or have the service run with a larger limit, "
            "the one that the detail names.",
        ),
        _of(
            errors.UnsupportedMediaType,
            "Send a body of a media type that Accept-Post lists, and name it in Content-Type.",
        ),
        _of(errors.UnsupportedEncoding, "Compress the body as Accept-Encoding lists, or not at all."),
        _of(errors.UnknownField, "Leave out the field that the detail names, or correct its name."),
        _of(errors.MissingField, "Add the field that the detail names."),
        _of(errors.ConflictingFields, "Keep one of the two that the detail names."),
        _of(errors.UnknownParameter, "Leave the parameter out, or use a version of the operator that has it."),
        _of(errors.InvalidParameter, "Give a value that the detail allows."),
        _of(errors.AxisOutOfRange, "Count axes from 0, or from -1 backwards at versions that read negative ones."),
        _of(errors.DuplicateAxis, "List each axis once; a negative one may mean the same as a positive one."),
        _of(errors.UnknownDtype, "Use one of the dtypes that the detail lists."),
        _of(errors.DtypeNotAccepted, "Use another dtype, or a version of the operator that takes this one."),
        _of(
            errors.InvalidShape,
            "Give a list of sizes, each 0 or more; [] is a scalar. Where it is the answer that would be too large, "
            "reduce more axes, or have the service run with a larger KEEPDIMS_MAX_BODY_BYTES.",
        ),
        _of(errors.ShapeMismatch, "Send as many elements as the shape has, or leave the shape out of nested lists."),
        _of(errors.RaggedNesting, "Make all lists at the same depth equally long."),
        _of(
            errors.InvalidElement,
            "Send a value that the dtype has, or use another dtype; no value is wrapped or cut to fit.",
        ),
        _of(
            errors.InvalidBase64, "Send the elements' little-endian bytes in base64 with padding, without line breaks."
        ),
        _of(
            errors.Undefined,
            "Where a set has no elements, reduce other axes; where a value does not exist, such as the logarithm of 0 "
            "among integers, use a float dtype, which has infinities and NaN. ArgMin and ArgMax take empty tensors at "
            "every version but 11.",
        ),
        _of(errors.Overloaded, "Send the request again after as many seconds as Retry-After says."),
        _of(errors.TimeUp, "Allow more seconds in Request-Timeout, or leave it out."),
        (
            UNAUTHORIZED,
            Advice(
                "The path needs an API key, and the request has none, or one that the service does not know.",
                "Send the header field Authorization: Bearer KEY.",
            ),
        ),
        (
            NOT_FOUND,
            Advice("The service has nothing at this path.", "GET / and GET /operators list what there is."),
        ),
        (
            METHOD_NOT_ALLOWED,
            Advice(
                "The path exists, but this method is not allowed on it.", "Use one of the methods that Allow lists."
            ),
        ),
        (
            BODY_TOO_SLOW,
            Advice(
                "The body came too slowly: nothing of it for too long, or too little in all.",
                "Send it again on a new connection; KEEPDIMS_BODY_TIMEOUT is how long the service waits.",
            ),
        ),
        (
            MALFORMED_REQUEST,
            Advice(
                "The head or the framing of the request breaks the rules of HTTP.",
                "Use a client that speaks HTTP/1.1.",
            ),
        ),
        (
            URL_TOO_LONG,
            Advice(
                "The path and the query have more bytes than the service reads.",
                "Send parameters beside the tensor, in a JSON body.",
            ),
        ),
        (
            HEAD_TOO_LONG,
            Advice(
                "The header fields have more bytes than the service reads.",
                "Leave out fields; cookies are not needed here.",
            ),
        ),
        (
            EXPECTATION_FAILED,
            Advice("Expect asks for something other than 100-continue.", "Leave Expect out."),
        ),
        (
            STOPPING,
            Advice(
                "The process has been told to stop.",
                "Send the request to another process, or again once a new one runs.",
            ),
        ),
        (
            INTERNAL,
            Advice(
                "The service has a bug; the request is not to blame.",
                "Report it with the X-Request-ID of the answer; sending it again is unlikely to help.",
            ),
        ),
    ]
)
"""Every type of problem there is, those of refusals first."""
