"""ONNX's own node cases of these operators, as requests to us."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import helper
from onnx.backend.test.loader import load_model_tests

from app.blocks import NUMPY_DTYPES
from tests.oracle import answer
from tests.oracle.rows import VERSIONS

DTYPES = {np_dtype: name for name, np_dtype in NUMPY_DTYPES.items()}


@dataclass(frozen=True, slots=True)
class Node:
    """A case as it would be sent to us, and the answers it comes with, right to `rtol` and `atol`."""

    name: str
    operator: str
    version: int
    values: NDArray[Any]
    fields: dict[str, Any]
    answer: NDArray[Any]
    rtol: float
    atol: float

    def complaint(self, dtype: str, values: NDArray[Any]) -> str | None:
        """What is wrong with an answer, by ONNX's tolerance and by exact arithmetic."""
        if (dtype, values.shape) != (DTYPES[self.answer.dtype], self.answer.shape):
            return f"{self.name}: got {dtype} {values.shape}"
        if not np.allclose(values, self.answer, rtol=self.rtol, atol=self.atol):
            return f"{self.name}: got {values}, ONNX has {self.answer}"
        given = DTYPES[self.values.dtype]
        return answer(self.operator, self.version, given, self.values, self.fields).complaint(dtype, values)


def read() -> list[Node]:
    """The cases. Functions unrolled into other operators (`_expanded`) are not ours to run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ONNX makes the cases of every operator, some of them with overflow
        cases = load_model_tests(kind="node")
    found = []
    for case in cases:
        assert case.model is not None
        assert case.data_sets is not None
        graph = case.model.graph
        if len(graph.node) == 1 and graph.node[0].op_type in VERSIONS:
            version = max(v for v in VERSIONS[graph.node[0].op_type] if v <= case.model.opset_import[0].version)
            found += [_node(case, graph.node[0], version, *data_set) for data_set in case.data_sets]
    return found


def _node(case: Any, node: Any, version: int, inputs: Sequence[Any], outputs: Sequence[Any]) -> Node:
    fields = {attribute.name: helper.get_attribute_value(attribute) for attribute in node.attribute}
    values, *axes = inputs
    if axes:
        fields["axes"] = axes[0].tolist()
    return Node(
        case.name, node.op_type, version, np.asarray(values), fields, np.asarray(outputs[0]), case.rtol, case.atol
    )
