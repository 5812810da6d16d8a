#!/usr/bin/env bash
# github.com/florianl/go-tc v0.4.5-0.20240822175159-7926c32f7299 (Go): XmitSize is wrong from 4294 bytes on, which is less than three packets.
#
# Guess: core.XmitSize(rate, ticks) "returns the size that can be transmitted at a given rate during a given time", as tc_calc_xmitsize of
#   iproute2, on which it is modelled: 125000 bytes a second (1 Mbit/s) for 50 ms are 6250 bytes. It is how the bursts and
#   limits of tbf and htb, which the kernel keeps as times, are turned back into bytes.
# Seen: the product of rate and microseconds is cut to 32 bits before it is divided by a million: 34 ms are 4250, 35 ms are 80,
#   50 ms are 1955 and a second is 445 bytes; no error. The other direction, XmitTime, is right.
# Source: core/utils.go, XmitSize: the brackets of uint32(...) close before the division.
# Output seen: "34ms: 4250 of 4250", "35ms: 80 of 4375", "50ms: 1955 of 6250", "1s: 445 of 125000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/florianl/go-tc/core"
)

func main() {
	const rate = 125000 // bytes a second
	for _, milliseconds := range []time.Duration{10, 34, 35, 50, 1000} {
		duration := milliseconds * time.Millisecond
		ticks := core.Time2Tick(uint32(duration.Microseconds()))
		fmt.Printf("%v: %d of %d\n", duration, core.XmitSize(rate, ticks), rate*duration/time.Second)
	}
}
GO
(go mod init finding && go get github.com/florianl/go-tc@v0.4.5-0.20240822175159-7926c32f7299 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .) || exit 2
echo "$seen"
[ "$seen" = "10ms: 1250 of 1250
34ms: 4250 of 4250
35ms: 80 of 4375
50ms: 1955 of 6250
1s: 445 of 125000" ] || { echo "changed" >&2; exit 1; }
