#!/usr/bin/env bash
# github.com/wmnsk/go-gtp v0.8.11 (Go): four elements of GTPv2-C come back changed from the accessors beside their constructors.
#
# Guess: an element that NewX makes gives the same value through X(), since the package has tests for each element.
# Seen: the octets are right, the values read from them are not, and no error is returned. A delay of 500 ms is 0 (10 units of 50 ms
#   are divided by 50 once more); the uplink rate of a Flow QoS is 0, the downlink rate is right (four octets are cut for
#   five); a GUTI of network 001-01 has the MCC "1f0" (the digits are taken an octet too far on); an IMSI of 14 digits loses
#   the last one, as the end of a full octet is taken for filler (TS 29.274 §8.3; an IMSI has up to 15 digits, TS 23.003 §2.2).
#   The package's tests compare elements, not values.
# Who cares: test tools for S11 and S5 that check what they sent with the library they sent it with.
# Source: gtpv2/ie: delay-value.go (Payload[0]/50), bearer-qos.go (MBRForUplink, Payload[2:6]), guti.go (b[1:3]), imsi.go (true).
# Output seen: "delay: 0a reads 0s", "rates: 0 and 2000", "GUTI: 00f11000020300000004 reads 1f0", "IMSI: 14 digits read 13"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/wmnsk/go-gtp/gtpv2/ie"
)

func main() {
	delay := ie.NewDelayValue(500 * time.Millisecond)
	fmt.Printf("delay: %x reads %v\n", delay.Payload, delay.MustDelayValue())
	rates := ie.NewFlowQoS(9, 1000, 2000, 0, 0)
	fmt.Printf("rates: %d and %d\n", rates.MustMBRForUplink(), rates.MustMBRForDownlink())
	identity := ie.NewGUTI("001", "01", 2, 3, 4)
	read, _ := identity.GUTI()
	fmt.Printf("GUTI: %x reads %s\n", identity.Payload, read.MCC)
	fmt.Printf("IMSI: 14 digits read %d\n", len(ie.NewIMSI("00101123456789").MustIMSI()))
}
GO
(go mod init finding && go get github.com/wmnsk/go-gtp@v0.8.11 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "delay: 0a reads 0s
rates: 0 and 2000
GUTI: 00f11000020300000004 reads 1f0
IMSI: 14 digits read 13" ] || { echo "changed" >&2; exit 1; }
