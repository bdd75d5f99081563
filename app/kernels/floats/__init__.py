"""The operators on floats: what becomes of an exact sum, of exponentials and of products, each rounded once."""
