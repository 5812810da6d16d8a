#!/usr/bin/env bash
# influxdata/tdigest 0.0.1 (Go): the share of values up to the most frequent one is 0, though nearly all are there.
#
# Guess: after 1000 round trips of 5 ms and 10 of 900 ms, CDF(5), the share of those that took 5 ms or less, is 0.99, and one
#   minus that is the share of late packets; Quantile(0.9) is 5, so that the two are each other's inverse.
# Seen: the quantile is 5, CDF(5) is 0: at and below the minimum the answer is 0, whatever lies there. Of equal values alone, CDF
#   of that value is 0, too, and that of 5.000001 is 1. A service level ("share within 5 ms") that is computed so falls to nothing
#   on the best path, where no value is smaller, and recovers when a single packet takes 4 ms. go-tdigest 4.1.0 says 0.989.
# Source: tdigest.go, CDF ("if x <= t.min").
# Output seen: "90 % 5, within 5 ms 0.000, within 5.1 ms 0.989, other library 0.989", "one at 4 ms more: within 5 ms 0.989"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/influxdata/tdigest@v0.0.1 github.com/caio/go-tdigest/v4@v4.1.0 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	other "github.com/caio/go-tdigest/v4"
	"github.com/influxdata/tdigest"
)

func main() {
	digest := tdigest.NewWithCompression(100)
	reference, _ := other.New()
	for count := 0; count < 1010; count++ {
		value := 5.0
		if count >= 1000 {
			value = 900
		}
		digest.Add(value, 1)
		_ = reference.Add(value)
	}
	fmt.Printf("90 %% %v, within 5 ms %.3f, within 5.1 ms %.3f, other library %.3f\n",
		digest.Quantile(0.9), digest.CDF(5), digest.CDF(5.1), reference.CDF(5))
	digest.Add(4, 1)
	fmt.Printf("one at 4 ms more: within 5 ms %.3f\n", digest.CDF(5))
	equal := tdigest.NewWithCompression(100)
	equal.Add(5, 1000)
	fmt.Printf("equal: within 5 ms %v, within 5.1 ms %v\n", equal.CDF(5), equal.CDF(5.1))
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "90 % 5, within 5 ms 0.000, within 5.1 ms 0.989, other library 0.989
one at 4 ms more: within 5 ms 0.989
equal: within 5 ms 0, within 5.1 ms 1" ] || { echo "changed" >&2; exit 1; }
