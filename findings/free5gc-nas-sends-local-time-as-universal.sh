#!/usr/bin/env bash
# github.com/free5gc/nas v1.1.3 (Go): the element for universal time is filled with local time, so that phones are wrong by the zone.
#
# Guess: EncodeUniversalTimeAndLocalTimeZoneToNas takes a time.Time, an instant with a zone, and writes the hour in UTC and the
#   zone beside it: the time part is the universal time at which the network sent the element (TS 24.008 §10.5.3.9). The
#   zone of the value given to it changes the zone octet alone.
# Seen: the hour is the one on the wall. 20:00 in Taipei (12:00 UTC) becomes 20:00 "universal" with zone +8, which a phone
#   shows as 04:00 of the next day. The reader errs the same way, so that the library reads back what it wrote and its tests
#   pass, and reads another core's 12:00 UTC, +8, as 04:00 UTC. With a server in UTC, or a time in UTC, all is right.
#   A time stamp in a short message does hold local time with the same octets (TS 23.040 §9.2.3.11), hence the mistake.
# Source: nasConvert/Time.go, EncodeUniversalTimeAndLocalTimeZoneToNas and DecodeUniversalTimeAndLocalTimeZone.
# Output seen: "noon in UTC, given as UTC: 62119221000000", "given as +8: 62119202000023" (20:00), "a peer's noon: 04:00 UTC"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/free5gc/nas/nasConvert"
	"github.com/free5gc/nas/nasType"
)

func main() {
	noon := time.Date(2026, time.November, 29, 12, 0, 0, 0, time.UTC)
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("+8", 8*3600)} {
		fmt.Printf("noon in UTC, given as %v: %x\n", zone, nasConvert.EncodeUniversalTimeAndLocalTimeZoneToNas(noon.In(zone)).Octet)
	}
	var peer nasType.UniversalTimeAndLocalTimeZone
	peer.Octet = [7]uint8{0x62, 0x11, 0x92, 0x21, 0x00, 0x00, 0x23}
	read := nasConvert.DecodeUniversalTimeAndLocalTimeZone(peer)
	fmt.Printf("a peer's noon in UTC, zone +8: %s\n", read.In(time.UTC).Format("15:04 MST"))
}
GO
(go mod init finding && go get github.com/free5gc/nas@v1.1.3 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "noon in UTC, given as UTC: 62119221000000
noon in UTC, given as +8: 62119202000023
a peer's noon in UTC, zone +8: 04:00 UTC" ] || { echo "changed" >&2; exit 1; }
