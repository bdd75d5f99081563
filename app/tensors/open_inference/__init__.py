"""Bodies of the Open Inference Protocol, version 2: JSON, and raw tensors behind it.

members   the JSON of a request, once read: what it asks for
reading   its text -> members, by the same readings as our own JSON
answers   a tensor -> the JSON or binary body of an answer
patterns  texts that have been read, and need not be read again
datatypes how the protocol spells a dtype
"""
