#!/usr/bin/env bash
# eddystone-url-encoding 1.0.1 (npm): an address with a second one in it is written without the octet of its scheme and cannot be read again.
#
# Guess: the first octet is the scheme, 0 to 3, and the rest the address (Eddystone-URL, "URL Scheme Prefix"); http://, if it comes again, is seven
#   letters.
# Seen: the schemes are looked for anywhere, "http://www." first. In https://a.b/http://www.c it is found in the middle: there it becomes the octet 0,
#   which in that place means ".com/", and the letters "https://a.b/" stay as they are. The first octet is the letter h, which its own decoder refuses.
#   With a second "https://" alone all goes well, as the first one is found first.
# Source: lib/encode.js, replace (indexOf where a prefix is meant).
# Output seen: "https://a.b/www.c: first octet 3, read: https://a.b/www.c", "https://a.b/http://www.c: first octet 104, read: "data" does not seem to be an encoded Eddystone URL"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
nice -n 15 npm install --silent --no-audit --no-fund --ignore-scripts eddystone-url-encoding@1.0.1 >/dev/null || exit 2
cat >run.js <<'JS'
const { decode, encode } = require("eddystone-url-encoding");
for (const address of ["https://a.b/www.c", "https://a.b/http://www.c"]) {
    const octets = encode(address);
    let read;
    try {
        read = decode(octets);
    } catch (error) {
        read = error.message;
    }
    console.log(`${address}: first octet ${octets[0]}, read: ${read}`);
}
JS
seen=$(nice -n 15 node --no-deprecation run.js) || exit 2
echo "$seen"
[ "$seen" = 'https://a.b/www.c: first octet 3, read: https://a.b/www.c
https://a.b/http://www.c: first octet 104, read: "data" does not seem to be an encoded Eddystone URL' ] || { echo "changed" >&2; exit 1; }
