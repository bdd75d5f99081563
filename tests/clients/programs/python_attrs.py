"""Calls the service through the client that openapi-python-client makes."""

import json
import sys
from typing import Any

from keepdims_client import Client
from keepdims_client.api.arg_min import arg_min_v12
from keepdims_client.api.reduce_max import reduce_max_v13, reduce_max_v20
from keepdims_client.api.reduce_mean import reduce_mean_v13
from keepdims_client.api.reduce_min import reduce_min_v12
from keepdims_client.api.reduce_sum import reduce_sum_v11, reduce_sum_v13
from keepdims_client.models import (
    AnswerOptions,
    ArgMinV12Request,
    ArgMinV12Values,
    Problem,
    ReduceMaxV13Request,
    ReduceMaxV13Values,
    ReduceMaxV20Request,
    ReduceMaxV20Values,
    ReduceMeanV13Base64,
    ReduceMeanV13Request,
    ReduceMinV12Request,
    ReduceMinV12Values,
    ReduceSumV11Request,
    ReduceSumV11Values,
    ReduceSumV13Request,
    ReduceSumV13Values,
)

answers: dict[str, dict[str, Any]] = {}


def keep(name: str, answer: Any) -> None:
    assert answer is not None
    assert not isinstance(answer, Problem), answer
    answers[name] = answer.reduced.to_dict()


with Client(base_url=sys.argv[1]) as client:
    rows = ReduceMinV12Values(dtype="int8", values=[[3, 1, 2], [9, 7, -8]])
    keep("reduce_min", reduce_min_v12.sync(client=client, body=ReduceMinV12Request(rows, axes=[1], keepdims=0)))

    terms = ReduceSumV11Values(dtype="float32", values=[[1e8, 1, -1e8], [0.5, 0.25, 0.125]])
    keep("reduce_sum", reduce_sum_v11.sync(client=client, body=ReduceSumV11Request(terms, axes=[-1])))

    found = ArgMinV12Values(dtype="float64", values=[[2, 1, 1], [0, 5, 0]])
    request = ArgMinV12Request(found, axis=1, keepdims=0, select_last_index=1)
    keep("arg_min", arg_min_v12.sync(client=client, body=request))

    problem = reduce_min_v12.sync(client=client, body=ReduceMinV12Request(rows, axes=[3]))
    assert isinstance(problem, Problem)
    answers["error"] = problem.to_dict()

    unordered = ReduceMaxV13Values(dtype="float32", values=[1, "NaN", "-Infinity"])
    keep("nan", reduce_max_v13.sync(client=client, body=ReduceMaxV13Request(unordered)))

    wide = ReduceMaxV20Values(dtype="int64", values=[9007199254740993, 7])
    keep("int64", reduce_max_v20.sync(client=client, body=ReduceMaxV20Request(wide)))
    as_text = ReduceMaxV20Request(wide, answer=AnswerOptions(integers="string"))
    keep("int64 as text", reduce_max_v20.sync(client=client, body=as_text))

    packed = ReduceMeanV13Base64(dtype="float32", shape=[2, 3], base64="AABAQAAAgD8AAABAAAAQQQAA4EAAAABB")
    keep("base64", reduce_mean_v13.sync(client=client, body=ReduceMeanV13Request(packed, axes=[0], keepdims=0)))

    scalar = ReduceSumV13Values(dtype="float32", shape=[], values=2.5)
    keep("scalar", reduce_sum_v13.sync(client=client, body=ReduceSumV13Request(scalar)))
    empty = ReduceSumV13Values(dtype="float32", shape=[0, 3], values=[])
    keep("empty", reduce_sum_v13.sync(client=client, body=ReduceSumV13Request(empty, axes=[0])))

json.dump(answers, sys.stdout)
