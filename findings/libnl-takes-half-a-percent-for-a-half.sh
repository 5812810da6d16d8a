#!/usr/bin/env bash
# libnl 3.7.0 (Debian libnl-3-200), nl_prob2int: 1% is certain, 0.5% is a half, and 1.5% is 1.5%.
#
# Guess: "converts a percentage or a number between 0 and 1" means that a percent sign divides by 100, always: the loss of a netem queue or
#   the share of a random early drop is given as 0.5% or as 0.005.
# Seen: what is greater than 1 is divided by 100, with or without the sign, and what is not is taken as it is, with or without the sign: 1% is
#   1, 0.5% is 0.5, 0.001% is 0.001. Losses of real paths are of that size, so that a study of 0.5% is one of 50%; 2% and 5%, with
#   which one tries it, are right, and so is "2" without a sign.
# Source: lib/utils.c, nl_prob2int: if (p > 1.0) p /= 100, before the sign is looked at.
# Output seen: "5%: 5.000%", "1.5%: 1.500%", "1%: 100.000%", "0.5%: 50.000%", "0.005: 0.500%", "2: 2.000%"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libnl-3-200,libnl-3-dev}=3.7.0-0.2+b1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdio.h>
#include <netlink/netlink.h>
#include <netlink/utils.h>

int main(void) {
    const char *texts[] = {"5%", "1.5%", "1%", "0.5%", "0.005", "2"};
    for (int place = 0; place < 6; place++)
        printf("%s: %.3f%%\n", texts[place], nl_prob2int(texts[place]) / 4294967296.0 * 100);
    return 0;
}
C
library=$(find "$folder/root" -name 'libnl-3.so.200' | head -1)
gcc -w -I root/usr/include/libnl3 -o run run.c "$library" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$(dirname "$library") ./run)
echo "$seen"
[ "$seen" = "5%: 5.000%
1.5%: 1.500%
1%: 100.000%
0.5%: 50.000%
0.005: 0.500%
2: 2.000%" ] || { echo "changed" >&2; exit 1; }
