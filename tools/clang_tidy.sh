#!/usr/bin/env bash
# clang_tidy.sh BIN BUILD: checks every source of the core with the checks of .clang-tidy, two sources at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd "$1" && pwd)
build=$2
# Configured only, nothing compiled: clang cannot read the precompiled headers of other compilers.
"$bin/cmake" -S . -B "$build" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DSKBUILD=2 -DPython_EXECUTABLE="$bin/python" -Dnanobind_DIR="$("$bin/python" -m nanobind --cmake_dir)" \
  --log-level=WARNING
find core -name '*.cpp' -not -path 'core/tests/*' -print0 |
  xargs -0 -n 4 -P 2 "$bin/clang-tidy" -p "$build" --quiet --warnings-as-errors='*' 2> >(grep -v 'warnings generated' >&2)
