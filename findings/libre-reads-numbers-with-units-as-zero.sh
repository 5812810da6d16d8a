#!/usr/bin/env bash
# libre 1.1.0 (Debian), its configuration files: a number that has more than digits is 0, and "on" is false, both without an error.
#
# Guess: conf_get_u32 gives an error for "10ms", "0x10" or "-5", as it does for a name that is missing, or else the digits in front; and
#   switches are yes and no, on and off, since conf_get_bool returns an error code, too.
# Seen: whatever has a letter, point or sign is 0: "rtp_timeout 60s" is a timer of 0, and 4294967296 is 0, too. "on" and "enabled" are false;
#   yes, true and 1 are true. The code returned is 0, as for a good value, so that a program keeps no default. An address with port
#   99999 is one with port 34463. Programs on it, such as the telephone baresip, read their files so.
# Source: src/conf/conf.c, conf_get_u32 and conf_get_bool; src/fmt/pl.c, pl_u32: stops at the first other letter with 0.
# Output seen: "60: code 0, 60", "60s: code 0, 0", "0x10: code 0, 0", "1.5: code 0, 0", "4294967296: code 0, 0", "on: code 0, off", "port 34463"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libre0,libre-dev}=1.1.0-1+b2 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >run.c <<'C'
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <re.h>

static struct conf *read_value(const char *value) {
    struct conf *file;
    char text[64];
    snprintf(text, sizeof text, "timer 5\nvalue %s\n", value);
    return conf_alloc_buf(&file, (const uint8_t *)text, strlen(text)) ? NULL : file;
}

int main(void) {
    const char *numbers[] = {"60", "60s", "0x10", "1.5", "-5", "4294967296"};
    const char *switches[] = {"yes", "true", "on", "enabled"};
    struct sa address;
    for (int place = 0; place < 6; place++) {
        uint32_t number = 77;
        int code = conf_get_u32(read_value(numbers[place]), "value", &number);
        printf("%s: code %d, %u\n", numbers[place], code, number);
    }
    for (int place = 0; place < 4; place++) {
        bool on = true;
        int code = conf_get_bool(read_value(switches[place]), "value", &on);
        printf("%s: code %d, %s\n", switches[place], code, on ? "on" : "off");
    }
    int code = sa_decode(&address, "192.0.2.1:99999", 15);
    printf("address: code %d, port %u\n", code, sa_port(&address));
    return 0;
}
C
libraries=$folder/root/usr/lib/x86_64-linux-gnu
gcc -w -DHAVE_INET6 -DHAVE_STDBOOL_H -I root/usr/include/re -o run run.c \
    "$libraries/libre.so.0" -Wl,--allow-shlib-undefined || exit 2
seen=$(LD_LIBRARY_PATH=$libraries ./run)
echo "$seen"
[ "$seen" = "60: code 0, 60
60s: code 0, 0
0x10: code 0, 0
1.5: code 0, 0
-5: code 0, 0
4294967296: code 0, 0
yes: code 0, on
true: code 0, on
on: code 0, off
enabled: code 0, off
address: code 0, port 34463" ] || { echo "changed" >&2; exit 1; }
