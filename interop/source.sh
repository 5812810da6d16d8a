#!/bin/bash
# source.sh PACKAGE FOLDER
#
# Unpacks the sources of a Debian package into FOLDER, which it fetches once. Nothing is installed, and the
# machine's own lists stay as they are. Where they cannot be had it says "skipped: " and why.
set -euo pipefail
package=$1 folder=$2
skip() { echo "skipped: $*"; exit 0; }
mkdir -p "$folder"
exec 9> "$folder/lock"
flock 9
[ ! -e "$folder/complete" ] || exit 0
command -v apt-get > /dev/null || skip "no apt-get"
. /etc/os-release
[ -n "${VERSION_CODENAME:-}" ] || skip "no release of Debian"
cd "$folder"
mkdir -p lists/partial
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main" > sources.list
apt() {
  apt-get "$@" -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Dir::Etc::sourcelist="$PWD/sources.list" \
    -o Dir::Etc::sourceparts=- -o Dir::State::lists="$PWD/lists" -o Dir::Cache="$PWD" > fetched.log 2>&1
}
{ apt update && apt source --download-only "$package"; } || skip "Debian's source package $package cannot be fetched"
tar xf ./*.orig.tar.*
touch complete
