import subprocess
import sys

import pytest

pytest.importorskip("mypy")

PROGRAM = """
import sheave.lab
from sheave.lab.ray import fill

scenario = sheave.lab.Scenario("link.toml").sweep({"link.wire.delay": ["1 ms", 5]}, seeds=3)
results: sheave.lab.Results = scenario.run(jobs=2, progress=lambda now: print(now.done))
rows: list[dict[str, float | str | None]] = results.cells.rows()
fill(scenario.plan(only=["seed 1"]), out=results.folder)
for study in sheave.lab.studies():
    study.run(quick=True).verdicts["verdict"]
"""


def python(*words):
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program_with_types_passes_the_strict_checker(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    python("-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(file))


def test_the_stubs_say_what_is_there():
    python("-m", "mypy.stubtest", "sheave._sheave", "sheave.lab", "--ignore-disjoint-bases")
