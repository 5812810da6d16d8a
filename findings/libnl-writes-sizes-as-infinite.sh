#!/usr/bin/env bash
# libnl 3.7.0 (Debian libnl-3-200): it cannot read the durations and sizes that it writes, and sizes below 1024 are "infB".
#
# Guess: nl_msec2str and nl_str2msec, nl_size2str and nl_size2int are pairs: what one writes the other reads, as tools on the library do with
#   what a user copies from one into another. A negative duration is an error.
# Seen: milliseconds are written "500msec", a unit that the reader does not know, so that each duration with a part of a second is refused;
#   "-5s" is read as 18446744073709546616. Each size below 1024 is "infB", and 125000 "1.2e+02KiB"; the reader knows neither the
#   unit KiB nor a point, so that it reads nothing of what is written.
# Source: lib/utils.c: nl_str2msec (d, h, m, s), nl_msec2str; nl_size2str prints "%.2g" of what is left, nl_size2int uses strtol.
# Output seen: "1500: 1s 500msec, code -7", "60000: 1m, code 0", "-5s: code 0, 18446744073709546616", "1000: infB, -7", "2048: 2KiB, -7"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libnl-3-200,libnl-3-dev}=3.7.0-0.2+b1 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdint.h>
#include <stdio.h>
#include <netlink/netlink.h>
#include <netlink/utils.h>

int main(void) {
    uint64_t times[] = {500, 1500, 60000}, read = 0;
    size_t sizes[] = {999, 1000, 2048, 125000};
    char text[64];
    for (int place = 0; place < 3; place++) {
        nl_msec2str(times[place], text, sizeof text);
        printf("%lu: %s, code %d\n", (unsigned long)times[place], text, nl_str2msec(text, &read));
    }
    int code = nl_str2msec("-5s", &read);
    printf("-5s: code %d, %lu\n", code, (unsigned long)read);
    for (int place = 0; place < 4; place++) {
        nl_size2str(sizes[place], text, sizeof text);
        printf("%zu: %s, %ld\n", sizes[place], text, nl_size2int(text));
    }
    return 0;
}
C
library=$(find "$folder/root" -name 'libnl-3.so.200' | head -1)
gcc -w -I root/usr/include/libnl3 -o run run.c "$library" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$(dirname "$library") ./run)
echo "$seen"
[ "$seen" = "500: 500msec, code -7
1500: 1s 500msec, code -7
60000: 1m, code 0
-5s: code 0, 18446744073709546616
999: infB, -7
1000: infB, -7
2048: 2KiB, -7
125000: 1.2e+02KiB, -7" ] || { echo "changed" >&2; exit 1; }
