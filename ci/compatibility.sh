#!/bin/sh
# ci/compatibility.sh [CTEST:PYTEST...] - the end-to-end tests with other CTests and pytests.
#
#   ci/compatibility.sh '4.1.*:8.3.*'    # versions as pip takes them; 'installed' for CTest
#
# Each pair gets a virtual environment in a temporary folder, filled from PyPI (the `cmake` wheel
# brings CTest), and runs all the tests with these versions; says at the end which they were.
# PYTHON names the interpreter (default: /usr/bin/python3), E2E the tests (default: tests/e2e),
# BULKHEAD_DRIVER the driver (default: build/ci's, built first).
#
# Status: 0 all passed; 1 some failed; 77 a pair could not be installed, so was not tested.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
if [ $# = 0 ]; then
  set -- 'installed:7.2.*' 'installed:9.*' '4.0.*:8.*' '4.*:9.*'
fi

if [ -z "${BULKHEAD_DRIVER:-}" ]; then
  "$root/tools/build" bulkhead
  BULKHEAD_DRIVER=$root/build/ci/driver/bulkhead
fi
export BULKHEAD_DRIVER BULKHEAD_SOURCE_DIR="$root"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
results=$scratch/results
: >"$results"

# install FOLDER CTEST PYTEST
install() {
  "$python" -m venv "$1" || return
  set -- "$1" "$2" "pytest==$3" pytest-cov pytest-xdist
  folder=$1 ctest=$2
  shift 2
  [ "$ctest" = installed ] || set -- "cmake==$ctest" "$@"
  "$folder/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

number=0
for pair; do
  number=$((number + 1))
  venv=$scratch/$number
  if ! install "$venv" "${pair%%:*}" "${pair#*:}" >"$scratch/install.log" 2>&1; then
    cat "$scratch/install.log" >&2
    echo "NOT TESTED $pair: it cannot be installed from PyPI" | tee -a "$results"
    continue
  fi
  # By its path: the wheel's own `ctest` in bin/ is what users have on PATH.
  ctest=ctest cmake=cmake
  if [ -x "$venv/bin/ctest" ]; then
    ctest=$venv/bin/ctest cmake=$venv/bin/cmake
  fi
  versions="$("$ctest" --version | sed -n '1s/ version//p'), $("$venv/bin/python" -m pytest --version), $("$venv/bin/python" --version)"
  echo "== $pair: $versions"
  if (cd "$scratch" &&
      PATH=$venv/bin:$PATH CTEST_COMMAND=$ctest CMAKE_COMMAND=$cmake \
      BULKHEAD_TEST_PYTHON=$venv/bin/python PYTHONDONTWRITEBYTECODE=1 \
      "$venv/bin/python" -m pytest -q --tb=short -p no:cacheprovider --rootdir "$root/tests/e2e" \
        -c /dev/null --basetemp "$scratch/tmp" ${E2E:-"$root/tests/e2e"}); then
    echo "passed $versions" >>"$results"
  else
    echo "FAILED $versions" >>"$results"
  fi
  rm -rf "$venv"
done

echo "== compatibility"
cat "$results"
! grep -q '^FAILED' "$results" || exit 1
! grep -q '^NOT TESTED' "$results" || exit 77
