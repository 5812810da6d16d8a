import pickle

import pytest

import sheave.lab
from sheave.lab import Study

VERDICTS = {"reproduced", "partly", "not reproduced", "undecided", "not testable here", "not run"}


def test_studies_are_listed_with_their_claims():
    studies = sheave.lab.studies()
    assert [study.name for study in studies][0] == "datacenter" and len(studies) >= 8
    for study in studies:
        assert study.title and study.about
        assert all(row["statement"] and row["rule"] for row in study.claims.rows())
    assert set(studies[0].claims["verdict"]) == {"not run"}
    assert pickle.loads(pickle.dumps(studies[1])).name == studies[1].name
    with pytest.raises(ValueError, match="there is no study steams: there are datacenter"):
        Study("steams")


def test_a_study_run_quick_gives_the_verdicts_of_the_tool(sheave, tmp_path):
    results = Study("features").run(out=tmp_path / "python", seeds=5)
    verdicts = results.verdicts.rows()
    assert {row["id"] for row in verdicts} == set(Study("features").claims["id"])
    assert {row["verdict"] for row in verdicts} <= VERDICTS - {"not run"}
    sheave("lab", "run", "features", "--seeds", 5, "--out", tmp_path / "tool")
    for name in ["features.csv", "features.parquet", "report.md"]:
        one, other = ((tmp_path / by / name).read_bytes() for by in ["python", "tool"])
        assert one == other, name


def test_a_live_run_starts_its_parts_through_this_interpreter(tmp_path):
    plan = Study("streams").plan(seeds=1)
    live = [at for at, run in enumerate(plan.runs) if run.startswith("streams live-")]
    results = plan.part(live[:1]).run(out=tmp_path / "out")
    [row] = results.runs.rows()
    # Where the machine is unfit, it says so; an error in starting the parts would have raised.
    assert row.get("skipped") or row["machine"]
