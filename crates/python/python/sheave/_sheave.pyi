import pathlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, final

from sheave.lab._congestion import CongestionControl

__version__: str

__all__ = [
    "Ack",
    "NewPath",
    "Plan",
    "Progress",
    "Results",
    "RunError",
    "Scenario",
    "ScenarioError",
    "Study",
    "Table",
    "__version__",
    "absorb",
    "code",
    "read",
    "studies",
    "take_part",
]

_Path = str | PathLike[str]
# Keys are texts, or tuples of them; those of a Mapping do not vary.
_Lists = Mapping[Any, Iterable[Any]]

class ScenarioError(ValueError):
    """A scenario that cannot be run."""

    field: str
    """The key that is wrong, with all that it is under: `link.radio.loss`; empty for the whole."""

class RunError(RuntimeError):
    """Runs that failed."""

    failures: list[str]
    """Which, and why."""
    results: Results
    """The runs that did not fail."""

@final
class Progress:
    """The progress of runs."""

    @property
    def done(self) -> int:
        """Runs that are there, those of earlier times included."""
    @property
    def reused(self) -> int:
        """Runs whose records existed already."""
    @property
    def failed(self) -> int:
        """Runs that failed."""
    @property
    def total(self) -> int:
        """Runs that are wanted."""
    @property
    def seconds_left(self) -> float | None:
        """Seconds until all are done, as it looks; `None` before the first."""
    @property
    def look(self) -> int:
        """Which of the looks at growing numbers of seeds the runs are for, from 1 on."""

_Watch = Callable[[Progress], object]

@final
class Table:
    """Tidy data, as an Arrow C stream: `pyarrow.table(t)`, `polars.DataFrame(t)` and so on."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns; those of numbers say their units."""
    def rows(self) -> list[dict[str, float | str | None]]:
        """The rows, a dict each."""
    def __getitem__(self, name: str, /) -> list[Any]:
        """The values of a column: numbers or texts, `None` where there is none."""
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Results:
    """Finished runs: tables, and charts in a notebook. An Arrow C stream itself, of `runs`."""

    @property
    def folder(self) -> pathlib.Path:
        """The folder of records, tables and reports."""
    @property
    def runs(self) -> Table:
        """The runs, a row each: settings and metrics."""
    @property
    def cells(self) -> Table:
        """Means with 95 % confidence intervals, a row for each metric of each setting."""
    @property
    def series(self) -> Table:
        """Quantities over time, of the runs that kept them: those with seed 1."""
    @property
    def verdicts(self) -> Table:
        """The claims of the studies that were run, with the verdicts."""
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Plan:
    """Runs that are to be carried out: here, in parts, or on the workers of a cluster."""

    @property
    def runs(self) -> list[str]:
        """The runs in words, such as `radio scenario (delay_ms = 5), seed 1`."""
    def missing(self, out: _Path = "lab-results") -> list[int]:
        """The places of the runs that have no record in the folder `out` yet."""
    def part(self, places: Sequence[int]) -> Plan:
        """The runs at those places, as a plan of their own."""
    def fill(
        self,
        *,
        jobs: int | None = None,
        out: _Path = "lab-results",
        shard: str | None = None,
        progress: _Watch | None = None,
    ) -> list[str]:
        """Carries out the runs and keeps their records in `out`, without tables and reports.

        Gives the reasons why runs failed.
        """
    def run(
        self,
        *,
        jobs: int | None = None,
        out: _Path = "lab-results",
        shard: str | None = None,
        progress: _Watch | None = None,
        ray: bool = False,
    ) -> Results:
        """Carries out the runs that have no record in `out` yet, and writes tables and reports.

        `jobs` runs at a time, as many as there are processors by default; of a `shard` such as
        `"2/4"`, only that part; with `ray`, on the workers of a Ray cluster. Ctrl-C stops it, and
        what is finished is kept. The folder is the same as that of `sheave lab run --out`.

        Raises `RunError` where runs failed.
        """
    def series(self) -> Table:
        """Quantities over the time of each of the runs, which are carried out once more."""
    def __len__(self) -> int: ...

@final
class NewPath:
    """A path that needs a congestion control."""

    @property
    def pmdcs(self) -> int:
        """The largest DATA chunk of the path, bytes."""
    @property
    def initial(self) -> int:
        """The first window, bytes, before the multiples of `pmdcs` that bound it."""

@final
class Ack:
    """The content of a SACK for one path."""

    @property
    def now(self) -> float:
        """When the SACK arrived, seconds."""
    @property
    def bytes(self) -> int:
        """Bytes newly acknowledged on this path."""
    @property
    def flight_before(self) -> int:
        """Bytes in flight on this path before the SACK."""
    @property
    def flight(self) -> int:
        """Bytes in flight on this path after it."""
    @property
    def advanced(self) -> bool:
        """Whether the Cumulative TSN Ack Point moved."""
    @property
    def recovery(self) -> bool:
        """Whether a loss is being repaired."""
    @property
    def srtt(self) -> float | None:
        """Smoothed round-trip time of the path, seconds, once measured."""

@final
class Scenario:
    """A network, what happens on it, and what of it is varied."""

    def __new__(
        cls,
        source: _Path | Mapping[str, Any],
        *,
        name: str | None = None,
        congestion: Mapping[str, type[CongestionControl]] | None = None,
    ) -> Scenario:
        """The scenario in a TOML file, or in a dict of the same form.

        `name` is its name in records and reports, by default that of the file. `congestion` holds
        congestion controls of one's own by the names that the option `congestion` has for them.

        Raises `ScenarioError`, which names the key that is wrong.
        """
    @staticmethod
    def from_text(text: str, name: str) -> Scenario:
        """The scenario that a text in TOML describes."""
    @property
    def name(self) -> str:
        """The name in records and reports."""
    @property
    def title(self) -> str:
        """The title, from the scenario's `name`."""
    @property
    def text(self) -> str:
        """The text in TOML: as a file, `sheave lab run` gives the same results."""
    def sweep(
        self,
        values: _Lists | None = None,
        *,
        zip: _Lists | Sequence[_Lists] | None = None,
        sample: Mapping[Any, Any] | None = None,
        seeds: int | None = None,
    ) -> Scenario:
        """The same with these keys varied, beside those that it varies already.

        All combinations are run, with `seeds` seeds each. A key that is a tuple of keys sets all of
        them to the same value. The keys of `zip`, a mapping or several, are gone through side by
        side. `sample` draws `count` points at random, which follow from `seed`, from the lists and
        from the ranges `{"from": .., "to": .., "scale": "log"}` of its other keys.
        """
    def plan(self, *, only: Sequence[str] = ()) -> Plan:
        """The runs, or those that say all the words of `only`, such as `delay_ms = 25`."""
    def run(
        self,
        *,
        only: Sequence[str] = (),
        jobs: int | None = None,
        out: _Path = "lab-results",
        shard: str | None = None,
        progress: _Watch | None = None,
        ray: bool = False,
    ) -> Results:
        """Carries out the runs; see `Plan.run`."""
    def _repr_html_(self) -> str: ...

@final
class Study:
    """A published study: its claims, and the runs that decide them."""

    def __new__(cls, name: str) -> Study: ...
    @property
    def name(self) -> str:
        """The name on the command line."""
    @property
    def title(self) -> str:
        """The title."""
    @property
    def about(self) -> str:
        """The subject, and the differences from the paper."""
    @property
    def claims(self) -> Table:
        """The claims, not judged yet."""
    def plan(
        self, *, quick: bool = True, seeds: int | None = None, only: Sequence[str] = ()
    ) -> Plan:
        """The runs: with coarse sweeps where `quick`.

        There are `seeds` seeds rather than as many as decide the claims, where that is given; or
        only the runs that say all the words of `only`.
        """
    def run(
        self,
        *,
        quick: bool = True,
        seeds: int | None = None,
        only: Sequence[str] = (),
        jobs: int | None = None,
        out: _Path = "lab-results",
        shard: str | None = None,
        progress: _Watch | None = None,
        ray: bool = False,
    ) -> Results:
        """Carries out the runs; see `Plan.run`."""

def studies() -> list[Study]:
    """The studies, in the order of the report."""

def read(*folders: _Path) -> Results:
    """Reads results from the folders of executions, such as the shards of one plan.

    Writes tables and reports of all of them to the first.
    """

def absorb(out: _Path, other: _Path) -> None:
    """Keeps the records of the folder `other` in the folder `out`, too."""

def code() -> str:
    """The name of the code that decides what a run gives."""

def take_part(study: str, part: str) -> bool:
    """Takes part in a live run as the process that its parent started."""
