#!/usr/bin/env python3
"""The driver's own CPU time in one entry against the CPU time of an empty `python -m pytest FILE`:
at most a twentieth. The driver's start against /bin/true is measured in the same run.

The driver's own time is that of both its processes: what the whole tree took, as wait4 tells it of
the outer one, less what the driver itself measured of the Python tree and wrote into result.json.
All of it is the kernel's own accounting, in microseconds. What the Python child does before it
executes (some system calls) counts as Python's.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import start
from measuring import Report, arguments, interleaved, median, run

LIMIT = 1 / 20
FILE = "test_empty.py"


class Suite:
    """A suite of one file with one empty test, ready to run."""

    def __init__(self, folder, driver, python):
        self.driver, self.python = driver, python
        self.root, self.state = folder / "suite", folder / "state"
        self.root.mkdir()
        self.state.mkdir()
        self.runs = 0
        (self.root / FILE).write_text("def test_nothing():\n    pass\n")
        (self.state / "suite.json").write_text(
            json.dumps({"name": "bench", "root": str(self.root), "python": python}))
        subprocess.run([driver, "discover", self.state], check=True)

    def entry(self):
        """One entry: what all of it took, and what of that was Python's."""
        self.runs += 1
        name = f"bench-{self.runs}"
        cost = run([self.driver, "exec", self.state, FILE],
                   env={**os.environ, "BULKHEAD_RUN_ID": name})
        result, = (self.state / "runs" / name).glob("*/result.json")
        attempt, = json.loads(result.read_text())["attempts"]
        if cost.status != 0 or attempt["outcome"] != "passed":
            sys.exit(f"the entry ended with {cost.status}: {attempt}")
        python_s = attempt["user_s"] + attempt["system_s"]
        return cost._replace(cpu_s=cost.cpu_s - python_s,
                             wall_s=cost.wall_s - attempt["duration_s"])

    def plain(self):
        cost = run([self.python, "-m", "pytest", "-p", "no:cacheprovider", FILE], cwd=self.root)
        if cost.status != 0:
            sys.exit(f"plain pytest ended with {cost.status}")
        return cost


def main():
    parser = arguments(__doc__, rounds=31)
    parser.add_argument("--python", default=sys.executable, help="default: the one that runs this")
    options = parser.parse_args()
    report = Report(options.driver, options.python)
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench-") as folder:
        suite = Suite(pathlib.Path(folder), options.driver, options.python)
        costs = interleaved(options.rounds, {"entry": suite.entry, "pytest": suite.plain,
                                             **start.sides(options.driver)})
    start.judge(report, costs)
    own_s, pytest_s = median(costs["entry"], "cpu_s"), median(costs["pytest"], "cpu_s")
    print(f"the driver's own in one entry: {own_s * 1000:.2f} ms CPU, "
          f"{median(costs['entry'], 'wall_s') * 1000:.2f} ms wall outside the attempt")
    print(f"python -m pytest {FILE}: {pytest_s * 1000:.1f} ms CPU")
    report.figure("entry, the driver's own CPU time against an empty pytest", own_s / pytest_s,
                  LIMIT, "×")
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
