import os
import subprocess
import sys

import pytest
from conftest import ROOT, tool

import sheave.lab

EXAMPLES = ROOT / "examples"


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


def rows(results):
    return sorted(results.runs.rows(), key=lambda row: row["fingerprint"])
