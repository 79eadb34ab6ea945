# Functions for the scripts that install a package of Debian for some tests, where it is absent and that takes no
# questions: as root or by a sudo that asks for no password. They are sourced with `name` set. Whatever happens the
# status is 0: without the package those tests are skipped with a reason. CALIBRANT_NO_INSTALL=1 leaves the machine alone.

skip() {
  printf '== %s: %s; its tests are skipped\n' "$name" "$1"
  exit 0
}

# Skips unless a package may be installed; else sets as_root.
check_rights() {
  [ -z "${CALIBRANT_NO_INSTALL:-}" ] || skip "CALIBRANT_NO_INSTALL is set"
  command -v apt-get > /dev/null || skip "not installed, and there is no apt-get"
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo -n)
    sudo -n true 2> /dev/null || skip "not installed, and only root may do so (apt-get install $1)"
  fi
}

# install_package PACKAGE SECONDS
install_package() {
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  get=(timeout -k 5 "$2" apt-get -qq -o Acquire::http::Timeout=10 -o Acquire::Retries=1 -o DPkg::Lock::Timeout=20
    -o Dpkg::Options::=--force-confold)
  printf '== %s: installing\n' "$name"
  {
    "${as_root[@]}" "${get[@]}" update
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${get[@]}" install -y --no-install-recommends "$1"
  } > "$log" 2>&1 < /dev/null || skip "apt-get failed ($(tail -n 1 "$log"))"
  printf '== %s: installed\n' "$name"
}
