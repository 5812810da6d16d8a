#!/usr/bin/env bash
# github.com/pion/sctp v1.12.1 (Go): a whole packet is dropped in which one chunk is of a type that it does not know.
#
# Guess: RFC 9260 §3.2 tells by the two high bits of a chunk's type what a receiver does that does not know it; with 10
#   it skips the chunk and goes on with the rest of the packet. PAD (RFC 4820, type 132 = 0x84) relies on that, and
#   with it path MTU discovery by padded HEARTBEATs (RFC 8899).
# Seen: a packet with HEARTBEAT and PAD is not parsed; nothing of it is heard, so no HEARTBEAT ACK follows. No path MTU above
#   the first is ever found with pion as the receiver.
# Source: packet.go, unmarshal: an error is returned at the first unknown type, before any chunk is handled.
# Output seen: "HEARTBEAT alone: <nil>", "HEARTBEAT and PAD: failed to unmarshal, contains unknown chunk type: Unknown ChunkType: 132"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
cat > go.mod <<'MOD'
module example/finding
go 1.24
MOD
go get github.com/pion/sctp@v1.12.1 >/dev/null 2>&1 || exit 2
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
}
GO
cd copy
seen=$(nice -n 10 go test -v -count=1 -run TestFinding . 2>/dev/null | grep HEARTBEAT) || exit 2
echo "$seen"
[ "$seen" = "HEARTBEAT alone: <nil>
HEARTBEAT and PAD: failed to unmarshal, contains unknown chunk type: Unknown ChunkType: 132" ] || { echo "changed" >&2; exit 1; }
