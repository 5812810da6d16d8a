import pytest

from sheave.lab import Scenario

ray = pytest.importorskip("ray")


@pytest.fixture(scope="module")
def cluster():
    """A cluster on this machine, with two workers."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


def test_a_cluster_gives_what_one_machine_gives(cluster, link, tmp_path):
    from sheave.lab.ray import fill

    scenario = Scenario(link).sweep(seeds=4)
    here = scenario.run(out=tmp_path / "here")
    # Some of it is there already.
    assert len(scenario.plan(only=["seed 1"]).run(out=tmp_path / "there")) == 4
    tasks = []
    fill(scenario.plan(), out=tmp_path / "there", tasks=3, progress=lambda *now: tasks.append(now))
    assert tasks == [(1, 3), (2, 3), (3, 3)]
    assert scenario.plan().missing(tmp_path / "there") == []
    there = scenario.run(out=tmp_path / "there", ray=True)
    assert there.runs.rows() == here.runs.rows()
    for name in ["link.csv", "link.parquet"]:
        assert (tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_a_run_with_ray_is_one_call(cluster, link, tmp_path):
    results = Scenario(link).run(out=tmp_path / "out", ray=True)
    assert len(results) == 8 and (results.folder / "report.html").is_file()


class Eight:
    """A window of eight packets."""

    def __init__(self, path):
        self.cwnd = 8 * path.pmdcs

    def on_ack(self, ack):
        pass

    def on_loss(self, now, loss):
        pass


def test_classes_of_ones_own_travel_to_the_workers(cluster, link, tmp_path):
    text = link.read_text().replace("[sweep]", "[flow.main.sctp]\n\n[sweep]")
    link.write_text(text.replace('["sctp", "tcp"]', '["sctp"]'))
    sweep = {"flow.main.sctp.congestion": ["eight"]}
    scenario = Scenario(link, congestion={"eight": Eight}).sweep(sweep)
    ray.cloudpickle.register_pickle_by_value(__import__(__name__))
    there = scenario.run(out=tmp_path / "there", ray=True)
    here = scenario.run(out=tmp_path / "here")
    assert there.runs.rows() == here.runs.rows()
