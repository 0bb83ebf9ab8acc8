"""The event file of Bulkhead's pytest plugin, and descriptors that tests do not come across."""
import json
import os


class System:
    """The calls that this plugin lives on, taken before any test can replace them: a patch of
    `os.getpid` may never be undone, and a fake file system (pyfakefs) replaces whole modules, in
    the namespaces of others too, but looks into no class."""

    close = os.close
    fstat = os.fstat
    getpid = os.getpid
    open = os.open
    stat = os.stat
    sysconf = os.sysconf
    write = os.write
    append_flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    encode = json.JSONEncoder(separators=(",", ":")).encode


BACKLOG_LIMIT = 16 << 20  # bytes kept back while the event file cannot be written
HIGH_DESCRIPTOR = 500  # above the numbers that tests look at, or close in a row


def raise_descriptor(fd):
    """The same open file under a high number, where the limit has room for one."""
    try:
        if System.sysconf("SC_OPEN_MAX") <= HIGH_DESCRIPTOR + 20:
            return fd
        import fcntl

        high = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR)
    except (ImportError, OSError, ValueError, AttributeError):
        return fd
    System.close(fd)
    return high


def open_to_append(path):
    return raise_descriptor(System.open(path, System.append_flags, 0o666))


def open_descriptors():
    """How many descriptors this process has open, counted without opening one; -1 if unknown."""
    try:
        count = System.stat("/proc/self/fd").st_size  # the number of entries, since Linux 6.2
        if count > 0:
            return count
        count = 0
        for fd in range(min(System.sysconf("SC_OPEN_MAX"), 65536)):
            try:
                System.fstat(fd)
                count += 1
            except OSError:
                pass
        return count
    except (OSError, ValueError, AttributeError):
        return -1


class EventFile:
    """Appends records to the event file: one write(2) a record, straight to the file, so that they
    survive whatever becomes of this process. Never raises.

    Tests close descriptors they do not know, and then open files that get the same number, so each
    write first looks whether the descriptor still is the event file. What cannot be written is kept
    and tried again with the next record; what was still not written at the end makes the session
    red (Recorder.close). A fork writes nothing: only the process that was started counts.
    """

    def __init__(self, path):
        self.path = path
        self.pid = System.getpid()
        self.fd = -1
        self.identity = None
        self.torn = False  # the file may end within a line
        self.backlog = []
        self.backlog_bytes = 0
        self.dropped = 0
        self.error = None
        self.on_reopen = None

    def _open(self):
        self.fd = open_to_append(self.path)
        status = System.fstat(self.fd)
        self.identity = (status.st_dev, status.st_ino)

    def _is_ours(self):
        if self.fd < 0:
            return False
        try:
            status = System.fstat(self.fd)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self.identity

    def _put(self, record):
        if not self._is_ours():
            reopened = self.fd >= 0
            self.fd = -1
            self._open()
            if reopened and self.on_reopen is not None:
                self.on_reopen()
        data = b"\n" + record if self.torn else record
        while data:
            written = System.write(self.fd, data)
            data = data[written:]
            self.torn = bool(data)

    def is_owner(self):
        return System.getpid() == self.pid

    def write(self, event):
        if not self.is_owner():
            return
        try:
            record = System.encode(event).encode("ascii") + b"\n"
        except Exception as error:  # a nodeid or text of a type that JSON has no word for
            self.error = error
            self.dropped += 1
            return
        self.backlog.append(record)
        self.backlog_bytes += len(record)
        self.flush()

    def flush(self):
        try:
            while self.backlog:
                self._put(self.backlog[0])
                self.backlog_bytes -= len(self.backlog.pop(0))
        except Exception as error:
            self.error = error
            while self.backlog_bytes > BACKLOG_LIMIT:
                self.backlog_bytes -= len(self.backlog.pop(0))
                self.dropped += 1

    def unwritten(self):
        return self.dropped + len(self.backlog)
