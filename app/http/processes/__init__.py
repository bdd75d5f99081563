"""The processes that serve, and their end."""
