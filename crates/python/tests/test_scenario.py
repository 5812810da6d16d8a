import pickle
import re

import pytest
from conftest import LINK, LINK_AS_A_DICT, SWEEP

import sheave.lab
from sheave.lab import Scenario, ScenarioError


def everything(folder):
    """The tables and records of a folder of results, by name; the manifest names the command."""
    files = [*folder.glob("*.csv"), *folder.glob("*.parquet"), *folder.glob("runs/*")]
    files += [*folder.glob("captures/*"), *folder.glob("scenarios/*")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def test_results_are_those_of_the_tool_byte_for_byte(link, sheave, tmp_path):
    sheave("lab", "run", link, "--out", tmp_path / "tool")
    Scenario(link).run(out=tmp_path / "python")
    ours, theirs = everything(tmp_path / "python"), everything(tmp_path / "tool")
    assert len([name for name in theirs if name.startswith("runs/")]) == 1
    assert len(theirs) == 1 + 4
    assert ours == theirs
    for report in ["manifest.json", "report.md", "report.html"]:
        one, other = ((tmp_path / by / report).read_text() for by in ["python", "tool"])
        # The tool was given the file by its path; Python names the one that it keeps.
        kept = tmp_path / "python" / "scenarios" / "link.toml"
        assert one == other.replace(str(link), str(kept)), report


def test_a_sweep_in_python_is_one_in_a_file(link, sheave, tmp_path):
    scenario = Scenario(LINK_AS_A_DICT, name="link").sweep(SWEEP, seeds=3)
    scenario.run(out=tmp_path / "python")
    link.write_text(scenario.text)
    sheave("lab", "run", link, "--out", tmp_path / "tool")
    assert everything(tmp_path / "python") == everything(tmp_path / "tool")


def test_zipped_grouped_and_sampled_keys_are_those_of_a_file(link, sheave, tmp_path):
    wire = {**LINK_AS_A_DICT["link"]["wire"], "back": {}}
    scenario = Scenario({**LINK_AS_A_DICT, "link": {"wire": wire}}, name="link").sweep(
        {("link.wire.delay", "link.wire.back.delay"): ["1 ms", "2 ms"]},
        zip={"flow.main.transport": ["sctp", "tcp"], "link.wire.rate": ["1 Mbit/s", "2 Mbit/s"]},
        sample={"count": 2, "link.wire.loss": {"from": "0.1 %", "to": "2 %", "scale": "log"}},
        seeds=1,
    )
    results = scenario.run(out=tmp_path / "python")
    rows = results.runs.rows()
    assert len(rows) == 2 * 2 * 2
    rates = {(row["flow.main.transport"], row["link.wire.rate_mbit_per_s"]) for row in rows}
    assert rates == {("sctp", 1), ("tcp", 2)}
    assert all(row["link.wire.delay_ms"] == row["link.wire.back.delay_ms"] for row in rows)
    losses = {row["link.wire.loss_percent"] for row in rows}
    assert len(losses) == 2 and all(0.1 <= loss <= 2 for loss in losses)
    link.write_text(scenario.text)
    sheave("lab", "run", link, "--out", tmp_path / "tool")
    assert everything(tmp_path / "python") == everything(tmp_path / "tool")


def test_more_keys_to_zip_and_to_sample_join_those_that_there_are():
    scenario = Scenario({**LINK_AS_A_DICT, "seeds": 1})
    scenario = scenario.sweep(zip={"link.wire.delay": ["1 ms", "2 ms"]})
    scenario = scenario.sweep(zip=[{"link.wire.loss": ["1 %", "2 %", "3 %"]}])
    assert len(scenario.plan()) == 2 * 3
    scenario = scenario.sweep(sample={"count": 5, "seed": 7, "flow.main.transport": ["sctp"]})
    scenario = scenario.sweep(sample={"link.wire.rate": {"from": "1 Mbit/s", "to": "2 Mbit/s"}})
    assert len(scenario.plan()) == 2 * 3 * 5
    assert scenario.plan().runs == Scenario.from_text(scenario.text, "scenario").plan().runs


def test_a_dict_and_a_file_are_the_same_scenario(link, tmp_path):
    of_file = Scenario(link).run(out=tmp_path / "one")
    of_dict = Scenario(LINK_AS_A_DICT, name="link").sweep(SWEEP).run(out=tmp_path / "two")
    assert of_file.runs.rows() == of_dict.runs.rows()


def test_finished_runs_of_the_tool_are_used_again(link, sheave, tmp_path):
    sheave("lab", "run", link, "--out", tmp_path / "out")
    plan = Scenario(link).plan()
    assert plan.missing(tmp_path / "out") == []
    seen = []
    plan.run(out=tmp_path / "out", progress=seen.append)
    assert (seen[-1].reused, seen[-1].done, seen[-1].total) == (8, 8, 8)


def test_shards_are_put_together(link, tmp_path):
    whole = Scenario(link).run(out=tmp_path / "whole")
    parts = [tmp_path / f"part{part}" for part in (1, 2, 3)]
    for part, out in enumerate(parts, 1):
        Scenario(link).run(shard=f"{part}/3", out=out)
    together = sheave.lab.read(*parts)
    key = lambda row: row["fingerprint"]
    assert sorted(together.runs.rows(), key=key) == sorted(whole.runs.rows(), key=key)


@pytest.mark.parametrize(
    ("change", "field", "message"),
    [
        ({"hosts": 5}, "hosts", "must be a list of texts"),
        ({"link": {"wire": {"ends": ["A", "B"], "rat": "1 Mbit/s"}}}, "link.wire.rat", "`rate`"),
        ({"seeds": object()}, "seeds", "must be a text, a number"),
        ({"flow": {"main": {"from": "A", "to": "C"}}}, "flow.main.to", "C"),
    ],
)
def test_an_error_names_the_field(change, field, message):
    with pytest.raises(ScenarioError, match=re.escape(message)) as raised:
        Scenario({**LINK_AS_A_DICT, **change})
    assert raised.value.field == field
    assert field in str(raised.value)


def test_an_error_in_a_sweep_names_the_key():
    with pytest.raises(ScenarioError) as raised:
        Scenario(LINK_AS_A_DICT).sweep({"link.wire.delay": "5 ms"})
    assert raised.value.field == 'sweep."link.wire.delay"'
    with pytest.raises(ScenarioError, match="must be a"):
        Scenario(LINK_AS_A_DICT).sweep({"link.wire.loss": [0.01, 7]})
    with pytest.raises(ScenarioError, match="has 2 values") as raised:
        lists = {"link.wire.loss": ["1 %"], "link.wire.delay": ["1 ms", "2 ms"]}
        Scenario(LINK_AS_A_DICT).sweep(zip=lists)
    assert raised.value.field == 'sweep.zip."link.wire.delay"'
    with pytest.raises(ScenarioError, match="count"):
        Scenario(LINK_AS_A_DICT).sweep(sample={"link.wire.loss": ["1 %"]})


def test_what_is_no_number_of_jobs_and_no_shard_is_refused(link, tmp_path):
    with pytest.raises(ValueError, match="jobs"):
        Scenario(link).run(jobs=0, out=tmp_path / "out")
    with pytest.raises(ValueError, match="shard"):
        Scenario(link).run(shard="3/2", out=tmp_path / "out")
    with pytest.raises(ValueError, match="no run says"):
        Scenario(link).run(only=["seed 9"], out=tmp_path / "out")
    with pytest.raises(FileNotFoundError, match="nowhere.toml"):
        Scenario("nowhere.toml")
    with pytest.raises(FileNotFoundError, match="holds no results"):
        sheave.lab.read(tmp_path / "nowhere")


def test_a_store_that_cannot_be_written_raises(link, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    # The folder of the records cannot be made where a file stands.
    (out / "runs").write_text("no folder")
    with pytest.raises(OSError):
        Scenario(link).run(out=out)


def test_series_of_any_seed_are_those_of_the_run(link, tmp_path):
    scenario = Scenario(link)
    kept = scenario.run(out=tmp_path / "out").series
    assert set(kept["seed"]) == {1.0}
    again = scenario.plan(only=["seed 1"]).series()
    assert again.rows() == kept.rows()
    other = scenario.plan(only=["seed 2", "sctp", "link.wire.delay_ms = 10"]).series()
    assert set(other["seed"]) == {2.0}
    assert set(other["series"]) == {"main.mbit_per_s", "main.cwnd_kib"}


def test_scenarios_and_plans_travel_between_processes(link, tmp_path):
    plan = pickle.loads(pickle.dumps(Scenario(link).plan()))
    assert plan.part([0, 3]).runs == [plan.runs[0], plan.runs[3]]
    assert len(plan.part([0, 3]).run(out=tmp_path / "out")) == 2
    assert plan.missing(tmp_path / "out") == [1, 2, 4, 5, 6, 7]
    assert pickle.loads(pickle.dumps(Scenario(link))).text == LINK
