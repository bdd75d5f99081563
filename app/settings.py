"""Every knob, from the environment (KEEPDIMS_HOST, …); made once in `main` and passed on."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from pydantic import Field, FilePath, PositiveFloat, PositiveInt, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from app.machine import usable_cores, usable_memory
from app.names import nearest, quoted

PREFIX = "KEEPDIMS_"
"""What the names of settings begin with in the environment."""

# Each with the rule that a value breaks which it does not take.
Switch = Annotated[bool, "1 or 0"]
Count = Annotated[PositiveInt, "a whole number above 0"]
Bytes = Annotated[PositiveInt, "a whole number of bytes, such as 1048576"]
Seconds = Annotated[PositiveFloat, "a number of seconds above 0, such as 20"]
Host = Annotated[str, Field(min_length=1), "an address to listen on, such as 127.0.0.1, or 0.0.0.0 for all of them"]
Port = Annotated[int, Field(ge=0, le=65535), "a port, 0 to 65535"]
Prefix = Annotated[str, Field(pattern=r"^(/[^/?#]+)*$"), "a path such as /tensors, without a slash at its end"]
ExistingFile = Annotated[FilePath | None, "the path of a file that exists"]

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")


def _half_of_memory(known: dict[str, Any]) -> int:
    """The half of what may be used, divided by the workers."""
    return max(1, usable_memory() // 2 // int(known["workers"]))


class Settings(BaseSettings):
    """How one process of the service behaves. docs/operations.md says what each setting means."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True)

    host: Host = "127.0.0.1"
    port: Port = 8000
    workers: Count = 1
    root_path: Prefix = ""
    max_body_bytes: Bytes = 256 * 2**20
    max_stream_bytes: Bytes = 64 * 2**30
    max_inflight_bytes: Bytes = Field(default_factory=_half_of_memory)
    body_timeout: Seconds = Field(default=20, allow_inf_nan=False)
    api_keys: SecretStr = SecretStr("")
    api_keys_file: ExistingFile = None
    open_metrics: Switch = False
    access_log: Switch = True
    cors_origins: str = ""
    kernel_threads: Count = Field(default_factory=usable_cores)
    shared_memory: Switch = False

    @property
    def body_limit(self) -> "Limit":
        """Of what is held as a whole."""
        return Limit(self.max_body_bytes, "KEEPDIMS_MAX_BODY_BYTES")

    @property
    def stream_limit(self) -> "Limit":
        """Of what is reduced as it comes."""
        return Limit(self.max_stream_bytes, "KEEPDIMS_MAX_STREAM_BYTES")

    @property
    def text_limit(self) -> "Limit":
        """The same of a body that could have come in a format that is reduced as it comes."""
        larger = self.max_stream_bytes > self.max_body_bytes
        return self.body_limit._replace(instead=f"; a binary body may have {self.stream_limit}" if larger else "")

    @field_validator("cors_origins")
    @classmethod
    def _origins(cls, given: str) -> str:
        """As browsers spell them, without spaces; ValueError for what no browser would send."""
        origins = [origin.strip() for origin in given.split(",")] if given.strip() else []
        for origin in origins:
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError(
                    f"{quoted(origin)} is not an origin; use scheme://host or scheme://host:port, in lowercase"
                )
        return ",".join(origins)


class Limit(NamedTuple):
    """The most bytes that something may have. `setting`: the one that says so, if any; `instead`: a hint, behind the
    message, at what may have more."""

    size: int
    setting: str = ""
    instead: str = ""

    def __str__(self) -> str:
        return f"{self.size} ({self.setting})" if self.setting else f"{self.size}"

    def exceeded_by(self, what: str, size: int | None = None) -> str:
        """The message that `what` is over the limit. `size`: None if it is not known yet how many bytes it has."""
        if size is not None:
            return f"{what} has {size} bytes; the limit is {self}{self.instead}"
        setting = f" ({self.setting})" if self.setting else ""
        return f"{what} has more than {self.size} bytes, which is the limit{setting}{self.instead}"


def faults(error: ValidationError) -> list[str]:
    """What is wrong with the settings, each by its name, its value and its rule; secrets keep their value."""
    wrong = [each for each in error.errors() if each["type"] != "default_factory_not_called"]  # follows from another
    return [_fault(str(each["loc"][0]), each["input"], each.get("ctx", {}).get("error")) for each in wrong]


def _fault(name: str, value: object, said: object) -> str:
    field, spelled = Settings.model_fields[name], spelling(name)
    if said is not None:
        return f"{spelled}: {said}"
    rule = next((each for each in field.metadata if isinstance(each, str)), "text in UTF-8")
    shown = "" if field.annotation is SecretStr else f"; {quoted(str(value))} is not"
    return f"{spelled} must be {rule}{shown}"


def unknown(names: Iterable[str]) -> list[str]:
    """What to say of names in the environment that look like settings, and are none: slips, for the most part."""
    known = {spelling(name) for name in Settings.model_fields}
    slips = sorted(name for name in names if name.upper().startswith(PREFIX) and name.upper() not in known)
    return [f"{name} is not a setting and has no effect{nearest(name, known)}" for name in slips]


def spelling(name: str) -> str:
    """A setting as the environment has it."""
    return f"{PREFIX}{name.upper()}"
