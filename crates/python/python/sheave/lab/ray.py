"""Runs on the workers of a Ray cluster: `plan.run(ray=True)`, or `fill` with more to choose.

The workers need the same version of this package; a folder that all share is not needed, since the
records travel back as bytes.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sheave import _sheave
from sheave.lab import Plan, absorb

__all__ = ["fill"]

# Enough that workers of different speed end at about the same time.
TASKS_A_PROCESSOR = 4


def fill(
    plan: Plan,
    *,
    out: str | Path = "lab-results",
    tasks: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> None:
    """Carries out the runs that have no record in the folder `out` yet, and keeps their records.

    There are `tasks` tasks of one processor each, or four for each processor of the cluster.
    `progress` is called with the number of finished tasks and of all. Connects to the cluster that
    `ray.init` chooses if that was not called before. What raises here cancels the tasks that are
    open; the records of finished ones are kept.
    """
    ray: Any = importlib.import_module("ray")
    missing = plan.missing(out)
    if not missing:
        return
    if not ray.is_initialized():
        ray.init()
    if tasks is None:
        tasks = TASKS_A_PROCESSOR * int(ray.cluster_resources().get("CPU", 1))
    tasks = max(1, min(tasks, len(missing)))
    remote = ray.remote(num_cpus=1)(_carry_out)
    # Neighbours in a plan take about as long as each other, so that each task has some of all.
    open_tasks = [remote.remote(plan.part(missing[n::tasks]), _sheave.code()) for n in range(tasks)]
    finished = 0
    try:
        while open_tasks:
            done, open_tasks = ray.wait(open_tasks, timeout=1.0)
            for reference in done:
                _keep(ray.get(reference), out)
                finished += 1
                if progress is not None:
                    progress(finished, tasks)
    except BaseException:
        for reference in open_tasks:
            ray.cancel(reference)
        raise


def _carry_out(plan: Plan, code: str) -> dict[str, bytes]:
    """A task: carries out a part of the runs and gives the files of their records, by name."""
    if _sheave.code() != code:
        raise RuntimeError(f"a worker has other code ({_sheave.code()}) than its driver ({code})")
    with tempfile.TemporaryDirectory() as folder:
        # Runs that fail here fail once more in the driver, which says why.
        plan.fill(out=folder, jobs=1)
        root = Path(folder)
        files = [path for path in root.rglob("*") if path.is_file()]
        return {str(path.relative_to(root)): path.read_bytes() for path in files}


def _keep(files: dict[str, bytes], out: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        absorb(out, folder)
