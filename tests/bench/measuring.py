"""What the benchmarks share: running a command with its costs, rounds in alternating order,
medians, the machine in words, and limits that decide the exit status.

A benchmark holds a ratio or a size, never milliseconds: what is compared runs in turns in one run,
so that a busy machine slows both sides.
"""
import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import time
from typing import NamedTuple

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Cost(NamedTuple):
    """What one process and all that it waited for took."""
    status: int       # the exit status; minus the signal where one ended it
    wall_s: float
    cpu_s: float
    peak_kib: int     # resident memory at its highest, in the largest process


def run(argv, cwd=None, env=None):
    start = time.perf_counter()
    # So called, Python starts it by vfork, which does not copy this process.
    process = subprocess.Popen([str(word) for word in argv], cwd=cwd, env=env, close_fds=False,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(process.returncode, wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


# What a process was before it executed another program counts in its peak: that of this large
# process must not, so that a small one stands between.
SMALL = """
import os, resource, sys, time
descriptors, log, *argv = sys.argv[1:]
start = time.perf_counter()
pid = os.fork()
if pid == 0:
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    os.dup2(out, 1)
    os.dup2(out, 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (int(descriptors), int(descriptors)))
    os.execv(argv[0], argv)
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), time.perf_counter() - start,
      usage.ru_utime + usage.ru_stime, usage.ru_maxrss)
"""


def run_with_few_descriptors(argv, descriptors, log):
    """Runs a command that may have so many files open; its output goes to the file `log`."""
    finished = subprocess.run(
        [sys.executable, "-ISc", SMALL, str(descriptors), str(log), *(str(word) for word in argv)],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    status, wall_s, cpu_s, peak_kib = finished.stdout.split()
    return Cost(int(status), float(wall_s), float(cpu_s), int(peak_kib))


def interleaved(rounds, sides):
    """Name → what each call of its function answered, the order turned round in every round."""
    answers = {name: [] for name in sides}
    order = list(sides)
    for _ in range(rounds):
        for name in order:
            answers[name].append(sides[name]())
        order.reverse()
    return answers


def median(costs, what):
    return statistics.median(getattr(cost, what) for cost in costs)


class Report:
    """Prints figures beside their limits; `status()` is 1 where one does not hold."""

    def __init__(self, driver, python=None):
        self.broken = False
        processor = platform.machine()
        for line in open("/proc/cpuinfo", encoding="utf-8"):
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
        print(f"machine: {processor}, {len(os.sched_getaffinity(0))} processors, "
              f"{platform.system()} {platform.release()}, load {os.getloadavg()[0]:.2f}")
        versions = [first_line([driver, "--version"])]
        if python:
            versions += [first_line([python, "--version"]), first_line([python, "-m", "pytest", "--version"])]
        print(f"versions: {', '.join(versions)}")

    def figure(self, words, value, limit, unit=""):
        holds = value <= limit
        self.broken |= not holds
        print(f"{'holds' if holds else 'BROKEN'}: {words}: {value:.3g}{unit}, "
              f"at most {limit:.3g}{unit}")

    def status(self):
        return 1 if self.broken else 0


def first_line(argv):
    finished = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if finished.returncode != 0:
        sys.exit(f"cannot run {argv}: {finished.stdout.strip()}")
    return finished.stdout.splitlines()[0]


def arguments(description, rounds):
    """The options of every benchmark; a benchmark may add its own before it parses."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--driver", type=pathlib.Path,
                        default=os.environ.get("BULKHEAD_DRIVER",
                                               SOURCE / "build/ci/driver/bulkhead"),
                        help="default: $BULKHEAD_DRIVER, else that of build/ci")
    parser.add_argument("--rounds", type=int, default=rounds, help="default: %(default)s")
    return parser
