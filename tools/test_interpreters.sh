#!/usr/bin/env bash
# Builds a wheel with each version of Python from 3.11 on that is found on the machine, installs it in a fresh environment
# and runs the tests; a version that is named, such as 3.11, is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

candidates=$(
  for version in 11 12 13 14 15; do
    type -ap "python3.$version" || true
    ls -d "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$version".*/bin/python 2>/dev/null || true
  done
)
seen=""
for python in $candidates; do
  version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
  case " $seen " in *" $version "*) continue ;; esac
  [ "$version" = "${1:-}" ] && continue
  seen="$seen $version"
  echo "== Python $version"
  "$python" -m venv "$work/$version"
  pip="$work/$version/bin/python -m pip --quiet --disable-pip-version-check"
  $pip wheel --no-deps --wheel-dir "$work/$version/wheel" .
  ls "$work/$version/wheel"
  $pip install "$(ls "$work/$version"/wheel/*.whl)[test]"
  "$work/$version/bin/python" -m pytest -q -p no:cacheprovider -n 3 --dist loadfile -m "not long" tests
done
echo "tested on:$seen"
