"""What the machine allows is asked of its control groups."""

from pathlib import Path

import pytest

from app.machine import usable_memory
from app.settings import Settings

MIB = 1 << 20
VERSION_2 = {
    "proc/self/cgroup": "0::/outer/inner\n",
    "sys/fs/cgroup/outer/memory.max": f"{MIB}\n",
    "sys/fs/cgroup/outer/inner/memory.max": "max\n",
}
VERSION_1 = {
    "proc/self/cgroup": "5:cpu,cpuacct:/\n4:memory:/docker/x\n1:name=systemd:/\n",
    "sys/fs/cgroup/memory/memory.limit_in_bytes": f"{MIB}\n",
}
AT_THE_TOP = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": f"{MIB}\n"}


def written(root: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return root


@pytest.mark.parametrize("files", [VERSION_2, VERSION_1, AT_THE_TOP], ids=["2", "1", "top"])
def test_a_container_has_what_it_is_allowed(tmp_path: Path, files: dict[str, str]) -> None:
    assert usable_memory(written(tmp_path, files)) == MIB


def test_without_a_limit_it_is_the_machine(tmp_path: Path) -> None:
    machine = usable_memory(tmp_path)
    assert machine > 64 * MIB
    unlimited = {"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n"}
    assert usable_memory(written(tmp_path, unlimited)) == machine


def test_workers_divide_the_half_of_it() -> None:
    assert Settings().max_inflight_bytes == usable_memory() // 2
    assert Settings(workers=4).max_inflight_bytes == usable_memory() // 8
    assert Settings(max_inflight_bytes=7).max_inflight_bytes == 7
