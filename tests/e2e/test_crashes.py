"""A crash keeps what was already known, and names its victim."""
import re
import textwrap


def test_a_segmentation_fault_keeps_the_passes_and_names_the_victim(suite):
    suite.write("test_crash.py", textwrap.dedent("""
        import ctypes
        import pytest
        @pytest.mark.parametrize("n", [1, 2, 3])
        def test_good(n): print("progress", n)
        def test_segfault(): ctypes.string_at(0)
        def test_after(): pass
        """))
    finished = suite.ctest()
    assert finished.status == 8, finished
    result = suite.results()["test_crash.py"]
    assert result["outcome"] == "crashed"
    assert "SIGSEGV" in result["cause"]
    assert result["attempts"][0]["counts"]["passed"] == 3
    assert result["attempts"][0]["counts"]["not_run"] >= 1
    junit = suite.junit()
    outcomes = dict(junit.outcomes())
    assert [outcomes[f"test_good[{n}]"] for n in (1, 2, 3)] == ["passed"] * 3
    assert outcomes["test_segfault"] == "error"
    assert outcomes["test_after"] != "passed"
    assert junit.counts_are_true()
    victim, = [case for case in junit.cases() if case.get("name") == "test_segfault"]
    text = victim.find("error").get("message") + (victim.find("error").text or "")
    assert "SIGSEGV" in text
    assert "Fatal Python error: Segmentation fault" in text, "faulthandler's stack is kept"


def test_a_kill_is_never_shown_as_a_bare_number(suite):
    suite.write("test_sigkill.py", textwrap.dedent("""
        import os, signal
        def test_good(): pass
        def test_killed(): os.kill(os.getpid(), signal.SIGKILL)
        """))
    finished = suite.ctest()
    assert finished.status == 8
    result = suite.results()["test_sigkill.py"]
    assert result["cause"].count("killed by SIGKILL (out of memory?)") == 1
    printed = (suite.state / "ctest/Testing/Temporary/LastTest.log").read_text()
    for words in (printed, result["cause"]):
        assert not re.search(r"(status|signal|code|exited) (-?9|137)\b", words), words
    assert dict(suite.junit().outcomes()) == {"test_good": "passed", "test_killed": "error"}


def test_a_crash_while_collecting_is_named_after_the_file(suite):
    suite.write("test_import.py", "import os, signal\nos.kill(os.getpid(), signal.SIGABRT)\n")
    assert suite.ctest().status == 8
    result = suite.results()["test_import.py"]
    assert result["outcome"] == "crashed"
    assert "SIGABRT" in result["cause"]
    (name, tag), = suite.junit().outcomes()
    assert (name, tag) == ("test_import.py", "error")


def test_a_flaky_file_is_said_aloud_with_its_first_failure_kept(suite):
    suite.config["retries"] = 2
    marker = suite.root.parent / "marker"
    suite.config["env"] = {"MARKER": str(marker)}
    suite.write("test_flaky.py", textwrap.dedent("""
        import os, pathlib
        def test_steady(): pass
        def test_flaky(tmp_path):
            marker = pathlib.Path(os.environ["MARKER"])
            seen = marker.exists()
            marker.touch()
            assert seen, "the first time"
        """))
    finished = suite.ctest("-V")
    assert finished.status == 0, finished
    result = suite.results()["test_flaky.py"]
    assert result["outcome"] == "flaky"
    assert [attempt["outcome"] for attempt in result["attempts"]] == ["failed", "passed"]
    assert "flaky" in finished.out
    case, = [case for case in suite.junit().cases() if case.get("name") == "test_flaky"]
    assert "the first time" in case.find("flakyFailure").get("message")
    assert case.find("failure") is None


def test_a_file_that_never_passes_carries_its_rerun_failures(suite):
    suite.config["retries"] = 1
    suite.write("test_bad.py", "def test_bad():\n    assert 0, 'always'\n")
    assert suite.ctest().status == 8
    case, = suite.junit().cases()
    assert case.find("failure") is not None and case.find("rerunFailure") is not None


def test_a_repeat_of_ctest_keeps_the_earlier_attempts(suite):
    marker = suite.root.parent / "marker"
    suite.config["env"] = {"MARKER": str(marker)}
    suite.write("test_flaky.py", textwrap.dedent("""
        import os, pathlib
        def test_flaky():
            marker = pathlib.Path(os.environ["MARKER"])
            seen = marker.exists()
            marker.touch()
            assert seen
        """))
    finished = suite.ctest("--repeat", "until-pass:3")
    assert finished.status == 0, finished
    assert suite.results()["test_flaky.py"]["outcome"] == "flaky"
