"""What can go wrong, in words. Statuses and problem types are looked up in `http/problems.py`.

Refusal                     a request this service does not answer
├── MalformedBody           the bytes are not what their media type says
│   └── DuplicateKey        a JSON object names a key twice
├── MalformedHeader         a header field that cannot be read
├── UnknownOperator         no operator of that name
├── UnknownVersion          no such opset
├── NotAcceptable           no format the caller accepts
├── UnsupportedMediaType    a body format that is not spoken here
├── UnsupportedEncoding     a Content-Encoding that is not spoken here
├── BodyTooLarge            more bytes than the setting allows
├── Overloaded              no room for this request now
├── TimeUp                  no answer in the time that the request gives
└── Unprocessable           well-formed, but it breaks a rule
    ├── UnknownField        a member of the request nobody asked for
    ├── MissingField        a member of the request that is needed
    ├── ConflictingFields   two members that exclude each other
    ├── UnknownParameter    not an attribute of this operator version
    ├── InvalidParameter    an attribute with a value it cannot take
    ├── AxisOutOfRange      an axis outside the tensor's rank
    ├── DuplicateAxis       one axis named twice
    ├── UnknownDtype        no dtype of that name
    ├── DtypeNotAccepted    a dtype the operator version does not list
    ├── InvalidShape        not a list of dimensions, or one too large
    ├── ShapeMismatch       shape and elements disagree
    ├── RaggedNesting       nested lists of unequal length
    ├── InvalidElement      a value the dtype cannot hold
    ├── InvalidBase64       text that is not base64, or of the wrong length
    └── Undefined           the operator has no answer for this tensor
"""


class Refusal(Exception):
    """A request this service does not answer; the message gives the value and the rule, `place` where it stands.

    `place` is a JSON pointer into the request (`/data/values/1/0`), or empty where there is none to name.
    """

    def __init__(self, message: str, place: str = "") -> None:
        super().__init__(message)
        self.place = place


class MalformedBody(Refusal):
    """The bytes are not what their media type says."""


class DuplicateKey(MalformedBody):
    """A JSON object names a key twice."""


class MalformedHeader(Refusal):
    """A header field that cannot be read."""


class UnknownOperator(Refusal):
    """No operator of that name."""


class UnknownVersion(Refusal):
    """No such opset."""


class NotAcceptable(Refusal):
    """No format the caller accepts."""


class UnsupportedMediaType(Refusal):
    """A body format that is not spoken here."""


class UnsupportedEncoding(Refusal):
    """A Content-Encoding that is not spoken here."""


class BodyTooLarge(Refusal):
    """More bytes than the setting allows."""


class Overloaded(Refusal):
    """No room for this request now."""


class TimeUp(Refusal):
    """No answer in the time that the request gives."""


class Unprocessable(Refusal):
    """Well-formed, but it breaks a rule."""


class UnknownField(Unprocessable):
    """A member of the request nobody asked for."""


class MissingField(Unprocessable):
    """A member of the request that is needed."""


class ConflictingFields(Unprocessable):
    """Two members that exclude each other."""


class UnknownParameter(Unprocessable):
    """Not an attribute of this operator version."""


class InvalidParameter(Unprocessable):
    """An attribute with a value it cannot take."""


class AxisOutOfRange(Unprocessable):
    """An axis outside the tensor's rank."""


class DuplicateAxis(Unprocessable):
    """One axis named twice."""


class UnknownDtype(Unprocessable):
    """No dtype of that name."""


class DtypeNotAccepted(Unprocessable):
    """A dtype the operator version does not list."""


class InvalidShape(Unprocessable):
    """Not a list of dimensions, or one too large."""


class ShapeMismatch(Unprocessable):
    """Shape and elements disagree."""


class RaggedNesting(Unprocessable):
    """Nested lists of unequal length."""


class InvalidElement(Unprocessable):
    """A value the dtype cannot hold."""


class InvalidBase64(Unprocessable):
    """Text that is not base64, or of the wrong length."""


class Undefined(Unprocessable):
    """The operator has no answer for this tensor."""
