"""The verdict of a file is the stricter of pytest's status and what its events say."""
import re
import textwrap

import pytest


def one(suite, text, name="test_one.py", **files):
    """Runs a one-file suite and answers its result; the run must be red."""
    suite.write(name, textwrap.dedent(text))
    for other, content in files.items():
        suite.write(other.replace("__", "."), textwrap.dedent(content))
    finished = suite.ctest("-j2", "--output-on-failure")
    assert finished.status == 8, finished
    assert suite.junit().counts_are_true()
    return suite.results()[name], finished


def problems(result):
    return {problem["id"].split("::")[-1]: problem["message"]
            for problem in result["attempts"][-1]["problems"]}


def test_status_zero_without_a_report_is_a_crash(suite):
    suite.config["retries"] = 1
    result, finished = one(suite, """
        import os
        def test_before(): pass
        def test_hard_exit(): os._exit(0)
        def test_never_reached(): assert False
        """)
    assert result["outcome"] == "crashed", "a retry that ends the same way is no flake"
    assert "exited 0 without finishing its report" in result["cause"]
    assert len(result["attempts"]) == 2
    outcomes = dict(suite.junit().outcomes())
    assert outcomes["test_before"] == "passed"
    assert outcomes["test_hard_exit"] == "error"
    assert outcomes["test_never_reached"] != "passed"


def test_an_exit_handler_cannot_mask_a_failure(suite):
    result, _ = one(suite, """
        import atexit, os
        atexit.register(os._exit, 0)
        def test_really_fails(): assert 2 + 2 == 5
        """)
    assert result["outcome"] == "failed"
    assert "assert (2 + 2) == 5" in problems(result)["test_really_fails"]


def test_a_polite_exit_is_a_session_that_ended_early(suite):
    result, _ = one(suite, """
        import pytest
        def test_stops_session(): pytest.exit("stop here", returncode=0)
        def test_unreached(): assert False
        """)
    assert result["outcome"] == "interrupted"
    assert "2 collected, 0 finished" in result["cause"]
    assert all(name for name, _ in suite.junit().outcomes())


@pytest.mark.parametrize("option, words", [
    ("--collect-only", "1 collected, 0 finished"),
    ("--fixtures", "1 collected, 0 finished"),
    ("--setup-plan", "1 collected, 0 finished"),
    ("--setup-only", "1 collected, 0 finished"),
    ("--help", "exited 0 without finishing its report"),
    ("-p no:bulkhead_recorder", "exited 0 without finishing its report"),
])
def test_an_option_that_keeps_tests_from_running_is_not_green(suite, option, words):
    suite.write("pytest.ini", f"[pytest]\naddopts = {option}\n")
    suite.write("test_one.py")
    assert suite.discover().status == 0
    finished = suite.exec("test_one.py")
    assert finished.status == 1, finished
    assert words in finished.out


def test_printing_the_version_is_not_green(suite):
    """pytest 9 does not get as far as to load a plugin."""
    suite.config["pytest-args"] = ["--version"]
    suite.write("test_one.py")
    assert suite.discover().status == 0
    finished = suite.exec("test_one.py")
    assert finished.status in (1, 3), finished
    assert re.search("exited 0 without finishing its report|plugin did not load", finished.out)


def test_a_plugin_that_throws_ours_out_is_not_green(suite):
    result, _ = one(suite, "def test_a(): pass\n", conftest__py="""
        def pytest_configure(config):
            config.pluginmanager.unregister(name="bulkhead_recorder")
        """)
    assert "exited 0 without finishing its report" in result["cause"]


@pytest.mark.parametrize("addopts", ["-p no:bulkhead_plugin", "-W error --strict-config --strict-markers"])
def test_options_that_do_not_reach_the_plugin_change_nothing(suite, addopts):
    suite.write("pytest.ini", f"[pytest]\naddopts = {addopts}\n")
    suite.write("test_one.py")
    assert suite.discover().status == 0
    finished = suite.exec("test_one.py")
    assert finished.status == 0, finished
    assert "1 passed" in finished.out


@pytest.mark.parametrize("line", ["addopts = --no-such-option"])
def test_an_option_nobody_knows_is_a_usage_error(suite, line):
    suite.config["retries"] = 2
    suite.write("pytest.ini", f"[pytest]\n{line}\n")
    result, finished = one(suite, "def test_u(): pass\n")
    assert result["outcome"] == "usage error"
    assert "--no-such-option" in finished.out + result["cause"] or "--no-such-option" in str(result)
    assert len(result["attempts"]) == 1, "usage errors are never retried"
    assert [tag for _, tag in suite.junit().outcomes()] == ["error"]


def test_a_conftest_that_cannot_be_imported_is_a_usage_error(suite):
    result, _ = one(suite, "def test_c(): pass\n",
                    conftest__py="import a_module_that_is_not_there\n")
    assert result["outcome"] == "usage error"
    assert "a_module_that_is_not_there" in str(result)
    (name, tag), = suite.junit().outcomes()
    assert (name, tag) == ("test_one.py", "error")


def test_a_plugin_bug_is_an_internal_error(suite):
    result, _ = one(suite, "def test_i(): pass\n", conftest__py="""
        def pytest_runtest_logreport(report):
            raise RuntimeError("plugin bug")
        """)
    assert result["outcome"] == "internal error"
    assert "plugin bug" in (suite.state / "junit.xml").read_text()


def test_an_interrupt_keeps_what_was_known_and_the_run_goes_on(suite):
    suite.write("test_other.py")
    result, _ = one(suite, """
        import os, signal
        def test_before(): pass
        def test_ctrl_c(): os.kill(os.getpid(), signal.SIGINT)
        def test_after(): pass
        """)
    assert result["outcome"] == "interrupted"
    outcomes = dict(suite.junit().outcomes("test_one.py"))
    assert outcomes["test_before"] == "passed"
    assert outcomes["test_ctrl_c"] == "error"
    assert outcomes["test_after"] != "passed"
    assert suite.results()["test_other.py"]["outcome"] == "passed"


def test_system_exit_while_collecting_is_a_collection_error(suite):
    result, finished = one(suite, """
        import sys
        def test_s(): pass
        sys.exit(0)
        """)
    assert result["outcome"] == "collection error"
    assert "SystemExit: 0" in str(result) + (suite.state / "junit.xml").read_text()


def test_a_syntax_error_is_a_collection_error_at_its_line(suite):
    result, finished = one(suite, "def test_s():\n    pass\n\nthis is wrong\n")
    assert result["outcome"] == "collection error"
    assert f"{suite.root}/test_one.py:4: error:" in finished.out


def test_an_unknown_status_is_said_as_such(suite):
    result, _ = one(suite, "def test_a(): pass\n", conftest__py="""
        def pytest_sessionfinish(session):
            session.exitstatus = 42
        """)
    assert result["outcome"] == "failed"
    assert "unexpected status 42" in result["cause"]


def test_a_test_that_errs_in_teardown_only_makes_the_file_red(suite):
    result, _ = one(suite, """
        import pytest
        @pytest.fixture
        def broken():
            yield
            raise RuntimeError("late")
        def test_a(broken): pass
        """)
    assert result["outcome"] == "failed"
    assert result["attempts"][0]["counts"]["errors"] == 1


def test_a_crash_after_the_session_is_red(suite):
    result, _ = one(suite, """
        import atexit, os, signal
        atexit.register(lambda: os.kill(os.getpid(), signal.SIGSEGV))
        def test_a(): pass
        """)
    assert result["outcome"] == "crashed"
    assert "SIGSEGV" in result["cause"]


def test_a_fork_that_runs_on_adds_nothing(suite):
    suite.write("test_fork.py", textwrap.dedent("""
        import os
        def test_one():
            global child
            child = os.fork()
        def test_two():
            if child:
                assert os.waitpid(child, 0)[1] in (0, 256)
        def test_three(): pass
        """))
    finished = suite.ctest()
    assert finished.status == 0, finished
    assert suite.results()["test_fork.py"]["attempts"][0]["counts"]["passed"] == 3


def test_the_first_line_of_a_failure_leads_to_the_failing_line(suite):
    _, finished = one(suite, """
        def helper(x):
            assert x == 1
        def test_deep():
            helper(2)
        """)
    assert f"{suite.root}/test_one.py:3: error: " in finished.out


def test_xdist_and_junit_options_of_the_suite_are_neutralised(suite):
    pytest.importorskip("xdist")
    suite.write("pytest.ini", "[pytest]\naddopts = -n 4 --junitxml=shared.xml -qq\n")
    suite.write("test_x.py", textwrap.dedent("""
        import os
        def test_x(): assert "PYTEST_XDIST_WORKER" not in os.environ
        """))
    finished = suite.ctest()
    assert finished.status == 0, finished
    assert not (suite.root / "shared.xml").exists()
    assert suite.results()["test_x.py"]["attempts"][0]["counts"]["passed"] == 1
