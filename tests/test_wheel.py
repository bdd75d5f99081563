"""The wheel holds the service, pages and all, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    run = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr
    (wheel,) = folder.glob("keepdims-*.whl")
    with ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_it_holds_every_file_of_the_package(installed: Path) -> None:
    def files(folder: Path) -> set[str]:
        found = (path.relative_to(folder) for path in (folder / "app").rglob("*") if path.is_file())
        return {str(path) for path in found if "__pycache__" not in path.parts}

    assert files(installed) == files(ROOT)
    assert {f"app/http/pages/{name}" for name in ("templates/operator.html", "assets/style.css")} <= files(installed)
    assert {path.name.partition("-")[0] for path in installed.iterdir()} == {"app", "keepdims"}


def test_its_command_is_the_service(installed: Path, tmp_path: Path) -> None:
    program = "from importlib.metadata import entry_points as of; of(group='console_scripts')['keepdims'].load()()"
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed), "KEEPDIMS_PORT": "99999"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (run.returncode, run.stderr.partition(" ")[0]) == (1, "KEEPDIMS_PORT")
