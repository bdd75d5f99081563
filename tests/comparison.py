"""What keepdims, NumPy and onnxruntime answer where they differ: the rows of the table in docs/exactness.md."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper

from tests.http.service import Service

ONNX_TYPES = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}
Array = NDArray[Any]


class Case(NamedTuple):
    """A vector that is reduced to one element, and what one writes for that in NumPy."""

    operator: str
    path: str
    dtype: str
    values: list[float]
    formula: str
    numpy: Callable[[Array], Any]


CASES = (
    Case("ReduceSum", "/v13/reduce_sum", "float32", [1e8, 1, -1e8], "x.sum()", lambda x: x.sum()),
    Case("ReduceSum", "/v13/reduce_sum", "float64", [1e300, 1e308, 1e308, -1e308], "x.sum()", lambda x: x.sum()),
    Case("ReduceMean", "/v13/reduce_mean", "float32", [3e38, 3e38], "x.mean()", lambda x: x.mean()),
    Case("ReduceSum", "/v13/reduce_sum", "float32", [16777216, 1, 1], "x.sum()", lambda x: x.sum()),
    Case(
        "ReduceL2", "/v13/reduce_l2", "float32", [3e30, 4e30], "sqrt((x * x).sum())", lambda x: np.sqrt((x * x).sum())
    ),
    Case(
        "ReduceL2", "/v13/reduce_l2", "float32", [3e-30, 4e-30], "sqrt((x * x).sum())", lambda x: np.sqrt((x * x).sum())
    ),
    Case(
        "ReduceLogSumExp",
        "/v13/reduce_log_sum_exp",
        "float32",
        [100, 100],
        "log(exp(x).sum())",
        lambda x: np.log(np.exp(x).sum()),
    ),
)


def row(case: Case, service: Service) -> str:
    """A line of the table."""
    request = {"data": {"dtype": case.dtype, "values": case.values}, "keepdims": 0}
    exact = service.post(case.path, request).json()["reduced"]["values"]
    given = np.array(case.values, case.dtype)
    with np.errstate(all="ignore"):
        numpy = case.numpy(given)
    answers = (shown(exact), case.formula, shown(numpy), shown(engine(case, given)))
    cells = (case.operator, case.dtype, json.dumps(case.values), *answers)
    return "| " + " | ".join(f"`{cell}`" if place in (2, 4) else cell for place, cell in enumerate(cells)) + " |"


def engine(case: Case, given: Array) -> Any:
    """What onnxruntime answers."""
    kind = ONNX_TYPES[case.dtype]
    inputs = [helper.make_tensor_value_info("x", kind, [len(given)])]
    node = helper.make_node(case.operator, ["x"], ["y"], keepdims=0)
    graph = helper.make_graph([node], "g", inputs, [helper.make_tensor_value_info("y", kind, [])])
    version = int(case.path.split("/")[1][1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", version)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"x": given})[0]


def shown(answer: Any) -> str:
    return f"{float(answer):.8g}"
