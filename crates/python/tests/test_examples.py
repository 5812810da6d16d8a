import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
from conftest import LINK, ROOT, tool

import sheave.lab

EXAMPLES = ROOT / "examples"
PAGE = ROOT / "docs/howto/python.md"
LIBRARIES = ["pyarrow", "polars", "pandas", "duckdb"]
# What takes minutes on the page, and the same in seconds.
SHORTER = [
    ("seeds=30", "seeds=7"),
    ('Study("failover").run(out="results")', 'Study("features").run(out="studies", seeds=5)'),
]


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda file: file.stem)
def test_a_notebook_runs_and_shows_what_it_found(notebook, tmp_path):
    pytest.importorskip("polars")
    pytest.importorskip("ipykernel")
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    nodes = nbformat.read(notebook, as_version=4)
    assert not any(cell.get("outputs") for cell in nodes.cells), "committed without outputs"
    client = nbclient.NotebookClient(nodes, timeout=120, kernel_name="python3")
    client.resources = {"metadata": {"path": str(tmp_path)}}
    client.execute()
    shown = [output for cell in nodes.cells for output in cell.get("outputs", [])]
    pages = [output.data.get("text/html", "") for output in shown if "data" in output]
    assert sum('<svg class="chart"' in page for page in pages) == 1
    assert len(shown) == sum(cell.cell_type == "code" for cell in nodes.cells)


def test_a_slurm_array_gives_what_one_machine_gives(link, tmp_path):
    program = tool()
    if program is None:
        pytest.skip("there is no tool: cargo build -p sheave-cli, or SHEAVE_TOOL")
    whole = rows(sheave.lab.Scenario(link).run(out=tmp_path / "whole"))
    folder = os.path.dirname(program)
    for task in ["1", "2", "3"]:
        subprocess.run(
            ["bash", EXAMPLES / "slurm.sh", link, tmp_path / "results"],
            check=True,
            capture_output=True,
            env={
                **os.environ,
                "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
                "SLURM_ARRAY_TASK_ID": task,
                "SLURM_ARRAY_TASK_COUNT": "3",
                "SLURM_CPUS_PER_TASK": "1",
            },
        )
    parts = sorted((tmp_path / "results").glob("part-*"))
    assert len(parts) == 3
    assert rows(sheave.lab.read(*parts)) == whole


def test_a_cluster_of_two_workers_gives_what_one_machine_gives(link, tmp_path):
    pytest.importorskip("ray")
    here = rows(sheave.lab.Scenario(link).sweep(seeds=3).run(out=tmp_path / "here"))
    there = tmp_path / "there"
    command = [sys.executable, EXAMPLES / "ray_cluster.py", link, "--seeds", "3", "--out", there]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=tmp_path)
    assert f"{len(here)} runs" in done.stdout, done.stdout
    assert (there / "report.html").is_file()
    assert rows(sheave.lab.read(there)) == here


def test_the_page_about_the_package_runs_as_it_is_printed(tmp_path):
    """All of the page but its cluster; a comment behind an expression is its value."""
    found = [name for name in LIBRARIES if find_spec(name)]
    missing = {*LIBRARIES} - {*found}
    text = PAGE.read_text()
    for printed, shorter in SHORTER:
        assert printed in text
        text = text.replace(printed, shorter)
    lines = [f"import {name}" for name in found]
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    for block in blocks:
        if "ray=True" not in block:
            lines += statements(block, missing)
    (tmp_path / "page.py").write_text("\n".join(lines))
    (tmp_path / "scenarios").mkdir()
    radio = (ROOT / "scenarios/radio.toml").read_text()
    assert 'duration = "20 s"' in radio
    radio = radio.replace('duration = "20 s"', 'duration = "300 ms"')
    (tmp_path / "scenarios/radio.toml").write_text(radio)
    (tmp_path / "one-link.toml").write_text(LINK.partition("[sweep]")[0] + "[flow.main.sctp]\n")
    command = [sys.executable, "page.py"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == len(sheave.lab.studies()), done.stdout


def statements(block, missing):
    """The statements of a block that need none of the missing libraries."""
    for one in ast.parse(block).body:
        source = ast.get_source_segment(block, one)
        if missing & {node.id for node in ast.walk(one) if isinstance(node, ast.Name)}:
            continue
        _, _, value = block.splitlines()[one.end_lineno - 1].partition("  # ")
        yield f"assert {source} == {value}, {source}" if value else source


def rows(results):
    return sorted(results.runs.rows(), key=lambda row: row["fingerprint"])
