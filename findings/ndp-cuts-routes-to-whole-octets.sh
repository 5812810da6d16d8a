#!/usr/bin/env bash
# github.com/mdlayher/ndp v1.1.0 (Go): a route of /60 in a router advertisement is read as that of another network.
#
# Guess: a route information option gives the prefix it holds, whatever its length; the package writes and reads it, checks on writing that
#   the bits behind the prefix are zero, and the receiver is to ignore those (RFC 4191, §2.3).
# Seen: as many octets are taken as the length has whole octets: of /60 the last four bits are cut, of /57 one. 2001:db8:0:50::/60 is read as 2001:db8::/60,
#   which is a valid network of the same length, and somebody else's. Lengths that are multiples of 8 are right, and prefix
#   information, which goes another way, is right with all. Routers with a delegated /56 hand out routes of /60.
# Source: option.go, RouteInformation.unmarshal (raw.Value[6 : 6+(l/8)]).
# Output seen: "2001:db8:0:50::/60 is read as 2001:db8::/60", "2001:db8:0:5000::/56 is read as 2001:db8:0:5000::/56"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/mdlayher/ndp"
)

func main() {
	for _, text := range []string{"2001:db8:0:50::/60", "2001:db8:0:5080::/57", "2001:db8:0:5000::/56", "2001:db8:1200::/39"} {
		sent := netip.MustParsePrefix(text)
		route := &ndp.RouteInformation{PrefixLength: uint8(sent.Bits()), RouteLifetime: time.Hour, Prefix: sent.Addr()}
		octets, err := ndp.MarshalMessage(&ndp.RouterAdvertisement{Options: []ndp.Option{route}})
		if err != nil {
			panic(err)
		}
		message, err := ndp.ParseMessage(octets)
		if err != nil {
			panic(err)
		}
		read := message.(*ndp.RouterAdvertisement).Options[0].(*ndp.RouteInformation)
		fmt.Printf("%s, %x, is read as %s/%d\n", text, octets[24:], read.Prefix, read.PrefixLength)
	}
}
GO
(go mod init finding && go get github.com/mdlayher/ndp@v1.1.0 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "2001:db8:0:50::/60, 20010db800000050, is read as 2001:db8::/60
2001:db8:0:5080::/57, 20010db800005080, is read as 2001:db8:0:5000::/57
2001:db8:0:5000::/56, 20010db800005000, is read as 2001:db8:0:5000::/56
2001:db8:1200::/39, 20010db812000000, is read as 2001:db8::/39" ] || { echo "changed" >&2; exit 1; }
