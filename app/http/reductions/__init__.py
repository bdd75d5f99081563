"""A reduction over HTTP: a body in, piece by piece, its answer out."""
