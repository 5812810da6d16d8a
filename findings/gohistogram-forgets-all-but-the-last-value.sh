#!/usr/bin/env bash
# github.com/VividCortex/gohistogram v1.0.0 (Go): the weighted histogram with the documented decay for a mean age of 30 values remembers about one.
#
# Guess: NewWeightedHistogram(n, 0.0645) is for "a 60-second window with an average age of 30 seconds", as its comment says (alpha = 2/(N+1)): each
#   new value scales the old ones by 1 - alpha, and the weight of all is near 1/alpha, 15.5. The median of values between 1 and 100 is near 50.
# Seen: the old ones are scaled by alpha itself: after one more value 6 per cent of a value's weight are left, after two 0.4. The weight of all is 1.07, and
#   each quantile is nearly the last value that came in. With an alpha of 0.9355, one minus the documented one, the median is steady
#   and the weight of that order. The package's tests have an alpha of 1, which scales nothing.
# Source: weightedhistogram.go, ewma (newVal*(1-alpha) + existingVal*alpha) and scaleDown.
# Output seen: "alpha 0.0645: weight 1.07, medians 100 50 1 100", "alpha 0.9355: weight 20.95, medians 50 50 50 50"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/VividCortex/gohistogram@v1.0.0 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/VividCortex/gohistogram"
)

func show(alpha float64) {
	histogram := gohistogram.NewWeightedHistogram(80, alpha)
	for count := 0; count < 20; count++ {
		for _, value := range []float64{100, 50, 1} {
			histogram.Add(value)
		}
	}
	fmt.Printf("alpha %.4f: weight %.2f, medians", alpha, histogram.Count())
	for _, value := range []float64{100, 50, 1, 100} {
		histogram.Add(value)
		fmt.Printf(" %.0f", histogram.Quantile(0.5))
	}
	fmt.Println()
}

func main() {
	show(0.0645)
	show(0.9355)
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "alpha 0.0645: weight 1.07, medians 100 50 1 100
alpha 0.9355: weight 20.95, medians 50 50 50 50" ] || { echo "changed" >&2; exit 1; }
