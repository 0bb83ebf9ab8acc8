"""The reports of a run: one JUnit file, a summary, durations, and what IDEs and CDash read."""
import json
import re
import subprocess
import textwrap

import pytest

from conftest import CTEST, DRIVER, environment, run


@pytest.fixture
def mixed(suite):
    suite.write("tests/test_good.py", "import time\ndef test_a(): time.sleep(0.2)\ndef test_b(): pass\n")
    suite.write("tests/test_bad.py", "def test_fails():\n    assert 1 == 2, 'one is not two'\n")
    suite.write("tests/test_skip.py", "import pytest\n@pytest.mark.skip(reason='not here')\ndef test_s(): pass\n")
    return suite


def test_the_summary_names_each_failure_and_how_to_rerun_it(mixed):
    assert mixed.ctest().status == 8
    summary = (mixed.latest() / "summary.txt").read_text()
    assert "tests/test_bad.py" in summary and "one is not two" in summary
    assert "3 passed" in summary or "2 passed" in summary
    assert "ctest" in summary and "-R" in summary
    assert max(len(line) for line in summary.splitlines()) < 400
    shown = run([DRIVER, "report", str(mixed.state)], env=environment())
    assert shown.status == 1, shown
    assert "one is not two" in shown.out


def test_the_rerun_command_reruns_just_that_file(mixed):
    mixed.ctest()
    summary = (mixed.latest() / "summary.txt").read_text()
    command = re.search(r"ctest --test-dir .*", summary).group(0)
    again = run(["/bin/sh", "-c", command], env=environment())
    assert "tests/test_bad.py" in again.out and "tests/test_good.py" not in again.out


def test_durations_are_kept_by_relative_path_and_order_the_next_run(mixed):
    mixed.ctest()
    record = json.loads((mixed.state / "durations.json").read_text())
    assert record["version"] == 1
    assert record["files"]["tests/test_good.py"]["tests"] == 2
    assert record["files"]["tests/test_good.py"]["seconds"] > 0.2
    listing = json.loads(mixed.ctest("--show-only=json-v1").out)
    costs = {test["name"]: prop["value"] for test in listing["tests"] for prop in test["properties"]
             if prop["name"] == "COST"}
    assert costs["tests/test_good.py"] > costs["tests/test_skip.py"]


def test_a_partial_run_keeps_the_other_durations(mixed):
    mixed.ctest()
    before = json.loads((mixed.state / "durations.json").read_text())["files"]
    mixed.ctest("-R", "test_good")
    after = json.loads((mixed.state / "durations.json").read_text())["files"]
    assert set(before) == set(after)


def test_damaged_durations_are_replaced_and_newer_ones_refused(mixed):
    durations = mixed.state / "durations.json"
    durations.write_text("{torn")
    assert mixed.ctest().status == 8
    assert json.loads(durations.read_text())["files"]
    durations.write_text('{"version":99,"files":{}}')
    finished = mixed.ctest()
    assert finished.status == 8
    assert '"version":99' in durations.read_text(), "a newer format is left alone"


def test_an_entry_that_never_reported_is_an_error_in_the_junit(mixed):
    """An entry that CTest could not start: CTest's own JUnit would call it skipped."""
    build = mixed.prepare()
    assert mixed.discover().status == 0
    # The entry is selected, and its command is replaced by one that cannot report.
    text = (mixed.state / "entries.cmake").read_text()
    (build / "CTestTestfile.cmake").write_text(
        re.sub(r"add_test\((\[=*\[tests/test_good.py\]=*\]) .*\)", r"add_test(\1 /bin/true)", text))
    finished = run([CTEST, "--test-dir", str(build), "--output-on-failure"], env=environment())
    assert finished.status == 8
    assert "tests/test_good.py" in finished.out
    assert "never reported" in finished.out
    case, = mixed.junit().cases("tests/test_good.py")
    assert case.find("error") is not None


def test_measurements_reach_cdash(mixed):
    mixed.ctest("-T", "Test")
    tag = (mixed.state / "ctest" / "Testing" / "TAG").read_text().split()[0]
    xml = (mixed.state / "ctest" / "Testing" / tag / "Test.xml").read_text()
    for name in ("tests", "passed", "failed", "skipped"):
        assert f'name="{name}"' in xml


def test_old_runs_are_pruned_by_count(mixed):
    mixed.config["keep-runs"] = 2
    for _ in range(4):
        mixed.ctest("-R", "test_skip")
    runs = [path for path in (mixed.state / "runs").iterdir() if not path.is_symlink()]
    assert len(runs) <= 3


def test_a_result_that_is_torn_is_red(mixed):
    assert mixed.ctest("-E", "test_bad").status == 0
    path = next(path for path in mixed.latest().glob("*/result.json") if "good" in str(path))
    path.write_text(path.read_text()[:50])
    shown = run([DRIVER, "report", str(mixed.state)], env=environment())
    assert shown.status == 3, shown
    assert "test_good" in shown.out + shown.err
