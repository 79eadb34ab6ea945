#!/usr/bin/env bash
# Installs Debian's PostgreSQL for the tests of stores. No cluster is made and no server started.
# install_postgres.sh [ROOT] looks for the files below ROOT.
set -u
root=${1:-}
name=PostgreSQL
# shellcheck source=tools/debian_package.sh
source "$(dirname "$0")/debian_package.sh"

command -v initdb > /dev/null && exit 0
ls "$root"/usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 && exit 0
check_rights postgresql

# An answer of our own to a question of the package: no cluster, so no server that starts with the machine.
settings=$root/etc/postgresql-common/createcluster.conf
if [ ! -e "$settings" ]; then
  "${as_root[@]}" mkdir -p "$(dirname "$settings")" &&
    echo "create_main_cluster = false" | "${as_root[@]}" tee "$settings" > /dev/null || skip "cannot write $settings"
fi
install_package postgresql 90
