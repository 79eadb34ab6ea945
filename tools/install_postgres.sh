#!/usr/bin/env bash
# Installs Debian's PostgreSQL for the tests of stores, where it is absent and that takes no questions: as root or by a
# sudo that asks for no password. No cluster is made and no server started. Whatever happens the status is 0: without
# PostgreSQL those tests are skipped with a reason. install_postgres.sh [ROOT] looks for the files below ROOT.
# CALIBRANT_NO_INSTALL=1 leaves the machine alone.
set -u
root=${1:-}

skip() {
  printf '== PostgreSQL: %s; its tests are skipped\n' "$1"
  exit 0
}

command -v initdb > /dev/null && exit 0
ls "$root"/usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 && exit 0
[ -z "${CALIBRANT_NO_INSTALL:-}" ] || skip "CALIBRANT_NO_INSTALL is set"
command -v apt-get > /dev/null || skip "not installed, and there is no apt-get"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  as_root=(sudo -n)
  sudo -n true 2> /dev/null || skip "not installed, and only root may do so (apt-get install postgresql)"
fi

# An answer of our own to a question of the package: no cluster, so no server that starts with the machine.
settings=$root/etc/postgresql-common/createcluster.conf
if [ ! -e "$settings" ]; then
  "${as_root[@]}" mkdir -p "$(dirname "$settings")" &&
    echo "create_main_cluster = false" | "${as_root[@]}" tee "$settings" > /dev/null || skip "cannot write $settings"
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
get=(timeout -k 5 90 apt-get -qq -o Acquire::http::Timeout=10 -o Acquire::Retries=1 -o DPkg::Lock::Timeout=20
  -o Dpkg::Options::=--force-confold)
printf '== PostgreSQL: installing\n'
{
  "${as_root[@]}" "${get[@]}" update
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends postgresql
} > "$log" 2>&1 < /dev/null || skip "apt-get failed ($(tail -n 1 "$log"))"
printf '== PostgreSQL: installed\n'
