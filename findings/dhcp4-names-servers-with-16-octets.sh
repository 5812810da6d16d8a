#!/usr/bin/env bash
# github.com/krolaw/dhcp4 v0.0.0-20180925202202-7cead472c414 (Go): the server identifier of a reply has 16 octets unless its address was written as a literal of four.
#
# Guess: ReplyPacket takes two addresses of type net.IP and writes both in four octets, from net.ParseIP as from net.IPv4, since both kinds are
#   the same address to the functions of Go's net; option 54 has a length of 4 (RFC 2132, §9.7).
# Seen: the client's address is brought to four octets, the server's is taken as it is: ParseIP and IPv4 give 36 10 00..ff ff c0 00 02 01. Clients drop
#   the offer or send the first four octets, 0.0.0.0, back in their request, so that no server feels meant. net.IP{192, 0, 2, 1}, as in
#   the README's example, is right.
# Source: packet.go, ReplyPacket ([]byte(serverId)) beside SetYIAddr (ip.To4()).
# Output seen: "literal: c0000201", "ParseIP: 00000000000000000000ffffc0000201, client c0000207"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"net"
	"time"

	"github.com/krolaw/dhcp4"
)

func main() {
	request := dhcp4.RequestPacket(dhcp4.Discover, net.HardwareAddr{0, 0, 0x5e, 0, 0x53, 1}, nil, []byte{1, 2, 3, 4}, true, nil)
	show := func(name string, server, client net.IP) {
		reply := dhcp4.ReplyPacket(request, dhcp4.Offer, server, client, time.Hour, nil)
		fmt.Printf("%s: %x, client %x\n", name, reply.ParseOptions()[dhcp4.OptionServerIdentifier], []byte(reply.YIAddr()))
	}
	show("literal", net.IP{192, 0, 2, 1}, net.IP{192, 0, 2, 7})
	show("ParseIP", net.ParseIP("192.0.2.1"), net.ParseIP("192.0.2.7"))
	show("IPv4", net.IPv4(192, 0, 2, 1), net.IPv4(192, 0, 2, 7))
}
GO
(go mod init finding && go get github.com/krolaw/dhcp4@v0.0.0-20180925202202-7cead472c414 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "literal: c0000201, client c0000207
ParseIP: 00000000000000000000ffffc0000201, client c0000207
IPv4: 00000000000000000000ffffc0000201, client c0000207" ] || { echo "changed" >&2; exit 1; }
