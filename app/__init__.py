"""keepdims: the ONNX reduction operators over HTTP, every version of them, with exact answers.

The map, in the order a request travels:

main          create_app: the only place where the parts meet
http/         HTTP: which path, which format, which problem; the only folder that knows the web framework
tensors/      bytes <-> header and blocks, one module per wire format
evaluate      operator × parameters × tensor -> tensor: the whole service without HTTP
spec/         what ONNX says: the table of 53 operator versions, their parameters, what changed between them
kernels/      what NumPy does: twelve operators as partial, merge and finish over a state
blocks        what a tensor is inside
settings      every knob
errors        what can go wrong, in words
names         what callers call things, as messages show it
pacing        how much is done before anyone asks whether it is still wanted
machine       the cores and the memory that the process may use

Imports go downwards in this list, never up. To add an operator version, add a row to `spec/operators.py`.
"""

import os

__version__ = "0.1.0"

# keepdims has threads of its own. Those of the BLAS below NumPy wait for one another: on busy cores a thousand times as
# long as a sum takes. It reads this once, when it is loaded; who loads NumPy before keepdims sets it before that.
for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_name, "1")
