#!/usr/bin/env bash
# github.com/mdlayher/ndp v1.1.0 (Go): of a search list in which a name ends with a dot, the names behind it do not arrive.
#
# Guess: "corp.example." is the same name as "corp.example", written in full (RFC 1035, §5.1), and is encoded as its labels and one zero octet (RFC 8106, §5.2),
#   as Go's resolver and zone files take it.
# Seen: the text is split at dots, and what is behind the last one is a label without letters: a zero octet of its own before the zero octet that ends
#   each name. Receivers take the second for padding and stop, this package's parser, too: the first name is all that hosts search.
#   If the full name is the last one, the additional zero does look like padding, and nothing is lost.
# Source: option.go, DNSSearchList.marshal (strings.Split(dn, ".")).
# Output seen: "[corp.example. lab.example]: 04636f7270076578616d706c650000036c..., read [corp.example]"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/mdlayher/ndp"
)

func main() {
	for _, names := range [][]string{{"corp.example", "lab.example"}, {"corp.example.", "lab.example"}, {"lab.example", "corp.example."}} {
		list := &ndp.DNSSearchList{Lifetime: time.Hour, DomainNames: names}
		octets, err := ndp.MarshalMessage(&ndp.RouterAdvertisement{Options: []ndp.Option{list}})
		if err != nil {
			panic(err)
		}
		message, err := ndp.ParseMessage(octets)
		if err != nil {
			panic(err)
		}
		read := message.(*ndp.RouterAdvertisement).Options[0].(*ndp.DNSSearchList)
		fmt.Printf("%v: %x, read %v\n", names, octets[24:], read.DomainNames)
	}
}
GO
(go mod init finding && go get github.com/mdlayher/ndp@v1.1.0 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "[corp.example lab.example]: 04636f7270076578616d706c6500036c6162076578616d706c65000000000000, read [corp.example lab.example]
[corp.example. lab.example]: 04636f7270076578616d706c650000036c6162076578616d706c650000000000, read [corp.example]
[lab.example corp.example.]: 036c6162076578616d706c650004636f7270076578616d706c65000000000000, read [lab.example corp.example]" ] || { echo "changed" >&2; exit 1; }
