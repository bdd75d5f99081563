"""Every knob, from the environment (KEEPDIMS_HOST, …); made once in `main` and passed on."""

import re
from typing import Any

from pydantic import Field, FilePath, PositiveFloat, PositiveInt, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.machine import usable_cores, usable_memory

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def _half_of_memory(known: dict[str, Any]) -> int:
    """The half of what may be used, divided by the workers."""
    return max(1, usable_memory() // 2 // int(known["workers"]))


class Settings(BaseSettings):
    """How one process of the service behaves."""

    model_config = SettingsConfigDict(env_prefix="KEEPDIMS_", frozen=True)

    host: str = Field(default="127.0.0.1", description="The address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="The port to listen on; 0 takes a free one.")
    workers: PositiveInt = Field(default=1, description="How many processes serve.")
    root_path: str = Field(default="", pattern=r"^(/[^/?#]+)*$", description="The path prefix that a proxy strips.")
    max_body_bytes: PositiveInt = Field(
        default=256 * 2**20, description="The largest body that is held as a whole, and the largest answer, in bytes."
    )
    max_stream_bytes: PositiveInt = Field(
        default=64 * 2**30, description="The largest body that is reduced as it comes, in bytes."
    )
    max_inflight_bytes: PositiveInt = Field(
        default_factory=_half_of_memory,
        description="The memory that all requests of a process may hold, in bytes; what would take more is refused.",
    )
    body_timeout: PositiveFloat = Field(
        default=20,
        allow_inf_nan=False,
        description="Seconds a client may take for the head of its request, and between two pieces of its body; after "
        "as many, a body must have come at 1 KiB a second.",
    )
    api_keys: SecretStr = Field(
        default=SecretStr(""), description="Keys, with commas between them; who reduces or reads counts must have one."
    )
    api_keys_file: FilePath | None = Field(
        default=None, description="A file of more keys: their SHA-256 hashes, one a line; read again when it changes."
    )
    open_metrics: bool = Field(default=False, description="Whether /metrics takes no key.")
    access_log: bool = Field(default=True, description="Whether each request is logged, as a line of JSON.")
    cors_origins: str = Field(
        default="", description="Origins whose pages may call the service, with commas between them; * is all of them."
    )
    kernel_threads: PositiveInt = Field(
        default_factory=usable_cores, description="Threads one large reduction may use; also how many run at once."
    )
    shared_memory: bool = Field(
        default=False,
        description="Whether callers may hand over tensors in shared memory. They have to be trusted: any that this "
        "user may use is read or written for them, and one who truncates it while it is in use ends the process.",
    )

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, given: str) -> str:
        """As browsers spell them, without spaces; ValueError for what no browser would send."""
        origins = [origin.strip() for origin in given.split(",")] if given.strip() else []
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is not an origin: scheme://host or scheme://host:port, in small letters")
        return ",".join(origins)
