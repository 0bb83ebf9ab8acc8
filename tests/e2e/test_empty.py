"""Exit status 5: a skip for a file, a failure for a run in which nothing ran at all."""
import json
import os
import textwrap
import venv

import pytest

from conftest import run, CTEST, environment


@pytest.fixture
def mixed(suite):
    suite.write("pytest.ini", "[pytest]\nmarkers =\n    slow: takes long\n")
    suite.write("tests/test_only_fixtures.py", textwrap.dedent("""
        import pytest
        @pytest.fixture
        def helper(): return 1
        """))
    suite.write("tests/test_marked.py", textwrap.dedent("""
        import pytest
        @pytest.mark.slow
        def test_slow(): pass
        """))
    suite.write("tests/test_other_platform.py", textwrap.dedent("""
        import pytest
        pytest.importorskip("a_module_that_is_not_there")
        def test_needs_it(): pass
        """))
    suite.write("tests/test_real.py")
    return suite


def outcomes(suite):
    return {file.split("/")[-1]: (result["outcome"], result["cause"])
            for file, result in suite.results().items()}


def test_empty_and_skipped_files_are_skips_with_their_reason(mixed):
    finished = mixed.ctest()
    assert finished.status == 0, finished
    found = outcomes(mixed)
    assert found["test_real.py"][0] == "passed"
    assert found["test_only_fixtures.py"] == ("empty", "no tests in this file")
    assert found["test_other_platform.py"][0] == "skipped"
    assert "a_module_that_is_not_there" in found["test_other_platform.py"][1]
    assert finished.out.count("***Skipped") == 2


def test_skips_are_matched_by_regex_so_that_ides_agree(mixed):
    assert mixed.ctest("-T", "Test").status == 0
    tag = (mixed.state / "ctest" / "Testing" / "TAG").read_text().split()[0]
    xml = (mixed.state / "ctest" / "Testing" / tag / "Test.xml").read_text()
    assert xml.count("SKIP_REGULAR_EXPRESSION_MATCHED") == 2


def test_a_deselected_file_is_empty(mixed):
    mixed.config["pytest-args"] = ["-m", "not slow"]
    assert mixed.ctest().status == 0
    assert outcomes(mixed)["test_marked.py"] == ("empty", "1 deselected")


def test_a_run_in_which_nothing_ran_is_red(mixed):
    mixed.config["pytest-args"] = ["-k", "matches_nothing"]
    finished = mixed.ctest("--output-on-failure")
    assert finished.status == 8, finished
    assert "no tests ran in 4 files" in finished.out


@pytest.mark.parametrize("arguments", [
    ["-R", "test_only_fixtures"],
    ["-R", "test_only_fixtures", "-E", "bulkhead.report"],
    ["-R", "test_only_fixtures", "-FA", "."],
    ["-I", "2,2"],
])
def test_an_empty_selection_of_files_is_red_too(mixed, arguments):
    """`-E` and `-FA` take the finaliser out: the hook after the run says it instead."""
    if arguments[0] == "-I":
        index = mixed.names().index("tests/test_only_fixtures.py") + 1
        arguments = ["-I", f"{index},{index}"]
    finished = mixed.ctest(*arguments, "--output-on-failure")
    assert finished.status == 8, finished
    assert "no tests ran in 1 file" in finished.out


def test_a_selection_with_tests_is_green(mixed):
    assert mixed.ctest("-R", "test_real").status == 0


def test_a_selection_of_nothing_is_left_to_ctest(mixed):
    assert mixed.ctest("-R", "there_is_no_such_file").status == 0
    assert mixed.ctest("-R", "there_is_no_such_file", "--no-tests=error").status != 0


def test_a_suite_without_any_test_file_is_red(suite):
    suite.write("readme.txt", "nothing here\n")
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 8, finished
    assert "pytest finds no test file in" in finished.out


@pytest.mark.parametrize("policy, status", [("skip", 0), ("pass", 0), ("fail", 8)])
def test_the_policy_for_empty_files(mixed, policy, status):
    mixed.config["on-empty"] = policy
    finished = mixed.ctest()
    assert finished.status == status, finished
    assert finished.out.count("***Skipped") == {"skip": 2, "pass": 1, "fail": 1}[policy]


def test_listing_stays_pure_with_the_hook_in_place(mixed):
    assert mixed.ctest().status == 0
    listing = mixed.ctest("--show-only=json-v1")
    assert listing.status == 0
    json.loads(listing.out)
    plain = mixed.ctest("-N")
    assert plain.status == 0
    assert "Total Tests:" in plain.out.strip().splitlines()[-1]


def test_an_interpreter_without_pytest_fails_before_the_first_file(mixed, tmp_path):
    bare = tmp_path / "bare"
    venv.create(bare, with_pip=False)
    mixed.config["python"] = str(bare / "bin" / "python")
    finished = mixed.ctest()
    assert finished.status == 8, finished
    assert f"pytest not importable by {bare}/bin/python" in finished.err
    assert "Start" not in finished.out


def test_pytest_that_vanishes_between_listing_and_running_is_infrastructure(mixed, tmp_path):
    blocker = tmp_path / "blocker"
    mixed.config["env"] = {"PYTHONPATH": str(blocker)}
    assert mixed.discover().status == 0
    blocker.mkdir()
    (blocker / "pytest").mkdir()
    (blocker / "pytest" / "__init__.py").write_text("raise ImportError('gone')\n")
    finished = mixed.exec("tests/test_real.py")
    assert finished.status == 3, finished
    result, = [json.loads(path.read_text())
               for path in (mixed.state / "runs" / "by-hand").glob("*/result.json")]
    assert result["outcome"] == "infrastructure"
