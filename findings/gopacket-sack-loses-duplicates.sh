#!/usr/bin/env bash
# gopacket 1.7.7 (the maintained fork): a SACK that is read and written again has lost the end of its duplicates.
#
# Guess: what is decoded and serialized without a change is the same chunk; a gap block and a duplicate TSN take four
#   bytes each (RFC 9260 §3.3.4).
# Seen: room is made for two bytes per duplicate, in the length of the chunk, too: of two duplicates (7 and 8) the second
#   is 0, the length is 26 instead of 28. Half of each list is lost, in copies of captures as in packets that are built.
#   SerializeLayers returns no error.
# Source: layers/sctp.go, SCTPSack.SerializeTo.
# Output seen: "in  0300001c...0000000700000008", "out 0300001a...0000000700000000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"encoding/hex"
	"fmt"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
)

func main() {
	in := "0300001c000000010000ffff00010002000200030000000700000008"
	raw, _ := hex.DecodeString("138813880000000a00000000" + in)
	packet := gopacket.NewPacket(raw, layers.LayerTypeSCTP, gopacket.Default)
	buffer := gopacket.NewSerializeBuffer()
	options := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializePacket(buffer, options, packet); err != nil {
		fmt.Println(err)
	}
	fmt.Println("in ", in)
	fmt.Println("out", hex.EncodeToString(buffer.Bytes()[12:]))
}
GO
(go mod init finding && go get github.com/gopacket/gopacket@v1.7.7 && go mod tidy) >/dev/null 2>&1
seen=$(go run .)
echo "$seen"
[ "$seen" = 'in  0300001c000000010000ffff00010002000200030000000700000008
out 0300001a000000010000ffff00010002000200030000000700000000' ] || { echo "changed" >&2; exit 1; }
