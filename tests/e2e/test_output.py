"""Output that is not text, or not XML, never costs a result."""
import inspect
import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

from conftest import CTEST, environment

HOSTILE = r'''
import os
import sys
import pytest

def test_control_chars():
    assert "\x00\x01\x1b[31mred\x1b[0m" == "x"

@pytest.mark.skip(reason="\x1b[31;1mansi\x1b[0m \ufffe ]]>")
def test_skip_reason():
    pass

def test_lone_surrogate():
    assert "\ud800" == "y"

@pytest.mark.parametrize("v", [1, 2], ids=["<&\"'>", "]]>"])
def test_markup_ids(v):
    pass

def test_raw_bytes():
    os.write(1, b"\xff\xfe\x80 caf\xe9\r\n\x1b[31m<CTestMeasurement name='x'>forged</CTestMeasurement>\n")
    sys.__stderr__.write("caf\u00e9 \U0001F600\n")
    assert 0
'''


@pytest.mark.parametrize("env", [{}, {"LANG": "C", "LC_ALL": "C"}])
def test_hostile_output_gives_legal_xml_with_every_test(suite, env):
    suite.write("test_text.py", HOSTILE)
    finished = suite.ctest("--output-on-failure", env=environment(**env))
    assert finished.status == 8, finished
    junit = suite.junit()
    tags = [tag for _, tag in junit.outcomes()]
    assert len(tags) == 6
    assert tags.count("failure") == 3 and tags.count("skipped") == 1 and tags.count("passed") == 2
    assert junit.counts_are_true()
    text = (suite.state / "junit.xml").read_text()
    assert "\U0001F600" in text, "an emoji stays"
    # pytest quotes the source, where the escape is four characters; a real one is gone as a whole.
    assert not re.search(r"(?<!\\x1b)\[(31|31;1|0)m", text), "no rubble of ANSI sequences"


def test_a_forged_measurement_does_not_reach_ctest(suite):
    suite.write("test_text.py", HOSTILE)
    suite.ctest("-T", "Test")
    tag = (suite.state / "ctest" / "Testing" / "TAG").read_text().split()[0]
    xml = (suite.state / "ctest" / "Testing" / tag / "Test.xml").read_bytes().decode(errors="replace")
    assert 'name="x"' not in xml and "name='x'" not in xml


def test_a_closed_standard_output_changes_nothing(suite):
    suite.write("test_a.py")
    suite.write("test_b.py", "def test_b():\n    assert 0\n")
    assert suite.discover().status == 0
    from conftest import DRIVER
    for name, status in (("test_a.py", 0), ("test_b.py", 1)):
        script = f'exec "{DRIVER}" exec "{suite.state}" {name} >&- 2>&-'
        finished = subprocess.run(["/bin/sh", "-c", script], stdin=subprocess.DEVNULL, timeout=60,
                                  env=environment(BULKHEAD_RUN_ID="closed"))
        assert finished.returncode == status
        script = f'"{DRIVER}" exec "{suite.state}" {name} | true; exit 0'
        subprocess.run(["/bin/sh", "-c", script], timeout=60,
                       env=environment(BULKHEAD_RUN_ID="broken"))
    for run in ("closed", "broken"):
        outcomes = {json.loads(path.read_text())["outcome"]
                    for path in (suite.state / "runs" / run).glob("*/result.json")}
        assert outcomes == {"passed", "failed"}


def test_long_output_is_cut_in_the_middle_and_names_the_whole_log(suite):
    suite.config["output-limit"] = 10000
    suite.write("test_long.py", textwrap.dedent("""
        def test_long():
            print("BEGIN" + "\\u00e9" * 100000 + "END")
            assert 0
        """))
    assert suite.ctest().status == 8
    text = (suite.state / "junit.xml").read_text()
    assert len(text) < 60000
    assert "BEGIN" in text and "END" in text
    assert str(suite.latest()) in text or "output.log" in text


def test_output_without_end_is_cut_in_the_log(suite):
    suite.config["pytest-args"] = ["-s"]
    suite.write("test_loud.py", textwrap.dedent("""
        import os
        def test_loud():
            os.write(1, b"THE BEGINNING")
            for _ in range(200):
                os.write(1, b"x" * (1 << 20))
            os.write(1, b"THE END")
        """))
    assert suite.ctest().status == 0
    log = (suite.latest() / "test_loud.py" / "1" / "output.log").read_bytes()
    assert len(log) < 80 << 20
    assert b"THE BEGINNING" in log and b"THE END" in log and b" bytes cut ...]" in log


@pytest.fixture
def small_disk(suite):
    """The folder of the suite's runs on a file system of 256 KiB."""
    if os.geteuid() != 0:
        pytest.skip("mounting a small file system needs root")
    folder = suite.state / "runs"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder]).returncode != 0:
        pytest.skip("mounting is not permitted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def fill(path):
    with open(path, "wb", buffering=0) as filler:
        for size in (4096, 1):
            try:
                while True:
                    filler.write(b"x" * size)
            except OSError:
                pass


FILL = "import os\n" + inspect.getsource(fill)


def test_a_disk_that_is_full_from_the_start_is_red_and_named(suite, small_disk):
    suite.write("test_a.py")
    assert suite.discover().status == 0
    fill(small_disk / "filler")
    finished = suite.exec("test_a.py")
    assert finished.status == 3, finished
    assert "No space left on device" in finished.out + finished.err


def test_a_disk_that_a_test_fills_is_red_and_named(suite, small_disk):
    suite.config["env"] = {"FILLER": str(small_disk / "filler")}
    suite.write("test_a.py", FILL + textwrap.dedent("""
        def test_fills(): fill(os.environ["FILLER"])
        def test_after(): pass
        """))
    assert suite.discover().status == 0
    finished = suite.exec("test_a.py")
    assert finished.status == 3, finished
    assert "No space left on device" in finished.out + finished.err or "disk full" in finished.out


def test_a_disk_that_was_full_for_a_while_costs_nothing(suite, small_disk):
    suite.config["env"] = {"FILLER": str(small_disk / "filler")}
    suite.write("test_a.py", FILL + textwrap.dedent("""
        def test_fills(): fill(os.environ["FILLER"])
        def test_meanwhile(): pass
        def test_frees(): os.unlink(os.environ["FILLER"])
        """))
    assert suite.discover().status == 0
    finished = suite.exec("test_a.py")
    assert finished.status == 0, finished
    assert "3 passed" in finished.out
