#!/usr/bin/env bash
# github.com/wmnsk/go-gtp v0.8.11 and go-pfcp v0.0.24 (Go): timers that are no multiple of their unit become infinite, longer ones wrap.
#
# Guess: EPC Timer (TS 29.274 §8.87) and Timer (TS 29.244 §8.2.35) have five bits of value and a unit of 2 s, 1 min, 10 min, 1 h or
#   10 h. The constructors take a time.Duration: they round 45 s and 90 s to what can be written, or return an error; nil is
#   what other constructors of these packages return then.
# Seen: the largest unit that divides the duration is taken, and the value cut to five bits. 90 s is 45 times 2 s, of which 13 times
#   2 s are left: 26 s. 64 s becomes 0, which means that the timer is stopped; 33 min becomes 1 min. An odd number of seconds is
#   written as infinite: 45 s is 2562047 hours when read. 30 s, 62 s, 60 min and 90 min are exact.
# Who cares: the timer says how long an overload report or a graceful release lasts. A peer throttles for ever, or not at all.
# Source: gtpv2/ie/epc-timer.go, NewEPCTimer, and ie/timer.go, NewTimer: value & 0x1f, and the default branch.
# Output seen: "30s: 30s 30s", "45s: for ever, for ever", "1m4s: 0s 0s", "1m30s: 26s 26s", "33m0s: 1m0s 1m0s", "1h30m0s: 1h30m0s 1h30m0s"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"math"
	"time"

	gtp "github.com/wmnsk/go-gtp/gtpv2/ie"
	pfcp "github.com/wmnsk/go-pfcp/ie"
)

func text(read time.Duration, err error) string {
	if err == nil && read == math.MaxInt64 {
		return "for ever"
	}
	return fmt.Sprint(read)
}

func main() {
	for _, minutes := range []float64{0.5, 0.75, 64.0 / 60, 1.5, 33, 90} {
		timer := time.Duration(minutes * float64(time.Minute)).Round(time.Second)
		fmt.Printf("%v: %s, %s\n", timer, text(gtp.NewEPCTimer(timer).Timer()), text(pfcp.NewTimer(timer).Timer()))
	}
}
GO
(go mod init finding && go get github.com/wmnsk/go-gtp@v0.8.11 github.com/wmnsk/go-pfcp@v0.0.24 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "30s: 30s, 30s
45s: for ever, for ever
1m4s: 0s, 0s
1m30s: 26s, 26s
33m0s: 1m0s, 1m0s
1h30m0s: 1h30m0s, 1h30m0s" ] || { echo "changed" >&2; exit 1; }
