#!/usr/bin/env bash
# podman-compose 1.0.3 (Debian): the arguments of a check of health are split at blanks, though CMD has no shell.
#
# Guess: test: [CMD, program, argument] is run as it is, without a shell (the format of Compose has CMD-SHELL for one), so that an
#   argument with a blank stays one and a dollar sign is a dollar sign; the code puts each word in quotes.
# Seen: the words are joined by the three characters ' ' and put behind "/bin/sh -c". The shell in which podman runs a command that is
#   no JSON array takes all quotes away, and the second shell splits what is left: 'a b' becomes two arguments, and '*' all
#   files of the folder. Words without blanks or other characters of the shell come out right, so that it is seen late.
# Source: podman_compose.py, container_to_args: "' '".join(cmd_quote(i) ...).
# Output seen: "CMD, printf, [%s], plain: [plain]", "CMD, printf, [%s], a b: [a][b]", "CMD-SHELL, printf [%s] \"a b\": [a b]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq podman-compose=1.0.3-3 python3-dotenv=0.21.0-1 python3-yaml=6.0-3+b2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
export PYTHONPATH=$folder/root/usr/lib/python3/dist-packages
mkdir bin
printf '#!/bin/sh\n[ "$1" != --version ] || echo podman version 4.3.1\n' >bin/podman
chmod +x bin/podman
seen=$(for words in "CMD, printf, '[%s]', plain" "CMD, printf, '[%s]', 'a b'" "CMD-SHELL, 'printf [%s] \"a b\"'"; do
    echo "{services: {mme: {image: example.com/mme, healthcheck: {test: [$words]}}}}" >compose.yml
    option=$(PATH=$folder/bin:$PATH python3 -m podman_compose --no-ansi --dry-run up -d 2>&1 |
        sed -n 's/.*--healthcheck-command \(.*\) example.com.*/\1/p')
    # As podman runs the option in a container.
    echo "$words: $(sh -c "$option")"
done)
echo "$seen"
[ "$seen" = "CMD, printf, '[%s]', plain: [plain]
CMD, printf, '[%s]', 'a b': [a][b]
CMD-SHELL, 'printf [%s] \"a b\"': [a b]" ] || { echo "changed" >&2; exit 1; }
