"""Hostile names are entries like any other: distinct, selectable, never expanded."""
import json
import re
import textwrap

import pytest

from conftest import environment

FOLDERS = ["dir with space", "semi;colon", "$ENV{HOME}", 'quo\'te"s', "back\\slash #hash @at%25",
           "br[acket", "-k", "a::b", "new\nline", "tab\t", "${x}", "(paren)", "plus+star*", "~"]
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


def test_bytes_that_are_no_text_are_names_too(suite):
    import os
    folder = os.fsencode(suite.root) + b"/caf\xe9"
    os.mkdir(folder)
    with open(folder + b"/test_latin.py", "wb") as file:
        file.write(b"def test_a(): pass\n")
    finished = suite.ctest("--output-on-failure")
    assert finished.status == 0, finished
    assert [result["outcome"] for result in suite.results().values()] == ["passed"]


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
