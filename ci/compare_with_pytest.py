#!/usr/bin/python3
"""Runs a suite with plain `python -m pytest` in one process and through Bulkhead, a process a
file, and compares them file by file: the set of tests, and the verdict of each.

    ci/compare_with_pytest.py --package networkx --through ctest
    ci/compare_with_pytest.py --package sympy --every 3 --leave-out ci/sympy_left_out.txt
    ci/compare_with_pytest.py --root ~/project

Where a verdict differs, the file is run alone with plain pytest, twice. A difference is explained by

  leakage      alone, plain pytest gives Bulkhead's verdict: other files' state made the difference
  environment  it does so only with the variables that Bulkhead sets for every entry
  unsteady     alone, plain pytest gives now the one verdict and now the other

and by nothing else: the exit status is 1 where one is left, 2 where a run could not be made.

--package copies an installed package into a temporary folder, so that nothing is written beside
it, and runs the tests that it carries.
"""
import argparse
import collections
import json
import os
import pathlib
import platform
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

CI = pathlib.Path(__file__).resolve().parent
SOURCE = CI.parent

# From harmless to grave: a test that both passed and failed in its teardown is an error.
GRAVITY = ["passed", "xpassed", "skipped", "xfailed", "error", "failed"]
# Outcomes of an entry that stand for the whole file, not for its tests.
WHOLE_FILE = {"crashed", "timed_out", "interrupted", "internal_error", "usage_error",
              "infrastructure"}
ABSENT = "–"


def add(verdicts, key, outcome):
    known = verdicts.get(key)
    if known is None or GRAVITY.index(outcome) > GRAVITY.index(known):
        verdicts[key] = outcome


def read_record(path):
    """What record_outcomes.py wrote: file → {test id → verdict}. The file's own name stands for
    its collection."""
    files = collections.defaultdict(dict)
    for line in path.read_text().splitlines() if path.exists() else ():
        record = json.loads(line)
        if "id" in record:
            add(files[record["id"].split("::")[0]], record["id"], record["outcome"])
        else:
            outcome = "error" if record["outcome"] == "failed" else record["outcome"]
            add(files[record["file"]], record["file"], outcome)
    return files


def read_run(state):
    """The newest run of a state folder: file → {test id → verdict}, and the files' outcomes."""
    files, outcomes = {}, {}
    for path in (state / "runs" / "latest").resolve().glob("*/result.json"):
        result = json.loads(path.read_text())
        name, outcomes[name] = result["file"], result["outcome"]
        verdicts = files[name] = {name: "passed"}
        events = path.parent / result["attempts"][-1]["folder"] / "events.jsonl"
        for line in events.read_text().splitlines() if events.exists() else ():
            event = json.loads(line)
            if event["event"] == "test_finished":
                add(verdicts, event["id"], event["outcome"])
            elif event["event"] == "collection_failed":
                add(verdicts, name, "error")
            elif event["event"] == "collection_skipped":
                add(verdicts, name, "skipped")
        if outcomes[name] in WHOLE_FILE:
            verdicts[name] = outcomes[name]
    return files, outcomes


def junit_faults(state, files):
    """Where the merged JUnit report tells another number of tests than the events."""
    tags = {"failed": "failure", "error": "error", "skipped": "skipped", "xfailed": "skipped"}
    reported = {suite.get("name"): collections.Counter(
        next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
        for case in suite.iter("testcase"))
        for suite in ElementTree.parse(state / "junit.xml").getroot().iter("testsuite")}
    faults = []
    for name, verdicts in sorted(files.items()):
        expected = collections.Counter(
            tags.get(verdict, "passed") for key, verdict in verdicts.items()
            if key != name or verdict in ("skipped", "error"))
        if reported.get(name, collections.Counter()) != expected:
            faults.append(f"{name}: {dict(reported.get(name, {}))}, the events say "
                          f"{dict(expected)}")
    return faults


class Suite:
    def __init__(self, options, root, scratch):
        self.options, self.root, self.scratch = options, root, scratch
        if options.through == "ctest":
            self.test_folder = scratch / "build"
            self.state = self.test_folder / "bulkhead" / "compare"
        else:
            self.state = root / ".bulkhead"
            self.test_folder = self.state / "ctest"
        self.records = 0

    def plain(self, paths, environment=None):
        """Plain pytest: its status and its verdicts by file."""
        self.records += 1
        record = self.scratch / f"record-{self.records}.jsonl"
        env = dict(os.environ if environment is None else environment)
        env["RECORD_OUTCOMES"] = str(record)
        env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(CI), env.get("PYTHONPATH")]))
        with open(self.scratch / f"record-{self.records}.log", "wb") as log:
            finished = subprocess.run(
                [self.options.python, "-m", "pytest", "-p", "record_outcomes", "-q",
                 # One file that cannot be collected must not keep all the others from running.
                 "--continue-on-collection-errors", *self.options.pytest_args, *paths],
                cwd=self.root, env=env, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        if not record.exists():
            sys.exit(f"plain pytest ended with {finished.returncode} and collected nothing; "
                     f"its output:\n{pathlib.Path(log.name).read_text(errors='replace')}")
        return finished.returncode, read_record(record)

    def bulkhead(self, paths):
        """The suite through `bulkhead test`, or through a CMake project and plain `ctest`."""
        command = [self.options.driver, "test", "--root", self.root, "--python",
                   self.options.python, "-j", str(self.options.jobs), *paths]
        if self.options.pytest_args:
            command += ["--", *self.options.pytest_args]
        if self.options.through == "ctest":
            self.configure(paths)
            command = ["ctest", "--test-dir", self.test_folder, "-j", str(self.options.jobs)]
        with open(self.scratch / "bulkhead.log", "wb") as log:
            finished = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                      cwd=self.root)
        if finished.returncode not in (0, 1, 8):  # 8 is CTest's for tests that failed
            print(pathlib.Path(log.name).read_text(errors="replace"))
        return finished.returncode

    def configure(self, paths):
        project = self.scratch / "project"
        project.mkdir()
        lists = {"ROOT": [self.root], "PYTHON": [self.options.python], "PATHS": paths,
                 "PYTEST_ARGS": self.options.pytest_args}
        arguments = "\n".join(f"  {name} {' '.join(f'[==[{value}]==]' for value in values)}"
                              for name, values in lists.items() if values)
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(Compare NONE)\nenable_testing()\n"
            "add_executable(Bulkhead::bulkhead IMPORTED)\n"
            "set_target_properties(Bulkhead::bulkhead PROPERTIES\n"
            f"  IMPORTED_LOCATION [==[{self.options.driver}]==])\n"
            f"include([==[{SOURCE}/cmake/Bulkhead.cmake]==])\n"
            f"bulkhead_discover_pytest(NAME compare\n{arguments})\n")
        subprocess.run(["cmake", "-S", project, "-B", self.test_folder], check=True,
                       stdout=subprocess.DEVNULL)

    def entry_environment(self, name):
        """The environment of the file's entry, less what is for Bulkhead's own plugin."""
        names = json.loads(subprocess.run(
            ["ctest", "--test-dir", self.test_folder, "--show-only=json-v1"], check=True,
            stdout=subprocess.PIPE).stdout)["tests"]
        entry = next(test["name"] for test in names if test["name"].endswith(name))
        shown = subprocess.run([self.options.driver, "exec", self.state, entry, "--show-env"],
                               check=True, stdout=subprocess.PIPE, text=True).stdout
        environment = {}
        for line in shown.splitlines():
            words = shlex.split(line, comments=True)
            if words and "=" in words[0] and not words[0].startswith("BULKHEAD_"):
                variable, value = words[0].split("=", 1)
                environment[variable] = value
        for variable in ("TMPDIR", "TEMP", "TMP"):  # those are made for an attempt
            environment[variable] = str(self.scratch)
        for variable in ("COVERAGE_FILE", "PYTHONPATH"):
            environment.pop(variable, None)
            if variable in os.environ:
                environment[variable] = os.environ[variable]
        return environment

    def explain(self, name, keys, together, apart):
        """Test → (its verdicts alone, the explanation or nothing)."""
        # Twice: what differs from run to run would look like leakage half of the time.
        alone = [self.plain([name])[1].get(name, {}) for _ in range(2)]
        inside = None
        explained = {}
        for key in keys:
            one, own = together.get(key, ABSENT), apart.get(key, ABSENT)
            seen = {verdicts.get(key, ABSENT) for verdicts in alone}
            why = "leakage" if seen == {own} else "unsteady" if {one, own} <= seen else ""
            if not why:
                if inside is None:
                    inside = self.plain([name], self.entry_environment(name))[1].get(name, {})
                why = "environment" if inside.get(key, ABSENT) == own else ""
            explained[key] = ("/".join(sorted(seen)), why)
        return explained


def measured(function, *arguments):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    answer = function(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return answer, f"{time.monotonic() - start:.0f} s wall, {cpu_s:.0f} s CPU"


def totals(files):
    counts = collections.Counter(verdict for name, verdicts in files.items()
                                 for key, verdict in verdicts.items() if key != name)
    modules = collections.Counter(verdicts[name] for name, verdicts in files.items()
                                  if verdicts.get(name, "passed") != "passed")
    words = [f"{counts[verdict]} {verdict}" for verdict in GRAVITY if counts[verdict]]
    words += [f"{count} {'file' if count == 1 else 'files'} {verdict}"
              for verdict, count in sorted(modules.items())]
    return f"{len(files)} files, {sum(counts.values())} tests: {', '.join(words)}"


def prepare(options, scratch):
    """The suite's root and the files to run; no files: all that pytest finds."""
    if not options.package:
        return options.root.resolve(), []
    found = subprocess.run(
        [options.python, "-c", "import importlib.util, sys;"
         "print(importlib.util.find_spec(sys.argv[1]).submodule_search_locations[0])",
         options.package], cwd="/", stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        sys.exit(f"{options.python} has no package '{options.package}'")
    root = scratch / "suite"
    copy = root / options.package
    shutil.copytree(found.stdout.strip(), copy, symlinks=True)
    (root / "pytest.ini").write_text(f"[pytest]\ntestpaths = {options.package}\n")
    (root / "bulkhead.toml").write_text(f"timeout = {options.timeout}\n")
    left_out = {}
    for line in options.leave_out.read_text().splitlines() if options.leave_out else ():
        name, _, reason = line.partition("#")
        if name.strip():
            left_out[name.strip()] = reason.strip()
    names = sorted(str(path.relative_to(root)) for path in copy.rglob("test_*.py"))
    for name, reason in left_out.items():
        if name not in names or not reason:
            sys.exit(f"{options.leave_out}: '{name}' is no file of the suite or has no reason")
    if options.every == 1 and not left_out:
        return root, []
    sample = names[:: options.every]
    for name in sample:
        if name in left_out:
            print(f"left out: {name}: {left_out[name]}")
    return root, [name for name in sample if name not in left_out]


def describe(options):
    versions = subprocess.run(
        [options.python, "-c", "import platform, pytest; print('Python', "
         "platform.python_version() + ', pytest', pytest.__version__)"],
        stdout=subprocess.PIPE, text=True).stdout.strip()
    driver = subprocess.run([options.driver, "--version"], stdout=subprocess.PIPE, check=True,
                            text=True).stdout.strip()
    print(f"machine: {platform.machine()}, {len(os.sched_getaffinity(0))} processors, "
          f"load {os.getloadavg()[0]:.2f}")
    print(f"versions: {driver}, {versions}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--package", help="an installed package that carries its tests")
    what.add_argument("--root", type=pathlib.Path, help="a suite's root, run in place")
    parser.add_argument("--every", type=int, default=1, help="of a package's files by name, "
                        "only every so manieth (default: all)")
    parser.add_argument("--leave-out", type=pathlib.Path,
                        help="a list of files to leave out of a package, each `FILE # REASON`")
    parser.add_argument("--timeout", type=int, default=300,
                        help="seconds for one file of a package (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="files at once (default: %(default)s)")
    parser.add_argument("--through", choices=("test", "ctest"), default="test",
                        help="`bulkhead test`, or a CMake project and plain ctest "
                        "(default: %(default)s)")
    parser.add_argument("--python", default="/usr/bin/python3", help="default: %(default)s")
    parser.add_argument("--driver", type=os.path.abspath, default=os.environ.get(
        "BULKHEAD_DRIVER", SOURCE / "build/ci/driver/bulkhead"),
        help="default: $BULKHEAD_DRIVER, else that of build/ci")
    parser.add_argument("--keep", type=pathlib.Path,
                        help="a new folder for the copy, logs and records, kept afterwards")
    parser.add_argument("pytest_args", nargs="*", metavar="-- PYTEST-OPTION")
    options = parser.parse_args()
    if options.keep:
        options.keep.mkdir(parents=True)
        return compare(options, options.keep.resolve())
    with tempfile.TemporaryDirectory(prefix="bulkhead-compare-") as folder:
        return compare(options, pathlib.Path(folder))


def compare(options, scratch):
    describe(options)
    root, paths = prepare(options, scratch)
    suite = Suite(options, root, scratch)
    status, cost = measured(suite.bulkhead, paths)
    if not (suite.state / "runs" / "latest").exists():
        sys.exit(2)
    apart, outcomes = read_run(suite.state)
    print(f"Bulkhead through {options.through}, {options.jobs} at a time: status {status}, {totals(apart)}; {cost}",
          flush=True)
    (status, together), cost = measured(suite.plain, paths)
    print(f"one pytest: status {status}, {totals(together)}; {cost}", flush=True)

    rows = []
    for name in sorted(set(apart) | set(together)):
        one, own = together.get(name, {}), apart.get(name, {})
        keys = sorted(key for key in set(one) | set(own)
                      if one.get(key, ABSENT) != own.get(key, ABSENT))
        if keys:
            explained = suite.explain(name, keys, one, own)
            rows += [(key, one.get(key, ABSENT), own.get(key, ABSENT), *explained[key])
                     for key in keys]
    faults = junit_faults(suite.state, apart)
    for fault in faults:
        print(f"junit.xml: {fault}")
    for name, outcome in sorted(outcomes.items()):
        if outcome in ("leaky", "flaky"):
            print(f"{outcome}: {name}")
    if rows:
        print("| test | one pytest | Bulkhead | alone | explained by |\n|---|---|---|---|---|")
        for row in rows:
            print("| {} | {} | {} | {} | {} |".format(*row[:4], row[4] or "**nothing**"))
    unexplained = sum(1 for row in rows if not row[4])
    print(f"{len(rows)} differences, {unexplained} of them unexplained; "
          f"{len(faults)} files whose JUnit report differs from its events")
    return 1 if unexplained or faults else 0


if __name__ == "__main__":
    sys.exit(main())
