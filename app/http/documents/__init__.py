"""OpenAPI documents, made from the rows of the table."""
