"""What linters of OpenAPI documents say of ours: nothing."""

import os
import subprocess

import pytest

from tests.clients import PATH, ROOT, lacking

LINTERS = {
    "redocly": ["redocly", "lint", "--config", "openapi/redocly.yaml", "--format", "github-actions"],
    "spectral": ["spectral", "lint", "--ruleset", "openapi/.spectral.yaml", "--fail-severity", "hint"],
}


@pytest.mark.parametrize("document", ["openapi", "binary"])
@pytest.mark.parametrize("linter", LINTERS)
def test_a_document_gives_a_linter_nothing_to_say(linter: str, document: str) -> None:
    if why := lacking(linter):
        pytest.skip(why)
    run = subprocess.run(
        [*LINTERS[linter], f"openapi/{document}.json"],
        cwd=ROOT,
        env=os.environ | {"PATH": PATH, "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "REDOCLY_TELEMETRY": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-3000:]
    assert "::warning" not in run.stdout + run.stderr
