"""onnxruntime, given one reduction to do on a tensor that it already holds."""

from collections.abc import Callable
from ctypes import string_at
from math import prod
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnx import TensorProto, helper
from onnxruntime.capi import onnxruntime_pybind11_state as bindings

from app.blocks import NUMPY_DTYPES
from app.spec.operators import Operator, versions_of

ELEMENTS = {
    name: TensorProto.BFLOAT16 if name == "bfloat16" else helper.np_dtype_to_tensor_dtype(dtype)
    for name, dtype in NUMPY_DTYPES.items()
}
AXES_ARE_AN_INPUT = 18
"""From this opset on; for ReduceSum from 13 on."""

REFUSALS = (bindings.Fail, bindings.NotImplemented, bindings.InvalidGraph)
"""How onnxruntime says that it has no such kernel."""


def engine(
    name: str, dtype: str, x: NDArray[Any], axes: tuple[int, ...], threads: int
) -> Callable[[], NDArray[Any]] | None:
    """The reduction by the newest version that onnxruntime has for the dtype, None if it has none."""
    for operator in reversed(versions_of(name)):
        if dtype in operator.dtypes and (session := _session(operator, dtype, x.ndim, axes, threads)):
            return _bound(session, dtype, x)
    return None


def _session(
    operator: Operator, dtype: str, rank: int, axes: tuple[int, ...], threads: int
) -> onnxruntime.InferenceSession | None:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # would take the cores from the others
    model = _model(operator, dtype, rank, axes).SerializeToString()
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except REFUSALS:
        return None


def _model(operator: Operator, dtype: str, rank: int, axes: tuple[int, ...]) -> Any:
    inputs, tensors = ["data"], []
    attributes: dict[str, Any] = {"keepdims": 0}
    if operator.output != "T":
        attributes["axis"] = axes[0]
    elif operator.version >= (13 if operator.name == "ReduceSum" else AXES_ARE_AN_INPUT):
        inputs.append("axes")
        tensors.append(helper.make_tensor("axes", TensorProto.INT64, [len(axes)], axes))
    else:
        attributes["axes"] = axes
    answer = ELEMENTS[dtype if operator.output == "T" else operator.output]
    graph = helper.make_graph(
        [helper.make_node(operator.name, inputs, ["reduced"], **attributes)],
        "reduction",
        [helper.make_tensor_value_info("data", ELEMENTS[dtype], [None] * rank)],
        [helper.make_tensor_value_info("reduced", answer, [None] * (rank - len(axes)))],
        tensors,
    )
    opset = helper.make_opsetid("", operator.version)
    return helper.make_model(graph, opset_imports=[opset], ir_version=10)


def _bound(session: onnxruntime.InferenceSession, dtype: str, x: NDArray[Any]) -> Callable[[], NDArray[Any]]:
    binding = session.io_binding()
    if dtype == "bfloat16":
        value = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(x.view(np.uint16), ELEMENTS[dtype])
    else:
        value = onnxruntime.OrtValue.ortvalue_from_numpy(x)
    binding.bind_ortvalue_input("data", value)
    binding.bind_output("reduced", "cpu")

    def run() -> NDArray[Any]:
        session.run_with_iobinding(binding)
        reduced = binding.get_outputs()[0]
        if reduced.element_type() != TensorProto.BFLOAT16:
            return np.asarray(reduced.numpy())
        raw = string_at(reduced.data_ptr(), prod(reduced.shape()) * 2)  # which NumPy knows nothing of
        return np.frombuffer(raw, NUMPY_DTYPES["bfloat16"])

    return run
