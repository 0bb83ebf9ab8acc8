"""When an entry ends, for whatever reason, none of its processes lives on."""
import json
import os
import pathlib
import signal
import subprocess
import textwrap
import time

import pytest

from conftest import CTEST, DRIVER, alive, environment, run


def wait_until(condition, seconds=20):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


FORKED = """
    import os, time
    def test_leaves_forked_child():
        if os.fork() == 0:
            time.sleep({seconds})
            os._exit(0)
    """
EXECED = """
    import subprocess
    def test_leaves_sleep():
        subprocess.Popen(["sleep", "{seconds}"])
    """
DAEMON = """
    import os, time
    def test_leaves_daemon():
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "{seconds}"])
            os._exit(0)
        os.wait()
    """


@pytest.mark.parametrize("number, text", [(1, FORKED), (2, EXECED), (3, DAEMON)])
def test_a_leftover_of_a_passing_file_is_named_and_killed(suite, number, text):
    seconds = f"12{number}.25"
    suite.write("test_leak.py", textwrap.dedent(text).format(seconds=seconds))
    start = time.monotonic()
    finished = suite.ctest("-V")
    assert time.monotonic() - start < 30
    assert finished.status == 0, finished
    result = suite.results()["test_leak.py"]
    assert result["outcome"] == "leaky"
    leftover, = result["attempts"][0]["leftovers"]
    assert str(leftover["pid"]) in finished.out
    assert not pathlib.Path(f"/proc/{leftover['pid']}").exists()
    assert not alive(rf"sleep {seconds}")


def test_the_policy_can_make_a_leak_a_failure(suite):
    suite.config["on-leak"] = "fail"
    suite.write("test_leak.py", textwrap.dedent(EXECED).format(seconds="124.5"))
    assert suite.ctest().status == 8
    assert suite.results()["test_leak.py"]["outcome"] == "failed"
    assert suite.junit().counts_are_true()
    assert "error" in [tag for _, tag in suite.junit().outcomes()]


HANG = """
    import os, subprocess, sys, time
    def test_before(): pass
    def test_hangs():
        subprocess.Popen(["sleep", "130.5"], start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "131.5"])
            os._exit(0)
        wait_here_for_a_long_time()
    def wait_here_for_a_long_time():
        time.sleep(600)
    """


def test_a_time_limit_shows_the_stacks_and_ends_the_whole_tree(suite):
    suite.config["timeout"] = 2
    suite.config["term-grace"] = 1
    suite.write("test_hang.py", textwrap.dedent(HANG))
    finished = suite.ctest()
    assert finished.status == 8, finished
    result = suite.results()["test_hang.py"]
    assert result["outcome"] == "timed out"
    assert result["attempts"][0]["in_flight"].endswith("::test_hangs")
    assert "wait_here_for_a_long_time" in log_of(suite)
    assert not alive(r"sleep 13[01]\.5")
    outcomes = dict(suite.junit().outcomes())
    assert outcomes["test_before"] == "passed" and outcomes["test_hangs"] == "error"


def log_of(suite):
    return (suite.state / "ctest" / "Testing" / "Temporary" / "LastTest.log").read_text()


def test_a_test_that_ignores_sigterm_is_killed_after_the_grace(suite):
    suite.config["timeout"] = 1
    suite.config["term-grace"] = 0.5
    suite.write("test_deaf.py", textwrap.dedent("""
        import signal, time
        def test_deaf():
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            while True: time.sleep(1)
        """))
    start = time.monotonic()
    assert suite.ctest().status == 8
    assert time.monotonic() - start < 30
    assert suite.results()["test_deaf.py"]["outcome"] == "timed out"


@pytest.mark.parametrize("victim", ["driver", "ctest"])
def test_a_killed_driver_or_ctest_takes_the_tree_with_it(suite, victim):
    suite.write("test_hang.py", textwrap.dedent(HANG))
    build = suite.prepare()
    ctest = subprocess.Popen([CTEST, "--test-dir", str(build)], env=environment(),
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: alive(r"sleep 130\.5") and alive(r"sleep 131\.5"))
        if victim == "ctest":
            ctest.kill()
        else:
            children = pathlib.Path(f"/proc/{ctest.pid}/task/{ctest.pid}/children").read_text()
            os.kill(int(children.split()[0]), signal.SIGKILL)
        wait_until(lambda: not alive(r"sleep 13[01]\.5") and not alive(r"-m pytest.*test_hang"))
    finally:
        ctest.kill()
        ctest.wait()


KILLER = """
    import os, pathlib, signal, tempfile, time
    def test_before(): pass
    def test_kills_its_driver(tmp_path):
        pathlib.Path(os.environ["WHERE"]).write_text(tempfile.gettempdir())
        os.mkdir(tmp_path / "locked", 0)
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sleep", ["sleep", "132.5"])
            os._exit(0)
        os.wait()
        inner = os.getppid()
        outer = int(pathlib.Path(f"/proc/{inner}/stat").read_text().rsplit(")", 1)[1].split()[1])
        os.kill({"inner": inner, "outer": outer}[os.environ["VICTIM"]], signal.SIGKILL)
        time.sleep(60)
    """


@pytest.mark.parametrize("victim, words", [
    ("inner", "the driver's inner process was killed by SIGKILL"),
    ("outer", None),  # there is nobody left to say anything but CTest, and the report
])
def test_a_test_that_kills_its_driver_is_red_and_leaves_nothing(suite, victim, words):
    where = suite.root.parent / "where"
    suite.config["env"] = {"WHERE": str(where), "VICTIM": victim}
    suite.write("test_killer.py", textwrap.dedent(KILLER))
    suite.write("test_other.py")
    finished = suite.ctest("-j2")
    assert finished.status == 8, finished
    assert words is None or words in log_of(suite)
    root = pathlib.Path(where.read_text())
    wait_until(lambda: not root.parent.exists())
    wait_until(lambda: not alive(r"sleep 132\.5") and not alive("-m pytest.*test_killer"))
    outcomes = dict(suite.junit().outcomes("test_killer.py"))
    assert outcomes["test_before"] == "passed" and outcomes["test_kills_its_driver"] == "error"
    assert suite.junit().outcomes("test_other.py") == [("test_passes", "passed")]


def test_ctest_s_own_time_limit_leaves_nothing(suite):
    suite.write("test_hang.py", textwrap.dedent(HANG))
    build = suite.prepare()
    with open(build / "CTestTestfile.cmake", "a") as testfile:
        testfile.write("set_tests_properties(test_hang.py PROPERTIES TIMEOUT 3)\n")
    finished = run([CTEST, "--test-dir", str(build)], env=environment())
    assert finished.status == 8, finished
    assert "Timeout" in finished.out
    wait_until(lambda: not alive(r"sleep 13[01]\.5"))


def test_sigterm_to_the_driver_reports_what_finished(suite):
    suite.config["term-grace"] = 0.5
    suite.write("test_hang.py", textwrap.dedent(HANG))
    assert suite.discover().status == 0
    driver = subprocess.Popen([DRIVER, "exec", str(suite.state), "test_hang.py"],
                              env=environment(BULKHEAD_RUN_ID="term"), stdout=subprocess.PIPE)
    wait_until(lambda: alive(r"sleep 131\.5"))
    driver.terminate()
    driver.communicate(timeout=30)
    assert driver.returncode not in (0, 77)
    result, = [json.loads(path.read_text())
               for path in (suite.state / "runs" / "term").glob("*/result.json")]
    assert result["outcome"] == "interrupted"
    assert result["attempts"][0]["counts"]["passed"] == 1
    assert not alive(r"sleep 13[01]\.5")


def test_the_temporary_root_is_removed_whatever_its_permissions(suite):
    suite.write("test_tmp.py", textwrap.dedent("""
        import os, pathlib, tempfile
        def test_read_only(tmp_path):
            deep = tmp_path / "a" / "b"
            deep.mkdir(parents=True)
            (deep / "f").write_text("x")
            os.chmod(deep, 0)
            os.chmod(tmp_path / "a", 0o500)
            root = pathlib.Path(tempfile.gettempdir())
            assert len(str(root)) < 60
            assert str(tmp_path).startswith(str(root))
            pathlib.Path(os.environ["WHERE"]).write_text(str(root))
        """))
    where = suite.root.parent / "where"
    suite.config["env"] = {"WHERE": str(where)}
    assert suite.ctest().status == 0
    assert not pathlib.Path(where.read_text()).exists()


def test_standard_input_is_empty_and_the_session_is_its_own(suite):
    suite.write("test_io.py", textwrap.dedent("""
        import os, sys
        def test_io():
            assert os.read(0, 1) == b""
            assert os.getsid(0) == os.getpid() == os.getpgrp()
        """))
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
