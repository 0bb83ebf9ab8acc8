"""ci/compare_with_pytest.py tells a difference that other files' state, or the environment, makes
from one that Bulkhead makes."""
import textwrap

import pytest

from conftest import DRIVER, PYTHON, SOURCE, environment, run

COMPARE = SOURCE / "ci" / "compare_with_pytest.py"

LEAK = "import sys\ndef test_leaks():\n    sys.leaked_by_a_test = True\n"


@pytest.fixture
def compare(tmp_path):
    def compare(*options, **files):
        for name, text in files.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
        return run([PYTHON, COMPARE, "--root", tmp_path, "--python", PYTHON, "--driver", DRIVER,
                    *options],
                   env=environment(TZ="Asia/Tokyo"))
    return compare


def test_the_same_verdicts_of_every_kind_are_no_difference(compare):
    finished = compare(test_a="""
        import pytest
        def test_passes(): pass
        def test_fails(): assert 0
        @pytest.mark.skip
        def test_skipped(): pass
        @pytest.mark.xfail
        def test_xfails(): assert 0
        @pytest.mark.xfail
        def test_xpasses(): pass
        @pytest.fixture
        def broken(): raise OSError
        def test_errs(broken): pass
        @pytest.fixture
        def breaks_later():
            yield
            raise OSError
        def test_errs_later(breaks_later): pass
        @pytest.mark.parametrize("text", ["a b", "a::b", "[", "ü"])
        def test_each(text): pass
        """, test_skips="import pytest\npytest.skip('all of it', allow_module_level=True)\n",
        test_broken="import no_such_module\n", test_empty="")
    assert finished.status == 0, finished
    assert "0 differences" in finished.out
    assert "4 files, 11 tests: 5 passed, 1 xpassed, 1 skipped, 1 xfailed, 2 error, 1 failed, " \
        "1 file error, 1 file skipped" in finished.out


def test_what_another_file_left_behind_explains_a_difference(compare):
    finished = compare(test_a=LEAK, test_b="""
        import sys
        def test_is_clean(): assert not hasattr(sys, "leaked_by_a_test")
        """)
    assert finished.status == 0, finished
    assert "| test_b.py::test_is_clean | failed | passed | passed | leakage |" in finished.out


@pytest.mark.parametrize("through", ["test", "ctest"])
def test_the_entrys_environment_explains_a_difference(compare, through):
    finished = compare("--through", through, test_a="""
        import time
        def test_zone(): assert time.tzname[0] == "UTC"
        """)
    assert finished.status == 0, finished
    assert "| test_a.py::test_zone | failed | passed | failed | environment |" in finished.out


def test_what_only_bulkhead_makes_is_not_explained(compare):
    finished = compare(test_a="""
        import os
        def test_unseen(): assert "BULKHEAD_ENTRY" not in os.environ
        """)
    assert finished.status == 1, finished
    assert "| test_a.py::test_unseen | passed | failed | passed | **nothing** |" in finished.out
    assert "1 differences, 1 of them unexplained" in finished.out


def test_tests_that_differ_by_themselves_are_unsteady(compare, tmp_path):
    finished = compare(test_a=f"""
        import pathlib
        def test_every_other_time():
            mark = pathlib.Path({str(tmp_path / 'mark')!r})
            if mark.exists():
                mark.unlink()
            else:
                mark.touch()
            assert mark.exists()
        """)
    assert finished.status == 0, finished
    assert "| failed | passed | failed/passed | unsteady |" in finished.out
