#!/usr/bin/env bash
# iniparser 4.1 (Debian libiniparser1): values that were quoted in a file are dumped without quotes, and cut when that file is read.
#
# Guess: a file that a program loads and dumps again, with one value changed, has the same values as before: quotes that protect a
#   semicolon or a number sign are written again, since the dictionary holds the value with them in it.
# Seen: "local;remote" is written as local;remote, and read as "local": what is behind the sign is a comment now. A value with blanks at its ends
#   loses them, and one that ends in a backslash swallows the next line, whose key is gone. Nothing is reported, and a second dump
#   makes the loss final. URIs of SIP and Diameter have semicolons: their transport=sctp is what is lost.
# Source: src/iniparser.c, iniparser_dumpsection_ini: "%-30s = %s"; iniparser_line reads quoted values with another pattern.
# Output seen: "uri: [sip:alice@example.com;transport=sctp] -> [sip:alice@example.com]", "blanks: [ a ] -> [a]", "port: [5060] -> [none]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 .
apt-get download -qq {libiniparser1,libiniparser-dev}=4.1-6 2>/dev/null || exit 2
for package in *.deb; do dpkg -x "$package" root; done
cat >first.ini <<'INI'
[peer]
uri = "sip:alice@example.com;transport=sctp"
blanks = " a "
folder = "C:\"
port = 5060
INI
cat >run.c <<'C'
#include <stdio.h>
#include <iniparser/iniparser.h>

int main(void) {
    const char *keys[] = {"peer:uri", "peer:blanks", "peer:folder", "peer:port"};
    dictionary *first = iniparser_load("first.ini");
    FILE *file = fopen("second.ini", "w");
    iniparser_dump_ini(first, file);
    fclose(file);
    dictionary *second = iniparser_load("second.ini");
    for (int place = 0; place < 4; place++)
        printf("%s: [%s] -> [%s]\n", keys[place] + 5, iniparser_getstring(first, keys[place], "none"),
               second ? iniparser_getstring(second, keys[place], "none") : "unreadable");
    return 0;
}
C
library=$(find "$folder/root" -name 'libiniparser.so.1' | head -1)
gcc -w -I root/usr/include -o run run.c "$library" || exit 2
seen=$(LD_LIBRARY_PATH=$(dirname "$library") ./run)
echo "$seen"
[ "$seen" = "uri: [sip:alice@example.com;transport=sctp] -> [sip:alice@example.com]
blanks: [ a ] -> [a]
folder: [C:\] -> [C:port                           = 5060]
port: [5060] -> [none]" ] || { echo "changed" >&2; exit 1; }
