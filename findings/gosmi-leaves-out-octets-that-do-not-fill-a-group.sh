#!/usr/bin/env bash
# github.com/sleepinggenius2/gosmi v0.4.4 (Go): of a value whose length is no multiple of its display hint's, the last octets are not shown.
#
# Guess: with the hint "2x:" five octets are shown as two groups of two and one of one: RFC 2579 §3.1 says of the octet length that where fewer octets
#   remain, those are used. An IPv6 prefix (Ipv6AddressPrefix, RFC 2465, "2x:", 0 to 16 octets) of 40 bits is 2001:db8:12.
# Seen: "2001:db8:", with the separator and without the rest, so that all prefixes of 33 to 40 bits under 2001:db8 look alike; with "4x" the
#   fifth octet is gone without a trace. A number is written only once its group is full. Hints for text (255a) are right, since
#   each letter is written as it comes.
# Source: models/format_octetstring.go, StringDisplayHint (lengthCount == 0).
# Output seen: "2x: 2001:db8:", "1x: 20:01:0d:b8:12", "4x 20010db8", "1d.1d.1d.1d/2d 32.1.13.184/"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/sleepinggenius2/gosmi@v0.4.4 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/sleepinggenius2/gosmi/models"
)

func main() {
	value := []byte{0x20, 0x01, 0x0d, 0xb8, 0x12}
	for _, hint := range []string{"2x:", "1x:", "4x", "1d.1d.1d.1d/2d"} {
		fmt.Println(hint, models.StringDisplayHint(hint, value))
	}
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "2x: 2001:db8:
1x: 20:01:0d:b8:12
4x 20010db8
1d.1d.1d.1d/2d 32.1.13.184/" ] || { echo "changed" >&2; exit 1; }
