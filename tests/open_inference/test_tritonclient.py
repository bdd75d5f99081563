"""Triton's own client, synchronous and asynchronous."""

import asyncio
from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import tritonclient.http as triton
import tritonclient.http.aio as triton_aio
from numpy.typing import NDArray
from tritonclient.utils import InferenceServerException, np_to_triton_dtype, shared_memory

X = np.array([[3, 1, 2], [9, 7, 8]], np.float32)
ENCODINGS = (None, "gzip", "deflate")
DTYPES = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", ml_dtypes.bfloat16),
]


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[triton.InferenceServerClient]:
    with triton.InferenceServerClient(address) as client:
        yield client


def data(values: NDArray[Any], binary: bool = True) -> triton.InferInput:
    given = triton.InferInput("data", list(values.shape), np_to_triton_dtype(values.dtype))
    return given.set_data_from_numpy(values, binary_data=binary)


def axes(*values: int, binary: bool = True) -> triton.InferInput:
    given = triton.InferInput("axes", [len(values)], "INT64")
    return given.set_data_from_numpy(np.array(values, np.int64), binary_data=binary)


def reduced(client: triton.InferenceServerClient, model: str, *inputs: triton.InferInput, **wishes: Any) -> Any:
    return client.infer(model, list(inputs), **wishes).as_numpy("reduced")


def test_the_server_and_its_models_are_described(client: triton.InferenceServerClient) -> None:
    assert client.is_server_live()
    assert client.is_server_ready()
    assert "binary_tensor_data" in client.get_server_metadata()["extensions"]
    index = client.get_model_repository_index()
    assert len(index) == 53
    for model in index:
        name, version = model["name"], model["version"]
        assert client.is_model_ready(name, version)
        assert version in client.get_model_metadata(name, version)["versions"]
        assert client.get_model_config(name, version)["name"] == name
    assert client.get_model_metadata("arg_min")["outputs"][0]["datatype"] == "INT64"
    assert client.get_model_config("arg_min")["max_batch_size"] == 0
    assert not client.is_model_ready("reduce_min", "14")
    assert not client.is_model_ready("reduce_nothing")


@pytest.mark.parametrize(
    ("binary", "axes_binary", "answer"), list(product((True, False), (True, False), (None, True, False)))
)
def test_json_and_binary_in_every_combination(
    client: triton.InferenceServerClient, binary: bool, axes_binary: bool, answer: bool | None
) -> None:
    outputs = None if answer is None else [triton.InferRequestedOutput("reduced", binary_data=answer)]
    inputs = [data(X, binary), axes(1, binary=axes_binary)]
    for given, sent, wanted in product((inputs, inputs[::-1]), ENCODINGS, ENCODINGS):
        found = client.infer(
            "reduce_min",
            given,
            outputs=outputs,
            model_version="18",
            request_id="seven",
            parameters={"keepdims": 0},
            request_compression_algorithm=sent,
            response_compression_algorithm=wanted,
        )
        assert found.as_numpy("reduced").tolist() == [1, 7]
        response = found.get_response()
        assert (response["id"], response["model_name"], response["model_version"]) == ("seven", "reduce_min", "18")


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
def test_every_dtype(client: triton.InferenceServerClient, dtype: Any) -> None:
    values = np.array([[0, 1, 1], [0, 0, 1]], dtype)
    if values.dtype.name in ("int16", "uint16"):
        model, expected, wishes = "arg_max", np.array([[0, 0, 0]], np.int64), []
    else:
        model, expected, wishes = "reduce_max", np.array([[0, 1, 1]], dtype), [axes(0)]
    for binary, answer in product((True, False), repeat=2):
        if dtype is ml_dtypes.bfloat16 and not binary:
            continue  # the client refuses to write it as JSON
        outputs = [triton.InferRequestedOutput("reduced", binary_data=answer)]
        found = reduced(client, model, data(values, binary), *wishes, outputs=outputs)
        assert found.dtype == expected.dtype
        assert found.tolist() == expected.tolist()


def test_64_bit_integers_are_exact(client: triton.InferenceServerClient) -> None:
    for values in (np.array([2**53 + 1, 2**63 - 1]), np.array([2**53 + 1, 2**64 - 1], np.uint64)):
        for binary, answer in product((True, False), repeat=2):
            outputs = [triton.InferRequestedOutput("reduced", binary_data=answer)]
            keep = {"noop_with_empty_axes": 1}
            assert np.array_equal(
                reduced(client, "reduce_sum", data(values, binary), outputs=outputs, parameters=keep), values
            )


def test_empty_tensors(client: triton.InferenceServerClient) -> None:
    empty = np.empty((2, 0, 3), np.float32)
    for binary in (True, False):
        assert reduced(client, "reduce_sum", data(empty, binary), axes(1)).tolist() == [[[0, 0, 0]], [[0, 0, 0]]]
        assert reduced(client, "reduce_sum", data(empty, binary), axes(2)).shape == (2, 0, 1)
        assert reduced(client, "reduce_sum", data(X, binary), axes()).tolist() == [[30]]


def test_nan_and_infinities(client: triton.InferenceServerClient) -> None:
    values = np.array([[np.nan, 1], [np.inf, -np.inf]], np.float32)
    outputs = [triton.InferRequestedOutput("reduced", binary_data=False)]
    found = reduced(client, "reduce_max", data(values), axes(1), outputs=outputs, parameters={"keepdims": False})
    assert np.array_equal(found, [np.nan, np.inf], equal_nan=True)


def test_a_tensor_of_many_megabytes(client: triton.InferenceServerClient) -> None:
    values = np.random.default_rng(1).normal(size=(1024, 4096)).astype(np.float32)
    found = reduced(client, "reduce_max", axes(1), data(values))
    assert np.array_equal(found, values.max(1, keepdims=True))


@pytest.mark.parametrize(
    ("model", "version", "inputs", "parameters", "status", "said"),
    [
        ("reduce_nothing", "", [X], {}, "404", "reduce_sum_square"),
        ("reduce_min", "14", [X], {}, "404", "1, 11, 12, 13, 18, 20"),
        ("reduce_min", "", [X, 3], {}, "400", "axis 3 is outside [-2, 1] for a rank 2 tensor"),
        ("reduce_min", "", [X], {"keepdims": 2}, "400", "keepdims must be 0 or 1"),
        ("reduce_min", "11", [X], {"noop_with_empty_axes": 1}, "400", "since version 18"),
        ("reduce_min", "", [np.array([b"text"], object)], {}, "400", "BYTES"),
    ],
)
def test_refusals_are_told(
    client: triton.InferenceServerClient,
    model: str,
    version: str,
    inputs: list[Any],
    parameters: Any,
    status: str,
    said: str,
) -> None:
    given = [data(inputs[0]), *(axes(axis) for axis in inputs[1:])]
    with pytest.raises(InferenceServerException) as refused:
        client.infer(model, given, model_version=version, parameters=parameters)
    assert refused.value.status() == status
    assert said in refused.value.message()


def test_requests_are_counted(client: triton.InferenceServerClient) -> None:
    def counted() -> Any:
        (found,) = client.get_inference_statistics("reduce_l1", "13")["model_stats"]
        return found["inference_stats"]

    before = counted()
    for _ in range(3):
        reduced(client, "reduce_l1", data(X), model_version="13")
    after = counted()
    assert after["success"]["count"] == before["success"]["count"] + 3
    assert after["compute_infer"]["ns"] > before["compute_infer"]["ns"]
    assert len(client.get_inference_statistics()["model_stats"]) == 53


def test_shared_memory_both_ways(client: triton.InferenceServerClient) -> None:
    values = np.arange(1 << 20, 0, -1, dtype=np.float32)
    given = shared_memory.create_shared_memory_region("given", "/keepdims-given", values.nbytes)
    taken = shared_memory.create_shared_memory_region("taken", "/keepdims-taken", 64)
    try:
        shared_memory.set_shared_memory_region(given, [values])
        client.unregister_system_shared_memory()
        client.register_system_shared_memory("given", "/keepdims-given", values.nbytes)
        client.register_system_shared_memory("taken", "/keepdims-taken", 64)
        assert {region["name"] for region in client.get_system_shared_memory_status()} == {"given", "taken"}
        source = triton.InferInput("data", [values.size], "FP32")
        source.set_shared_memory("given", values.nbytes)
        assert reduced(client, "reduce_min", source).tolist() == [1]
        target = triton.InferRequestedOutput("reduced")
        target.set_shared_memory("taken", 4, offset=8)
        assert client.infer("reduce_min", [source], outputs=[target]).get_output("reduced")["shape"] == [1]
        assert shared_memory.get_contents_as_numpy(taken, np.float32, [4]).tolist() == [0, 0, 1, 0]
        client.unregister_system_shared_memory("given")
        with pytest.raises(InferenceServerException, match="given"):
            client.infer("reduce_min", [source])
        client.unregister_system_shared_memory()
        assert client.get_system_shared_memory_status() == []
    finally:
        shared_memory.destroy_shared_memory_region(given)
        shared_memory.destroy_shared_memory_region(taken)


def test_asynchronous_requests(client: triton.InferenceServerClient) -> None:
    asked = [client.async_infer("reduce_min", [data(X), axes(1)]) for _ in range(4)]
    assert [found.get_result().as_numpy("reduced").tolist() for found in asked] == [[[1], [7]]] * 4


def test_asyncio(address: str) -> None:
    async def call() -> None:
        async with triton_aio.InferenceServerClient(address) as client:
            assert await client.is_server_live()
            assert await client.is_model_ready("reduce_min", "12")
            assert (await client.get_model_metadata("reduce_min"))["name"] == "reduce_min"
            assert len(await client.get_model_repository_index()) == 53
            for sent, wanted, answer in product(ENCODINGS, ENCODINGS, (True, False)):
                found = await client.infer(
                    "reduce_min",
                    [data(X), axes(1)],
                    outputs=[triton.InferRequestedOutput("reduced", binary_data=answer)],
                    request_compression_algorithm=sent,
                    response_compression_algorithm=wanted,
                )
                assert found.as_numpy("reduced").tolist() == [[1], [7]]
            with pytest.raises(InferenceServerException, match="axis 3"):
                await client.infer("reduce_min", [data(X), axes(3)])

    asyncio.run(call())
