import pytest
from conftest import SWEEP

from sheave.lab import Scenario


@pytest.fixture
def results(link, tmp_path):
    return Scenario(link).sweep(seeds=3).run(out=tmp_path / "out")


def test_pyarrow_reads_runs_cells_and_series(results):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    runs = pyarrow.table(results)
    assert runs.num_rows == len(results) == 12
    assert runs.equals(parquet.read_table(results.folder / "link.parquet"))
    assert pyarrow.table(results.cells).column_names == results.cells.columns
    assert pyarrow.table(results.series).num_rows == len(results.series) > 1000


def test_fields_say_their_units_in_streams_and_files(results):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    stream = pyarrow.table(results).schema
    file = parquet.read_schema(results.folder / "link.parquet")
    assert stream.remove_metadata().equals(file.remove_metadata())
    for schema in stream, file:
        units = {field.name: (field.metadata or {}).get(b"unit") for field in schema}
        assert units["link.wire.delay_ms"] == units["main.srtt_ms"] == b"ms"
        assert units["main.mbit_per_s"] == b"Mbit/s"
        assert units["main.bytes"] == b"bytes"
        assert units["seed"] is units["flow.main.transport"] is None
    assert pyarrow.table(results.series).schema.field("time_s").metadata[b"unit"] == b"s"


def test_polars_and_duckdb_read_files_with_units(results):
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    file = results.folder / "link.parquet"
    assert polars.read_parquet(file).equals(polars.DataFrame(results))
    [(rows,)] = duckdb.sql(f"select count(*) from '{file}'").fetchall()
    assert rows == len(results)


def test_polars_reads_them_and_means_and_intervals_are_its_own(results):
    polars = pytest.importorskip("polars")
    goodput = polars.DataFrame(results).group_by("content", *COLUMNS).agg(
        polars.col("main.mbit_per_s").mean().alias("mean_here"),
        polars.col("main.mbit_per_s").std().alias("deviation_here"),
    )
    cells = polars.DataFrame(results.cells).filter(polars.col("metric") == "main.mbit_per_s")
    both = cells.join(goodput, on=["content", *COLUMNS])
    assert both.height == 4
    for row in both.iter_rows(named=True):
        assert row["mean"] == pytest.approx(row["mean_here"])
        assert row["deviation"] == pytest.approx(row["deviation_here"])
        # Student's t for three values.
        half = 4.303 * row["deviation"] / 3**0.5
        assert row["ci95_low"] == pytest.approx(row["mean"] - half)
        assert row["ci95_high"] == pytest.approx(row["mean"] + half)


def test_pandas_and_duckdb_read_them(results):
    pandas = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    frame = pandas.DataFrame.from_arrow(results)
    assert list(frame.columns) == results.runs.columns
    assert frame["seed"].max() == 3
    cells = results.cells
    [(count,)] = duckdb.sql("select count(distinct metric) from cells").fetchall()
    assert count == len(set(cells["metric"]))


def test_a_table_needs_no_library(results):
    rows = results.runs.rows()
    assert len(rows) == len(results.runs) == 12
    assert [row["seed"] for row in rows] == results.runs["seed"]
    with pytest.raises(KeyError, match="goodput"):
        results.runs["goodput"]


def test_a_notebook_shows_charts_in_a_style_of_their_own(results):
    page = results._repr_html_()
    assert page.count('<svg class="chart"') >= 3
    assert "Goodput over wire.delay (ms)" in page
    assert "<script" not in page and page.startswith('<div class="sheave"><style>.sheave{')
    assert "<td" in results.cells._repr_html_()


COLUMNS = [key + ("_ms" if key.endswith("delay") else "") for key in SWEEP]
