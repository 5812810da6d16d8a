#!/usr/bin/env bash
# github.com/packetcap/go-pcap v0.0.0-20240528124601-8c87ecf5dbc5 (Go): "sctp port 2905" matches TCP and UDP, "udp or sctp" no SCTP.
#
# Guess: the filter compiler, which promises the syntax of pcap-filter, knows "sctp" as it knows "tcp" and "udp"; its code
#   tests for protocol 132. What it cannot compile is an error, as "sctp" alone is ("parse error").
# Seen: before a port "sctp" is read over: the program is that of "port 2905", and TCP and UDP packets to that port are in the
#   capture too. Behind "or" it vanishes with its operator: "udp or sctp" is "udp", without an error. A probe that counts
#   M3UA or Diameter over SCTP counts Diameter over TCP with it, and a capture of "udp or sctp" has no SCTP packet.
# Source: filter/primitive.go, the cases of ports: subProtocol has TCP and UDP, with 132 only in the test for "any of the three".
# Output seen: "tcp port 3868: tcp", "sctp port 3868: sctp tcp udp", "sctp src port 5000: sctp tcp udp", "udp or sctp: udp"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"encoding/binary"
	"fmt"

	"github.com/packetcap/go-pcap/filter"
	"golang.org/x/net/bpf"
)

func packet(protocol byte) []byte {
	frame := make([]byte, 14+20+32)
	binary.BigEndian.PutUint16(frame[12:], 0x0800)
	frame[14], frame[22], frame[23] = 0x45, 64, protocol
	binary.BigEndian.PutUint16(frame[16:], 52)
	copy(frame[26:], []byte{192, 0, 2, 1, 192, 0, 2, 2})
	binary.BigEndian.PutUint16(frame[34:], 5000)
	binary.BigEndian.PutUint16(frame[36:], 3868)
	return frame
}

func main() {
	protocols := []struct {
		name   string
		number byte
	}{{"sctp", 132}, {"tcp", 6}, {"udp", 17}}
	for _, text := range []string{"tcp port 3868", "port 3868", "sctp port 3868", "sctp src port 5000", "udp or sctp"} {
		program, err := filter.NewExpression(text).Compile().Compile()
		if err != nil {
			panic(err)
		}
		machine, err := bpf.NewVM(program)
		if err != nil {
			panic(err)
		}
		fmt.Print(text, ":")
		for _, one := range protocols {
			if kept, _ := machine.Run(packet(one.number)); kept > 0 {
				fmt.Print(" ", one.name)
			}
		}
		fmt.Println()
	}
}
GO
module=github.com/packetcap/go-pcap@v0.0.0-20240528124601-8c87ecf5dbc5
(go mod init finding && go get $module && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(go run .) || exit 2
echo "$seen"
[ "$seen" = "tcp port 3868: tcp
port 3868: sctp tcp udp
sctp port 3868: sctp tcp udp
sctp src port 5000: sctp tcp udp
udp or sctp: udp" ] || { echo "changed" >&2; exit 1; }
