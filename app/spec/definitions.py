"""What each operator means, in sentences. They hold at every version; `description` adds what one version is about."""

from dataclasses import dataclass

from app.spec.dtypes import FLOATS, INTEGERS
from app.spec.operators import Operator

NAN_WINS = "Any NaN in a set makes its answer NaN, the canonical quiet NaN of the dtype."
ROUNDED_ONCE = (
    "For floats, the exact value of {what} is rounded once, half to even, to the dtype of the data. Overflow is "
    "decided on that final value, and the answer has the same bits however the tensor is split."
)
WRAPS = "Integers wrap modulo 2^n in the dtype of the data."


@dataclass(frozen=True, slots=True)
class Definition:
    """One operator. `integers` and the empty-set answers are told only where a version takes such dtypes."""

    summary: str
    computes: str
    floats: str
    integers: str
    specials: str
    elementwise: str
    empty_floats: str
    empty_integers: str
    empty_bool: str = ""


REFUSED = "is refused, as there is no answer"

DEFINITIONS: dict[str, Definition] = {
    "ReduceMin": Definition(
        summary="Smallest element",
        computes="Gives the smallest element of each set of elements that are reduced together.",
        floats="The answer is one of the elements, so nothing is rounded. -0.0 is smaller than +0.0.",
        integers="Integers are compared exactly.",
        specials=NAN_WINS,
        elementwise="the tensor itself",
        empty_floats="+inf",
        empty_integers="the largest value of the dtype",
        empty_bool="true",
    ),
    "ReduceMax": Definition(
        summary="Largest element",
        computes="Gives the largest element of each set of elements that are reduced together.",
        floats="The answer is one of the elements, so nothing is rounded. +0.0 is larger than -0.0.",
        integers="Integers are compared exactly.",
        specials=NAN_WINS,
        elementwise="the tensor itself",
        empty_floats="-inf",
        empty_integers="the smallest value of the dtype",
        empty_bool="false",
    ),
    "ReduceSum": Definition(
        summary="Sum",
        computes="Adds up the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the sum"),
        integers=WRAPS,
        specials=f"{NAN_WINS} So do +inf and -inf together. A sum of nothing but -0.0 is -0.0.",
        elementwise="the tensor itself",
        empty_floats="+0.0",
        empty_integers="0",
    ),
    "ReduceMean": Definition(
        summary="Arithmetic mean",
        computes="Gives the arithmetic mean of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the mean"),
        integers="For integers, the exact mean is truncated toward zero; it cannot overflow.",
        specials=f"{NAN_WINS} So do +inf and -inf together. A mean of nothing but -0.0 is -0.0.",
        elementwise="the tensor itself",
        empty_floats="NaN",
        empty_integers=REFUSED,
    ),
    "ReduceProd": Definition(
        summary="Product",
        computes="Multiplies the elements that are reduced together.",
        floats="For floats, the answer is within one unit in the last place of the exact product, and nothing "
        "overflows or underflows on the way: intermediate products have more than twice the precision of a double.",
        integers=WRAPS,
        specials=f"{NAN_WINS} So do 0 and an infinity together. The sign is the product of all signs, also of zeros.",
        elementwise="the tensor itself",
        empty_floats="1",
        empty_integers="1",
    ),
    "ReduceL1": Definition(
        summary="L1 norm, the sum of absolute values",
        computes="Adds up the absolute values of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the norm"),
        integers=f"{WRAPS} The absolute value of a signed dtype's smallest integer is itself.",
        specials=f"{NAN_WINS} Otherwise any infinity makes it +inf.",
        elementwise="the absolute value of every element",
        empty_floats="+0.0",
        empty_integers="0",
    ),
    "ReduceL2": Definition(
        summary="L2 norm, the root of the sum of squares",
        computes="Gives the square root of the sum of the squares of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the root"),
        integers="For integers, the exact root is rounded down, and wraps only if that does not fit the dtype.",
        specials=f"{NAN_WINS} Otherwise any infinity makes it +inf.",
        elementwise="the absolute value of every element",
        empty_floats="+0.0",
        empty_integers="0",
    ),
    "ReduceSumSquare": Definition(
        summary="Sum of squares",
        computes="Adds up the squares of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the sum of squares"),
        integers=WRAPS,
        specials=f"{NAN_WINS} Otherwise any infinity makes it +inf.",
        elementwise="the square of every element",
        empty_floats="+0.0",
        empty_integers="0",
    ),
    "ReduceLogSum": Definition(
        summary="Logarithm of the sum",
        computes="Gives the natural logarithm of the sum of the elements that are reduced together.",
        floats="For floats, the sum is exact, and the answer is within one unit in the last place of its logarithm, "
        "even if the sum is very close to 1.",
        integers="For integers, the logarithm is truncated toward zero; a sum that is not positive has none, and the "
        "request is refused.",
        specials=f"{NAN_WINS} So does a negative sum of floats; a sum of zero gives -inf.",
        elementwise="the logarithm of every element",
        empty_floats="-inf",
        empty_integers=REFUSED,
    ),
    "ReduceLogSumExp": Definition(
        summary="Logarithm of the sum of exponentials",
        computes="Gives the natural logarithm of the sum of e^x over the elements x that are reduced together.",
        floats="For floats, the answer is within one unit in the last place or 2^-52, whichever is larger. Large "
        "elements do not overflow, and if only one element is above -inf, it is the answer.",
        integers="For integers, the answer is truncated toward zero; terms below 2^-200 of the largest count as 0.",
        specials=f"{NAN_WINS} Nothing but -inf gives -inf; +inf without a NaN gives +inf.",
        elementwise="the tensor itself, since log(e^x) is x",
        empty_floats="-inf",
        empty_integers=REFUSED,
    ),
    "ArgMin": Definition(
        summary="Position of the smallest element",
        computes="Gives the position of the smallest element along one axis, counted from 0.",
        floats="-0.0 and +0.0 count as equal.",
        integers="",
        specials="NaN counts as smaller than every number.",
        elementwise="",
        empty_floats=REFUSED,
        empty_integers=REFUSED,
    ),
    "ArgMax": Definition(
        summary="Position of the largest element",
        computes="Gives the position of the largest element along one axis, counted from 0.",
        floats="-0.0 and +0.0 count as equal.",
        integers="",
        specials="NaN counts as larger than every number.",
        elementwise="",
        empty_floats=REFUSED,
        empty_integers=REFUSED,
    ),
}
"""By ONNX's name of the operator."""


def description(operator: Operator) -> tuple[str, ...]:
    """What an operator version computes, in paragraphs."""
    paragraphs = (_meaning(operator), _usage(operator), _empty_sets(operator), operator.parameters.note)
    return tuple(paragraph for paragraph in paragraphs if paragraph)


def _meaning(operator: Operator) -> str:
    definition = DEFINITIONS[operator.name]
    sentences = [definition.computes, definition.floats]
    if any(dtype in INTEGERS for dtype in operator.dtypes):
        sentences.append(definition.integers)
    if "bool" in operator.dtypes:
        sentences.append("For booleans, false is smaller than true.")
    return " ".join(sentence for sentence in [*sentences, definition.specials] if sentence)


def _usage(operator: Operator) -> str:
    names = {parameter.name for parameter in operator.parameters.described()}
    negative = operator.parameters.negative_axes
    if "axis" in names:
        sentences = [
            "`axis` is the axis to search along, by default the first.",
            "A negative axis counts from the back." if negative else "A negative axis is refused.",
            "A tensor of rank 0 has no axis and is refused.",
        ]
    else:
        sentences = ["If `axes` is omitted or empty, every axis is reduced."]
        if "noop_with_empty_axes" in names:
            kept = DEFINITIONS[operator.name].elementwise
            unless = f"unless `noop_with_empty_axes=1`: then none is, and the answer is {kept}."
            sentences = [f"If `axes` is omitted or empty, every axis is reduced, {unless}"]
        sentences.append("Negative axes count from the back." if negative else "Negative axes are refused.")
    sentences.append("`keepdims=1` keeps reduced dimensions with size 1; `keepdims=0` drops them.")
    if "select_last_index" in names:
        sentences.append(
            "Of several equal extremes, `select_last_index=0` gives the position of the first, "
            "`select_last_index=1` that of the last."
        )
    elif "axis" in names:
        sentences.append("Of several equal extremes, the first gives the position.")
    return " ".join(sentences)


def _empty_sets(operator: Operator) -> str:
    definition = DEFINITIONS[operator.name]
    if not operator.takes_empty:
        return "A tensor without elements is refused, whichever dimension has size 0."
    answers = {
        "floats": (FLOATS, definition.empty_floats),
        "integers": (INTEGERS, definition.empty_integers),
        "booleans": (("bool",), definition.empty_bool),
    }
    told = {family: answer for family, (dtypes, answer) in answers.items() if set(dtypes) & set(operator.dtypes)}
    if set(told.values()) == {REFUSED}:
        return "An axis of size 0 has no position to give, and is refused."
    refused = [family for family, answer in told.items() if answer == REFUSED]
    *given, last = [f"{answer} for {family}" for family, answer in told.items() if answer != REFUSED]
    words = f"Reducing a dimension of size 0 gives {' and '.join([', '.join(given), last] if given else [last])}"
    return f"{words}; for {' and '.join(refused)} it {REFUSED}." if refused else f"{words}."
