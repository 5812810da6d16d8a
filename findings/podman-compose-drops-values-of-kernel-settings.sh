#!/usr/bin/env bash
# podman-compose 1.0.3 (Debian): a kernel setting that is written as a mapping is handed to podman without its value.
#
# Guess: sysctls takes a list ("net.sctp.max_init_retransmits=3") or a mapping (net.sctp.max_init_retransmits: 3), as the format of Compose
#   says, and extra_hosts, too; environment, labels and ulimits take both here, and become the same options.
# Seen: of a mapping the keys alone are passed on: "--sysctl net.sctp.max_init_retransmits", "--add-host hss.example.com". podman
#   refuses such options when the container is made, and the message speaks of a line that is nowhere in the file. The list is right.
# Source: podman_compose.py, container_to_args (for i in cnt.get('sysctls', []), without norm_as_list).
# Output seen: "list: --add-host hss.example.com:192.0.2.1 --sysctl net.sctp.max_init_retransmits=3 -e MODE=1",
#   "mapping: --add-host hss.example.com --sysctl net.sctp.max_init_retransmits -e MODE=1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq podman-compose=1.0.3-3 python3-dotenv=0.21.0-1 python3-yaml=6.0-3+b2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
mkdir bin list mapping
printf '#!/bin/sh\n[ "$1" != --version ] || echo podman version 4.3.1\n' >bin/podman
chmod +x bin/podman
cat >list/compose.yml <<'YAML'
services:
  mme:
    image: example.com/mme
    environment: [MODE=1]
    extra_hosts: ["hss.example.com:192.0.2.1"]
    sysctls: [net.sctp.max_init_retransmits=3]
YAML
cat >mapping/compose.yml <<'YAML'
services:
  mme:
    image: example.com/mme
    environment: {MODE: 1}
    extra_hosts: {hss.example.com: 192.0.2.1}
    sysctls: {net.sctp.max_init_retransmits: 3}
YAML
seen=$(for form in list mapping; do
    PATH=$folder/bin:$PATH python3 -m podman_compose --no-ansi -f $form/compose.yml --dry-run up -d 2>&1 |
        grep -oE -e '--(add-host|sysctl) [^ ]*|-e [^ ]*' | LC_ALL=C sort | paste -sd' ' | sed "s/^/$form: /"
done)
echo "$seen"
[ "$seen" = "list: --add-host hss.example.com:192.0.2.1 --sysctl net.sctp.max_init_retransmits=3 -e MODE=1
mapping: --add-host hss.example.com --sysctl net.sctp.max_init_retransmits -e MODE=1" ] || { echo "changed" >&2; exit 1; }
