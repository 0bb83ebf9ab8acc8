"""What the end-to-end tests share: a driver, throw-away suites, and readers of what a run left.

The tests take the driver and the CMake programs from the environment, as their CTest entries set
them: BULKHEAD_DRIVER, BULKHEAD_SOURCE_DIR; CMAKE_COMMAND and CTEST_COMMAND default to PATH.
BULKHEAD_TEST_PYTHON names the interpreter that the suites under test run with.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import pytest

DRIVER = os.environ.get("BULKHEAD_DRIVER", "bulkhead")
SOURCE = pathlib.Path(os.environ.get("BULKHEAD_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
CTEST = os.environ.get("CTEST_COMMAND", "ctest")
CMAKE = os.environ.get("CMAKE_COMMAND", "cmake")
PYTHON = os.environ.get("BULKHEAD_TEST_PYTHON", sys.executable)


class Finished:
    """A process that ended: status, and its output as text."""

    def __init__(self, process):
        self.status = process.returncode
        self.out = process.stdout.decode(errors="replace")
        self.err = process.stderr.decode(errors="replace")

    def __repr__(self):
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


def run(argv, cwd=None, env=None, timeout=120, **more):
    process = subprocess.run(argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                             stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                             timeout=timeout, **more)
    process.stdout = process.stdout or b""
    return Finished(process)


def environment(**more):
    """This process's environment without what an outer run of Bulkhead or pytest put there."""
    env = {name: value for name, value in os.environ.items()
           if not name.startswith(("BULKHEAD_", "PYTEST_", "CTEST_"))}
    env.update(more)
    return env


class Suite:
    """A suite in a folder of its own, run through `bulkhead discover` and plain `ctest`."""

    def __init__(self, folder, name="suite"):
        self.root = folder / name
        self.root.mkdir()
        self.state = folder / "state"
        self.state.mkdir()
        self.config = {"name": "tests", "root": str(self.root), "python": PYTHON,
                       "rerun": ["ctest", "--test-dir", str(self.state / "ctest"), "-R", "{regex}"]}

    def write(self, name, text="def test_passes():\n    pass\n"):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def discover(self, *args, **more):
        (self.state / "suite.json").write_text(json.dumps(self.config))
        return run([DRIVER, "discover", str(self.state), *args], env=environment(), **more)

    def prepare(self):
        """A folder that `ctest` can run: the suite's entries and the end-of-run hook."""
        (self.state / "suite.json").write_text(json.dumps(self.config))
        build = self.state / "ctest"
        build.mkdir(exist_ok=True)
        (build / "CTestTestfile.cmake").write_text(
            "cmake_minimum_required(VERSION 3.25)\n"
            f"execute_process(COMMAND [==[{DRIVER}]==] discover [==[{self.state}]==]\n"
            "  OUTPUT_VARIABLE out ERROR_VARIABLE err RESULT_VARIABLE status)\n"
            "if(NOT status EQUAL 0)\n  string(REPLACE \"\\n\" \"\\n  \" err \"${err}\")\n  message(FATAL_ERROR \"\\n  ${err}\")\nendif()\n"
            f"include([==[{self.state}/entries.cmake]==])\n")
        (build / "CTestCustom.cmake").write_text(
            f"set(CTEST_CUSTOM_POST_TEST [==[\"{DRIVER}\" report --post-test \"{self.state}\"]==])\n")
        return build

    def ctest(self, *args, env=None, **more):
        return run([CTEST, "--test-dir", str(self.prepare()), *args],
                   env=env or environment(), **more)

    def exec(self, name, *args, **more):
        return run([DRIVER, "exec", str(self.state), name, *args],
                   env=more.pop("env", environment(BULKHEAD_RUN_ID="by-hand")), **more)

    def names(self):
        listing = self.ctest("--show-only=json-v1")
        assert listing.status == 0, listing
        return [test["name"] for test in json.loads(listing.out)["tests"]]

    def latest(self):
        return (self.state / "runs" / "latest").resolve()

    def results(self):
        """The result of each entry of the newest run, by file."""
        found = {}
        for path in self.latest().glob("*/result.json"):
            result = json.loads(path.read_text())
            found[result["file"]] = result
        return found

    def junit(self):
        return Junit(self.state / "junit.xml")


def case_tag(case):
    """`passed`, or the gravest of what happened: each case counts once."""
    tags = [child.tag for child in case]
    return next((tag for tag in ("error", "failure", "skipped", "flakyFailure") if tag in tags),
                "passed")


class Junit:
    """The merged JUnit file, read by a strict parser."""

    def __init__(self, path):
        self.root = ElementTree.parse(path).getroot()

    def cases(self, file=None):
        return [case for suite in self.root.iter("testsuite") for case in suite.iter("testcase")
                if file is None or suite.get("name") == file]

    def outcomes(self, file=None):
        """Test name → `passed`, or the tag of what happened to it, in the order of the file."""
        outcomes = []
        for case in self.cases(file):
            outcomes.append((case.get("name"), case_tag(case)))
        return outcomes

    def counts_are_true(self):
        for suite in [self.root, *self.root.iter("testsuite")]:
            cases = list(suite.iter("testcase"))
            assert int(suite.get("tests")) == len(cases), suite.attrib
            for attribute, tag in (("failures", "failure"), ("errors", "error"),
                                   ("skipped", "skipped")):
                counted = sum(1 for case in cases if case_tag(case) == tag)
                assert int(suite.get(attribute)) == counted, (suite.attrib, attribute)
        return True


@pytest.fixture
def suite(tmp_path):
    return Suite(tmp_path)


@pytest.fixture(scope="session")
def suite_in():
    """For fixtures of a wider scope: makes a suite in a given folder."""
    return Suite


def alive(pattern):
    """Command lines of living processes that match."""
    found = []
    for folder in pathlib.Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if line and re.search(pattern, line):
                found.append((folder.name, line))
    return found
