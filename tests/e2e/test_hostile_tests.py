"""What a test does to its own process, and what its file is then: an exit, a signal, a patch that is
never undone, a limit, a fork. Each case is a file of one suite, and all run at once."""
import re
import textwrap

import pytest

PASSED = ("passed", "")

# name → (source, outcome, pattern of the cause)
CASES = {
    # Ends of the process that no status tells.
    "exits_0": ("""
        import os
        def test_a(): pass
        def test_x(): os._exit(0)
        """, "crashed", r"^exited 0 without finishing its report while running test_exits_0\.py::test_x$"),
    "exits_5": ("import os\ndef test_x(): os._exit(5)\n",
                "crashed", "^exited 5 without finishing its report while running"),
    "exits_77": ("import os\ndef test_x(): os._exit(77)\n",
                 "crashed", "^exited 77 without finishing its report while running"),
    "becomes_another_program": ("import os\ndef test_x(): os.execvp('true', ['true'])\n",
                                "crashed", "^exited 0 without finishing its report while running"),
    "becomes_another_pytest": ("""
        import os, sys
        def test_x():
            os.execv(sys.executable, [sys.executable, "-m", "pytest", "--version"])
        """, "crashed", "^exited 0 without finishing its report while running"),
    "exit_handler_after_a_pass": ("import atexit, os\natexit.register(os._exit, 7)\ndef test_a(): pass\n",
                                  "crashed", "^exited 7 after its session had finished with status 0$"),
    "exit_handler_of_an_empty_file": ("import atexit, os\natexit.register(os._exit, 3)\n",
                                      "crashed", "^exited 3 after its session had finished with status 5$"),
    "exit_handler_of_a_skip": ("""
        import atexit, os, pytest
        atexit.register(os._exit, 1)
        @pytest.mark.skip(reason="not now")
        def test_a(): pass
        """, "crashed", "^exited 1 after its session had finished with status 0$"),
    "timer_of_faulthandler": ("""
        import faulthandler, time
        def test_a():
            faulthandler.dump_traceback_later(0.1, exit=True)
            time.sleep(60)
        """, "crashed", "^exited 1 without finishing its report while running"),
    # Signals.
    "aborts": ("import os\ndef test_x(): os.abort()\n", "crashed", "^killed by SIGABRT while running"),
    "aborts_without_faulthandler": ("""
        import faulthandler, os
        def test_x():
            faulthandler.disable()
            os.abort()
        """, "crashed", "^killed by SIGABRT while running"),
    "alarm": ("import signal\ndef test_x():\n    signal.alarm(1)\n    signal.pause()\n",
              "crashed", "^killed by SIGALRM while running"),
    "signal_without_a_name": ("import os\ndef test_x(): os.kill(os.getpid(), 40)\n",
                              "crashed", "^killed by signal 40 while running"),
    "kills_its_group": ("import os, signal\ndef test_x(): os.killpg(0, signal.SIGTERM)\n",
                        "crashed", "^killed by SIGTERM while running"),
    "cpu_limit": ("""
        import resource
        def test_x():
            resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
            while True: pass
        """, "crashed", "^killed by SIGXCPU while running"),
    # Exceptions that are no Exception.
    "keyboard_interrupt": ("def test_a(): pass\ndef test_x(): raise KeyboardInterrupt\n",
                           "interrupted", r"^interrupted while running test_keyboard_interrupt\.py::test_x"),
    "system_exit": ("import sys\ndef test_x(): sys.exit(0)\ndef test_a(): pass\n", "failed", "^1 failed, 1 passed$"),
    "exception_without_words": ("""
        class Mute(BaseException):
            def __str__(self): raise RuntimeError
            __repr__ = __str__
        def test_x(): raise Mute
        def test_a(): pass
        """, "failed", "^1 failed, 1 passed$"),
    # Passing tests that change what the plugin stands on.
    "patched_getpid": ("import os\ndef test_a(): os.getpid = lambda: 42\ndef test_b(): pass\n", *PASSED),
    "patched_files": ("""
        import json, os
        def test_a():
            def refuse(*args, **more): raise OSError("no")
            os.open = os.write = os.fstat = json.dumps = json.JSONEncoder.encode = refuse
        def test_x(): assert 0
        """, "failed", "^1 failed, 1 (passed|error)$"),
    "closes_descriptors": ("import os\ndef test_a(): os.closerange(20, 60000)\ndef test_b(): pass\n", *PASSED),
    "clears_the_environment": ("import os\ndef test_a(): os.environ.clear()\ndef test_b(): pass\n", *PASSED),
    "forgets_modules": ("""
        import sys
        def test_a():
            for name in [name for name in sys.modules if name.startswith(("bulkhead", "json"))]:
                del sys.modules[name]
        def test_b(): pass
        """, *PASSED),
    "leaves_its_folder": ("""
        import os, tempfile
        def test_a():
            folder = tempfile.mkdtemp()
            os.chdir(folder)
            os.rmdir(folder)
        def test_b(): pass
        """, *PASSED),
    "removes_its_temporary_root": ("""
        import shutil, tempfile
        def test_a(tmp_path): shutil.rmtree(tempfile.gettempdir())
        def test_b(): pass
        """, *PASSED),
    "umask": ("import os\ndef test_a(): os.umask(0o777)\ndef test_b(): pass\n", *PASSED),
    "few_descriptors": ("""
        import resource
        def test_a(): resource.setrlimit(resource.RLIMIT_NOFILE, (16, 16))
        def test_b(): pass
        """, *PASSED),
    "blocks_signals": ("import signal\ndef test_a(): signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))\n",
                       *PASSED),
    "ignores_its_children": ("""
        import signal, subprocess
        def test_a():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
            subprocess.run(["true"])
        """, *PASSED),
    "warnings_are_errors": ("import warnings\ndef test_a(): warnings.simplefilter('error')\ndef test_b(): pass\n",
                            *PASSED),
    "deep_recursion": ("def f(): f()\ndef test_x(): f()\ndef test_a(): pass\n", "failed", "^1 failed, 1 passed$"),
    "thread_that_outlives": ("""
        import threading
        def test_a(): threading.Thread(target=threading.Event().wait, daemon=True).start()
        """, *PASSED),
    # Other sessions within and beside this one.
    "pytest_in_a_test": ("""
        import pytest, subprocess, sys
        def test_a(tmp_path):
            (tmp_path / "test_inner.py").write_text("def test_x(): assert 0")
            arguments = ["-p", "no:cacheprovider", "-c", "/dev/null", str(tmp_path)]
            assert pytest.main(arguments) == 1
            assert subprocess.run([sys.executable, "-m", "pytest", *arguments]).returncode == 1
        """, *PASSED),
    "fork_that_fails_on": ("""
        import os
        def test_a():
            global child
            child = os.fork()
        def test_b(): assert child
        def test_c():
            if child: assert os.waitpid(child, 0)[1] == 256
        """, *PASSED),
    "fork_that_reports_last": ("""
        import os, time
        def test_a():
            global parent
            parent = os.getpid()
            os.fork()
        def test_b():
            while os.getpid() != parent and os.getppid() == parent:
                time.sleep(0.01)
            assert os.getpid() == parent
        """, *PASSED),
    "process_pools": ("""
        import multiprocessing
        import pytest
        @pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
        def test_a(method):
            with multiprocessing.get_context(method).Pool(1) as pool:
                assert pool.map(abs, [-1]) == [1]
        """, *PASSED),
}


@pytest.fixture(scope="module")
def ran(suite_in, tmp_path_factory):
    suite = suite_in(tmp_path_factory.mktemp("hostile"))
    suite.config["timeout"] = 60
    suite.config["leak-grace"] = 20  # a fork may end later than its parent
    for name, (source, _, _) in CASES.items():
        suite.write(f"test_{name}.py", textwrap.dedent(source))
    finished = suite.ctest("-j4")
    assert finished.status == 8, finished
    return suite


@pytest.mark.parametrize("name", CASES)
def test_the_file_is_what_the_test_made_of_it(ran, name):
    _, outcome, cause = CASES[name]
    result = ran.results()[f"test_{name}.py"]
    assert (result["outcome"], bool(re.search(cause or "^$", result["cause"]))) == (outcome, True), result
    tags = {tag for _, tag in ran.junit().outcomes(f"test_{name}.py")}
    assert bool(tags & {"failure", "error"}) == (outcome != "passed"), tags


def test_the_counts_are_true_whatever_happened(ran):
    assert ran.junit().counts_are_true()
