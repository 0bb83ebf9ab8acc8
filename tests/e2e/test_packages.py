"""The three ways in which a CMake project takes Bulkhead in, each with a project of its own."""
# bulkhead: timeout=1200
import os
import shutil
import tarfile

import pytest

from conftest import CMAKE, CTEST, PYTHON, SOURCE, environment, run

BUILD = os.environ.get("BULKHEAD_BUILD_DIR", "")
COMPILER_CACHE = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []


def succeed(argv, **more):
    finished = run(argv, env=environment(CTEST_OUTPUT_ON_FAILURE="1"), timeout=900, **more)
    assert finished.status == 0, finished
    return finished


def project(kind, folder):
    """A copy of the project, configured by the caller's options, then built and tested."""
    source = folder / "source"
    shutil.copytree(SOURCE / "tests" / "packages" / kind, source)
    return source, folder / "build"


def passes(build):
    finished = succeed([CTEST, "--test-dir", str(build)])
    assert "tests/test_answer.py" in finished.out
    assert "100% tests passed" in finished.out


@pytest.mark.skipif(not BUILD, reason="BULKHEAD_BUILD_DIR does not say which build to install")
def test_find_package(tmp_path):
    prefix = tmp_path / "prefix"
    succeed([CMAKE, "--install", BUILD, "--prefix", str(prefix)])
    source, build = project("find_package", tmp_path)
    succeed([CMAKE, "-S", str(source), "-B", str(build), f"-DCMAKE_PREFIX_PATH={prefix}",
             f"-DTEST_PYTHON={PYTHON}"])
    passes(build)
    assert str(prefix) in (build / "bulkhead" / "answers.cmake").read_text()


@pytest.mark.parametrize("wanted", ["0.0.1", "1.0", "0.9"])
@pytest.mark.skipif(not BUILD, reason="BULKHEAD_BUILD_DIR does not say which build to install")
def test_find_package_refuses_other_versions(tmp_path, wanted):
    prefix = tmp_path / "prefix"
    succeed([CMAKE, "--install", BUILD, "--prefix", str(prefix)])
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(P LANGUAGES NONE)\n"
        f"find_package(Bulkhead {wanted} REQUIRED)\n")
    finished = run([CMAKE, "-S", str(tmp_path), "-B", str(tmp_path / "build"),
                    f"-DCMAKE_PREFIX_PATH={prefix}"], env=environment())
    assert finished.status != 0
    assert "compatible with requested version" in " ".join(finished.err.split())


@pytest.mark.parametrize("kind", ["add_subdirectory", "fetch_content"])
def test_sources_inside_another_project(tmp_path, kind):
    """Configured, listed before the build, then built (without optimisation: that is faster)."""
    source, build = project(kind, tmp_path)
    archive = tmp_path / "bulkhead.tar"
    with tarfile.open(archive, "w") as tar:
        for name in ("CMakeLists.txt", "cmake", "driver"):
            tar.add(SOURCE / name, f"bulkhead/{name}")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path / "unpacked")
    succeed([CMAKE, "-G", "Ninja", "-S", str(source), "-B", str(build),
             f"-DBULKHEAD_SOURCE={tmp_path}/unpacked/bulkhead", f"-DBULKHEAD_ARCHIVE={archive}",
             "-DCMAKE_BUILD_TYPE=", f"-DTEST_PYTHON={PYTHON}", *COMPILER_CACHE])
    assert "answers_NOT_BUILT" in succeed([CTEST, "--test-dir", str(build), "-N"]).out
    succeed([CMAKE, "--build", str(build)])
    passes(build)
    assert "unit." not in succeed([CTEST, "--test-dir", str(build), "-N"]).out
