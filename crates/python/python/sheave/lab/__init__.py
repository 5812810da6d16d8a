"""The laboratory: scenarios, studies and their results.

    import sheave.lab

    radio = sheave.lab.Scenario("scenarios/radio.toml")
    results = radio.sweep({"link.radio.delay": ["1 ms", "10 ms"]}, seeds=30).run()

Results and tables are Arrow C streams: `pyarrow.table(results)`, `polars.DataFrame(results)`,
`pandas.DataFrame.from_arrow(results)`, and `results` in a query of duckdb.
"""

from sheave._sheave import (
    Ack,
    NewPath,
    Plan,
    Progress,
    Results,
    RunError,
    Scenario,
    ScenarioError,
    Study,
    Table,
    absorb,
    read,
    studies,
)
from sheave.lab._congestion import CongestionControl

__all__ = [
    "Ack",
    "CongestionControl",
    "NewPath",
    "Plan",
    "Progress",
    "Results",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Study",
    "Table",
    "absorb",
    "read",
    "studies",
]
