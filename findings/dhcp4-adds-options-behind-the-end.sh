#!/usr/bin/env bash
# github.com/krolaw/dhcp4 v0.0.0-20180925202202-7cead472c414 (Go): an option added to a packet that RequestPacket or ReplyPacket made is behind End, where nobody looks.
#
# Guess: AddOption, "appends a DHCP option to the end of a packet", puts it before End, as it does with a packet of NewPacket; one may add
#   an option to a reply, such as the relay's option 82.
# Seen: both functions fill the packet up to 272 octets with zeros behind End, for old relays, and AddOption takes the last octet for End without a look:
#   it replaces one of the zeros. The option follows End and some Pads; receivers stop at the first End (RFC 2132, §3.2: it
#   "marks the end of valid information"), the package's ParseOptions as well. A reply with more than 272 octets is right, so that a
#   test with many options passes.
# Source: packet.go, AddOption and PadToMinSize.
# Output seen: "new: router [192 0 2 1], end 01020304c0000201ff", "reply: router [], end 00000304c0000201ff"
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

func show(name string, packet dhcp4.Packet) {
	packet.AddOption(dhcp4.OptionRouter, []byte{192, 0, 2, 1})
	fmt.Printf("%s: router %v, end %x\n", name, packet.ParseOptions()[dhcp4.OptionRouter], packet[len(packet)-9:])
}

func main() {
	fresh := dhcp4.NewPacket(dhcp4.BootReply)
	fresh.AddOption(dhcp4.OptionDHCPMessageType, []byte{byte(dhcp4.Offer)})
	show("new", fresh)
	hardware := net.HardwareAddr{0, 0, 0x5e, 0, 0x53, 1}
	request := dhcp4.RequestPacket(dhcp4.Discover, hardware, nil, []byte{1, 2, 3, 4}, true, nil)
	reply := func(options ...dhcp4.Option) dhcp4.Packet {
		return dhcp4.ReplyPacket(request, dhcp4.Offer, net.IP{192, 0, 2, 2}, net.IP{192, 0, 2, 7}, time.Hour, options)
	}
	show("reply", reply())
	show("long reply", reply(dhcp4.Option{Code: dhcp4.OptionRootPath, Value: make([]byte, 40)}))
}
GO
(go mod init finding && go get github.com/krolaw/dhcp4@v0.0.0-20180925202202-7cead472c414 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "new: router [192 0 2 1], end 01020304c0000201ff
reply: router [], end 00000304c0000201ff
long reply: router [192 0 2 1], end 00000304c0000201ff" ] || { echo "changed" >&2; exit 1; }
