"""Bulkhead's lister: which files would pytest collect? PYTEST_DONT_REWRITE

Run as `python -m pytest -p bulkhead_list --collect-only -q [ARGUMENTS]` with BULKHEAD_LIST=<absolute
path of the answer> and this folder first in PYTHONPATH. pytest walks the tree by its own rules
(testpaths, python_files, norecursedirs, --ignore, conftest.py, plugins); where it comes to the
inside of a file it gets the answer "no tests", so no test module is imported. docs/formats.md
specifies the answer, which is written whatever the session ends in.

Options of the suite that a walk must not obey (workers, coverage, --lf, -x, report files) are
neutralised. Supports Python 3.9 and pytest 7.2, and later.
"""
import json
import os
import re
import sys

import pytest

VERSION = 1
# In the order in which pytest looks for them within a folder (the toml files since 9.0).
INI_NAMES = (
    "pytest.toml",
    ".pytest.toml",
    "pytest.ini",
    ".pytest.ini",
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
)
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
    folder = os.path.dirname(os.path.abspath(__file__))
    state = os.path.dirname(folder)
    return state if os.path.isfile(os.path.join(state, "suite.json")) else folder


OWN_FOLDER = own_folder()
FOREIGN_FOLDERS = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


def neutralise(namespace, options):
    for name, value in options.items():
        if hasattr(namespace, name):
            setattr(namespace, name, value)


def is_below(path, folder):
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def folders_up(start, top=None):
    """`start` and its ancestors, up to `top` or the root."""
    folder = start
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if folder == top or parent == folder:
            return
        folder = parent


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
    def __init__(self, config, answer):
        self.config = config
        self.answer = answer
        self.session = None
        self.files = {}  # path -> (set of kinds, nodes of each)
        self.directories = set()
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
        if str(collection_path) == OWN_FOLDER and outcome.excinfo is None:
            outcome.force_result(True)
        # Before pytest 8 folders are no collectors, and norecursedirs comes after this hook.
        if self.packages_are_modules and outcome.excinfo is None and not outcome.get_result():
            path = str(collection_path)
            if os.path.isdir(path) and not self.is_norecurse(collection_path):
                self.directories.add(path)

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

    def start_folders(self):
        """The folders where pytest starts to look for an ini file: those of the arguments."""
        config = self.config
        base = str(config.invocation_params.dir)
        given = getattr(getattr(config, "known_args_namespace", None), "file_or_dir", None) or []
        folders = []
        for argument in given:
            path = os.path.normpath(os.path.join(base, str(argument).split("::")[0]))
            if os.path.exists(path):
                folders.append(path if os.path.isdir(path) else os.path.dirname(path))
        return folders or [base]

    def watched(self):
        config = self.config
        root = str(config.rootpath)
        watched = set()
        starts = self.start_folders()
        if config.inipath is not None:
            watched.add(str(config.inipath))
        top = os.path.dirname(str(config.inipath)) if config.inipath is not None else None
        for start in {os.path.commonpath(starts), *starts}:
            for folder in folders_up(start, top):
                watched.update(os.path.join(folder, name) for name in INI_NAMES)
                if top is None:
                    watched.add(os.path.join(folder, "setup.py"))  # marks a rootdir too
        for path in self.initial_paths() or starts:
            if is_below(path, root):
                folder = path if os.path.isdir(path) else os.path.dirname(path)
                for ancestor in folders_up(folder, root):
                    watched.add(os.path.join(ancestor, "conftest.py"))
        for module in list(sys.modules.values()):
            file = getattr(module, "__dict__", {}).get("__file__")
            if isinstance(file, str) and is_below(file, root) and not is_below(file, OWN_FOLDER):
                if not any(word in file for word in FOREIGN_FOLDERS):
                    watched.add(file)
        for plugin in config.pluginmanager.get_plugins():
            file = getattr(plugin, "__dict__", {}).get("__file__")
            if isinstance(file, str) and os.path.basename(file) == "conftest.py":
                watched.add(file)
        for folder in sys.path:
            if os.path.basename(folder) in ("site-packages", "dist-packages"):
                watched.add(folder)
        return sorted(watched)

    def is_named_ok(self, path, kinds):
        """Whether naming the file on the command line collects from it what the walk does."""
        if "[" in path or "::" in path or os.path.basename(path) == "__init__.py":
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
        directories = [d for d in self.directories if any(is_below(d, root) for root in roots)]
        names = {name for name, plugin in config.pluginmanager.list_name_plugin() if plugin}
        confcutdir = getattr(config.pluginmanager, "_confcutdir", None)
        if confcutdir is None:  # pytest came to no conftest.py
            confcutdir = config.rootpath if config.inipath is None else config.inipath.parent
        status = getattr(self.session, "exitstatus", None)
        return {
            "version": VERSION,
            "python": {
                "executable": sys.executable,
                "version": "%d.%d.%d" % sys.version_info[:3],
                "prefix": sys.prefix,
            },
            "pytest": pytest.__version__,
            "rootdir": str(config.rootpath),
            "inipath": str(config.inipath) if config.inipath is not None else None,
            "confcutdir": str(confcutdir),
            "args": [str(argument) for argument in getattr(config, "args", ())],
            "plugins": sorted(name for name in names if re.fullmatch(r"[A-Za-z_][\w.-]*", name)),
            "files": [
                {"path": path, "kinds": sorted(kinds), "named_ok": self.is_named_ok(path, kinds)}
                for path, kinds in sorted(self.files.items())
            ],
            "directories": sorted(directories),
            "watch": self.watched(),
            "errors": self.errors,
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
    """Compiles the plugin's two modules beside themselves for this interpreter and this pytest, so that test
    processes, which may be forbidden to write bytecode, need not parse it each time. pytest puts
    plugins named by -p through its assertion rewriter, which has bytecode files of its own."""
    try:
        import pathlib
        import py_compile

        from _pytest.assertion import rewrite

        source = pathlib.Path(__file__).with_name("bulkhead_plugin.py")
        for module in (source, source.with_name("bulkhead_events.py")):
            py_compile.compile(str(module), quiet=2)
        compiled = rewrite.get_cache_dir(source) / (source.name[:-3] + rewrite.PYC_TAIL)
        state = config.stash[rewrite.assertstate_key]
        if rewrite._read_pyc(source, compiled, state.trace) is None:
            stamp, code = rewrite._rewrite_test(source, config)
            rewrite._write_pyc(state, code, stamp, compiled)
    except Exception:
        pass  # internals of pytest that may change; the plugin works without


def take_environment():
    answer = os.environ.pop("BULKHEAD_LIST", "")
    folder = os.path.dirname(os.path.abspath(__file__))
    if folder in sys.path:
        sys.path.remove(folder)
    first, separator, rest = os.environ.get("PYTHONPATH", "").partition(os.pathsep)
    if first == folder:
        if separator:
            os.environ["PYTHONPATH"] = rest
        else:
            del os.environ["PYTHONPATH"]
    return [answer] if answer else []


ANSWER = take_environment()


def pytest_addoption(parser, pluginmanager):
    if ANSWER:
        config = pluginmanager.get_plugin("pytestconfig")
        pluginmanager.register(Lister(config, ANSWER.pop()), "bulkhead_lister")
