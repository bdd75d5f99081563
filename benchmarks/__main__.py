"""`python -m benchmarks`: kernels beside plain NumPy."""

from benchmarks.kernels import main

main()
