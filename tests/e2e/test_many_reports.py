"""10,000 reports become one with 64 open files at most and under 64 MiB, the broken ones included.

The run on disk is the one that tests/bench/merge.py measures.
"""
import collections
import sys
import xml.etree.ElementTree as ElementTree

import pytest

from conftest import DRIVER, PYTHON, SOURCE

sys.path.insert(0, str(SOURCE / "tests" / "bench"))
import merge as bench


@pytest.fixture(scope="module")
def merged():
    with bench.roomy_folder() as folder:
        many = bench.ManyReports(folder, DRIVER, PYTHON)
        many.log = folder / "summary.txt"
        many.cost = many.merge(DRIVER, many.log)
        yield many


def read_suites(path):
    """File → (attributes, tag → count of cases, messages of errors); one suite in memory at once.
    The attributes of the whole are under the empty name."""
    suites = {}
    for event, element in ElementTree.iterparse(path, events=("start", "end")):
        if event == "start" and element.tag == "testsuites":
            suites[""] = dict(element.attrib), collections.Counter(), []
        if event == "end" and element.tag == "testsuite":
            tags = collections.Counter(case[0].tag if len(case) else "passed" for case in element)
            errors = [error.get("message") for error in element.iter("error")]
            suites[element.get("name")] = dict(element.attrib), tags, errors
            element.clear()
    return suites


@pytest.fixture(scope="module")
def suites(merged):
    return read_suites(merged.state / "junit.xml")


def test_the_memory_is_bounded(merged):
    assert merged.cost.status == 1, merged.log.read_text()[-2000:]
    assert merged.bytes > bench.LIMIT_KIB * 1024, "what holds all of them must be able to fail"
    assert merged.cost.peak_kib < bench.LIMIT_KIB


def test_every_file_is_there_with_its_own_counts(suites):
    assert len(suites) == 1 + bench.FILES
    whole = {"passed": bench.CASES - 3, "failure": 2, "skipped": 1}
    for number in range(bench.FILES):
        attributes, tags, _ = suites[bench.file_of(number)]
        if number in bench.UNFINISHED:
            expected = {"passed": 4, "skipped": bench.CASES - 4, "error": 1}
        elif bench.BROKEN.get(number, bench.NOT_UTF8) == bench.NOT_UTF8:
            expected = whole
        else:
            expected = {"error": 1}
        assert dict(tags) == expected, bench.file_of(number)
        assert [int(attributes[name]) for name in ("tests", "failures", "errors", "skipped")] == [
            sum(tags.values()), tags["failure"], tags["error"], tags["skipped"]], number


def test_the_totals_are_the_sums(suites):
    totals = collections.Counter()
    for _, tags, _ in suites.values():
        totals.update(tags)
    attributes = suites[""][0]
    assert [int(attributes[name]) for name in ("tests", "failures", "errors", "skipped")] == [
        sum(totals.values()), totals["failure"], totals["error"], totals["skipped"]]


def test_each_broken_report_is_an_error_that_says_why(suites, merged):
    words = {bench.TORN: "line", bench.EMPTY: "no XML element", bench.NOT_XML: "no XML element",
             bench.FOLDER: "missing", bench.MISSING: "missing"}
    summary = merged.log.read_text()
    for number, kind in bench.BROKEN.items():
        if kind != bench.NOT_UTF8:
            message, = suites[bench.file_of(number)][2]
            assert "report '" in message and words[kind] in message
            assert bench.file_of(number) in summary
