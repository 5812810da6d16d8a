"""Scenarios of a few milliseconds, and the tool `sheave` to compare with."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

LINK = """\
name = "a short link"
duration = "500 ms"
seeds = 2
hosts = ["A", "B"]

[link.wire]
ends = ["A", "B"]
rate = "2 Mbit/s"
delay = "5 ms"
loss = "1 %"

[flow.main]
from = "A"
to = "B"
workload = { kind = "bulk", message = 1000 }

[sweep]
"flow.main.transport" = ["sctp", "tcp"]
"link.wire.delay" = ["1 ms", "10 ms"]
"""

LINK_AS_A_DICT = {
    "name": "a short link",
    "duration": "500 ms",
    "seeds": 2,
    "hosts": ["A", "B"],
    "link": {
        "wire": {"ends": ["A", "B"], "rate": "2 Mbit/s", "delay": "5 ms", "loss": "1 %"},
    },
    "flow": {"main": {"from": "A", "to": "B", "workload": {"kind": "bulk", "message": 1000}}},
}

SWEEP = {"flow.main.transport": ["sctp", "tcp"], "link.wire.delay": ["1 ms", "10 ms"]}


@pytest.fixture
def link(tmp_path):
    """The file `link.toml`."""
    file = tmp_path / "link.toml"
    file.write_text(LINK)
    return file


def tool():
    """The path of `sheave`: `$SHEAVE_TOOL`, else as cargo has it, else as the user's path has."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    if chosen := os.environ.get("SHEAVE_TOOL"):
        return chosen
    places = [target / "release/sheave", target / "debug/sheave"]
    found = [place for place in places if place.is_file()]
    # The one that was built last: an older one is of other sources.
    newest = max(found, key=lambda place: Path(place).stat().st_mtime, default=None)
    return str(newest) if newest else shutil.which("sheave")


@pytest.fixture
def sheave():
    """Runs the tool with some words."""
    program = tool()
    if program is None:
        pytest.skip("there is no tool to compare with: cargo build -p sheave-cli, or SHEAVE_TOOL")

    def run(*words, **environment):
        subprocess.run(
            [program, *map(str, words)],
            check=True,
            capture_output=True,
            env={**os.environ, **environment},
        )

    return run
