"""The rows of the operator table as the protocol describes models.

Rank and dtype of a model's tensors are open, which the protocol cannot say: metadata has the shape [-1] and FP32 in
every row, and the datatypes that are taken in `parameters`.
"""

from typing import Any

from app import __version__
from app.spec.operators import SERVING, Operator, versions_of
from app.tensors.open_inference.datatypes import SPELLED
from app.tensors.open_inference.members import AXES, AXES_DATATYPES, DATA, REDUCED

MODELS: dict[str, tuple[Operator, ...]] = {
    name: versions_of(next(iter(opsets.values())).name) for name, opsets in SERVING.items()
}
"""The versions of each model, oldest first."""

PLATFORM = "keepdims"

EXTENSIONS = ("model_configuration", "model_repository", "statistics", "binary_tensor_data")
SHARED_MEMORY = "system_shared_memory"


def server(shared_memory: bool) -> dict[str, Any]:
    """The server's metadata."""
    extensions = [*EXTENSIONS, SHARED_MEMORY] if shared_memory else [*EXTENSIONS]
    return {"name": "keepdims", "version": __version__, "extensions": extensions}


def metadata(operator: Operator) -> dict[str, Any]:
    """A model's metadata."""
    return {
        "name": operator.path_name,
        "versions": [str(row.version) for row in MODELS[operator.path_name]],
        "platform": PLATFORM,
        "inputs": [_tensor(name, _taken(operator, name)) for name in _inputs(operator)],
        "outputs": [_tensor(REDUCED, _taken(operator, REDUCED))],
        "parameters": {"datatypes": _taken(operator, DATA)},
    }


def config(operator: Operator) -> dict[str, Any]:
    """A model's configuration, as Triton has it."""
    return {
        "name": operator.path_name,
        "platform": PLATFORM,
        "backend": PLATFORM,
        "runtime": "",
        "version_policy": {"specific": {"versions": [row.version for row in MODELS[operator.path_name]]}},
        "max_batch_size": 0,
        "input": [
            {
                "name": name,
                "data_type": f"TYPE_{_typical(_taken(operator, name))}",
                "format": "FORMAT_NONE",
                "dims": [-1],
                "is_shape_tensor": False,
                "allow_ragged_batch": False,
                "optional": name != DATA,
            }
            for name in _inputs(operator)
        ],
        "output": [
            {
                "name": REDUCED,
                "data_type": f"TYPE_{_typical(_taken(operator, REDUCED))}",
                "dims": [-1],
                "label_filename": "",
                "is_shape_tensor": False,
            }
        ],
        "instance_group": [],
        "default_model_filename": "",
        "parameters": {
            parameter.name: {"string_value": "" if parameter.default is None else str(parameter.default)}
            for parameter in operator.parameters.described()
            if parameter.name != AXES
        },
        "model_transaction_policy": {"decoupled": False},
    }


def index() -> list[dict[str, str]]:
    """Every model version there is."""
    return [
        {"name": name, "version": str(row.version), "state": "READY", "reason": ""}
        for name, rows in MODELS.items()
        for row in rows
    ]


def statistics(operator: Operator, counted: dict[str, int]) -> dict[str, Any]:
    """What was counted of a model version; a request is one inference and one execution."""
    success = counted["success"]

    def spent(name: str) -> dict[str, int]:
        return {"count": success, "ns": counted[f"{name}_ns"]}

    return {
        "name": operator.path_name,
        "version": str(operator.version),
        "last_inference": counted["last_ms"],
        "inference_count": success,
        "execution_count": success,
        "inference_stats": {
            "success": spent("success"),
            "fail": {"count": counted["fail"], "ns": counted["fail_ns"]},
            "queue": spent("queue"),
            "compute_input": spent("input"),
            "compute_infer": spent("infer"),
            "compute_output": spent("output"),
            "cache_hit": {"count": 0, "ns": 0},
            "cache_miss": {"count": 0, "ns": 0},
        },
        "batch_stats": [],
        "memory_usage": [],
        "response_stats": {},
    }


def _inputs(operator: Operator) -> tuple[str, ...]:
    return (DATA, AXES) if AXES in operator.parameters.model_fields else (DATA,)


def _taken(operator: Operator, tensor: str) -> list[str]:
    """The datatypes that a tensor may have."""
    if tensor == AXES:
        return [*AXES_DATATYPES]
    if tensor == REDUCED and operator.output != "T":
        return [SPELLED[operator.output]]
    return [SPELLED[dtype] for dtype in operator.dtypes]


def _typical(datatypes: list[str]) -> str:
    return "FP32" if "FP32" in datatypes else datatypes[0]


def _tensor(name: str, datatypes: list[str]) -> dict[str, Any]:
    parameters = {"datatypes": datatypes, "optional": name == AXES}
    return {"name": name, "datatype": _typical(datatypes), "shape": [-1], "parameters": parameters}
