"""HTTP/1.1 on a connection, on top of uvicorn: what is bounded there, and the short way for small requests."""
