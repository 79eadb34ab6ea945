#!/usr/bin/env bash
# clang_tidy.sh BIN BUILD: checks every source of the core with the checks of .clang-tidy, two at a time. The bindings are
# left out: they compute nothing, and parsing nanobind takes longer than all the rest.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd "$1" && pwd)
build=$2
# Configured only, nothing compiled: clang cannot read the precompiled headers of other compilers.
"$bin/cmake" -S . -B "$build" -G Ninja -DCMAKE_MAKE_PROGRAM="$bin/ninja" -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  --log-level=WARNING
find core -name '*.cpp' -not -path 'core/tests/*' -not -path 'core/bind/*' -print0 | sort -z |
  xargs -0 -n 4 -P 2 "$bin/clang-tidy" -p "$build" --quiet --warnings-as-errors='*' 2> >(grep -vE 'warnings? generated|Processing file' >&2)
