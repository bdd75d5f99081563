"""Numbers of several processes."""

import os
import subprocess
import sys
from pathlib import Path

from app.http.observing.sheets import Sheet
from tests.conftest import ROOT

COUNTING = """
import sys
from pathlib import Path
from app.http.observing.sheets import Sheet
sheet = Sheet(Path(sys.argv[1]), "some", 4)
sheet.own[0] += 1
print(sheet.own[0])
"""


def count_elsewhere(folder: Path) -> int:
    """What another process, that then is gone, has counted with those that it has taken over."""
    said = subprocess.run(
        [sys.executable, "-c", COUNTING, folder], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return int(said.stdout)


def total(sheet: Sheet) -> int:
    return sum(int(numbers[0]) for _, numbers in sheet.all())


def test_processes_that_come_and_go_leave_one_file(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path, "some", 4)
    sheet.own[0] += 10
    assert [count_elsewhere(tmp_path) for _ in range(3)] == [1, 2, 3]
    assert len(list(tmp_path.iterdir())) == 2
    assert total(sheet) == 13


def test_a_file_of_the_same_number_is_gone_on_with(tmp_path: Path) -> None:
    count_elsewhere(tmp_path)
    Sheet(tmp_path, "some", 4).own[0] += 10
    count_elsewhere(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    assert total(Sheet(tmp_path, "some", 4)) == 12


def test_what_a_process_counts_itself_needs_no_file(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path, "some", 4)
    sheet.own[0] += 1
    (tmp_path / f"some-{os.getpid()}").unlink()
    assert total(sheet) == 1


def test_a_file_that_is_taken_over_while_it_is_read_counts_once(tmp_path: Path) -> None:
    sheet = Sheet(tmp_path, "some", 4)
    count_elsewhere(tmp_path)
    (left,) = (path for path in tmp_path.iterdir() if path.name != f"some-{os.getpid()}")

    class Folder(type(tmp_path)):  # type: ignore[misc]
        """Lists the file under its old name once."""

        listed = False

        def glob(self, pattern: str) -> list[Path]:
            if not Folder.listed:
                Folder.listed = True
                return [tmp_path / "some-999999999"]
            return list(Path(self).glob(pattern))

    assert left.exists()
    sheet._folder = Folder(tmp_path)
    assert total(sheet) == 1
