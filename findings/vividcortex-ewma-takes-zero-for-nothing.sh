#!/usr/bin/env bash
# VividCortex/ewma 1.2.0 (Go): an average of losses (0 or 1) jumps to 1 at the first loss, or is 0 for the first ten samples.
#
# Guess: ewma.NewMovingAverage() of 1000 delivered packets (0) and a lost one (1) is 2/31, the weight of a sample; with an age of
#   4 it is 0.4, and with round trips of 100 ms it is 100 from the first one on, as SRTT is (RFC 6298 §2.2).
# Seen: without an age 0 is taken for "no sample yet", so that the lost packet starts the average anew: 1, a loss of 100 %, which
#   then takes dozens of packets to fall. The age chooses another type, which is right about that, but answers 0 until it has
#   eleven samples: a controller that divides by it, or takes 0 ms for a round trip, meets that at the start of each connection. An
#   age of 30 is the first type again.
# Source: ewma.go, SimpleEWMA.Add and VariableEWMA.Value.
# Output seen: "no age: loss 1.000, first RTT 100, eleventh 100", "age 4: loss 0.400, first RTT 0, eleventh 100"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/VividCortex/ewma@v1.2.0 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/VividCortex/ewma"
)

func show(name string, age ...float64) {
	loss, times := ewma.NewMovingAverage(age...), ewma.NewMovingAverage(age...)
	for range 1000 {
		loss.Add(0)
	}
	loss.Add(1)
	times.Add(100)
	first := times.Value()
	for range 10 {
		times.Add(100)
	}
	fmt.Printf("%s: loss %.3f, first RTT %v, eleventh %.0f\n", name, loss.Value(), first, times.Value())
}

func main() {
	show("no age")
	show("age 4", 4)
	show("age 30", 30)
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "no age: loss 1.000, first RTT 100, eleventh 100
age 4: loss 0.400, first RTT 0, eleventh 100
age 30: loss 1.000, first RTT 100, eleventh 100" ] || { echo "changed" >&2; exit 1; }
