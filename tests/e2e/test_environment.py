"""What a test file's process gets: environment, temporary root, caches, limits, ports."""
import json
import os
import resource
import subprocess
import textwrap

import pytest

from conftest import DRIVER, environment


def seen(suite, env, config=None):
    """os.environ inside a test, under the caller's environment `env`."""
    target = suite.root.parent / "seen.json"
    suite.config.update(config or {})
    suite.write("test_env.py", textwrap.dedent(f"""
        import json, os, sys
        def test_env():
            json.dump(dict(os.environ, _path=json.dumps(sys.path)), open({str(target)!r}, "w"))
        """))
    finished = suite.ctest("--output-on-failure", env=env)
    assert finished.status == 0, finished
    return json.loads(target.read_text())


def test_only_what_is_allowed_passes(suite):
    env = environment(AWS_SECRET_ACCESS_KEY="s", GITHUB_TOKEN="t", PYTEST_ADDOPTS="--version",
                      MY_SETTING="x", NAMED_ONE="y", PYTHONPATH="/some/where")
    found = seen(suite, env, {"pass-env": ["NAMED_*"], "env": {"SET_HERE": "a;b \"c\" $d"}})
    for name in ("AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PYTEST_ADDOPTS", "MY_SETTING"):
        assert name not in found
    assert found["NAMED_ONE"] == "y" and found["SET_HERE"] == 'a;b "c" $d'
    assert found["PATH"] == env["PATH"] and found["HOME"] == env["HOME"]
    assert found["TZ"] == "UTC" and found["PYTHONHASHSEED"] == "0"
    assert "UTF-8" in found["LC_ALL"]
    assert int(found["COLUMNS"]) >= 80
    assert found["PYTHONPATH"] == "/some/where", "the plugin's folder is gone again"
    assert str(suite.state) not in found["_path"]
    assert "BULKHEAD_EVENTS" not in found


def test_without_a_python_path_there_is_none(suite):
    env = environment()
    env.pop("PYTHONPATH", None)
    assert "PYTHONPATH" not in seen(suite, env)


def test_the_environment_can_be_shown(suite):
    suite.write("test_a.py")
    assert suite.discover().status == 0
    shown = suite.exec("test_a.py", "--show-env")
    assert shown.status == 0, shown
    assert "TZ=UTC" in shown.out and "PYTHONHASHSEED=0" in shown.out


def test_each_process_has_a_cache_and_a_temporary_root_of_its_own(suite):
    suite.write("pytest.ini", "[pytest]\naddopts = --basetemp=shared --lf\n")
    for name in "ab":
        suite.write(f"test_{name}.py", textwrap.dedent("""
            import pathlib, tempfile
            def test_place(tmp_path, request):
                root = pathlib.Path(tempfile.gettempdir())
                assert root in tmp_path.parents
                assert root in pathlib.Path(str(request.config.cache.mkdir("x"))).parents
            """))
    finished = suite.ctest("-j2", "--output-on-failure")
    assert finished.status == 0, finished
    assert not (suite.root / ".pytest_cache").exists() and not (suite.root / "shared").exists()
    assert not list(suite.root.rglob("__pycache__")), "no bytecode is written into the suite"


def test_an_address_of_a_socket_fits_into_the_temporary_root(suite):
    suite.write("test_socket.py", textwrap.dedent("""
        import socket
        def test_a_rather_long_name_for_a_test_of_sockets(tmp_path):
            socket.socket(socket.AF_UNIX).bind(str(tmp_path / "control.sock"))
        """))
    finished = suite.ctest("--output-on-failure", env=environment(TMPDIR=str(suite.state)))
    assert finished.status == 0, finished


def test_port_ranges_of_files_that_run_at_once_do_not_overlap(suite):
    for name in "abcd":
        suite.write(f"test_{name}.py", textwrap.dedent(f"""
            import os, socket, time
            def test_ports():
                first, count = int(os.environ["BULKHEAD_PORT_FIRST"]), int(os.environ["BULKHEAD_PORT_COUNT"])
                sockets = []
                for port in range(first, first + count):
                    sockets.append(socket.create_server(("127.0.0.1", port)))
                time.sleep(0.5)
            """))
    finished = suite.ctest("-j4", "--output-on-failure")
    assert finished.status == 0, finished


LEAKING = """
    import os
    def test_fine(): pass
    def test_leaks():
        kept = []
        for _ in range(400):
            kept.append(open(os.devnull))
    """


def soft_256():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def test_the_soft_limit_of_the_caller_is_raised(suite):
    suite.write("test_leak.py", textwrap.dedent(LEAKING))
    finished = suite.ctest("--output-on-failure", preexec_fn=soft_256)
    assert finished.status == 0, finished
    attempt = suite.results()["test_leak.py"]["attempts"][0]
    assert attempt["descriptor_limit"] > 256


def test_running_out_of_descriptors_names_limit_process_and_peak(suite):
    suite.config["descriptors"] = 256
    suite.write("test_leak.py", textwrap.dedent(LEAKING))
    finished = suite.ctest("--output-on-failure", preexec_fn=soft_256)
    assert finished.status == 8, finished
    result = suite.results()["test_leak.py"]
    assert result["outcome"] == "failed"
    assert "EMFILE" in finished.out
    assert "RLIMIT_NOFILE" in finished.out and "256" in finished.out
    assert result["attempts"][0]["peak_descriptors"] >= 250
    assert str(result["attempts"][0]["peak_descriptors_pid"]) in finished.out
