"""Bulkhead's lister: which files would pytest collect? PYTEST_DONT_REWRITE

Run as `python -m pytest -p bulkhead_list --collect-only -q [ARGUMENTS]` with BULKHEAD_LIST=<absolute
path of the answer> and this folder first in PYTHONPATH. BULKHEAD_LIST_ONLY may be a JSON list of
paths; then nothing else counts of what the arguments hold. pytest walks the tree by its own rules
(testpaths, python_files, norecursedirs, --ignore, conftest.py, plugins); where it comes to the
inside of a file it gets the answer "no tests", so no test module is imported. docs/formats.md
specifies the answer, which is written whatever the session ends in.

Options of the suite that a walk must not obey (workers, coverage, --lf, -x, report files) are
neutralised, and pytest's cache lies beside the answer: listing leaves nothing in the tree. Supports
Python 3.9 and pytest 7.2, and later.
"""
import json
import os
import pathlib
import re
import sys

import pytest
from bulkhead_watch import (
    conftests,
    environment_marks,
    ini_files,
    installation,
    is_below,
    modules,
    testpaths_folders,
)

VERSION = 1
# Options, and what they are set to where they exist.
EARLY_OPTIONS = {"cov_source": [], "cov_fail_under": None}
OPTIONS = {
    "numprocesses": 0,
    "maxprocesses": None,
    "tx": [],
    "dist": "no",
    "distload": False,
    "looponfail": False,
    "cov_source": [],
    "cov_fail_under": None,
    "lf": False,
    "failedfirst": False,
    "newfirst": False,
    "cacheclear": False,
    "stepwise": False,
    "stepwise_skip": False,
    "stepwise_reset": False,
    "maxfail": 0,
    "xmlpath": None,
    "report_log": None,
    "htmlpath": None,
    "json_report": False,
    "pastebin": None,
}


def own_folder():
    """What of Bulkhead's own may lie in the tree: the state folder, or else this file's folder."""
    folder = os.path.dirname(os.path.realpath(__file__))
    state = os.path.dirname(folder)
    return state if os.path.isfile(os.path.join(state, "suite.json")) else folder


OWN_FOLDER = own_folder()


def neutralise(namespace, options):
    for name, value in options.items():
        if hasattr(namespace, name):
            setattr(namespace, name, value)


def redirect_cache(folder):
    """pytest's cache goes to `folder`. `-o cache_dir=` would do the same for a path without `$`,
    and where the suite has not disabled the cache; a function of pytest's own has no such limits."""
    from _pytest.cacheprovider import Cache

    Cache.cache_dir_from_config = staticmethod(lambda *args, **more: pathlib.Path(folder))


def bytes_of(path):
    """The path's bytes, each that is not UTF-8 as an escape U+DC80..U+DCFF (PEP 383), whatever the
    locale made of them."""
    return os.fsencode(path).decode("utf-8", "surrogateescape")


def text_of(message):
    """A message without what JSON has no word for: lone surrogates."""
    return message.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def would_be_split(path):
    """Whether pytest would take a part of this argument for the name of a test."""
    return "[" in path or "::" in path


def message_of(error):
    """One line for a person; pytest keeps the cause of a broken conftest in `cause` or `excinfo`."""
    cause = getattr(error, "cause", None)
    if not isinstance(cause, BaseException):
        excinfo = getattr(error, "excinfo", None)
        cause = excinfo[1] if isinstance(excinfo, tuple) and len(excinfo) == 3 else None
    path = getattr(error, "path", None)
    if isinstance(cause, BaseException) and path is not None:
        return "cannot import conftest: %s: %s" % (type(cause).__name__, cause)
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if lines and lines[0].startswith("usage:"):
        lines = [line.partition("error: ")[2] for line in lines if "error: " in line] or lines
    return lines[-1] if lines else type(error).__name__


class Lister:
    def __init__(self, config, answer, only):
        self.config = config
        self.answer = answer
        self.only = only  # of the arguments' folders; empty: all
        self.session = None
        self.files = {}  # path -> (set of kinds, nodes of each)
        self.directories = set()
        self.marks = set()  # that make folders virtual environments
        self.errors = []
        self.complete = False
        self.packages_are_modules = issubclass(pytest.Package, pytest.Module)  # until pytest 8
        # The first cleanup to be registered is the last to be run.
        config.add_cleanup(self.write)

    # -- options

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config):
        neutralise(early_config.known_args_namespace, EARLY_OPTIONS)
        yield

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config):
        neutralise(config.option, OPTIONS)
        config.option.collectonly = True
        # Without arguments pytest names its working directory to itself, and takes it apart.
        here = str(config.invocation_params.dir)
        if would_be_split(here):
            config.args = ["." if arg == here else arg for arg in config.args]
        yield

    # -- the walk

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session):
        self.session = session

    @pytest.hookimpl(tryfirst=True)
    def pytest_make_collect_report(self, collector):
        if isinstance(collector, pytest.Package):
            self.directories.add(self.folder_of(collector))
            return None
        if isinstance(collector, pytest.File):
            path = str(collector.path)
            self.files.setdefault(path, set()).add(self.kind_of(collector))
            return pytest.CollectReport(collector.nodeid, "passed", None, [])
        if collector is not self.session and getattr(collector, "path", None) is not None:
            self.directories.add(self.folder_of(collector))
        return None

    @staticmethod
    def folder_of(collector):
        path = str(collector.path)
        return path if os.path.isdir(path) else os.path.dirname(path)

    @staticmethod
    def kind_of(collector):
        names = {kind.__name__ for kind in type(collector).__mro__}
        if "DoctestModule" in names:  # also a pytest.Module
            return "doctest"
        if "DoctestTextfile" in names:
            return "text"
        return "module" if isinstance(collector, pytest.Module) else "other"

    @pytest.hookimpl(hookwrapper=True)
    def pytest_ignore_collect(self, collection_path):
        outcome = yield
        if outcome.excinfo is None and self.is_left_out(str(collection_path)):
            outcome.force_result(True)
        if outcome.excinfo is None and outcome.get_result() and os.path.isdir(collection_path):
            self.marks.update(environment_marks(str(collection_path)))
        # Before pytest 8 folders are no collectors, and norecursedirs comes after this hook.
        if self.packages_are_modules and outcome.excinfo is None and not outcome.get_result():
            path = str(collection_path)
            if os.path.isdir(path) and not self.is_norecurse(collection_path):
                self.directories.add(path)

    def is_left_out(self, path):
        """Bulkhead's own files; and of a folder that stands for a path which pytest would split,
        all that leads not there."""
        if path == OWN_FOLDER:
            return True
        return bool(self.only) and not any(
            is_below(path, only) or is_below(only, path) for only in self.only
        )

    def is_norecurse(self, path):
        from _pytest.pathlib import fnmatch_ex

        return path.name == "__pycache__" or any(
            fnmatch_ex(pattern, path) for pattern in self.config.getini("norecursedirs")
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_collectreport(self, report):
        if report.failed:
            path = os.path.join(str(self.config.rootpath), report.nodeid.split("::")[0])
            if os.path.basename(path) == "__init__.py" and not os.path.exists(path):
                path = os.path.dirname(path)
            lines = [line for line in report.longreprtext.splitlines() if line.strip()]
            exceptions = [line[2:].strip() for line in lines if line.startswith("E ")]
            message = exceptions[-1] if exceptions else (lines[-1] if lines else "")
            crash = getattr(report.longrepr, "reprcrash", None)
            if crash is not None:
                message = "%s:%s: %s" % (crash.path, crash.lineno, crash.message.split("\n")[0])
            self.errors.append({"path": os.path.normpath(path), "message": message})

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self):
        self.complete = True

    def pytest_keyboard_interrupt(self, excinfo):
        if not self.complete:
            self.errors.append({"path": "", "message": excinfo.exconly()})

    def pytest_internalerror(self, excinfo):
        if not self.complete:
            self.errors.append({"path": "", "message": excinfo.exconly()})

    # -- the answer

    def initial_paths(self):
        return [str(path) for path in getattr(self.session, "_initialpaths", ())]

    def watched(self):
        config = self.config
        watched = {
            *ini_files(config),
            *conftests(config, self.initial_paths()),
            *modules(config, OWN_FOLDER),
            *installation(),
            *self.marks,
            *(error["path"] for error in self.errors),
        }
        watched.discard("")
        return sorted(watched)

    def is_named_ok(self, path, kinds):
        """Whether naming the file on the command line collects from it what the walk does."""
        root = str(self.config.rootpath)
        relative = os.path.relpath(path, root) if is_below(path, root) else path
        if would_be_split(relative) or os.path.basename(path) == "__init__.py":
            return False
        if path in self.initial_paths():
            return True  # the suite names it itself
        if path.endswith(".py") and "module" not in kinds:
            return False  # naming it would make it a test module too
        return True

    def answer_of_session(self):
        config = self.config
        error = sys.exc_info()[1]  # of a configuration that pytest refused
        if error is not None and not isinstance(error, SystemExit):
            path = getattr(error, "path", None)
            self.errors.append(
                {"path": str(path) if path is not None else "", "message": message_of(error)}
            )
        roots = self.initial_paths()
        self.directories.update(path for path in roots if os.path.isdir(path))
        self.directories.update(os.path.dirname(path) for path in self.files)
        walked = {d for d in self.directories if any(is_below(d, root) for root in roots)}
        names = {name for name, plugin in config.pluginmanager.list_name_plugin() if plugin}
        confcutdir = getattr(config.pluginmanager, "_confcutdir", None)
        if confcutdir is None:  # pytest came to no conftest.py
            confcutdir = config.rootpath if config.inipath is None else config.inipath.parent
        status = getattr(self.session, "exitstatus", None)
        return {
            "version": VERSION,
            "python": {
                "executable": bytes_of(sys.executable),
                "version": "%d.%d.%d" % sys.version_info[:3],
                "prefix": bytes_of(sys.prefix),
            },
            "pytest": pytest.__version__,
            "rootdir": bytes_of(config.rootpath),
            "inipath": bytes_of(config.inipath) if config.inipath is not None else None,
            "confcutdir": bytes_of(confcutdir),
            "args": [bytes_of(argument) for argument in getattr(config, "args", ())],
            "plugins": sorted(name for name in names if re.fullmatch(r"[A-Za-z_][\w.-]*", name)),
            "files": [
                {
                    "path": bytes_of(path),
                    "kinds": sorted(kinds),
                    "named_ok": self.is_named_ok(path, kinds),
                }
                for path, kinds in sorted(self.files.items())
            ],
            "directories": [bytes_of(p) for p in sorted({*walked, *testpaths_folders(config)})],
            "watch": [bytes_of(path) for path in self.watched()],
            "errors": [
                {"path": bytes_of(error["path"]), "message": text_of(error["message"])}
                for error in self.errors
            ],
            "complete": self.complete,
            "status": int(status) if status is not None else None,
        }

    def write(self):
        try:
            answer = self.answer_of_session()
        except Exception as error:
            answer = {
                "version": VERSION,
                "errors": [{"path": "", "message": "bulkhead_list: %r" % (error,)}],
                "complete": False,
                "status": None,
            }
        prepare_plugin(self.config)
        # ASCII: bytes of a path that are not UTF-8 are U+DC80..U+DCFF escapes (PEP 383).
        beside = "%s.%d" % (self.answer, os.getpid())
        with open(beside, "w", encoding="ascii") as file:
            json.dump(answer, file)
            file.write("\n")
        os.replace(beside, self.answer)


def prepare_plugin(config):
    """Compiles the plugin's modules beside themselves for this interpreter and this pytest, so
    that test processes, which may be forbidden to write bytecode, need not parse it each time.
    pytest puts plugins named by -p through its assertion rewriter, which has bytecode files of its
    own."""
    try:
        import py_compile

        from _pytest.assertion import rewrite

        source = pathlib.Path(__file__).with_name("bulkhead_plugin.py")
        for name in ("bulkhead_plugin.py", "bulkhead_events.py", "bulkhead_failures.py"):
            py_compile.compile(str(source.with_name(name)), quiet=2)
        compiled = rewrite.get_cache_dir(source) / (source.name[:-3] + rewrite.PYC_TAIL)
        state = config.stash[rewrite.assertstate_key]
        if rewrite._read_pyc(source, compiled, state.trace) is None:
            stamp, code = rewrite._rewrite_test(source, config)
            rewrite._write_pyc(state, code, stamp, compiled)
    except Exception:
        pass  # internals of pytest that may change; the plugin works without


def take_environment():
    answer = os.environ.pop("BULKHEAD_LIST", "")
    only = json.loads(os.environ.pop("BULKHEAD_LIST_ONLY", "[]"))
    folder = os.path.dirname(os.path.abspath(__file__))
    if folder in sys.path:
        sys.path.remove(folder)
    first, separator, rest = os.environ.get("PYTHONPATH", "").partition(os.pathsep)
    if first == folder:
        if separator:
            os.environ["PYTHONPATH"] = rest
        else:
            del os.environ["PYTHONPATH"]
    sys.path_importer_cache.pop(folder, None)
    return [(answer, [os.path.abspath(path) for path in only])] if answer else []


ANSWER = take_environment()


def pytest_addoption(parser, pluginmanager):
    if ANSWER:
        config = pluginmanager.get_plugin("pytestconfig")
        answer, only = ANSWER.pop()
        redirect_cache(os.path.join(os.path.dirname(answer), "cache"))
        pluginmanager.register(Lister(config, answer, only), "bulkhead_lister")
