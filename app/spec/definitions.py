"""What each operator means, in sentences. They hold at every version; `description` adds what one version is about."""

from dataclasses import dataclass

from app.spec.dtypes import FLOATS, INTEGERS
from app.spec.operators import Operator

NAN_WINS = "One NaN anywhere in a set makes its answer NaN, the canonical quiet NaN of the dtype."
ROUNDED_ONCE = (
    "On floats the exact real value of {what} is rounded once, half to even, into the dtype of the data: overflow is "
    "decided on the final value, and the answer is bit-identical however the tensor is cut."
)
WRAPS = "Integers wrap modulo 2^n in their own dtype."


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


REFUSED = "is refused: there is no answer"

DEFINITIONS: dict[str, Definition] = {
    "ReduceMin": Definition(
        summary="Smallest element",
        computes="Answers the smallest element of each set of elements that are reduced together.",
        floats="The answer is one of the elements, so nothing is ever rounded; -0.0 is smaller than +0.0.",
        integers="Integers are compared as they are, all their bits counting.",
        specials=NAN_WINS,
        elementwise="the tensor itself",
        empty_floats="+inf",
        empty_integers="the largest value of the dtype",
        empty_bool="true",
    ),
    "ReduceMax": Definition(
        summary="Largest element",
        computes="Answers the largest element of each set of elements that are reduced together.",
        floats="The answer is one of the elements, so nothing is ever rounded; +0.0 is larger than -0.0.",
        integers="Integers are compared as they are, all their bits counting.",
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
        specials=f"{NAN_WINS} So do +inf and -inf in one set. A sum of nothing but -0.0 is -0.0.",
        elementwise="the tensor itself",
        empty_floats="+0.0",
        empty_integers="0",
    ),
    "ReduceMean": Definition(
        summary="Arithmetic mean",
        computes="Answers the arithmetic mean of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the mean"),
        integers="The mean of integers is exact and truncated toward zero; it cannot overflow.",
        specials=f"{NAN_WINS} So do +inf and -inf in one set. A mean of nothing but -0.0 is -0.0.",
        elementwise="the tensor itself",
        empty_floats="NaN",
        empty_integers=REFUSED,
    ),
    "ReduceProd": Definition(
        summary="Product",
        computes="Multiplies the elements that are reduced together.",
        floats="On floats the answer is within one unit in the last place of the exact product, without overflow or "
        "underflow on the way; the factors are carried in more than twice the precision of a double.",
        integers=WRAPS,
        specials=f"{NAN_WINS} So do 0 and an infinity in one set. The sign is the product of the signs, of zeros too.",
        elementwise="the tensor itself",
        empty_floats="1",
        empty_integers="1",
    ),
    "ReduceL1": Definition(
        summary="L1 norm, the sum of absolute values",
        computes="Adds up the absolute values of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the norm"),
        integers=f"{WRAPS} The absolute value of the smallest signed integer is itself.",
        specials=f"{NAN_WINS} Otherwise any infinity makes it +inf.",
        elementwise="the absolute value of every element",
        empty_floats="+0.0",
        empty_integers="0",
    ),
    "ReduceL2": Definition(
        summary="L2 norm, the root of the sum of squares",
        computes="Answers the square root of the sum of the squares of the elements that are reduced together.",
        floats=ROUNDED_ONCE.format(what="the root"),
        integers="On integers it is the floor of the exact root, wrapped only where that does not fit the dtype.",
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
        computes="Answers the natural logarithm of the sum of the elements that are reduced together.",
        floats="On floats the sum is exact and the answer within one unit in the last place of its logarithm, also "
        "where the sum is very near 1.",
        integers="On integers it is the real value truncated toward zero; where the sum is not positive there is no "
        "such value, and the request is refused.",
        specials=f"{NAN_WINS} So does a negative sum; a sum of zero gives -inf.",
        elementwise="the logarithm of every element",
        empty_floats="-inf",
        empty_integers=REFUSED,
    ),
    "ReduceLogSumExp": Definition(
        summary="Logarithm of the sum of exponentials",
        computes="Answers the natural logarithm of the sum of e^x over the elements x that are reduced together.",
        floats="On floats the answer is within one unit in the last place, or within 2^-52 where that is more; large "
        "elements do not overflow, and a single element above -inf comes back as it is.",
        integers="On integers it is the real value truncated toward zero; terms 2^-200 below the largest count as 0.",
        specials=f"{NAN_WINS} A set of -inf alone gives -inf, +inf without a NaN gives +inf.",
        elementwise="the tensor itself, since log(e^x) is x",
        empty_floats="-inf",
        empty_integers=REFUSED,
    ),
    "ArgMin": Definition(
        summary="Position of the smallest element",
        computes="Answers where along one axis the smallest element stands, counted from 0.",
        floats="-0.0 and +0.0 are equal here.",
        integers="",
        specials="NaN counts as smaller than every number.",
        elementwise="",
        empty_floats=REFUSED,
        empty_integers=REFUSED,
    ),
    "ArgMax": Definition(
        summary="Position of the largest element",
        computes="Answers where along one axis the largest element stands, counted from 0.",
        floats="-0.0 and +0.0 are equal here.",
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
        sentences.append("Of booleans false is the smaller.")
    return " ".join(sentence for sentence in [*sentences, definition.specials] if sentence)


def _usage(operator: Operator) -> str:
    parameters = {parameter.name: parameter for parameter in operator.parameters.described()}
    back = "a negative one counts from the back" if operator.parameters.negative_axes else "negative ones are refused"
    if "axis" in parameters:
        sentences = [
            f"It looks along one axis, 0 unless said otherwise; {back}.",
            "A tensor of rank 0 has no axis and is refused.",
        ]
    else:
        sentences = [f"Without axes all of them are reduced; of the axes given, {back}."]
    sentences.append("With keepdims 1 a reduced dimension stays with size 1, with 0 it goes.")
    if "noop_with_empty_axes" in parameters:
        kept = DEFINITIONS[operator.name].elementwise
        sentences.append(f"With noop_with_empty_axes 1 and no axes nothing is reduced; the answer is {kept}.")
    if "select_last_index" in parameters:
        sentences.append(
            "Of equal elements the first one's position is given, or the last one's with select_last_index 1."
        )
    elif "axis" in parameters:
        sentences.append("Of equal elements the first one's position is given.")
    return " ".join(sentences)


def _empty_sets(operator: Operator) -> str:
    definition = DEFINITIONS[operator.name]
    if not operator.takes_empty:
        return "A tensor without elements is refused, whichever axis is looked along."
    answers = {
        "floats": (FLOATS, definition.empty_floats),
        "integers": (INTEGERS, definition.empty_integers),
        "booleans": (("bool",), definition.empty_bool),
    }
    told = {family: answer for family, (dtypes, answer) in answers.items() if set(dtypes) & set(operator.dtypes)}
    if set(told.values()) == {REFUSED}:
        return "Where the axis has size 0 there is no answer, and the request is refused."
    refused = [family for family, answer in told.items() if answer == REFUSED]
    given = " and ".join(f"{answer} for {family}" for family, answer in told.items() if answer != REFUSED)
    words = f"An empty set, which is what a reduced dimension of size 0 leaves, gives {given}"
    return f"{words}; for {' and '.join(refused)} it {REFUSED}." if refused else f"{words}."
