#!/usr/bin/env bash
# Installs Debian's Chromium for the tests of reports in a browser.
set -u
name=Chromium
# shellcheck source=tools/debian_package.sh
source "$(dirname "$0")/debian_package.sh"

for browser in chromium chromium-browser google-chrome; do
  command -v "$browser" > /dev/null && exit 0
done
check_rights chromium
install_package chromium 300 # larger than PostgreSQL
