import pytest
from conftest import LINK_AS_A_DICT

from sheave.lab import RunError, Scenario


class Fixed:
    """A window of four packets, whatever happens."""

    packets = 4

    def __init__(self, path):
        self.cwnd = self.packets * path.pmdcs

    def on_ack(self, ack):
        assert ack.bytes > 0 and ack.flight <= ack.flight_before
        assert ack.now > 0 and ack.srtt is None or ack.srtt > 0

    def on_loss(self, now, loss):
        assert loss in ("gap-reports", "unmarked", "timeout")


class Wider(Fixed):
    packets = 16


class Reno:
    """Slow start, congestion avoidance and a half window after a loss."""

    def __init__(self, path):
        self.pmdcs, self.cwnd, self.ssthresh = path.pmdcs, path.initial, float(1 << 30)

    def on_ack(self, ack):
        if ack.recovery or not ack.advanced or ack.flight_before < self.cwnd - self.pmdcs:
            return
        slow_start = self.cwnd < self.ssthresh
        self.cwnd += min(ack.bytes, self.pmdcs) * (1 if slow_start else self.pmdcs / self.cwnd)

    def on_loss(self, now, loss):
        self.ssthresh = max(self.cwnd / 2, 4 * self.pmdcs)
        self.cwnd = self.ssthresh if loss != "timeout" else self.pmdcs


class Broken(Fixed):
    def on_ack(self, ack):
        return 1 / 0


WIDE = {
    **LINK_AS_A_DICT,
    "duration": "5 s",
    "link": {"wire": {"ends": ["A", "B"], "rate": "20 Mbit/s", "delay": "25 ms", "loss": "0.2 %"}},
    "flow": {
        "main": {
            "from": "A",
            "to": "B",
            "workload": {"kind": "bulk", "message": 1452},
            "sctp": {},
        }
    },
}


def goodput(results):
    return {
        row["flow.main.sctp.congestion"]: row["mean"]
        for row in results.cells.rows()
        if row["metric"] == "main.mbit_per_s"
    }


def scenario(classes, names=None):
    sweep = {"flow.main.sctp.congestion": names or list(classes)}
    return Scenario(WIDE, name="wide", congestion=classes).sweep(sweep)


def test_a_window_in_python_is_obeyed(tmp_path):
    found = goodput(scenario({"four": Fixed, "sixteen": Wider}).run(out=tmp_path))
    # A window each round-trip time, 50 ms and a packet's time.
    assert found["four"] == pytest.approx(4 * 1452 * 8e-6 / 0.051, rel=0.1)
    assert found["sixteen"] == pytest.approx(16 * 1452 * 8e-6 / 0.056, rel=0.15)


def test_reno_in_python_is_near_the_one_in_rust(tmp_path):
    names = ["reno", "new-reno"]
    results = scenario({"reno": Reno}, names).sweep(seeds=6).run(out=tmp_path)
    found = goodput(results)
    assert found["reno"] == pytest.approx(found["new-reno"], rel=0.3)


def test_an_exception_fails_the_run_and_is_told(tmp_path):
    with pytest.raises(RunError, match="broken.on_ack: ZeroDivisionError") as raised:
        scenario({"broken": Broken, "four": Fixed}).run(out=tmp_path)
    assert len(raised.value.failures) == 2 and len(raised.value.results) == 2


def test_runs_of_another_version_of_a_class_are_not_used_again(tmp_path):
    names = ["mine", "new-reno"]
    scenario({"mine": Fixed}, names).run(out=tmp_path)
    assert scenario({"mine": Fixed}, names).plan().missing(tmp_path) == []
    # Those of New Reno are the same whatever the class is.
    assert scenario({"mine": Wider}, names).plan().missing(tmp_path) == [0, 1]
