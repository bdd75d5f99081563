"""Arithmetic beyond float64, and exp and log made of it: the same bits for an element wherever it stands."""
