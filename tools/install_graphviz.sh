#!/usr/bin/env bash
# Installs Debian's Graphviz, whose `dot` draws the exported trees in tests.
set -u
name=Graphviz
# shellcheck source=tools/debian_package.sh
source "$(dirname "$0")/debian_package.sh"

command -v dot > /dev/null && exit 0
check_rights graphviz
install_package graphviz 90
