"""The Open Inference Protocol, version 2: each operator is a model, each of its versions a version of the model.

endpoints  every path but infer, and what each answers
infer      POST …/infer: one path's ASGI application
arriving   bodies that come in pieces
inference  one request, from what it asks for to its answer
models     the rows of the table as the protocol describes models
counters   how often and how long, across worker processes
regions    shared memory that callers have registered
memory     how such memory is read and written
places     where in a request something is that an operator refuses
errors     refusals in the protocol's words
"""
