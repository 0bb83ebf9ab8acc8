"""The set of files is pytest's own set, and is asked for afresh at each `ctest`."""
import json
import textwrap

import pytest


@pytest.fixture
def picky(suite):
    suite.write("pytest.ini", textwrap.dedent("""\
        [pytest]
        python_files = test_*.py check_*.py *_spec.py
        norecursedirs = vendored build .*
        testpaths = tests
        """))
    suite.write("tests/conftest.py", textwrap.dedent("""\
        collect_ignore = ["old/test_old.py"]
        collect_ignore_glob = ["*_broken.py"]
        """))
    fails = "def test_excluded():\n    assert False, 'excluded'\n"
    for name in ("elsewhere/test_not_in_testpaths.py", "tests/old/test_old.py",
                 "tests/build/test_copy.py", "tests/vendored/test_vendor.py"):
        suite.write(name, fails)
    suite.write("tests/test_x_broken.py", "raise SyntaxError('excluded')\n")
    for name in ("tests/check_more.py", "tests/math_spec.py", "tests/test_main.py"):
        suite.write(name)
    (suite.root / "tests/test_link.py").symlink_to("test_main.py")
    return suite


def files(suite):
    return {name for name in suite.names() if "bulkhead.report" not in name}


PICKED = {"tests/check_more.py", "tests/math_spec.py", "tests/test_main.py", "tests/test_link.py"}


def test_exclusions_of_every_kind_hold(picky):
    assert files(picky) == PICKED
    assert picky.ctest("-j2").status == 0


@pytest.mark.parametrize("addopts", ["-v", "-q -q", "-x", "--tb=no -rA", "-k main", "-m 'not slow'"])
def test_options_of_the_suite_do_not_change_the_set(picky, addopts):
    ini = picky.root / "pytest.ini"
    ini.write_text(ini.read_text() + f"addopts = {addopts}\n")
    assert files(picky) == PICKED


def test_a_new_file_is_seen_and_a_deleted_one_forgotten(picky):
    assert files(picky) == PICKED
    new = picky.write("tests/check_new.py")
    picky.write("tests/deeper/still/test_new.py")
    assert files(picky) == PICKED | {"tests/check_new.py", "tests/deeper/still/test_new.py"}
    new.unlink()
    assert files(picky) == PICKED | {"tests/deeper/still/test_new.py"}


def test_a_changed_ini_or_conftest_is_seen(picky):
    assert files(picky) == PICKED
    (picky.root / "tests/conftest.py").write_text("collect_ignore_glob = ['check_*', '*_broken.py', 'old/*']\n")
    assert files(picky) == PICKED - {"tests/check_more.py"}
    (picky.root / "pytest.ini").unlink()
    picky.write("tox.ini", "[pytest]\ntestpaths = elsewhere\n")
    assert files(picky) == {"elsewhere/test_not_in_testpaths.py"}


def test_bytecode_and_caches_do_not_count_as_changes(picky):
    assert files(picky) == PICKED
    manifest = (picky.state / "manifest.jsonl").stat().st_mtime_ns
    (picky.root / "tests/__pycache__").mkdir()
    (picky.root / "tests/__pycache__/x.pyc").write_text("")
    (picky.root / ".pytest_cache").mkdir()
    assert files(picky) == PICKED
    assert (picky.state / "manifest.jsonl").stat().st_mtime_ns == manifest


@pytest.mark.parametrize("addopts", ["", "--lf --ff --cache-clear", "--stepwise", "-p no:cacheprovider",
                                     "--junitxml=report.xml --cov=. --basetemp=here"])
def test_listing_leaves_nothing_in_the_tree(suite, addopts):
    suite.write("pytest.ini", f"[pytest]\naddopts = {addopts}\n")
    suite.write("tests/helper.py", "")
    suite.write("tests/conftest.py", "import helper\n")
    suite.write("tests/test_a.py")
    before = sorted(suite.root.rglob("*"))
    assert files(suite) == {"tests/test_a.py"}
    assert sorted(suite.root.rglob("*")) == before


@pytest.mark.parametrize("ini", ["pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"])
def test_every_kind_of_ini_file_is_read(suite, ini):
    section = {"pyproject.toml": "tool.pytest.ini_options", "setup.cfg": "tool:pytest"}.get(ini, "pytest")
    value = '"check_*.py"' if ini == "pyproject.toml" else "check_*.py"
    suite.write(ini, f"[{section}]\npython_files = {value}\n")
    suite.write("check_a.py")
    suite.write("test_b.py")
    assert files(suite) == {"check_a.py"}
    assert suite.ctest().status == 0


def test_an_ini_file_nearer_to_a_file_changes_nothing(suite):
    """Naming a file makes pytest pick the nearer ini; the whole suite's run never would."""
    suite.write("sub/pytest.ini", "[pytest]\naddopts = --no-such-option\n")
    suite.write("sub/test_a.py")
    suite.write("conftest.py", "import pytest\n@pytest.fixture\ndef top(): return 1\n")
    suite.write("sub/test_b.py", "def test_b(top, request):\n"
                f"    assert str(request.config.rootpath) == {str(suite.root)!r}\n")
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished


def test_doctests_are_entries_where_the_suite_asks_for_them(suite):
    suite.write("pytest.ini", "[pytest]\naddopts = --doctest-modules --doctest-glob=*.rst\n")
    suite.write("src/module.py", textwrap.dedent('''
        def double(x):
            """
            >>> double(2)
            4
            """
            return 2 * x

        def test_looks_like_one():
            assert False, "naming the file would collect this; the whole run does not"
        '''))
    suite.write("docs/guide.rst", ">>> 1 + 1\n2\n")
    suite.write("tests/test_a.py")
    assert {"src/module.py", "docs/guide.rst", "tests/test_a.py"} <= files(suite)
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
    assert suite.results()["src/module.py"]["attempts"][0]["counts"]["collected"] == 1


def test_no_test_module_is_imported_to_list_it(suite):
    suite.write("test_side_effect.py", f"open({str(suite.root / 'imported')!r}, 'w')\ndef test(): pass\n")
    assert files(suite) == {"test_side_effect.py"}
    assert not (suite.root / "imported").exists()


def test_a_conftest_that_breaks_leaves_its_files_as_red_entries(suite):
    suite.write("good/test_a.py")
    suite.write("bad/conftest.py", "import a_module_that_is_not_there\n")
    suite.write("bad/test_b.py")
    assert files(suite) == {"good/test_a.py", "bad/test_b.py"}
    assert suite.ctest().status == 8
    assert suite.results()["good/test_a.py"]["outcome"] == "passed"
    assert suite.results()["bad/test_b.py"]["outcome"] == "usage error"


DIRECTIVE = "# bulkhead: lock=postgres timeout=600 labels=slow,db processors=2 serial resource=gpus:1\n"


def properties(suite, name):
    listing = json.loads(suite.ctest("--show-only=json-v1").out)
    test, = [test for test in listing["tests"] if test["name"] == name]
    return {prop["name"]: prop["value"] for prop in test["properties"]}


def test_a_directive_becomes_properties(suite):
    suite.write("test_a.py", '"""Doc."""\n' + DIRECTIVE + "def test_a(): pass\n")
    found = properties(suite, "test_a.py")
    assert found["RESOURCE_LOCK"] == ["postgres"]
    assert found["TIMEOUT"] >= 600
    assert set(found["LABELS"]) == {"slow", "db"}
    assert found["PROCESSORS"] == 2
    assert found["RUN_SERIAL"] is True
    assert "RESOURCE_GROUPS" in found
    path = suite.root / "test_a.py"
    path.write_text(path.read_text().replace("processors=2", "processors=3"))
    assert properties(suite, "test_a.py")["PROCESSORS"] == 3


@pytest.mark.parametrize("line, words", [
    ("# bulkhead: lok=x", ["lok", "did you mean 'lock'"]),
    ("# bulkhead: timeout=soon", ["timeout", "soon"]),
    ("# bulkhead: processors=0", ["processors"]),
    ("# bulkhed: lock=x", ["bulkhead"]),
    ("# bulkhead: resource=gpus", ["resource"]),
])
def test_a_typo_in_a_directive_is_an_error_at_its_line(suite, line, words):
    suite.write("test_a.py", "# a comment\n" + line + "\ndef test_a(): pass\n")
    finished = suite.ctest()
    assert finished.status == 8
    assert f"{suite.root}/test_a.py:2: " in finished.err
    for word in words:
        assert word in finished.err
    assert "Start" not in finished.out


def test_rules_by_pattern_come_from_the_suite_s_own_file(suite):
    suite.write("pyproject.toml", textwrap.dedent("""\
        [tool.bulkhead]
        labels = ["all"]
        [[tool.bulkhead.rule]]
        pattern = "db/**"
        lock = "postgres"
        timeout = 30
        """))
    suite.write("db/test_a.py")
    suite.write("test_b.py")
    assert properties(suite, "db/test_a.py")["RESOURCE_LOCK"] == ["postgres"]
    assert properties(suite, "db/test_a.py")["LABELS"] == ["all"]
    assert "RESOURCE_LOCK" not in properties(suite, "test_b.py")


@pytest.mark.parametrize("text, words", [
    ("[tool.bulkhead]\ntimout = 3\n", [":2", "timout", "did you mean 'timeout'"]),
    ("[tool.bulkhead]\ntimeout = 'x'\n", [":2", "timeout"]),
    ("[[tool.bulkhead.rule]]\npattern = 'a'\nlokc = 'x'\n", [":3", "lokc"]),
    ("[tool.bulkhead\n", [":1"]),
])
def test_a_mistake_in_the_configuration_is_an_error_at_its_line(suite, text, words):
    suite.write("pyproject.toml", text)
    suite.write("test_a.py")
    finished = suite.ctest()
    assert finished.status == 8
    for word in words:
        assert word in finished.err, finished.err
    assert "pyproject.toml" in finished.err


def test_entries_carry_their_file_for_ides(suite):
    suite.write("test_a.py")
    listing = json.loads(suite.ctest("--show-only=json-v1").out)
    test, = [test for test in listing["tests"] if test["name"] == "test_a.py"]
    graph = listing["backtraceGraph"]
    node = graph["nodes"][test["backtrace"]]
    assert graph["files"][node["file"]] == str(suite.root / "test_a.py")
    assert node["line"] == 1
