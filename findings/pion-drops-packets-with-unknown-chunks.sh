#!/usr/bin/env bash
# pion's SCTP drops a whole packet in which one chunk is of a type that it does not know.
#
# Version: github.com/pion/sctp v1.12.1.
# Guess: RFC 9260 §3.2 tells by the two high bits of a chunk's type what a receiver does that does not know it; with 10
#   it skips the chunk and goes on with the rest of the packet. PAD (RFC 4820, type 132 = 0x84) relies on that, and
#   with it path MTU discovery by padded HEARTBEATs (RFC 8899).
# Behaviour: a packet with HEARTBEAT and PAD is not parsed; nothing of it is heard, so no HEARTBEAT ACK follows.
# Why the guess is wrong: packet.go returns an error at the first unknown type, before any chunk is handled. No path
#   MTU above the first is ever found with pion as the receiver.
# Source: found beside Sheave, whose probes are such packets.
# Output seen:
#   HEARTBEAT alone: <nil>
#   HEARTBEAT and PAD: failed to unmarshal, contains unknown chunk type: Unknown ChunkType: 132
set -euo pipefail
place=$(mktemp -d)
trap 'chmod -R u+w "$place"; rm -rf "$place"' EXIT
cd "$place"
cat > go.mod <<'MOD'
module example/finding
go 1.24
MOD
go get github.com/pion/sctp@v1.12.1 2>/dev/null
cp -r "$(go list -m -f '{{.Dir}}' github.com/pion/sctp)" copy
chmod -R u+w copy
# The parser is not exported: a test within the package calls it.
rm copy/*_test.go
cat > copy/finding_test.go <<'GO'
package sctp

import (
	"fmt"
	"testing"
)

func TestFinding(t *testing.T) {
	header := []byte{0x13, 0x88, 0x13, 0x88, 0, 0, 0, 1, 0, 0, 0, 0}
	heartbeat := []byte{4, 0, 0, 12, 0, 1, 0, 8, 1, 2, 3, 4}
	pad := []byte{132, 0, 0, 8, 0, 0, 0, 0}
	alone := (&packet{}).unmarshal(false, append(append([]byte{}, header...), heartbeat...))
	both := (&packet{}).unmarshal(false, append(append(append([]byte{}, header...), heartbeat...), pad...))
	fmt.Println("HEARTBEAT alone:", alone)
	fmt.Println("HEARTBEAT and PAD:", both)
	if alone != nil || both == nil {
		t.Fail()
	}
}
GO
cd copy
go test -v -count=1 -run TestFinding . | grep HEARTBEAT
