"""open-inference-openapi: the client generated from the protocol's own document, which makes all numbers floats."""

import pytest
from open_inference.openapi.client import OpenInferenceClient
from open_inference.openapi.core.api_error import ApiError
from open_inference.openapi.errors import BadRequestError
from open_inference.openapi.types import InferenceRequest, RequestInput, TensorData


def asked(datatype: str = "FP32", axis: int = 1) -> InferenceRequest:
    data = TensorData(__root__=[3, 1, 2, 9, 7, 8])
    axes = TensorData(__root__=[axis])
    return InferenceRequest(
        id="seven",
        parameters={"keepdims": 0},
        inputs=[
            RequestInput(name="data", shape=[2, 3], datatype=datatype, data=data),
            RequestInput(name="axes", shape=[1], datatype="INT64", data=axes),
        ],
    )


@pytest.fixture
def client(server: str) -> OpenInferenceClient:
    return OpenInferenceClient(base_url=server)


def test_health_and_metadata(client: OpenInferenceClient) -> None:
    client.check_server_liveness()
    client.check_server_readiness()
    client.check_model_readiness("reduce_min")
    client.check_model_version_readiness("reduce_min", "12")
    assert client.read_server_metadata().name == "keepdims"
    for found in (client.read_model_metadata("reduce_min"), client.read_model_version_metadata("reduce_min", "12")):
        assert found.versions == ["1", "11", "12", "13", "18", "20"]
        assert [tensor.name for tensor in found.inputs] == ["data", "axes"]


@pytest.mark.parametrize("datatype", ["FP32", "INT32", "UINT64", "INT8"])
def test_a_model_is_called(client: OpenInferenceClient, datatype: str) -> None:
    for found in (
        client.model_infer("reduce_min", request=asked(datatype)),
        client.model_version_infer("reduce_min", "13", request=asked(datatype)),
    ):
        assert (found.id, found.model_name) == ("seven", "reduce_min")
        assert found.outputs[0].data.__root__ == [1, 7]


def test_refusals_are_told(client: OpenInferenceClient) -> None:
    with pytest.raises(BadRequestError) as refused:
        client.model_infer("reduce_min", request=asked(axis=3))
    assert "axis 3 is outside" in str(refused.value.body)
    with pytest.raises(ApiError, match="there is no model"):
        client.model_infer("reduce_nothing", request=asked())
