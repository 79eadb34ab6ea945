#!/usr/bin/env bash
# test_portable.sh BIN: what other processors and compilers make of the code, as far as one x86-64 Linux machine can tell.
#   1. all tests with AVX2 and AVX-512 switched off in NumPy, glibc and OpenBLAS, our own clones held to the baseline
#   2. the C++ tests compiled by clang
#   3. the C++ tests compiled for aarch64 and run by qemu-user
#   4. the core and its tests compiled for Windows by mingw-w64
# The digests in core/tests/test_digest.cpp and tests/test_digests.py are among the tests. Steps whose compiler cannot be
# had are skipped with a message; CALIBRANT_PORTABLE=clang,aarch64 runs only the steps named.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd "$1" && pwd)
steps=${CALIBRANT_PORTABLE:-baseline,clang,aarch64,windows}
skipped=""

# get PROGRAM PACKAGE...: true if the program is there, or once the Debian packages are installed.
get() {
  local program=$1
  shift
  command -v "$program" > /dev/null && return
  if [ "$(id -u)" -eq 0 ] && command -v apt-get > /dev/null; then
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@") > /dev/null || true
  fi
  command -v "$program" > /dev/null
}

skip() {
  echo "== SKIPPED $1: $2 is not installed and could not be (Debian packages: $3)"
  skipped="$skipped $1"
}

wants() { [[ ",$steps," == *",$1,"* ]]; }

# compile NAME COMPILER OPTION...: the core and its tests in build/portable-NAME.
compile() {
  local name=$1 compiler=$2
  shift 2
  "$bin/cmake" -S . -B "build/portable-$name" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCALIBRANT_WERROR=ON -DCALIBRANT_CORE_TESTS=ON --log-level=WARNING "$@"
  tools/step.sh "$name: compiling" "$bin/cmake" --build "build/portable-$name"
}

run() { tools/step.sh "$1: C++ tests" "$bin/ctest" --test-dir "build/portable-$1" -j 2 --output-on-failure --progress; }

if wants baseline; then
  mapfile -t off < <("$bin/python" tools/baseline_env.py)
  printf '%s\n' "${off[@]}"
  tools/step.sh "baseline: all tests" env "${off[@]}" make --no-print-directory VENV=.venv-baseline BUILD=build/baseline BASELINE=ON test
fi

if wants clang; then
  if get clang++ clang; then compile clang clang++ && run clang; else skip clang clang++ "clang"; fi
fi

if wants aarch64; then
  if get aarch64-linux-gnu-g++ g++-aarch64-linux-gnu && get qemu-aarch64 qemu-user; then
    compile aarch64 aarch64-linux-gnu-g++ -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
      -DCMAKE_CROSSCOMPILING_EMULATOR="qemu-aarch64;-L;/usr/aarch64-linux-gnu"
    run aarch64
  else
    skip aarch64 "aarch64-linux-gnu-g++ or qemu-aarch64" "g++-aarch64-linux-gnu qemu-user"
  fi
fi

if wants windows; then
  if get x86_64-w64-mingw32-g++-posix g++-mingw-w64-x86-64; then
    compile windows x86_64-w64-mingw32-g++-posix -DCMAKE_SYSTEM_NAME=Windows
    if command -v wine > /dev/null; then run windows; else echo "windows: compiled and linked; not run, there is no wine"; fi
  else
    skip windows x86_64-w64-mingw32-g++-posix "g++-mingw-w64-x86-64"
  fi
fi

echo "== portable: done${skipped:+, but skipped:$skipped}"
