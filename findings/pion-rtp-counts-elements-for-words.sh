#!/usr/bin/env bash
# github.com/pion/rtp v1.10.6 (Go): the length of a header extension that OneByteHeaderExtension builds is its number of elements, and no octet is padded.
#
# Guess: the length counts words of 32 bits (RFC 3550 §5.3.1), and elements that do not fill the last word are followed by padding (RFC 8285 §4.2):
#   two elements of one octet are one word, one element of seven octets is two. What Marshal() writes, Unmarshal() reads.
# Seen: each Set() adds one to the length and nothing behind the element. Two short elements have a length of two words and four octets, so that a
#   receiver takes four octets of payload for them; one of seven octets has a length of one word, and its last four octets become payload. The package's own
#   Unmarshal() refuses the first: "buffer too small". One element of three octets is right, and so are headers of Packet, which are built elsewhere.
# Source: header_extension.go, OneByteHeaderExtension.Set (length + 1) and Marshal.
# Output seen: "3 octets: bede000112010203, length 1 for 1, error <nil>", "1 and 1 octets: bede000210012002, length 2 for 1, error buffer too small", "7 octets: bede00011601020304050607, length 1 for 2, error <nil>"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/pion/rtp@v1.10.6 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"encoding/binary"
	"fmt"

	"github.com/pion/rtp"
)

func show(name string, elements ...[]byte) {
	var built, read rtp.OneByteHeaderExtension
	for index, element := range elements {
		if err := built.Set(uint8(index+1), element); err != nil {
			panic(err)
		}
	}
	raw, _ := built.Marshal()
	_, err := read.Unmarshal(raw)
	said, needed := binary.BigEndian.Uint16(raw[2:]), (len(raw)-4+3)/4
	fmt.Printf("%s: %x, length %d for %d, error %v\n", name, raw, said, needed, err)
}

func main() {
	show("3 octets", []byte{1, 2, 3})
	show("1 and 1 octets", []byte{1}, []byte{2})
	show("7 octets", []byte{1, 2, 3, 4, 5, 6, 7})
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "3 octets: bede000112010203, length 1 for 1, error <nil>
1 and 1 octets: bede000210012002, length 2 for 1, error buffer too small
7 octets: bede00011601020304050607, length 1 for 2, error <nil>" ] || { echo "changed" >&2; exit 1; }
