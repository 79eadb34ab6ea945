#!/usr/bin/env bash
# step.sh HEADING COMMAND...: shows the heading, runs the command, shows the seconds it took.
set -uo pipefail
heading=$1
shift
printf '== %s\n' "$heading"
begin=$SECONDS
"$@"
status=$?
if [ $status -eq 0 ]; then outcome="done"; else outcome="FAILED"; fi
printf '== %s: %s after %d s\n' "$heading" "$outcome" $((SECONDS - begin))
exit $status
