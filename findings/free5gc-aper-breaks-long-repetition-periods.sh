#!/usr/bin/env bash
# github.com/free5gc/aper v1.0.5 with ngap v1.0.8 (Go): a repetition period of 256 s or more cannot be sent in NGAP.
#
# Guess: RepetitionPeriod ::= INTEGER (0..131071) of a Write-Replace Warning Request takes one to three octets; how many is written
#   before them in two bits, since ranges above 64K are coded so in aligned PER (X.691 §11.5.7.4 and §13.2.6). The library reads
#   what it writes, and the AMF-UE-NGAP-ID (0..2^40-1) and bit rates, which go the same way, work every day.
# Seen: up to 255 s all is well. From 256 to 65535 s the number of octets is written in one bit: 80 01 2c for 300 s, which the
#   library's own reader, and each peer, takes for three octets. From 65536 s (a day has 86400) writing is an error. The reader
#   reads a peer's 40 01 2c and 80 01 51 80 as it should. A test with a warning that is repeated each minute passes.
# Who cares: cores and radio simulators on free5GC that send public warnings over N2.
# Source: marshal.go, appendInteger, stops counting the range's octets at a rest of 1; aper.go, parseInteger, at 0. The two
#   differ where the highest octet of the range is 1, in NGAP for this type alone.
# Output seen: "255: 00ff, read 255 <nil>", "300: 80012c, read 0 Get bits overflow, requireBits: 24, leftBits: 16",
#   "86400: Bits Value is over capacity", "of a peer: 300 <nil>, 86400 <nil>"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/free5gc/aper"
	"github.com/free5gc/ngap/ngapType"
)

func read(octets []byte) string {
	var period ngapType.RepetitionPeriod
	err := aper.Unmarshal(octets, &period)
	return fmt.Sprint(period.Value, " ", err)
}

func main() {
	for _, seconds := range []int64{255, 300, 86400} {
		octets, err := aper.Marshal(ngapType.RepetitionPeriod{Value: seconds})
		if err != nil {
			fmt.Printf("%d: %v\n", seconds, err)
			continue
		}
		fmt.Printf("%d: %x, read %s\n", seconds, octets, read(octets))
	}
	fmt.Printf("of a peer: %s, %s\n", read([]byte{0x40, 0x01, 0x2c}), read([]byte{0x80, 0x01, 0x51, 0x80}))
}
GO
(go mod init finding && go get github.com/free5gc/aper@v1.0.5 github.com/free5gc/ngap@v1.0.8 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "255: 00ff, read 255 <nil>
300: 80012c, read 0 Get bits overflow, requireBits: 24, leftBits: 16
86400: Bits Value is over capacity
of a peer: 300 <nil>, 86400 <nil>" ] || { echo "changed" >&2; exit 1; }
