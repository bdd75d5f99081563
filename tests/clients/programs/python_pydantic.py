"""Calls the service through the client that openapi-generator makes for Python."""

import json
import sys
from typing import Any

from keepdims_pydantic import (
    AnswerOptions,
    ApiClient,
    ApiException,
    ArgMinApi,
    ArgMinV12Request,
    ArgMinV12RequestData,
    ArgMinV12Values,
    Configuration,
    Problem,
    ReduceMaxApi,
    ReduceMaxV13Request,
    ReduceMaxV13RequestData,
    ReduceMaxV13Values,
    ReduceMaxV20Request,
    ReduceMaxV20RequestData,
    ReduceMaxV20Values,
    ReduceMeanApi,
    ReduceMeanV13Base64,
    ReduceMeanV13Request,
    ReduceMeanV13RequestData,
    ReduceMinApi,
    ReduceMinV12Request,
    ReduceMinV12RequestData,
    ReduceMinV12Values,
    ReduceSumApi,
    ReduceSumV11Request,
    ReduceSumV11RequestData,
    ReduceSumV11Values,
    ReduceSumV13Request,
    ReduceSumV13RequestData,
    ReduceSumV13Values,
)

answers: dict[str, dict[str, Any]] = {}


def keep(name: str, answer: Any) -> None:
    answers[name] = answer.reduced.to_dict()


with ApiClient(Configuration(host=sys.argv[1])) as client:
    rows = ReduceMinV12RequestData(ReduceMinV12Values(dtype="int8", values=[[3, 1, 2], [9, 7, -8]]))
    reduce_min = ReduceMinApi(client)
    keep("reduce_min", reduce_min.reduce_min_v12(ReduceMinV12Request(data=rows, axes=[1], keepdims=0)))

    terms = ReduceSumV11RequestData(ReduceSumV11Values(dtype="float32", values=[[1e8, 1, -1e8], [0.5, 0.25, 0.125]]))
    reduce_sum = ReduceSumApi(client)
    keep("reduce_sum", reduce_sum.reduce_sum_v11(ReduceSumV11Request(data=terms, axes=[-1])))

    found = ArgMinV12RequestData(ArgMinV12Values(dtype="float64", values=[[2, 1, 1], [0, 5, 0]]))
    request = ArgMinV12Request(data=found, axis=1, keepdims=0, select_last_index=1)
    keep("arg_min", ArgMinApi(client).arg_min_v12(request))

    try:
        reduce_min.reduce_min_v12(ReduceMinV12Request(data=rows, axes=[3]))
    except ApiException as refused:
        if isinstance(refused.data, Problem):
            answers["error"] = refused.data.to_dict()

    unordered = ReduceMaxV13RequestData(ReduceMaxV13Values(dtype="float32", values=[1, "NaN", "-Infinity"]))
    reduce_max = ReduceMaxApi(client)
    keep("nan", reduce_max.reduce_max_v13(ReduceMaxV13Request(data=unordered)))

    wide = ReduceMaxV20RequestData(ReduceMaxV20Values(dtype="int64", values=[9007199254740993, 7]))
    keep("int64", reduce_max.reduce_max_v20(ReduceMaxV20Request(data=wide)))
    as_text = ReduceMaxV20Request(data=wide, answer=AnswerOptions(integers="string"))
    keep("int64 as text", reduce_max.reduce_max_v20(as_text))

    packed = ReduceMeanV13Base64(dtype="float32", shape=[2, 3], base64="AABAQAAAgD8AAABAAAAQQQAA4EAAAABB")
    means = ReduceMeanV13Request(data=ReduceMeanV13RequestData(packed), axes=[0], keepdims=0)
    keep("base64", ReduceMeanApi(client).reduce_mean_v13(means))

    scalar = ReduceSumV13RequestData(ReduceSumV13Values(dtype="float32", shape=[], values=2.5))
    keep("scalar", reduce_sum.reduce_sum_v13(ReduceSumV13Request(data=scalar)))
    empty = ReduceSumV13RequestData(ReduceSumV13Values(dtype="float32", shape=[0, 3], values=[]))
    keep("empty", reduce_sum.reduce_sum_v13(ReduceSumV13Request(data=empty, axes=[0])))

json.dump(answers, sys.stdout)
