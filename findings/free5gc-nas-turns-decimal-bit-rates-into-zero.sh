#!/usr/bin/env bash
# github.com/free5gc/nas v1.1.3 (Go): session bit rates such as "1.5 Gbps" or "40000 Kbps" are sent to the phone as zero.
#
# Guess: a rate is text with digits, at will a fraction, and a unit (TS 29.571 §5.2.2, BitRate); the session AMBR of NAS holds 16
#   bits without a sign and a unit that may be a multiple, as 4, 16, 64 or 256 Mbps (TS 24.501 §9.11.4.14). "1.5 Gbps" becomes
#   1500 of 1 Mbps, or is an error; 40000 fits in the 16 bits.
# Seen: the number is read as an integer with a sign of 16 bits; if that fails, the rate stays 0 with the unit that was
#   named, a warning goes to the log and the session is accepted: the phone is told that it may send 0 Gbps. "0.5 Gbps"
#   and "40000 Kbps" go the same way, "500 Mbps" and "32767 Kbps" do not.
# Who cares: subscriptions are made by other network functions, which are free to write either form.
# Source: nasConvert/SessionAMBR.go, ModelsToSessionAMBR: strconv.ParseInt(..., 10, 16).
# Output seen: "500 Mbps: unit 6, 500", "0.5 Gbps: unit 11, 0", "32767 Kbps: unit 1, 32767", "40000 Kbps: unit 1, 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"encoding/binary"
	"fmt"

	"github.com/free5gc/nas/nasConvert"
	"github.com/free5gc/openapi/models"
)

func main() {
	for _, rate := range []string{"500 Mbps", "0.5 Gbps", "32767 Kbps", "40000 Kbps"} {
		element := nasConvert.ModelsToSessionAMBR(&models.Ambr{Uplink: rate, Downlink: rate})
		number := element.GetSessionAMBRForUplink()
		fmt.Printf("%s: unit %d, %d\n", rate, element.GetUnitForSessionAMBRForUplink(), binary.BigEndian.Uint16(number[:]))
	}
}
GO
(go mod init finding && go get github.com/free5gc/nas@v1.1.3 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "500 Mbps: unit 6, 500
0.5 Gbps: unit 11, 0
32767 Kbps: unit 1, 32767
40000 Kbps: unit 1, 0" ] || { echo "changed" >&2; exit 1; }
