"""What the lister's answer depends on besides the folders that it walked. PYTEST_DONT_REWRITE

Nothing here is asked to change: the driver compares these paths before it believes its cache. A
file counts by its content, or by its absence; a folder of sys.path by what is installed in it.
"""
import glob
import os
import site
import sys
import sysconfig

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
FOREIGN_FOLDERS = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)
# By these pytest tells a virtual environment, which it does not enter.
ENVIRONMENT_MARKS = (
    "pyvenv.cfg",
    "conda-meta/history",
    "bin/activate",
    "bin/activate.csh",
    "bin/activate.fish",
    "bin/Activate.ps1",
)


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


def start_folders(config):
    """The folders where pytest starts to look for an ini file: those of the arguments."""
    base = str(config.invocation_params.dir)
    given = getattr(getattr(config, "known_args_namespace", None), "file_or_dir", None) or []
    folders = []
    for argument in given:
        path = os.path.normpath(os.path.join(base, str(argument).split("::")[0]))
        if os.path.exists(path):
            folders.append(path if os.path.isdir(path) else os.path.dirname(path))
    return folders or [base]


def ini_files(config):
    """Those that pytest read, and those that it would have read first."""
    starts = start_folders(config)
    top = None
    if config.inipath is not None:
        yield str(config.inipath)
        top = os.path.dirname(str(config.inipath))
    for start in {os.path.commonpath(starts), *starts}:
        for folder in folders_up(start, top):
            for name in INI_NAMES:
                yield os.path.join(folder, name)
            if top is None:
                yield os.path.join(folder, "setup.py")  # marks a rootdir too


def conftests(config, initial_paths):
    """Those above what pytest walked; the walk's own are in its folders."""
    root = str(config.rootpath)
    for path in initial_paths or start_folders(config):
        if is_below(path, root):
            folder = path if os.path.isdir(path) else os.path.dirname(path)
            for ancestor in folders_up(folder, root):
                yield os.path.join(ancestor, "conftest.py")


def modules(config, own_folder):
    """The code that ran: plugins, conftests, and what they import. Of what is installed the plugins
    count alone, since an installation shows in its folder."""
    library = sysconfig.get_paths()["stdlib"]
    for module in list(sys.modules.values()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if not isinstance(file, str) or not os.path.isabs(file) or is_below(file, own_folder):
            continue
        if not is_below(file, library) and not any(word in file for word in FOREIGN_FOLDERS):
            yield file
    for plugin in config.pluginmanager.get_plugins():
        named = getattr(plugin, "__dict__", {})
        file = named.get("__file__")
        own = str(named.get("__name__")).startswith("_pytest.") or named.get("__name__") == "pytest"
        if isinstance(file, str) and not own and not is_below(file, own_folder):
            yield file


def installation():
    """Where a plugin may be installed, and what adds to sys.path."""
    folders = [folder for folder in sys.path if folder and os.path.isabs(folder)]
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    for folder in folders:
        yield folder
        yield from glob.glob(os.path.join(glob.escape(folder), "*.pth"))
    yield os.path.join(sys.prefix, "pyvenv.cfg")


def testpaths_folders(config):
    """Folders in which something new could match `testpaths`: pytest looks there only to expand
    the patterns."""
    if getattr(config.known_args_namespace, "file_or_dir", None):
        return
    base = str(config.invocation_params.dir)
    for pattern in config.getini("testpaths"):
        parts = pattern.split("/")
        magic = [index for index, part in enumerate(parts) if glob.has_magic(part)]
        first = 0 if not os.path.isabs(pattern) else magic[0] if magic else len(parts) - 1
        for count in range(first, len(parts)):
            prefix = os.path.join(glob.escape(base), "/".join(parts[:count]), "")
            for folder in glob.iglob(prefix, recursive=True):
                yield os.path.normpath(folder)


def environment_marks(folder):
    """Of a folder that pytest passed over: what may make a virtual environment of it."""
    marks = [os.path.join(folder, name) for name in ENVIRONMENT_MARKS]
    return marks if any(os.path.exists(mark) for mark in marks) else []
