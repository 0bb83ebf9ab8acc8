#!/usr/bin/env python3
"""10,000 reports of files merged into one with 64 open files at most: under 64 MiB of memory.

The reports hold more than 64 MiB together, so that nothing that keeps them all can pass. Some of
them are no reports: torn, empty, not XML, not UTF-8, a folder, missing; and some files never
finished.
"""
import contextlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

from measuring import Report, arguments, median, run_with_few_descriptors

LIMIT_KIB = 64 * 1024
DESCRIPTORS = 64
FILES = 10_000
CASES = 60  # in each file
RUN = "many"

TORN, EMPTY, NOT_XML, NOT_UTF8, FOLDER, MISSING = range(6)
BROKEN = {17: TORN, 1_234: EMPTY, 2_345: NOT_XML, 3_456: NOT_UTF8, 4_567: FOLDER, 5_678: MISSING}
# Started, and ended with its driver: only the events tell of it.
UNFINISHED = {n for n in range(0, FILES, 100) if n not in BROKEN}


def file_of(number):
    return f"tests/unit/test_part_{number:05}.py"


def cases_of(number):
    """(tag, xml) of the cases of a report: two of 60 failed, one is skipped."""
    for case in range(CASES):
        attributes = (f'name="test_case_{case}[parameter of some length]" time="0.001" '
                      f'classname="tests.unit.test_part_{number:05}.TestOfSomething"')
        if case in (7, 23):
            yield "failure", (f'<testcase {attributes}><failure message="assert {number} == {case}">'
                              f'def test():\n&gt; assert {number} == {case}\n{"E " * 200}'
                              f'</failure></testcase>')
        elif case == 31:
            yield "skipped", f'<testcase {attributes}><skipped message="not here"/></testcase>'
        else:
            yield "passed", f"<testcase {attributes}/>"


def report_text(number):
    body = "\n".join(xml for _, xml in cases_of(number))
    return (f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n'
            f'<testsuite name="{file_of(number)}" file="{file_of(number)}" tests="{CASES}" '
            f'failures="2" errors="0" skipped="1" time="0.06">\n{body}\n</testsuite>\n'
            f'</testsuites>\n')


def write_report(path, number):
    """Writes one file's report; answers its size."""
    text = report_text(number)
    broken = BROKEN.get(number)
    if broken is None:
        path.write_text(text)
    elif broken == TORN:
        path.write_text(text[: len(text) // 2])
    elif broken == EMPTY:
        path.write_text("")
    elif broken == NOT_XML:
        path.write_bytes(bytes(range(256)) * 8)
    elif broken == NOT_UTF8:
        # Legal but for its bytes: the reader is to keep the tests.
        path.write_bytes(text.encode().replace(b"not here", b"not \xff\xfe here"))
    elif broken == FOLDER:
        path.mkdir()
    return len(text) if path.is_file() else 0


def write_result(folder, number):
    problem = {"id": f"{file_of(number)}::test_case_7", "file": f"/suite/{file_of(number)}",
               "line": 7, "message": f"assert {number} == 7"}
    attempt = {
        "outcome": "failed", "cause": "2 of 60 tests failed", "end": {"kind": "exited", "code": 1},
        "started_at": 1.0 + number, "duration_s": 0.06, "user_s": 0.05, "system_s": 0.01,
        "peak_rss_kib": 30000, "peak_descriptors": 5, "peak_descriptors_pid": 4,
        "descriptor_limit": 1024,
        "counts": {"collected": CASES, "deselected": 0, "passed": CASES - 3, "failed": 2,
                   "errors": 0, "skipped": 1, "xfailed": 0, "xpassed": 0, "not_run": 0},
        "in_flight": "", "problems": [problem, problem], "leftovers": [], "folder": "1"}
    (folder / "result.json").write_text(json.dumps(
        {"version": 1, "name": file_of(number), "file": file_of(number), "outcome": "failed",
         "cause": "2 of 60 tests failed", "python": "/usr/bin/python3", "python_version": "3.11.2",
         "pytest_version": "7.2.1", "attempts": [attempt]}))


def write_events(folder, number):
    """An attempt whose driver died after its fourth test."""
    attempt = folder / "1"
    attempt.mkdir()
    path = f"/suite/{file_of(number)}"
    tests = [f"{file_of(number)}::test_case_{case}" for case in range(CASES)]
    events = [{"event": "session_started", "version": 1, "pid": 1, "python": "3.11.2",
               "pytest": "7.2.1"},
              {"event": "collected", "tests": tests, "deselected": 0}]
    for test in tests[:4]:
        events += [{"event": "test_started", "id": test, "file": path, "line": 1},
                   {"event": "test_finished", "id": test, "outcome": "passed", "duration_s": 0.1,
                    "file": path, "line": 1}]
    (attempt / "events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in events))
    (attempt / "output.log").write_text("some output\n" * 2000)


@contextlib.contextmanager
def roomy_folder():
    """A temporary folder, in memory where there is enough: a disk may take minutes to remove
    30,000 files."""
    memory = pathlib.Path("/dev/shm")
    enough = memory.is_dir() and shutil.disk_usage(memory).free > 2**30
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench-",
                                     dir=memory if enough else None) as folder:
        yield pathlib.Path(folder)


class ManyReports:
    """A state folder as a run of 10,000 files leaves it."""

    def __init__(self, folder, driver, python):
        root, self.state = folder / "suite", folder / "state"
        (root / "tests/unit").mkdir(parents=True)
        self.state.mkdir()
        # Discovery writes a manifest of one file; its line is the pattern of all the others.
        (root / file_of(0)).write_text("def test_nothing():\n    pass\n")
        (self.state / "suite.json").write_text(
            json.dumps({"name": "many", "root": str(root), "python": str(python)}))
        subprocess.run([driver, "discover", self.state], check=True)
        manifest = self.state / "manifest.jsonl"
        suite, entry = manifest.read_text().splitlines()
        manifest.write_text("\n".join([suite] + [entry.replace(file_of(0), file_of(number))
                                                 for number in range(FILES)]) + "\n")
        self.bytes = 0
        for number in range(FILES):
            entry = self.state / "runs" / RUN / urllib.parse.quote(file_of(number), safe="")
            entry.mkdir(parents=True)
            (entry / "started.json").write_text(json.dumps(
                {"version": 1, "name": file_of(number), "file": file_of(number),
                 "pid": 2 ** 30, "started_at": 1.0}))
            if number in UNFINISHED:
                write_events(entry, number)
            else:
                self.bytes += write_report(entry / "junit.xml", number)
                write_result(entry, number)

    def merge(self, driver, log):
        """One merge, its summary in the file `log`."""
        return run_with_few_descriptors([driver, "report", self.state, "--run", RUN], DESCRIPTORS,
                                        log)


def main():
    parser = arguments(__doc__, rounds=5)
    parser.add_argument("--python", default=sys.executable, help="default: the one that runs this")
    options = parser.parse_args()
    report = Report(options.driver)
    with roomy_folder() as folder:
        many = ManyReports(folder, options.driver, options.python)
        log = folder / "summary.txt"
        costs = [many.merge(options.driver, log) for _ in range(options.rounds)]
        if any(cost.status != 1 for cost in costs):
            sys.exit(f"status {costs[0].status} instead of 1:\n{log.read_text()[-4000:]}")
        merged = (many.state / "junit.xml").stat().st_size
    print(f"{FILES} reports of {many.bytes / 2**20:.0f} MiB became one of {merged / 2**20:.0f} MiB "
          f"with {DESCRIPTORS} open files at most: {median(costs, 'wall_s'):.2f} s wall, "
          f"{median(costs, 'cpu_s'):.2f} s CPU")
    report.figure("merge, resident memory at its highest", max(c.peak_kib for c in costs) / 1024,
                  LIMIT_KIB / 1024, " MiB")
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
