"""bulkhead_discover_pytest(): a CMake project's pytest suite as CTest entries."""
import json
import os
import pathlib
import textwrap

import pytest

from conftest import CMAKE, CTEST, DRIVER, PYTHON, SOURCE, environment, run

HEAD = f"""
cmake_minimum_required(VERSION 3.25)
project(Sample LANGUAGES NONE)
enable_testing()
add_executable(Bulkhead::bulkhead IMPORTED GLOBAL)
set_target_properties(Bulkhead::bulkhead PROPERTIES IMPORTED_LOCATION [==[{DRIVER}]==])
include([==[{SOURCE}/cmake/Bulkhead.cmake]==])
"""


class Project:
    """A CMake project that uses the function with the driver under test."""

    def __init__(self, folder):
        self.source = folder / "source"
        self.build = folder / "build"
        self.source.mkdir()
        self.write("tests/test_a.py")
        self.write("tests/test_b.py")

    def write(self, name, text="def test_passes():\n    pass\n"):
        path = self.source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def configure(self, text, *options, head=HEAD):
        self.write("CMakeLists.txt", head + textwrap.dedent(text).replace("@PYTHON@", PYTHON))
        return run([CMAKE, "-S", str(self.source), "-B", str(self.build), *options],
                   env=environment())

    def configured(self, text="bulkhead_discover_pytest(NAME unit PYTHON @PYTHON@)\n", *options):
        finished = self.configure(text, *options)
        assert finished.status == 0, finished
        return self

    def ctest(self, *options, **more):
        return run([CTEST, *options], cwd=more.pop("cwd", self.build), env=environment(), **more)

    def listing(self, *options):
        finished = self.ctest("--show-only=json-v1", *options)
        assert finished.status == 0, finished
        return json.loads(finished.out)["tests"]

    def names(self, *options):
        return [test["name"] for test in self.listing(*options)]

    def suite_json(self, name="unit"):
        return json.loads((self.build / "bulkhead" / name / "suite.json").read_text())

    def properties(self, name):
        test, = [test for test in self.listing() if test["name"] == name]
        return {prop["name"]: prop["value"] for prop in test["properties"]}


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_a_new_and_a_deleted_file_are_seen_without_a_reconfigure(project):
    project.configured()
    assert project.names() == ["tests/test_a.py", "tests/test_b.py", "bulkhead.report-unit"]
    project.write("tests/test_c.py")
    (project.source / "tests/test_a.py").unlink()
    assert project.names() == ["tests/test_b.py", "tests/test_c.py", "bulkhead.report-unit"]
    finished = project.ctest("-R", "test_c")
    assert finished.status == 0 and "tests/test_c.py" in finished.out, finished


def test_an_entry_leads_to_its_python_file(project):
    project.configured()
    answer = json.loads(project.ctest("--show-only=json-v1").out)
    test = answer["tests"][0]
    node = answer["backtraceGraph"]["nodes"][test["backtrace"]]
    assert answer["backtraceGraph"]["files"][node["file"]] == str(project.source / "tests/test_a.py")
    assert node["line"] == 1


def test_every_kind_of_argument_reaches_the_suite(project):
    project.configured("""
        bulkhead_discover_pytest(
          NAME unit ROOT . PATHS tests PYTHON @PYTHON@
          PYTEST_ARGS -m "not slow" ENV "A=1;2" "B=say \\"x\\" = \\\\." PASS_ENV DISPLAY
          LABELS fast quick LOCK database TIMEOUT 33 PROCESSORS 2 RETRIES 1 ON_LEAK fail
          RULE PATTERN "tests/test_[b]*.py" LABELS slow TIMEOUT 44
          RULE PATTERN **/*.py LOCK port)
        """)
    suite = project.suite_json()
    assert suite["env"] == {"A": "1;2", "B": 'say "x" = \\.'}
    assert suite["pytest-args"] == ["-m", "not slow"]
    a, b = project.properties("tests/test_a.py"), project.properties("tests/test_b.py")
    assert set(a["LABELS"]) == {"fast", "quick"} and set(b["LABELS"]) == {"fast", "quick", "slow"}
    assert a["RESOURCE_LOCK"] == ["database", "port"]
    assert a["PROCESSORS"] == 2
    assert b["TIMEOUT"] > a["TIMEOUT"] > 33


def test_the_configuration_in_the_suite_is_heeded_and_overridden(project):
    project.write("bulkhead.toml", 'labels = ["own"]\ntimeout = 5\nkeep-runs = 3\n')
    project.configured("bulkhead_discover_pytest(NAME unit PYTHON @PYTHON@ LABELS cmake TIMEOUT 500)\n")
    properties = project.properties("tests/test_a.py")
    assert set(properties["LABELS"]) == {"own", "cmake"}
    assert properties["TIMEOUT"] > 500


@pytest.mark.parametrize("call, words", [
    ("bulkhead_discover_pytest(NAME unit LABEL x)", ["unknown argument 'LABEL'", "LABELS"]),
    ("bulkhead_discover_pytest(NAME unit RULE PATTERN x NAME y)", ["unknown argument 'NAME'"]),
    ("bulkhead_discover_pytest(NAME unit TIMEOUT)", ["no value", "TIMEOUT"]),
    ("bulkhead_discover_pytest(NAME unit ENV oops)", ["NAME=value", "oops"]),
    ("bulkhead_discover_pytest()", ["NAME"]),
    ("bulkhead_discover_pytest(NAME \"a b\")", ["a b"]),
    ("bulkhead_discover_pytest(NAME x)\nbulkhead_discover_pytest(NAME x)", ["another suite", "'x'"]),
])
def test_a_wrong_call_fails_at_configure_time_with_its_line(project, call, words):
    finished = project.configure(call)
    assert finished.status != 0
    assert "CMakeLists.txt:" in finished.err
    for word in words:
        assert word in " ".join(finished.err.split())


def test_without_enable_testing_nothing_is_green(project):
    finished = project.configure("bulkhead_discover_pytest(NAME unit)",
                                 head=HEAD.replace("enable_testing()", ""))
    assert finished.status != 0
    assert "enable_testing()" in finished.err


@pytest.mark.parametrize("argument, words", [
    ("TIMEOUT soon", ["timeout", "soon"]),
    ("ON_LEAK perhaps", ["on-leak", "perhaps"]),
    ("PYTHON /no/such/python", ["/no/such/python"]),
    ("PATHS nowhere", ["nowhere"]),
])
def test_a_wrong_value_stops_ctest_and_names_the_call(project, argument, words):
    python = "" if argument.startswith("PYTHON") else "PYTHON @PYTHON@"
    project.configured(f"bulkhead_discover_pytest(NAME unit {python} {argument})\n")
    finished = project.ctest()
    assert finished.status == 8, finished
    for word in words:
        assert word in finished.err
    assert "Traceback" not in finished.err


def test_before_the_driver_is_built_the_suite_is_listed_and_red(project):
    project.configured()
    include = project.build / "bulkhead" / "unit.cmake"
    include.write_text(include.read_text().replace(DRIVER, "/not/built/bulkhead"))
    assert project.names() == ["unit_NOT_BUILT"]
    finished = project.ctest()
    assert finished.status == 8 and "/not/built/bulkhead" in finished.out + finished.err


def test_two_suites_and_subfolders(project):
    project.write("more/CMakeLists.txt",
                  "bulkhead_discover_pytest(NAME more PREFIX more/ PYTHON [==[%s]==])\n" % PYTHON)
    project.write("more/test_a.py", "def test_fails():\n    assert 0\n")
    project.configured("""
        bulkhead_discover_pytest(NAME unit PATHS tests PYTHON @PYTHON@)
        add_subdirectory(more)
        """)
    assert set(project.names()) == {"tests/test_a.py", "tests/test_b.py", "bulkhead.report-unit",
                                    "more/test_a.py", "bulkhead.report-more"}
    finished = project.ctest("-j2")
    assert finished.status == 8
    assert "more/test_a.py (Failed)" in finished.out
    assert (project.build / "more/bulkhead/more/junit.xml").exists()
    assert (project.build / "bulkhead/unit/junit.xml").exists()


def test_multi_config_generators_ask_for_the_configuration(project):
    project.configured("""
        bulkhead_discover_pytest(NAME unit PYTHON @PYTHON@ ENV CONFIG=$<CONFIG>)
        """, "-G", "Ninja Multi-Config")
    project.write("tests/test_config.py",
                  "import os\ndef test_a(): assert os.environ['CONFIG'] == 'Debug'\n")
    assert "tests/test_config.py" in project.names("-C", "Debug")
    assert project.ctest("-C", "Debug").status == 0
    finished = project.ctest("-C", "Release")
    assert finished.status == 8 and "tests/test_config.py (Failed)" in finished.out
    for options in ([], ["-C", "Nonsense"]):
        finished = project.ctest("-N", *options)
        assert finished.status == 8
        assert "Debug" in finished.err and "-C" in finished.err


def test_a_run_in_which_nothing_ran_is_red_however_it_is_selected(project):
    project.write("tests/test_a.py", "")
    project.write("tests/test_b.py", "")
    project.configured()
    for options in ([], ["-R", "test_a"], ["-I", "1,1"], ["-E", "bulkhead.report"],
                    ["-FA", ".*", "-R", "test_a"]):
        finished = project.ctest("--output-on-failure", *options)
        assert finished.status == 8, (options, finished)
        assert "no tests ran" in finished.out + finished.err, (options, finished)


def test_a_shard_without_tests_of_its_own_is_red_and_the_other_green(project):
    project.write("tests/test_a.py", "")
    project.configured()
    assert project.ctest("-I", "1,1").status == 8
    assert project.ctest("-I", "2,2").status == 0
    assert project.ctest().status == 0


@pytest.mark.parametrize("options", [["--stop-on-failure"], ["-E", "bulkhead.report"],
                                     ["-FA", ".*"], []])
def test_every_way_of_running_leaves_a_report(project, options):
    project.write("tests/test_a.py", "def test_fails():\n    assert 0\n")
    project.configured()
    finished = project.ctest(*options)
    assert finished.status == 8
    summary = project.build / "bulkhead/unit/runs/latest/summary.txt"
    assert "tests/test_a.py:2: test_fails" in summary.read_text()
    assert f"rerun: ctest --test-dir {project.build} -R" in summary.read_text()


@pytest.mark.parametrize("options", [["-N"], ["--show-only"], ["--print-labels"], ["-N", "-V"]])
def test_listing_prints_no_more_than_the_list(project, options):
    project.configured()
    assert project.ctest().status == 0
    finished = project.ctest(*options)
    assert finished.status == 0
    assert "PASSED" not in finished.out and finished.err == ""


def test_a_projects_own_ctest_custom_file_is_kept(project):
    project.write("custom.in", "set(CTEST_CUSTOM_POST_TEST \"/bin/echo the project's own\")\n")
    text = """
        configure_file(custom.in CTestCustom.cmake)
        bulkhead_discover_pytest(NAME unit PYTHON @PYTHON@)
        """
    for _ in range(2):
        project.configured(text)
        custom = (project.build / "CTestCustom.cmake").read_text()
        assert custom.count("bulkhead/CTestCustom.cmake") == 1
        project.write("tests/test_a.py", "")
        project.write("tests/test_b.py", "")
        finished = project.ctest("-E", "bulkhead.report")
        assert "the project's own" in finished.out
        assert finished.status == 8, finished


def test_a_preset_with_a_filter_is_a_selection(project):
    project.write("CMakePresets.json", json.dumps({
        "version": 6,
        "configurePresets": [{"name": "p", "generator": "Ninja",
                              "binaryDir": str(project.build)}],
        "testPresets": [{"name": "p", "configurePreset": "p",
                         "output": {"outputOnFailure": True},
                         "filter": {"include": {"name": "test_a"}}}]}))
    project.configured()
    finished = project.ctest("--preset", "p", cwd=project.source)
    assert finished.status == 0, finished
    assert "tests/test_b.py" not in finished.out
    summary = (project.build / "bulkhead/unit/runs/latest/summary.txt").read_text()
    assert "1 file: 1 passed" in summary


def test_the_launcher_stands_in_front_of_the_driver(project):
    launcher = project.write("launch", "#!/bin/sh\necho launched >>\"$0.log\"\nexec \"$@\"\n")
    launcher.chmod(0o755)
    project.configured(f"""
        set(CMAKE_TEST_LAUNCHER [==[{launcher}]==])
        bulkhead_discover_pytest(NAME unit PYTHON @PYTHON@)
        """)
    assert project.ctest().status == 0
    assert pathlib.Path(f"{launcher}.log").read_text().count("launched") == 2
