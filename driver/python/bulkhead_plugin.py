"""Bulkhead's pytest plugin: writes what a session does, an event a line. PYTEST_DONT_REWRITE

Loaded with `-p bulkhead_plugin` and this folder first in PYTHONPATH. docs/formats.md specifies the
events. The environment tells it what to do, and all of these variables are gone, and PYTHONPATH is
as it was, before any code of the suite runs:

BULKHEAD_EVENTS         the file that events are appended to; absolute
BULKHEAD_STACKS         the file that Python stacks are written to at a signal; absolute
BULKHEAD_STACKS_SIGNAL  that signal's number
BULKHEAD_ONLY           the one file to collect; absolute; all others are ignored
BULKHEAD_ROOTDIR        what `--rootdir=$BULKHEAD_ROOTDIR` stands for

The plugin must not be noticed by the tests: it prints nothing while they run, raises nothing into
them, leaves warnings, logs, sys.path and the environment alone, and keeps its descriptors high.
Supports Python 3.9 and pytest 7.2, and later.
"""
import os
import sys

import pytest
from bulkhead_events import EventFile, System, open_descriptors, open_to_append
from bulkhead_failures import (
    absolute,
    cut,
    deepest_own_frame,
    doctest_message,
    exhaustion_of,
    fold,
    message_in,
    place_in,
    without_prefix,
)

VERSION = 1


class Crash:
    """Where and how a phase of a test, or the collection of a file, failed."""

    __slots__ = ("report", "file", "line", "message")

    def __init__(self, report, file, line, message):
        self.report = report  # keeps id(report) from being used again
        self.file = file
        self.line = line
        self.message = message


class Pending:
    """A test that started and did not finish yet."""

    __slots__ = ("file", "line", "reports", "teardown")

    def __init__(self, file, line):
        self.file = file
        self.line = line
        self.reports = []
        self.teardown = False


class Recorder:
    """The hooks that watch a session. Each is safe to be called by any plugin in any order, and
    none lets an exception out: what goes wrong here is an `internal_error` event of the session."""

    def __init__(self, path, config, stacks):
        self.file = EventFile(path)
        self.config = config
        self.session = None
        self.tests = {}  # nodeid -> Pending
        self.crashes = {}  # id(report) -> Crash
        self.collecting = None
        self.collection_failed = False
        self.deselected = 0
        self.faults = 0
        self.closed = False
        self.stacks = stacks
        self.xml = None
        os.register_at_fork(after_in_child=self.forget_xml)
        self.file.on_reopen = self.register_stacks
        self.register_stacks()
        # The first cleanup to be registered is the last to be run, when every hook of every plugin
        # has had its say on the exit status.
        config.add_cleanup(self.close)
        self.file.write(
            {
                "event": "session_started",
                "version": VERSION,
                "pid": self.file.pid,
                "python": "%d.%d.%d" % sys.version_info[:3],
                "pytest": pytest.__version__,
            }
        )

    def register_stacks(self):
        if not self.stacks:
            return
        try:
            import faulthandler

            path, number = self.stacks
            faulthandler.register(number, file=open_to_append(path), all_threads=True, chain=False)
        except Exception as error:
            self.fault("the stack dump of a time limit could not be prepared", error)
            self.stacks = None

    def forget_xml(self):
        """A fork that runs on as a second pytest must not write its report over this one's."""
        if self.xml is not None:
            self.xml.logfile = os.devnull

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self, config):
        path = getattr(config.option, "xmlpath", None)
        for plugin in config.pluginmanager.get_plugins():
            if type(plugin).__name__ == "LogXML":
                self.xml = plugin
                if path:  # pytest expands variables in it, and a `$` cannot be quoted
                    plugin.logfile = path

    def fault(self, what, error):
        self.faults += 1
        if self.faults <= 10:
            details = "bulkhead: %s: %s: %s" % (what, type(error).__name__, error)
            self.file.write({"event": "internal_error", "details": cut(details)})

    # -- collection

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectstart(self, collector):
        self.collecting = collector

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        self.collecting = None
        try:
            if report.failed:
                crash = self.crashes.pop(id(report), None)
                place = (crash and crash.file and (crash.file, crash.line)) or place_in(
                    self.config, report.longrepr
                )
                self.collection_error(
                    report.nodeid,
                    place,
                    (crash and crash.message) or message_in(report.longrepr),
                    report.longreprtext,
                )
            elif report.skipped:
                reason = report.longrepr
                reason = reason[2] if isinstance(reason, tuple) else str(reason)
                self.file.write(
                    {
                        "event": "collection_skipped",
                        "id": report.nodeid,
                        "reason": fold(without_prefix(reason, "Skipped: ")),
                    }
                )
        except Exception as error:
            self.fault("the report of a collection could not be read", error)

    def collection_error(self, nodeid, place, message, details):
        self.collection_failed = True
        if not place:
            path = os.path.join(str(self.config.rootpath), nodeid.split("::")[0])
            place = (path if os.path.exists(path) else "", 0)
        self.file.write(
            {
                "event": "collection_failed",
                "id": nodeid,
                "file": place[0],
                "line": place[1],
                "message": message,
                "details": cut(details),
            }
        )

    def pytest_deselected(self, items):
        self.deselected += len(items)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session):
        self.session = session
        try:
            tests = [item.nodeid for item in session.items]
        except Exception as error:
            self.fault("the collected tests could not be listed", error)
            return
        self.file.write({"event": "collected", "tests": tests, "deselected": self.deselected})

    # -- tests

    def begin(self, nodeid, location):
        file, line = "", 0
        try:
            if location:
                file = os.path.normpath(os.path.join(str(self.config.rootpath), str(location[0])))
                line = location[1] + 1 if location[1] is not None else 0
        except Exception as error:
            self.fault("the place of a test could not be read", error)
        test = self.tests[nodeid] = Pending(file, line)
        self.file.write({"event": "test_started", "id": nodeid, "file": file, "line": line})
        return test

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self, nodeid, location):
        # A plugin with a protocol of its own may not announce the end of a test.
        for other in [other for other, test in self.tests.items() if test.teardown]:
            self.finish(other)
        self.begin(nodeid, location)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report):
        test = self.tests.get(report.nodeid)
        if test is None:
            test = self.begin(report.nodeid, report.location)
        test.reports.append(report)
        test.teardown = report.when == "teardown"

    def pytest_runtest_logfinish(self, nodeid):
        test = self.tests.get(nodeid)
        if test is not None and test.reports:
            self.finish(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_exception_interact(self, node, call, report):
        try:
            excinfo = call.excinfo
            if excinfo is None or not self.file.is_owner():
                return
            kind = exhaustion_of(excinfo.value)
            if kind:
                self.file.write(
                    {
                        "event": "descriptors_exhausted",
                        "id": report.nodeid,
                        "error": kind,
                        "pid": self.file.pid,
                        "open": open_descriptors(),
                        "limit": System.sysconf("SC_OPEN_MAX"),
                    }
                )
            file, line = deepest_own_frame(self.config, excinfo) or (None, 0)
            self.crashes[id(report)] = Crash(
                report, file, line, doctest_message(excinfo.value)
            )
        except Exception as error:
            self.fault("an exception could not be read", error)

    @staticmethod
    def judge(reports):
        """(outcome, the report that decided) of a test, from the reports of its phases.

        A failure in the call outweighs one of setup or teardown. Subtests report under the id of
        their test: each can fail it, only the test's own reports make it skipped or xfailed.
        """
        own = [report for report in reports if "subtest" not in type(report).__name__.lower()]
        for report in reports:
            if report.outcome == "failed" and report.when == "call":
                return "failed", report
        for report in reports:
            if report.outcome == "failed":
                return "error", report
        for report in own:
            if report.outcome == "skipped":
                return ("xfailed" if hasattr(report, "wasxfail") else "skipped"), report
        for report in own:
            if report.when == "call" and hasattr(report, "wasxfail"):
                return "xpassed", report
        return "passed", reports[-1]

    def finish(self, nodeid):
        test = self.tests.pop(nodeid)
        if getattr(self.config.option, "setuponly", False) and not any(
            report.outcome == "failed" for report in test.reports
        ):
            return  # also with --setup-plan: the test was not run
        try:
            self.file.write(self.finished(nodeid, test))
        except Exception as error:
            self.fault("the reports of %s could not be read" % nodeid, error)
        self.crashes.clear()

    def finished(self, nodeid, test):
        # An attempt that a plugin repeats (pytest-rerunfailures) ends with `rerun`; its successor
        # brings reports of all phases again.
        last_rerun = max((i for i, r in enumerate(test.reports) if r.outcome == "rerun"), default=-1)
        reports = test.reports[last_rerun + 1 :]
        while len(reports) > 1 and last_rerun >= 0 and reports[0].when == "teardown":
            del reports[0]
        reports = reports or test.reports
        outcome, report = self.judge(reports)
        event = {
            "event": "test_finished",
            "id": nodeid,
            "outcome": outcome,
            "duration_s": round(sum(getattr(r, "duration", 0.0) for r in test.reports), 6),
            "file": test.file,
            "line": test.line,
        }
        longrepr = report.longrepr
        if outcome in ("failed", "error"):
            crash = self.crashes.get(id(report))
            place = (crash and crash.file and (crash.file, crash.line)) or place_in(
                self.config, longrepr
            )
            if place:
                event["file"], event["line"] = place
            event["message"] = (crash and crash.message) or message_in(longrepr)
            failed = [r for r in reports if r.outcome == "failed"]
            event["details"] = cut("\n\n".join(r.longreprtext for r in failed))
            event["output"] = cut(
                "\n".join(
                    "--- %s ---\n%s" % (title, text) for title, text in reports[-1].sections if text
                )
            )
        elif outcome == "skipped":
            if isinstance(longrepr, tuple) and len(longrepr) == 3:
                event["file"], event["line"] = absolute(self.config, longrepr[0]), longrepr[1] or 0
                event["message"] = fold(without_prefix(str(longrepr[2]), "Skipped: "))
            else:
                event["message"] = message_in(longrepr)
        elif outcome in ("xfailed", "xpassed"):
            event["message"] = fold(without_prefix(str(report.wasxfail), "reason: "))
        return event

    # -- the end

    def pytest_keyboard_interrupt(self, excinfo):
        try:
            # pytest ends a session with errors in collection in this way too.
            if isinstance(excinfo.value, pytest.Session.Interrupted) and self.collection_failed:
                return
            place = deepest_own_frame(self.config, excinfo)
            details = excinfo.exconly()
            if place:
                details = "%s:%d: %s" % (place[0], place[1], details)
            self.file.write({"event": "session_interrupted", "details": cut(details)})
        except Exception as error:
            self.fault("an interruption could not be read", error)

    def pytest_internalerror(self, excrepr, excinfo):
        try:
            collector = self.collecting
            if isinstance(excinfo.value, SystemExit) and collector is not None and not self.tests:
                # Since 8.0 pytest lets a SystemExit of a module end the session, with status 3.
                place = deepest_own_frame(self.config, excinfo)
                message = fold(excinfo.exconly())
                details = "%s:%d: %s" % (*place, message) if place else str(excrepr)
                self.collection_error(collector.nodeid, place, message, details)
                return
            self.file.write({"event": "internal_error", "details": cut(str(excrepr))})
        except Exception as error:
            self.fault("an internal error could not be read", error)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session):
        self.session = session
        for nodeid, test in list(self.tests.items()):
            # The others did not come to their end: they are in flight.
            if test.teardown or any(report.outcome == "failed" for report in test.reports):
                self.finish(nodeid)

    def close(self):
        """Writes session_finished. The status is the one pytest exits with: pytest returns
        `session.exitstatus` right after the cleanups."""
        if self.closed or not self.file.is_owner():
            return
        self.closed = True
        status = getattr(self.session, "exitstatus", None)
        if status is None:  # no session came about: pytest says so itself, with status 4
            self.file.flush()
            return
        lost = self.file.unwritten()
        self.file.flush()
        if self.file.unwritten() or self.faults:
            # An incomplete record must not look like a complete one.
            if self.file.unwritten():
                details = "bulkhead: %d events could not be written to %s: %s" % (
                    lost,
                    self.file.path,
                    self.file.error,
                )
                self.file.write({"event": "internal_error", "details": details})
                try:
                    sys.__stderr__.write(details + "\n")
                    sys.__stderr__.flush()
                except Exception:
                    pass
            if status in (0, 5):
                status = self.session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
        self.file.write({"event": "session_finished", "status": int(status)})


class Narrow:
    """Collects one file only. Its folders, and their `__init__.py` (which pytest 7 needs to make
    packages of them), are let through; then the modules of other files are given no tests, so that
    none of them is imported."""

    def __init__(self, only):
        self.only = only

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path):
        path = str(collection_path)
        if path == self.only or self.only.startswith(path.rstrip(os.sep) + os.sep):
            return None
        folder, name = os.path.split(path)
        if name == "__init__.py" and self.only.startswith(folder.rstrip(os.sep) + os.sep):
            return None
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector):
        if isinstance(collector, pytest.File) and not isinstance(collector, pytest.Package):
            if str(collector.path) != self.only:
                return pytest.CollectReport(collector.nodeid, "passed", None, [])
        return None


def is_text(nodeid):
    try:
        str(nodeid).encode("utf-8")
    except UnicodeError:
        return False
    return True


def forget_names_that_are_no_text(config):
    """Node ids hold the bytes of file names. pytest's cache cannot be written with some that are not
    UTF-8, which would end a session that passed in an exception."""
    for name, attribute in (("nfplugin", "cached_nodeids"), ("lfplugin", "lastfailed")):
        plugin = config.pluginmanager.get_plugin(name)
        known = getattr(plugin, attribute, None)
        if isinstance(known, dict):
            setattr(plugin, attribute, {id: value for id, value in known.items() if is_text(id)})
        elif isinstance(known, set):
            setattr(plugin, attribute, {id for id in known if is_text(id)})


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session):
    forget_names_that_are_no_text(session.config)


def take_environment():
    """This plugin's settings; removes them, and this folder, from the environment."""
    settings = {
        name: os.environ.pop("BULKHEAD_" + name, "")
        for name in ("EVENTS", "STACKS", "STACKS_SIGNAL", "ONLY", "ROOTDIR")
    }
    folder = os.path.dirname(os.path.abspath(__file__))
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path_importer_cache.pop(folder, None)
    first, separator, rest = os.environ.get("PYTHONPATH", "").partition(os.pathsep)
    if first == folder:
        if separator:
            os.environ["PYTHONPATH"] = rest
        else:
            del os.environ["PYTHONPATH"]
    return settings


SETTINGS = take_environment()


def pytest_addoption(parser, pluginmanager):
    # A second session within this process (pytester) finds the settings gone, and is not recorded.
    settings = dict(SETTINGS)
    SETTINGS.clear()
    if settings.get("ONLY"):
        pluginmanager.register(Narrow(settings["ONLY"]), "bulkhead_narrow")
    if settings.get("EVENTS"):
        stacks = None
        if settings["STACKS"] and settings["STACKS_SIGNAL"]:
            stacks = (settings["STACKS"], int(settings["STACKS_SIGNAL"]))
        config = pluginmanager.get_plugin("pytestconfig")
        recorder = Recorder(settings["EVENTS"], config, stacks)
        pluginmanager.register(recorder, "bulkhead_recorder")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    # `-c /dev/null` stands for "this suite has no ini file". Without this, relative paths of
    # `-o pythonpath=src` would be looked for in /dev, and `config.inipath` would not be None.
    if str(early_config.inipath) == os.devnull and hasattr(early_config, "_inipath"):
        early_config._inipath = None
