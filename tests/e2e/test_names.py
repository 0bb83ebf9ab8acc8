"""Hostile names are entries like any other: distinct, selectable, never expanded."""
import json
import os
import pathlib
import re
import textwrap

import pytest

from conftest import DRIVER, PYTHON, Suite, environment, run

FOLDERS = ["dir with space", "semi;colon", "$ENV{HOME}", 'quo\'te"s', "back\\slash #hash @at%25",
           "br[acket", "-k", "a::b", "new\nline", "tab\t", "${x}", "(paren)", "plus+star*", "~",
           "$HOME", "`id`", "@args", "a:b", "caf\u00e9", "cafe\u0301", "Case", "case", "l" * 250]
IDS = ["open[", "close]", "semi;colon", "a::b", 'dq"sq\'', "$ENV{HOME}", "${x}", "back\\slash",
       "]==]", "hash # x", "comma,", "new\nline", "tab\t", "\u00e9", "\U0001F600", "", " ", "a" * 300]


def ctest_regex(name):
    return "^" + re.sub(r"([\\^$.\[\]|()?*+])", r"\\\1", name) + "$"


@pytest.fixture
def hostile(suite):
    for folder in FOLDERS:
        suite.write(f"tests/{folder}/test_here.py")
    suite.write("tests/\u00fc\u00f1\u00ed/test_]==]g.py")
    suite.write("-k.py".replace("-k", "test_-k"))
    return suite


def test_every_name_is_an_entry_and_passes(hostile):
    names = hostile.names()
    entries = [name for name in names if "bulkhead.report" not in name]
    assert len(set(entries)) == len(entries) == len(FOLDERS) + 2
    finished = hostile.ctest("-j2")
    assert finished.status == 0, finished
    results = hostile.results()
    assert {f"tests/{folder}/test_here.py" for folder in FOLDERS} <= set(results)
    assert {result["outcome"] for result in results.values()} == {"passed"}
    assert hostile.names() == names, "names are stable"
    generated = (hostile.state / "entries.cmake").read_text()
    assert environment()["HOME"] + "/test_here" not in generated


def test_each_name_can_be_picked_alone(hostile):
    for name in hostile.names():
        if "bulkhead.report" in name:
            continue
        listing = hostile.ctest("-R", ctest_regex(name), "-FA", ".", "--show-only=json-v1")
        assert [test["name"] for test in json.loads(listing.out)["tests"]] == [name]


ROOTS = [b"a b;c'd\"e%f#g`h`i(j)*?~", b"$HOME", b"${HOME}", b"br[acket", b"a::b", b"-k",
         b"caf\xe9"]


@pytest.mark.parametrize("name", ROOTS, ids=repr)
def test_the_root_too_may_be_called_anything(tmp_path, name):
    """Here the state folder, too, lies below it."""
    root = pathlib.Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    (root / "tests").mkdir(parents=True)
    (root / "pytest.ini").write_text("[pytest]\ntestpaths = tests\n")
    (root / "conftest.py").write_text("import pytest\n@pytest.fixture\ndef answer(): return 42\n")
    (root / "tests/test_a.py").write_text(textwrap.dedent("""
        import os
        def test_a(answer, request):
            assert answer == 42
            assert request.config.inipath.name == "pytest.ini"
            assert os.path.samefile(request.config.rootpath, os.path.dirname(__file__) + "/..")
            assert not [name for name in os.environ if name == "BULKHEAD_ROOTDIR"]
        """))
    before = sorted(os.listdir(root))
    for paths in ([], ["tests"], ["tests/test_a.py"]):
        finished = run([DRIVER, "test", "--python", PYTHON, *paths], cwd=root, env=environment())
        assert finished.status == 0, finished
        assert "1 test: 1 passed" in finished.out
    latest = (root / ".bulkhead/runs/latest").resolve()
    assert list(latest.glob("*/1/pytest.xml")), "pytest wrote its own report where it was told to"
    assert sorted(set(os.listdir(root)) - {".bulkhead"}) == before


@pytest.mark.parametrize("name, words", [("new\nline", "without control bytes"),
                                         ("back\\slash", "takes a backslash for a slash")])
def test_a_root_that_ctest_could_not_work_in_is_refused(tmp_path, name, words):
    root = tmp_path / name
    root.mkdir()
    (root / "test_a.py").write_text("def test_a(): pass\n")
    finished = run([DRIVER, "test", "--python", PYTHON], cwd=root, env=environment())
    assert finished.status == 2, finished
    assert words in finished.err


def test_a_root_with_a_backslash_does_where_the_state_is_elsewhere(tmp_path):
    suite = Suite(tmp_path, "back\\slash")
    suite.write("test_a.py")
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
    assert suite.results()["test_a.py"]["outcome"] == "passed"


@pytest.mark.parametrize("path", ["br[acket", "br[acket/test_a.py", "a::b/test_a.py", "-k", "@x.py"])
def test_a_path_may_be_called_anything(suite, path):
    for name in ("br[acket/test_a.py", "a::b/test_a.py", "-k/test_a.py", "@x.py", "test_other.py"):
        suite.write(name)
    finished = run([DRIVER, "test", "--python", PYTHON, "./" + path], cwd=suite.root,
                   env=environment())
    assert finished.status == 0, finished
    assert "1 test: 1 passed" in finished.out


def test_bytes_that_are_no_text_are_names_too(suite):
    folder = os.fsencode(suite.root) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/test_latin.py", "wb") as file:
        file.write(b"def test_a(): pass\n")
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
    assert [result["outcome"] for result in suite.results().values()] == ["passed"]
    assert suite.junit().outcomes() == [("test_a", "passed")]


def test_parametrised_ids_come_out_as_pytest_gives_them(suite):
    suite.write("test_ids.py", textwrap.dedent(f"""
        import pytest
        IDS = {IDS!r}
        @pytest.mark.parametrize("s", IDS, ids=IDS)
        def test_id(s): pass
        class TestOuter:
            class TestInner:
                def test_deep(self): pass
        """))
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
    cases = suite.junit().cases("test_ids.py")
    assert len(cases) == len(IDS) + 1
    assert len([case for case in cases if case.get("name").startswith("test_id[")]) == len(IDS)
    deep, = [case for case in cases if case.get("name") == "test_deep"]
    assert deep.get("classname").endswith("TestOuter.TestInner")
    assert {case.get("file") for case in cases} == {"test_ids.py"}
    assert suite.junit().counts_are_true()


def test_one_base_name_in_two_folders_just_works(suite):
    for name in ("alpha", "beta"):
        suite.write(f"tests/{name}/marker.py", f"NAME = {name!r}\n")
        suite.write(f"tests/{name}/test_same.py", textwrap.dedent(f"""
            import marker
            def test_who(): assert marker.NAME == {name!r}
            """))
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
    assert [name for name, _ in suite.junit().outcomes()] == ["test_who", "test_who"]
    assert {element.get("name") for element in suite.junit().root.iter("testsuite")} == {
        "tests/alpha/test_same.py", "tests/beta/test_same.py"}
