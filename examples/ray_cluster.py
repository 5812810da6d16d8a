"""A scenario on a Ray cluster: every run is a task for one processor of one of its machines.

    python examples/ray_cluster.py scenarios/radio.toml                    # two workers on this machine
    python examples/ray_cluster.py scenarios/radio.toml --address auto     # the cluster that is there

The cluster's machines need the same version of the package sheave, and no folder in common.
Interrupted, it goes on where it stopped when it is started again: finished runs are kept.
"""

import argparse

import ray

import sheave.lab
from sheave.lab.ray import fill


def main():
    about, _, usage = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=about, epilog=usage, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("scenario", help="a TOML file")
    parser.add_argument("--seeds", type=int, help="runs of each setting (the scenario's number)")
    parser.add_argument("--out", default="results", help="folder of the results (results)")
    parser.add_argument("--address", help="a cluster's address, or auto (one of this machine)")
    parser.add_argument("--workers", type=int, default=2, help="without --address (2)")
    arguments = parser.parse_args()

    here = {} if arguments.address else {"num_cpus": arguments.workers}
    ray.init(arguments.address, include_dashboard=False, log_to_driver=False, **here)
    scenario = sheave.lab.Scenario(arguments.scenario)
    if arguments.seeds is not None:
        scenario = scenario.sweep(seeds=arguments.seeds)
    fill(
        scenario.plan(),
        out=arguments.out,
        progress=lambda finished, tasks: print(f"{finished} of {tasks} tasks", flush=True),
    )
    # Everything is there now: this makes the tables and the report.
    results = scenario.run(out=arguments.out)
    print(f"{len(results)} runs; the report is {results.folder / 'report.html'}")


if __name__ == "__main__":
    main()
