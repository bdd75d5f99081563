"""What stands at /: what this is, and where everything else is."""

from functools import cache

from app import __version__
from app.http.pages.operator import Part
from app.spec.operators import OPERATORS

ABOUT = "The ONNX reduction operators over HTTP, every version of them, with exact answers."


class Home(Part):
    """`operators`: the versions of each, by the name in its paths."""

    name: str
    version: str
    summary: str
    operators: dict[str, tuple[int, ...]]
    links: dict[str, str]


@cache
def home() -> Home:
    """The same at every call."""
    operators: dict[str, tuple[int, ...]] = {}
    for operator in OPERATORS:
        operators[operator.path_name] = (*operators.get(operator.path_name, ()), operator.version)
    return Home(
        name="keepdims",
        version=__version__,
        summary=ABOUT,
        operators=operators,
        links={
            "operator": "v{opset}/{operator}",
            "operators": "operators",
            "problems": "problems",
            "docs": "docs",
            "openapi": "openapi.json",
            "opset_openapi": "v{opset}/openapi.json",
            "binary_openapi": "openapi/binary.json",
            "inference_openapi": "openapi/inference.json",
            "version": "version",
        },
    )
