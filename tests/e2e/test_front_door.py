"""`bulkhead test` in a repository without CMake, and the words of every wrong call."""
import json
import os
import shutil
import textwrap

import pytest

from conftest import CTEST, DRIVER, environment, run


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "test_a.py").write_text("def test_a():\n    pass\n")
    return folder


def bulkhead(folder, *args, **more):
    from conftest import PYTHON
    return run([DRIVER, *args], cwd=folder,
               env=environment(**more), timeout=120)


def test_a_green_suite(project):
    finished = bulkhead(project, "test")
    assert finished.status == 0, finished
    assert "1 passed" in finished.out
    assert "python" in finished.out.lower()
    assert (project / ".bulkhead" / "junit.xml").exists()


def test_a_red_suite_is_explained(project):
    (project / "test_b.py").write_text("def test_b():\n    assert 1 == 2\n")
    finished = bulkhead(project, "test", "-j2")
    assert finished.status == 1, finished
    assert "test_b.py:2" in finished.out and "assert 1 == 2" in finished.out


def test_paths_and_expressions(project):
    (project / "test_b.py").write_text("def test_b():\n    assert 1 == 2\n")
    assert bulkhead(project, "test", "test_a.py").status == 0
    assert bulkhead(project, "test", "-k", "test_a").status == 0
    assert bulkhead(project, "test", "--", "-k", "test_b").status == 1


def test_nothing_collected_has_a_status_of_its_own(project):
    finished = bulkhead(project, "test", "-k", "no_such_test")
    assert finished.status == 4, finished
    assert "no tests ran in 1 file" in finished.out + finished.err
    (project / "test_a.py").unlink()
    assert bulkhead(project, "test").status == 4


@pytest.mark.parametrize("arguments, words", [
    (["tets"], ["tets", "did you mean 'test'"]),
    (["test", "--no-such-flag"], ["--no-such-flag"]),
    (["test", "nowhere.py"], ["nowhere.py"]),
    (["test", "-j", "many"], ["-j"]),
    (["exec"], ["exec"]),
    (["exec", "/nowhere", "x"], ["/nowhere"]),
    (["discover", "/nowhere"], ["/nowhere"]),
    (["report", "/nowhere"], ["/nowhere"]),
])
def test_a_wrong_call_is_one_clear_message(project, arguments, words):
    finished = bulkhead(project, *arguments)
    assert finished.status in (2, 3), finished
    for word in words:
        assert word in finished.err
    assert "terminate" not in finished.err and len(finished.err.splitlines()) <= 6


def test_a_ctest_that_is_a_script_around_the_real_one(project, tmp_path):
    """As older `cmake` wheels have it."""
    wrapper = tmp_path / "bin" / "ctest"
    wrapper.parent.mkdir()
    wrapper.write_text(f'#!/bin/sh\n{shutil.which(CTEST)} "$@"\nexit $?\n')
    wrapper.chmod(0o755)
    finished = bulkhead(project, "test", PATH=f"{wrapper.parent}:{os.environ['PATH']}",
                        BULKHEAD_RUN_ID="of-somebody-else")
    assert finished.status == 0, finished
    assert "1 passed" in finished.out


def test_an_interpreter_that_is_not_there_lists_what_was_tried(project):
    finished = bulkhead(project, "test", "--python", "/no/such/python")
    assert finished.status in (2, 3)
    assert "/no/such/python" in finished.err
