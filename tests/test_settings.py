"""Settings come from the environment and are checked."""

import pytest
from pydantic import ValidationError

from app.settings import Settings


def test_a_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPDIMS_MAX_BODY_BYTES", "1000")
    assert Settings().max_body_bytes == 1000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "99999"),
        ("WORKERS", "0"),
        ("ROOT_PATH", "x"),
        ("ROOT_PATH", "/x/"),
        ("BODY_TIMEOUT", "inf"),
        ("BODY_TIMEOUT", "-1"),
        ("MAX_BODY_BYTES", "many"),
    ],
)
def test_a_setting_that_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(f"KEEPDIMS_{name}", value)
    with pytest.raises(ValidationError, match=name.lower()):
        Settings()
