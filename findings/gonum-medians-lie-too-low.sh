#!/usr/bin/env bash
# gonum 0.17.0 (Go): the interpolated median of three values is none of them, but lies half-way between the first two.
#
# Guess: stat.Quantile(0.5, stat.LinInterp, ...) of 10, 20 and 90 ms is 20, the median, as the default of numpy, R and spreadsheets has
#   it, and of four values the middle between the second and the third. Empirical, the other kind, takes one of the values.
# Seen: 15, and of 10, 20, 30 and 90 the second value, 20. It interpolates the empirical distribution itself (type 4 in the table of
#   Hyndman and Fan, the constant is 4), whose value at the k-th of n is k/n: each quantile lies half a place lower than the usual ones,
#   and all quantiles up to 1/n are the smallest value. With few runs of an experiment a median that is reported so favours the
#   system under test, and disagrees with the same runs in another program.
# Source: stat/stat.go, linInterpQuantile ("LinInterp: Returns the linearly interpolated value" is what the documentation has).
# Output seen: "of 3: 15", "of 4: 20", "a quarter of 4: 10", "of 3, negated: -55" (and not -15)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get gonum.org/v1/gonum@v0.17.0 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"gonum.org/v1/gonum/stat"
)

func main() {
	quantile := func(p float64, values ...float64) float64 { return stat.Quantile(p, stat.LinInterp, values, nil) }
	fmt.Println("of 3:", quantile(0.5, 10, 20, 90))
	fmt.Println("of 4:", quantile(0.5, 10, 20, 30, 90))
	fmt.Println("a quarter of 4:", quantile(0.25, 10, 20, 30, 90))
	fmt.Println("of 3, negated:", quantile(0.5, -90, -20, -10))
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "of 3: 15
of 4: 20
a quarter of 4: 10
of 3, negated: -55" ] || { echo "changed" >&2; exit 1; }
