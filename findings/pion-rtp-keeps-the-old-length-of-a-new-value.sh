#!/usr/bin/env bash
# github.com/pion/rtp v1.10.6 (Go): an element of a header extension that is set a second time, to a value of another size, keeps the size of the first.
#
# Guess: Set(id, value) of OneByteHeaderExtension and TwoByteHeaderExtension replaces the value ("sets the extension payload for the specified ID"):
#   Get(id) is what was set last, with its own length in front (RFC 8285 §4.2 and §4.3).
# Seen: the octets are replaced and the length in front of them stays. A longer value, such as another MID, is cut to the old size, and its rest is read as
#   further elements with numbers that nobody gave; a shorter one takes in what follows it, or is not found at the end. Values of one size, as
#   counters and times are, are right.
# Source: header_extension.go, Set of both types (the branch of an extension that is there).
# Output seen: "one byte: \"a\" to \"v\": \"v\", elements [1]", "one byte: \"a\" to \"a1xy\": \"a\", elements [1 3]", "two bytes: \"audio\" to \"a\": \"\", elements []"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/pion/rtp@v1.10.6 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/pion/rtp"
)

func show(name string, extension rtp.HeaderExtension, values ...string) {
	for _, value := range values {
		if err := extension.Set(1, []byte(value)); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%s: %q to %q: %q, elements %v\n", name, values[0], values[1], extension.Get(1), extension.GetIDs())
}

func main() {
	show("one byte", &rtp.OneByteHeaderExtension{}, "a", "v")
	show("one byte", &rtp.OneByteHeaderExtension{}, "a", "a1xy")
	show("two bytes", &rtp.TwoByteHeaderExtension{}, "audio", "a")
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = 'one byte: "a" to "v": "v", elements [1]
one byte: "a" to "a1xy": "a", elements [1 3]
two bytes: "audio" to "a": "", elements []' ] || { echo "changed" >&2; exit 1; }
