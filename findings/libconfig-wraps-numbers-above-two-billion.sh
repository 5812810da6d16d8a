#!/usr/bin/env bash
# libconfig 1.5 (Debian libconfig9): rate = 10000000000 is read as 1410065408, and 4294967295 as -1, also by lookups of 64 bits.
#
# Guess: a number that does not fit into 32 bits is an error of the file, or is kept in 64, for which there are config_lookup_int64 and the
#   suffix L; the bit rate of a link in bit/s and a TSN of 32 bits are such numbers.
# Seen: without the suffix it is cut to 32 bits and signed, without an error: 10 Gbit/s become 1.4 Gbit/s, and 3 Gbit/s are negative.
#   config_lookup_int64 gives the cut value, and says that it succeeded. With L all 64 bits are kept; config_lookup_int then gives 0
#   for what does not fit, and says that it succeeded, too.
# Source: lib/scanner.l, which stores numbers without L in an int; lib/libconfig.c, config_setting_get_int64 and _get_int.
# Output seen: "10000000000: int 1410065408 (1), int64 1410065408 (1)", "10000000000L: int 0 (1), int64 10000000000 (1)"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libconfig9,libconfig-dev}=1.5-0.4 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdio.h>
#include <libconfig.h>

int main(void) {
    const char *texts[] = {"2147483647", "3000000000", "4294967295", "10000000000", "10000000000L"};
    for (int place = 0; place < 5; place++) {
        config_t file;
        char line[64];
        int small = 77;
        long long large = 77;
        config_init(&file);
        snprintf(line, sizeof line, "rate = %s;", texts[place]);
        if (!config_read_string(&file, line)) {
            printf("%s: error\n", texts[place]);
            continue;
        }
        int found = config_lookup_int(&file, "rate", &small);
        int found_large = config_lookup_int64(&file, "rate", &large);
        printf("%s: int %d (%d), int64 %lld (%d)\n", texts[place], small, found, large, found_large);
    }
    return 0;
}
C
library=$(find "$folder/root" -name 'libconfig.so.9' | head -1)
gcc -w -I root/usr/include -o run run.c "$library" || exit 2
seen=$(LD_LIBRARY_PATH=$(dirname "$library") ./run)
echo "$seen"
[ "$seen" = "2147483647: int 2147483647 (1), int64 2147483647 (1)
3000000000: int -1294967296 (1), int64 -1294967296 (1)
4294967295: int -1 (1), int64 -1 (1)
10000000000: int 1410065408 (1), int64 1410065408 (1)
10000000000L: int 0 (1), int64 10000000000 (1)" ] || { echo "changed" >&2; exit 1; }
