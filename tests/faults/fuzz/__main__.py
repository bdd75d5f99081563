"""`python -m tests.faults.fuzz [TARGET...] [-option=value...]`: each for a minute, or as libFuzzer's options say.

What a run has learnt stays in build/fuzz/TARGET/corpus, where the next one goes on; what breaks a target is written
beside it.
"""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["app"]):
    from tests.faults.fuzz.targets import TARGETS
from tests.faults.mutations import NUMBERS, WORDS

FOLDER = Path("build/fuzz")
DEFAULTS = ("-max_total_time=60", "-rss_limit_mb=4096", "-timeout=20", "-max_len=20000")


def main(*arguments: str) -> int:
    """Fuzz targets one after another, all of them if none is named; 1 if one was broken."""
    options = [each for each in arguments if each.startswith("-")]
    names = [each for each in arguments if not each.startswith("-")] or list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        raise SystemExit(f"there is no target {unknown[0]}; there are {', '.join(TARGETS)}")
    if len(names) == 1:
        fuzz(names[0], options)
    command = [sys.executable, "-m", "tests.faults.fuzz"]
    broken = [name for name in names if subprocess.run([*command, name, *options]).returncode]
    return 1 if broken else 0


def fuzz(name: str, options: list[str]) -> None:
    """Fuzz one; the process ends with it."""
    make, seeds = TARGETS[name]
    folder = FOLDER / name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds():
        (corpus / sha256(seed).hexdigest()[:40]).write_bytes(seed)
    words = folder / "words"
    escaped = ("".join(f"\\x{byte:02x}" for byte in word) for word in (*NUMBERS, *WORDS) if len(word) < 60)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    given = [f"-dict={words}", f"-artifact_prefix={folder}/", *DEFAULTS, *options]
    atheris.Setup([name, *given, str(corpus)], make())
    atheris.Fuzz()


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
