"""What can go wrong, in words. Statuses and problem types are looked up in `http/problems.py`.

Refusal                     a request this service does not answer
├── MalformedBody           the bytes are not what their media type says
│   └── DuplicateKey        a JSON object names a key twice
├── MalformedHeader         a header field that cannot be read
├── UnknownOperator         no operator of that name
├── UnknownVersion          no such opset
├── NotAcceptable           no format the caller accepts
├── UnsupportedMediaType    a body format that is not read here
├── UnsupportedEncoding     a Content-Encoding that is not read here
├── BodyTooLarge            more bytes than the setting allows
├── Overloaded              no room for this request now
├── TimeUp                  no answer in the time that the request gives
└── Unprocessable           well-formed, but it breaks a rule
    ├── UnknownField        a field that a request does not have
    ├── MissingField        a field that a request needs
    ├── ConflictingFields   two fields that exclude each other
    ├── UnknownParameter    not an attribute of this operator version
    ├── InvalidParameter    an attribute with a value it cannot take
    ├── AxisOutOfRange      an axis outside the tensor's rank
    ├── DuplicateAxis       one axis listed twice
    ├── UnknownDtype        no dtype of that name
    ├── DtypeNotAccepted    a dtype the operator version does not list
    ├── InvalidShape        not a list of dimensions, or too large
    ├── ShapeMismatch       shape and elements disagree
    ├── RaggedNesting       nested lists of unequal length
    ├── InvalidElement      a value the dtype cannot hold
    ├── InvalidBase64       text that is not base64, or of the wrong length
    └── Undefined           the operator has no answer for this tensor
"""


class Refusal(Exception):
    """A request this service does not answer; the message gives the value and the rule, `place` where it stands.

    `place` is a JSON pointer into the request (`/data/values/1/0`), or empty where there is none to name. A query
    counts as an object of its parameters (`/axes/0`).
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


class MalformedBody(Refusal):
    """The body is not what its media type says: not JSON, for instance, or cut short."""


class DuplicateKey(MalformedBody):
    """A JSON object or the query names a key twice."""


class MalformedHeader(Refusal):
    """A header field has a value that cannot be read."""


class UnknownOperator(Refusal):
    """The path names an operator that does not exist."""


class UnknownVersion(Refusal):
    """The path names an opset that does not exist."""


class NotAcceptable(Refusal):
    """The service can send none of the formats that Accept allows."""


class UnsupportedMediaType(Refusal):
    """Content-Type names a format or a charset that the service does not read."""


class UnsupportedEncoding(Refusal):
    """Content-Encoding names an encoding that the service does not read."""


class BodyTooLarge(Refusal):
    """The body, or what the request needs in memory, is larger than the settings allow."""


class Overloaded(Refusal):
    """The service has no room for this request at the moment."""


class TimeUp(Refusal):
    """There was no answer within the seconds of Request-Timeout."""


class Unprocessable(Refusal):
    """Well-formed, but it breaks a rule."""


class UnknownField(Unprocessable):
    """An object in the request has a field that is not known."""


class MissingField(Unprocessable):
    """The request lacks a field that it needs."""


class ConflictingFields(Unprocessable):
    """Two fields of the request exclude each other."""


class UnknownParameter(Unprocessable):
    """The operator version does not have this parameter, or not in this place."""


class InvalidParameter(Unprocessable):
    """A parameter has a value that it cannot take."""


class AxisOutOfRange(Unprocessable):
    """An axis lies outside the rank of the tensor."""


class DuplicateAxis(Unprocessable):
    """One axis is listed twice."""


class UnknownDtype(Unprocessable):
    """There is no dtype of this name."""


class DtypeNotAccepted(Unprocessable):
    """The operator version does not take tensors of this dtype."""


class InvalidShape(Unprocessable):
    """The shape is not a list of dimensions, or is too large, or that of the answer would be."""


class ShapeMismatch(Unprocessable):
    """The shape and the number of elements disagree."""


class RaggedNesting(Unprocessable):
    """Lists at the same depth have different lengths."""


class InvalidElement(Unprocessable):
    """An element is a value that the dtype does not have."""


class InvalidBase64(Unprocessable):
    """The text is not base64, or not as many bytes as the elements have."""


class Undefined(Unprocessable):
    """The operator is not defined for these elements, or for a set without any."""

    def __init__(self, message: str, place: str = "/data") -> None:
        super().__init__(message, place)
