"""ReduceMin over axis 1 as a model of Triton's Python backend."""

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [self._reduce(request) for request in requests]

    def _reduce(self, request):
        rows = pb_utils.get_input_tensor_by_name(request, "data").as_numpy()
        return pb_utils.InferenceResponse([pb_utils.Tensor("reduced", rows.min(axis=1))])
