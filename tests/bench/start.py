#!/usr/bin/env python3
"""The driver's start against that of /bin/true: at most three times as much, in wall and in CPU
time. Every entry of a run pays the driver's start."""
import sys

from measuring import Report, arguments, interleaved, median, run

LIMIT = 3


def sides(driver):
    return {"bulkhead --version": lambda: run([driver, "--version"]),
            "/bin/true": lambda: run(["/bin/true"])}


def judge(report, costs):
    driver, floor = costs["bulkhead --version"], costs["/bin/true"]
    if any(cost.status != 0 for cost in driver + floor):
        sys.exit("a start failed")
    for what, words in (("cpu_s", "CPU"), ("wall_s", "wall")):
        for name, side in (("bulkhead --version", driver), ("/bin/true", floor)):
            print(f"{name}: {median(side, what) * 1000:.3f} ms {words}")
        report.figure(f"start, {words} time against /bin/true",
                      median(driver, what) / median(floor, what), LIMIT, "×")


def main():
    options = arguments(__doc__, rounds=301).parse_args()
    report = Report(options.driver)
    judge(report, interleaved(options.rounds, sides(options.driver)))
    return report.status()


if __name__ == "__main__":
    sys.exit(main())
