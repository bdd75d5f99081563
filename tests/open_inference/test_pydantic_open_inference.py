"""pydantic-open-inference: models of pydantic in and out."""

from typing import Annotated

import pytest
from pydantic_open_inference import (
    BadStatusCodeFromServerError,
    DatatypeOverride,
    InputsBaseModel,
    OutputsBaseModel,
    RemoteModel,
)


class Matrix(InputsBaseModel):
    data: list[list[float]]
    axes: list[int]


class Bytes(InputsBaseModel):
    data: Annotated[list[int], DatatypeOverride("INT8")]


class Rows(OutputsBaseModel):
    reduced: list[list[float]]


class Integers(OutputsBaseModel):
    reduced: list[int]


def test_a_model_is_called(server: str) -> None:
    model = RemoteModel(
        model_name="reduce_min", inputs_model=Matrix, outputs_model=Rows, server_url=server, model_version="18"
    )
    assert model.is_ready()
    assert model.infer(Matrix(data=[[3, 1, 2], [9, 7, 8]], axes=[1])).reduced == [[1], [7]]
    with pytest.raises(BadStatusCodeFromServerError) as refused:
        model.infer(Matrix(data=[[3, 1, 2]], axes=[5]))
    assert refused.value.status_code == 400


def test_another_datatype(server: str) -> None:
    model = RemoteModel(model_name="arg_max", inputs_model=Bytes, outputs_model=Integers, server_url=server)
    assert model.infer(Bytes(data=[3, 1, 127])).reduced == [2]


def test_what_is_not_there_is_not_ready(server: str) -> None:
    model = RemoteModel(
        model_name="reduce_min", inputs_model=Matrix, outputs_model=Rows, server_url=server, model_version="14"
    )
    assert not model.is_ready()
