#!/usr/bin/env bash
# libnl 3.7.0 (Debian libnl-3-200), nl_addr_parse: "10.1" and "010.0.0.1" are DECnet addresses, and 10.0.0.1/33 is an IPv4 address.
#
# Guess: with the family left open an address is IPv4 or IPv6, or an error: 10.1 is 10.0.0.1 as for inet_aton, or refused as by inet_pton; a
#   prefix is at most 32, and a mask such as /255.255.255.0 is read as one or refused.
# Seen: what inet_pton refuses is tried as DECnet, which has area and node: 10.1 is of family 12, with a prefix of 16 bits, and of 010.0.0.1 the
#   area 10 and node 0 are left. A prefix of 33 or more is taken as it is, and of the mask the digits before its first point, so that the
#   prefix is 255. Each has code 0; a program that hands the result to the kernel asks for a route of another family.
# Source: lib/addr.c, nl_addr_parse: the branch for AF_DECnet, and strtol for what follows the slash.
# Output seen: "10.0.0.1: family 2, prefix 32", "10.1: family 12, prefix 16", "010.0.0.1: family 12, prefix 16", "10.0.0.1/33: ... 33", ...
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libnl-3-200,libnl-3-dev}=3.7.0-0.2+b1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdio.h>
#include <sys/socket.h>
#include <netlink/netlink.h>
#include <netlink/addr.h>

int main(void) {
    const char *texts[] = {"10.0.0.1", "10.1", "010.0.0.1", "10.0.0.1/33", "192.0.2.1/255.255.255.0", "10"};
    for (int place = 0; place < 6; place++) {
        struct nl_addr *address;
        int code = nl_addr_parse(texts[place], AF_UNSPEC, &address);
        if (code)
            printf("%s: code %d\n", texts[place], code);
        else
            printf("%s: family %d, prefix %d\n", texts[place], nl_addr_get_family(address), nl_addr_get_prefixlen(address));
    }
    return 0;
}
C
library=$(find "$folder/root" -name 'libnl-3.so.200' | head -1)
gcc -w -I root/usr/include/libnl3 -o run run.c "$library" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$(dirname "$library") ./run)
echo "$seen"
[ "$seen" = "10.0.0.1: family 2, prefix 32
10.1: family 12, prefix 16
010.0.0.1: family 12, prefix 16
10.0.0.1/33: family 2, prefix 33
192.0.2.1/255.255.255.0: family 2, prefix 255
10: code -19" ] || { echo "changed" >&2; exit 1; }
