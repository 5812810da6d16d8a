import signal
import subprocess
import sys
import threading
import time

from conftest import LINK

from sheave.lab import Scenario

LONG = LINK.replace("500 ms", "20000 s").replace("2 Mbit/s", "20 Mbit/s")

PROGRAM = """
import sys, sheave.lab
scenario = sheave.lab.Scenario(sys.argv[1])
print("begins", flush=True)
try:
    scenario.run(out=sys.argv[2], jobs=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    # The interpreter is as good as before.
    print(len(scenario.plan().missing(sys.argv[2])), flush=True)
"""


def test_ctrl_c_stops_runs_at_once_and_cleanly(link, tmp_path):
    link.write_text(LONG)
    words = [sys.executable, "-c", PROGRAM, link, tmp_path / "out"]
    child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    interrupted = time.monotonic()
    out, _ = child.communicate(timeout=30)
    assert time.monotonic() - interrupted < 10
    assert child.returncode == 0
    assert out == "interrupted\n8\n"


def test_other_threads_of_python_go_on_during_runs(link, tmp_path):
    link.write_text(LINK.replace("500 ms", "30 s"))
    counts = {"ticks": 0, "over": False}

    def tick():
        while not counts["over"]:
            counts["ticks"] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    Scenario(link).sweep(seeds=10).run(out=tmp_path / "out", jobs=1)
    took = time.monotonic() - began
    counts["over"] = True
    thread.join()
    # A lock that is kept lets the other thread tick hardly ever.
    assert counts["ticks"] > 50 * took


def test_what_progress_raises_stops_the_runs(link, tmp_path):
    link.write_text(LONG)

    def refuse(progress):
        raise LookupError(progress.total)

    try:
        Scenario(link).run(out=tmp_path / "out", progress=refuse)
    except LookupError as error:
        assert error.args == (8,)
    else:
        raise AssertionError("nothing was raised")
