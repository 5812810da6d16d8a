#!/usr/bin/env bash
# github.com/pion/rtcp v1.2.20 (Go): a cumulative loss of -1 is read as 16777215, and one of 16777216 is written as 0.
#
# Guess: the cumulative number of packets lost is below zero where packets were doubled on the way (RFC 3550 §6.4.1: expected less
#   received, "may be negative"; appendix A.3 clamps it to 24 bits with a sign), so that ffffff is -1. What does not fit into
#   the field is refused when a report is written; the code has an error for that, "invalid total lost count".
# Seen: TotalLost is a uint32 without sign: a path that doubled one packet has lost 16.8 million, more than it was sent. The check for
#   writing is off by a bit, 2^25 in place of 2^24: 16777216 becomes 0, 33554431 becomes 16777215, and 33554432 is refused.
# Source: reception_report.go, Marshal (r.TotalLost >= (1 << 25)) and Unmarshal.
# Output seen: "read ffffff: 16777215", "write 16777215: ffffff", "write 16777216: 000000", "write 33554432: rtcp: invalid total lost count"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"encoding/hex"
	"fmt"

	"github.com/pion/rtcp"
)

func main() {
	bytes, _ := hex.DecodeString("81c9000700000001" + "0000000200ffffff" + "00000064000000000000000000000000")
	var report rtcp.ReceiverReport
	if err := report.Unmarshal(bytes); err != nil {
		panic(err)
	}
	fmt.Printf("read ffffff: %d\n", report.Reports[0].TotalLost)
	for _, lost := range []uint32{1<<24 - 1, 1 << 24, 1 << 25} {
		report.Reports[0].TotalLost = lost
		if bytes, err := report.Marshal(); err != nil {
			fmt.Printf("write %d: %v\n", lost, err)
		} else {
			fmt.Printf("write %d: %x\n", lost, bytes[13:16])
		}
	}
}
GO
(go mod init finding && go get github.com/pion/rtcp@v1.2.20 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .) || exit 2
echo "$seen"
[ "$seen" = "read ffffff: 16777215
write 16777215: ffffff
write 16777216: 000000
write 33554432: rtcp: invalid total lost count" ] || { echo "changed" >&2; exit 1; }
