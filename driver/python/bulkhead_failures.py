"""What a failure says: place, message, whether descriptors ran out. PYTEST_DONT_REWRITE"""
import errno
import os

TEXT_LIMIT = 65536  # characters of `details` and of `output`
MESSAGE_LIMIT = 500  # characters of `message`
FOREIGN_FOLDERS = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)


def cut(text, limit=TEXT_LIMIT):
    if len(text) <= limit:
        return text
    half = limit // 2
    return "%s\n[... %d characters cut ...]\n%s" % (text[:half], len(text) - limit, text[-half:])


def fold(text):
    """One line of at most MESSAGE_LIMIT characters."""
    line = " ".join(text[: 8 * MESSAGE_LIMIT].split())
    return line if len(line) <= MESSAGE_LIMIT else line[: MESSAGE_LIMIT - 3] + "..."


def without_prefix(text, prefix):
    return text[len(prefix) :] if text.startswith(prefix) else text


def exhaustion_of(error):
    """`EMFILE` or `ENFILE` where the exception, or one that it came from, is one; else None."""
    seen = 0
    pending = [error]
    while pending and seen < 50:
        error = pending.pop()
        seen += 1
        number = getattr(error, "errno", None) if isinstance(error, OSError) else None
        if number in (errno.EMFILE, errno.ENFILE):
            return errno.errorcode[number]
        nested = getattr(error, "exceptions", ())  # of an exception group
        if not isinstance(nested, (tuple, list)):
            nested = ()
        for other in (error.__cause__, error.__context__, *nested):
            if isinstance(other, BaseException):
                pending.append(other)
    return None


def absolute(config, path):
    path = str(path)
    if os.path.isabs(path):
        return path
    return os.path.normpath(os.path.join(str(config.invocation_params.dir), path))


def deepest_own_frame(config, excinfo):
    """(file, line) of the innermost frame that lies under the rootdir, or None."""
    root = str(config.rootpath)
    root = root if root.endswith(os.sep) else root + os.sep
    place = None
    traceback = excinfo.tb
    while traceback is not None:
        frame = traceback.tb_frame
        file = frame.f_code.co_filename
        if file.startswith(root) and not any(word in file for word in FOREIGN_FOLDERS):
            if frame.f_locals.get("__tracebackhide__") is not True:
                place = (file, traceback.tb_lineno)
        traceback = traceback.tb_next
    return place


def place_in(config, longrepr):
    """(file, line) that a failure's representation names, or None."""
    root = str(config.rootpath).rstrip(os.sep) + os.sep
    entries = getattr(getattr(longrepr, "reprtraceback", None), "reprentries", None) or ()
    for entry in reversed(entries):
        location = getattr(entry, "reprfileloc", None)
        if location is not None:
            file = absolute(config, location.path)
            if file.startswith(root) and not any(word in file for word in FOREIGN_FOLDERS):
                return file, location.lineno
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None:
        return absolute(config, crash.path), crash.lineno
    lines = getattr(longrepr, "reprlocation_lines", None)  # of a doctest
    if lines and getattr(lines[0][0], "lineno", None):
        return absolute(config, lines[0][0].path), lines[0][0].lineno
    if getattr(longrepr, "filename", None) and getattr(longrepr, "firstlineno", None):
        return absolute(config, longrepr.filename), longrepr.firstlineno + 1  # unknown fixture
    return None


def message_in(longrepr):
    crash = getattr(longrepr, "reprcrash", None)
    if crash is not None and crash.message:
        return fold(crash.message)
    error = getattr(longrepr, "errorstring", None)  # an unknown fixture
    if isinstance(error, str) and error.strip():
        return fold(error.strip().splitlines()[0])
    if isinstance(longrepr, tuple) and len(longrepr) == 3:
        return fold(str(longrepr[2]))
    lines = [line for line in str(longrepr or "").splitlines() if line.strip()]
    # The representation of an error in collection ends with the exception.
    exceptions = [line[2:] for line in lines if line.startswith("E ")]
    return fold(exceptions[-1] if exceptions else (lines[0] if lines else ""))


def doctest_message(error):
    """What a doctest wanted and got; None for other exceptions."""
    failures = getattr(error, "failures", None)
    if type(error).__name__ != "MultipleDoctestFailures" or not failures:
        return None
    first = failures[0]
    if hasattr(first, "got"):
        return fold("doctest: expected %s got %s" % (first.example.want, first.got))
    return fold("doctest: %s: %s" % (first.exc_info[0].__name__, first.exc_info[1]))
