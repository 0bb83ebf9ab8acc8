"""A pytest plugin for compare_with_pytest.py: appends what a session collects and each test's
outcome, in pytest's own words, to the file that RECORD_OUTCOMES names, a JSON object a line.

It shares nothing with Bulkhead's plugin: the one is evidence about the other.
"""
import json
import os

import pytest

FILE = os.environ.pop("RECORD_OUTCOMES")


def write(**what):
    with open(FILE, "a", encoding="utf-8") as file:
        file.write(json.dumps(what) + "\n")


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector):
    report = (yield).get_result()
    # A folder with an __init__.py was a Module too, before pytest 8.
    if isinstance(collector, pytest.Module) and not isinstance(collector, pytest.Package):
        write(file=report.nodeid, outcome=report.outcome)
    elif report.outcome != "passed":
        write(file=report.nodeid.split("::")[0], outcome=report.outcome)


class Outcomes:
    def __init__(self, config):
        self.config = config

    def pytest_runtest_logreport(self, report):
        # The category that pytest's own summary counts it in; nothing for a phase that passed.
        category = self.config.hook.pytest_report_teststatus(report=report, config=self.config)[0]
        if category:
            write(id=report.nodeid, outcome=category)


def pytest_configure(config):
    config.pluginmanager.register(Outcomes(config))
