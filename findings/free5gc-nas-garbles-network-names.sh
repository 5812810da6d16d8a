#!/usr/bin/env bash
# github.com/free5gc/nas v1.1.3 (Go): network names of eight characters get an @, longer ones become unreadable.
#
# Guess: FullNetworkNameToNas packs a name into septets as TS 23.038 §6.1.2.1 has it, whatever its length: each eight characters
#   take seven octets (TS 24.008 §10.5.3.5a, "number of spare bits in last octet").
# Seen: the function opens a new octet for each character. For up to seven that is right; for eight there is an octet too much,
#   which a phone shows as @, and from the tenth on the characters fall behind their places, so that other letters are
#   shown. The name of the project itself has seven. ShortNetworkNameToNas does the same.
# Who cares: an AMF's Configuration Update Command, carried in NGAP over SCTP, shows the operator's name on the screen.
# Source: nasConvert/NetWorkName.go, where i counts characters and is the index of octets too (buf[i-1]).
# Output seen: '"free5GC": 7 octets, spare 7, shown "free5GC"', '"Sheave 5": 8 octets, spare 0, shown "Sheave 5@"',
#   '"Sheave Network": 14 octets, spare 6, shown "Sheave Ne@ho?eW"'
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/free5gc/nas/nasConvert"
)

// shown unpacks septets; of the default alphabet it knows letters, digits and the blank, which are as in ASCII, and @.
func shown(octets []byte, spare int) string {
	text := ""
	for at := 0; at+7 <= 8*len(octets)-spare; at += 7 {
		pair := uint(octets[at/8])
		if at/8+1 < len(octets) {
			pair |= uint(octets[at/8+1]) << 8
		}
		switch septet := byte(pair>>(at%8)) & 0x7f; {
		case septet == 0:
			text += "@"
		case septet == ' ', septet >= '0' && septet <= '9', septet >= 'A' && septet <= 'Z', septet >= 'a' && septet <= 'z':
			text += string(rune(septet))
		default:
			text += "?"
		}
	}
	return text
}

func main() {
	for _, name := range []string{"free5GC", "Sheave 5", "Sheave Network"} {
		element := nasConvert.FullNetworkNameToNas(name)
		octets, spare := element.GetTextString(), int(element.GetNumberOfSpareBitsInLastOctet())
		fmt.Printf("%q: %d octets, spare %d, shown %q\n", name, len(octets), spare, shown(octets, spare))
	}
}
GO
(go mod init finding && go get github.com/free5gc/nas@v1.1.3 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = '"free5GC": 7 octets, spare 7, shown "free5GC"
"Sheave 5": 8 octets, spare 0, shown "Sheave 5@"
"Sheave Network": 14 octets, spare 6, shown "Sheave Ne@ho?eW"' ] || { echo "changed" >&2; exit 1; }
