"""What is told of requests: counts, the log, traces."""
