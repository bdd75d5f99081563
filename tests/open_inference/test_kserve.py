"""KServe's client for REST."""

import asyncio
from typing import Any

import httpx
import numpy as np
import pytest
from kserve import InferenceRESTClient, InferInput, InferRequest, RESTConfig

X = np.array([[3, 1, 2], [9, 7, 8]], np.float32)


def asked(values: Any, datatype: str, binary: bool, axes: list[int] | None = None, **parameters: Any) -> InferRequest:
    data = InferInput("data", list(values.shape), datatype)
    data.set_data_from_numpy(values, binary_data=binary)
    inputs = [data]
    if axes is not None:
        along = InferInput("axes", [len(axes)], "INT64")
        along.set_data_from_numpy(np.array(axes, np.int64), binary_data=binary)
        inputs.append(along)
    return InferRequest("reduce_min", inputs, parameters=parameters)


def called(server: str, request: Any, model: str = "reduce_min") -> Any:
    async def call() -> Any:
        async with InferenceRESTClient(RESTConfig(protocol="v2")) as client:
            return await client.infer(server, request, model_name=model)

    return asyncio.run(call())


def test_health(server: str) -> None:
    async def call() -> None:
        async with InferenceRESTClient(RESTConfig(protocol="v2")) as client:
            assert await client.is_server_live(server) is True
            assert await client.is_server_ready(server) is True
            assert await client.is_model_ready(server, "reduce_min")
            assert not await client.is_model_ready(server, "reduce_nothing")

    asyncio.run(call())


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("binary_answer", [False, True])
def test_json_and_binary(server: str, binary: bool, binary_answer: bool) -> None:
    request = asked(X, "FP32", binary, [1], keepdims=0, binary_data_output=binary_answer)
    (found,) = called(server, request).outputs
    assert (found.name, found.datatype, found.shape) == ("reduced", "FP32", [2])
    assert found.as_numpy().tolist() == [1, 7]


def test_half_precision_and_long_integers(server: str) -> None:
    halves = np.array([1.5, -2.5], np.float16)
    (found,) = called(server, asked(halves, "FP16", True, binary_data_output=True)).outputs
    assert found.as_numpy().tolist() == [-2.5]
    (found,) = called(server, asked(np.array([2**53 + 1, 2**62]), "INT64", False)).outputs
    assert found.as_numpy().tolist() == [2**53 + 1]


def test_an_empty_tensor_comes_as_null(server: str) -> None:
    (found,) = called(server, asked(np.empty((0,), np.float32), "FP32", True), "reduce_sum").outputs
    assert found.as_numpy().tolist() == [0]


def test_nan_comes_back_in_binary(server: str) -> None:  # the client has no bare NaN in JSON, which others have
    values = np.array([1, np.nan], np.float32)
    (found,) = called(server, asked(values, "FP32", True, binary_data_output=True)).outputs
    assert np.isnan(found.as_numpy()).all()


def test_a_request_may_be_a_dictionary(server: str) -> None:
    request = {"inputs": [{"name": "data", "shape": [2, 3], "datatype": "FP32", "data": X.tolist()}]}
    assert called(server, request, "reduce_sum").outputs[0].data == [30]


def test_refusals_are_told(server: str) -> None:
    for request, model, said in (
        (asked(X, "FP32", True, [3]), "reduce_min", "axis 3 is outside"),
        (asked(X, "FP32", False), "reduce_nothing", "there is no model"),
    ):
        with pytest.raises(httpx.HTTPStatusError, match=said):
            called(server, request, model)
