#!/usr/bin/env bash
# gopacket: the user data of an SCTP DATA chunk has its padding behind it (the maintained fork, 1.3.1), or everything
# that follows in the packet, other chunks included (the original, 1.1.19).
#
# Guess: the payload of the layer SCTPData is the user data, length - 16 bytes; bundled chunks are layers of their own.
# Seen: two bundled DATA chunks with "hello" and "x". The original shows one chunk, whose payload is 25 bytes: padding
#   and the second chunk. The fork shows both, with payloads of 8 and 4 bytes: messages grow by up to three zero bytes,
#   unless the reader cuts them by `Length`. Mended in the fork's 1.7.7, where they are 5 bytes and 1.
# Source: layers/sctp.go, decodeSCTPData, of both modules; RFC 9260 §3.2, §3.3.1.
# Output seen: "original: 25" and "fork: 8 4"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for name in original fork; do
    case $name in
        original) module=github.com/google/gopacket version=v1.1.19 ;;
        fork) module=github.com/gopacket/gopacket version=v1.3.1 ;;
    esac
    mkdir $name
    cat >$name/main.go <<GO
package main

import (
	"encoding/hex"
	"fmt"

	"$module"
	"$module/layers"
)

func main() {
	raw, _ := hex.DecodeString("138813880000000a00000000" +
		"0003001500000001000000000000000068656c6c6f000000" + "0003001100000002000000000000000078000000")
	packet := gopacket.NewPacket(raw, layers.LayerTypeSCTP, gopacket.Default)
	fmt.Print("$name:")
	for _, layer := range packet.Layers() {
		if data, is := layer.(*layers.SCTPData); is {
			payload := len(data.Payload)
			if payload == 0 {
				payload = len(data.LayerPayload())
			}
			fmt.Print(" ", payload)
		}
	}
	fmt.Println()
}
GO
    (cd $name && go mod init finding && go get $module@$version && go mod tidy) >/dev/null 2>&1
    (cd $name && go run .)
done | tee seen
[ "$(cat seen)" = $'original: 25\nfork: 8 4' ] || { echo "changed" >&2; exit 1; }
