#!/usr/bin/env bash
# libosmo-sigtran 1.6.0 (Debian): a route's mask of /15 or more bits is /0, which fits each point code, and 1.2.3.4 is 1.2.3.
#
# Guess: a point code of the default format 3.8.3 has 14 bits, so that /24, which is right for ANSI's codes and for IP, is an error, as /-1 is;
#   so are a fourth number and a letter behind a point code, as 8.0.0 and 1.2 are.
# Seen: a length above the width gives the mask 0: the route of one node takes all traffic, before the default route if its priority is
#   better, and "/" alone gives 0, too. What is left behind three numbers is passed over: 1.2.3.4, 1.2.3x and 1.2.3/11 are 1.2.3, so
#   that whoever gives code and mask in one word gets the code alone.
# Source: src/osmo_ss7.c: osmo_ss7_pointcode_parse_mask_or_len (limit of 32, then a shift by width - length); pointcode_parse_int (sscanf).
# Output seen: "/14: 0x3fff", "/15: 0x0", "/24: 0x0", "/-1: error", "1.2.3: 1.2.3", "1.2.3.4: 1.2.3", "1.2.3/11: 1.2.3", "1.2: error"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libosmo-sigtran7,libosmo-sigtran-dev}=1.6.0+dfsg1-3 {libosmocore19,libosmocore-dev,libosmogsm18,libosmovty9}=1.7.0-3 \
    libosmonetif8=1.2.0-2 {libtalloc2,libtalloc-dev}=2.4.0-f2 libsctp1=1.0.19+dfsg-2 libmnl0=1.0.4-3 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdio.h>
#include <osmocom/core/application.h>
#include <osmocom/core/logging.h>
#include <osmocom/core/talloc.h>
#include <osmocom/sigtran/osmo_ss7.h>

static const struct log_info categories = {0};

int main(void) {
    void *memory = talloc_named_const(NULL, 0, "run");
    const char *masks[] = {"/14", "/15", "/24", "/", "/-1"};
    const char *codes[] = {"1.2.3", "1.2.3.4", "1.2.3x", "1.2.3/11", "1.2", "8.0.0"};
    osmo_init_logging2(memory, &categories);
    osmo_ss7_init();
    struct osmo_ss7_instance *instance = osmo_ss7_instance_find_or_create(memory, 0);
    for (int place = 0; place < 5; place++) {
        int mask = osmo_ss7_pointcode_parse_mask_or_len(instance, masks[place]);
        printf(mask < 0 ? "%s: error\n" : "%s: 0x%x\n", masks[place], mask);
    }
    for (int place = 0; place < 6; place++) {
        int code = osmo_ss7_pointcode_parse(instance, codes[place]);
        printf("%s: %s\n", codes[place], code < 0 ? "error" : osmo_ss7_pointcode_print(instance, code));
    }
    return 0;
}
C
libraries=$folder/root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$libraries
gcc -w -I root/usr/include -o run run.c "$libraries"/libosmo-sigtran.so.7 "$libraries"/libosmocore.so.19 "$libraries"/libtalloc.so.2 \
    -Wl,--allow-shlib-undefined || exit 2
seen=$(./run 2>/dev/null)
echo "$seen"
[ "$seen" = "/14: 0x3fff
/15: 0x0
/24: 0x0
/: 0x0
/-1: error
1.2.3: 1.2.3
1.2.3.4: 1.2.3
1.2.3x: 1.2.3
1.2.3/11: 1.2.3
1.2: error
8.0.0: error" ] || { echo "changed" >&2; exit 1; }
