"""From the fields of a request to the parameters of an operator version."""

import re
from collections.abc import Mapping

from pydantic import ValidationError

from app.errors import InvalidParameter, UnknownParameter
from app.names import pointer, shown
from app.spec.history import parameter_refusal
from app.spec.operators import Operator
from app.spec.parameters import Parameters


def parse_parameters(operator: Operator, fields: Mapping[str, object]) -> Parameters:
    """The parameters a caller gave, None meaning not given; UnknownParameter or InvalidParameter if they are wrong.

    Whether the axes exist is known only with the tensor: `Parameters.reduction` checks that.
    """
    kind = operator.parameters
    for name in fields:
        if name not in kind.model_fields:
            raise UnknownParameter(parameter_refusal(operator, name), pointer(name))
    given = {name: value for name, value in fields.items() if value is not None}
    try:
        return kind.model_validate(given)
    except ValidationError as error:
        raise _refusal(error) from None


def _refusal(error: ValidationError) -> InvalidParameter:
    detail = error.errors(include_url=False, include_context=False)[0]
    name, *position = detail["loc"]
    value = detail["input"]
    if name == "axes" and not position:
        rule = "axes must be a list of integers"
    elif name in ("axes", "axis"):
        rule = "an axis must be an integer"
    else:
        rule = f"{name} must be 0 or 1"
    in_query = name in ("axes", "axis") and isinstance(value, str) and value.startswith(("[", "("))
    hint = f"; in a query, write {'axes=1 or axes=0,2' if name == 'axes' else 'axis=1'}" if in_query else ""
    if isinstance(value, str) and not (name == "axes" and not position):
        bare = _INTEGER if name in ("axes", "axis") else _FLAG
        hint = "; write it without quotes" if bare.fullmatch(value) else hint  # a query has none: it is JSON
    return InvalidParameter(f"{rule}, not {shown(value)}{hint}", pointer(name, *position))


_INTEGER = re.compile("-?(0|[1-9][0-9]{0,17})")
_FLAG = re.compile("[01]|true|false")
