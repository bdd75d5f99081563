"""The operators on integers: modulo 2^n where ONNX's dtype wraps, otherwise a function of the exact sum."""
