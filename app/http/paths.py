"""Paths that are no operator's, and how they are read."""

from app.spec.operators import OPSETS

READ = ["GET", "HEAD"]
"""The methods that all of them have."""

SERVICE_PATHS = (
    "/",
    "/docs",
    "/operators",
    "/problems",
    "/version",
    "/health/live",
    "/health/ready",
    "/metrics",
    "/openapi.json",
    "/openapi/binary.json",
    "/openapi/inference.json",
)
"""What can be read, in an order to list it in."""

DOCUMENT = "openapi.json"
"""The name of the document of one opset, beside its operators."""

OPSET_DOCUMENTS = {f"/v{opset}/{DOCUMENT}": opset for opset in OPSETS}
"""The opset that each is of, by path."""
