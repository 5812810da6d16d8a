#!/usr/bin/env bash
# gopacket 1.7.7 (the maintained fork): a copied SCTP packet has no I bit and, without ComputeChecksums, no checksum.
#
# Guess: with the options at rest (no lengths fixed, no checksums computed) what was decoded is written as it was, as for
#   TCP, whose layer writes its field Checksum.
# Seen: the checksum is 0, whatever the field says: each packet of a copied capture looks as if it was sent under RFC 9653,
#   and a receiver without that drops it. DATA with I, B and E (flags 11) becomes 3, since the layer has no field for the
#   I bit (RFC 7053): replayed, the copy asks for no SACK at once.
# Source: layers/sctp.go, SCTP.SerializeTo and SCTPData; layers/tcp.go.
# Output seen: "SCTP checksum 12345678 -> 00000000, flags 0b -> 03", "TCP checksum 1234 -> 1234"
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

func copied(text string, first gopacket.LayerType) ([]byte, []byte) {
	raw, _ := hex.DecodeString(text)
	packet := gopacket.NewPacket(raw, first, gopacket.Default)
	buffer := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializePacket(buffer, gopacket.SerializeOptions{}, packet); err != nil {
		fmt.Println(err)
	}
	return raw, buffer.Bytes()
}

func main() {
	in, out := copied("138813880000000a12345678"+
		"000b001500000001000000000000002e68656c6c6f000000", layers.LayerTypeSCTP)
	fmt.Printf("SCTP checksum %x -> %x, flags %02x -> %02x\n", in[8:12], out[8:12], in[13], out[13])
	in, out = copied("13881388000000010000000050100400"+"12340000", layers.LayerTypeTCP)
	fmt.Printf("TCP checksum %x -> %x\n", in[16:18], out[16:18])
}
GO
(go mod init finding && go get github.com/gopacket/gopacket@v1.7.7 && go mod tidy) >/dev/null 2>&1
seen=$(go run .)
echo "$seen"
[ "$seen" = 'SCTP checksum 12345678 -> 00000000, flags 0b -> 03
TCP checksum 1234 -> 1234' ] || { echo "changed" >&2; exit 1; }
