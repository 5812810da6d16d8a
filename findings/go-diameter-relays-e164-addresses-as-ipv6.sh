#!/usr/bin/env bash
# github.com/fiorix/go-diameter v4.0.4 (Go): an E.164 number of fourteen digits in an Address AVP is passed on as an IPv6 address.
#
# Guess: an AVP that is read and written is the same. The Originator-SCCP-Address of charging (TS 32.299 §7.2) is an Address of
#   family 8, E.164, with the digits as text (RFC 6733 §4.3.1), and is no IP address at any length.
# Seen: of IPv4 and IPv6 the family is dropped when read, of others it is kept, and when written the length alone says what it was: the
#   two octets of the family and fourteen digits are sixteen octets, an IPv6 address 8:3439:... with family 2, two octets longer.
#   Thirteen and fifteen digits pass. In the other direction an IPv4-mapped address, family 2, leaves as IPv4, family 1, so that
#   a Host-IP-Address is answered in another family.
# Who cares: proxies between SMS centres on SIGTRAN and charging on Diameter; global titles of fourteen digits are not rare.
# Source: diam/datatype/address.go, DecodeAddress and Serialize (net.IP(addr).To16()).
# Output seen: "14 digits: 00083439313730313233343536373839 -> 000200083439313730313233343536373839", 13 and 15 digits the same,
#   "IPv4-mapped: 000200000000000000000000ffffc0000201 -> 0001c0000201"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"encoding/hex"
	"fmt"

	"github.com/fiorix/go-diameter/v4/diam"
	"github.com/fiorix/go-diameter/v4/diam/avp"
	"github.com/fiorix/go-diameter/v4/diam/dict"
)

// relayed reads an AVP with this content and gives the content of what is written for it.
func relayed(code, vendor uint32, content string) string {
	data, _ := hex.DecodeString(content)
	header := []byte{byte(code >> 24), byte(code >> 16), byte(code >> 8), byte(code), avp.Mbit, 0, 0, byte(8 + len(data))}
	if vendor != 0 {
		header[4] |= avp.Vbit
		header[7] += 4
		header = append(header, byte(vendor>>24), byte(vendor>>16), byte(vendor>>8), byte(vendor))
	}
	read, err := diam.DecodeAVP(append(header, data...), 4, dict.Default)
	if err != nil {
		return err.Error()
	}
	written, err := read.Serialize()
	if err != nil {
		return err.Error()
	}
	return hex.EncodeToString(written[len(header):written[7]])
}

func main() {
	digits := "491701234567890"
	for length := 13; length <= 15; length++ {
		number := "0008" + hex.EncodeToString([]byte(digits[:length]))
		fmt.Printf("%d digits: %s -> %s\n", length, number, relayed(avp.OriginatorSCCPAddress, 10415, number))
	}
	mapped := "000200000000000000000000ffffc0000201"
	fmt.Printf("IPv4-mapped: %s -> %s\n", mapped, relayed(avp.HostIPAddress, 0, mapped))
}
GO
(go mod init finding && go get github.com/fiorix/go-diameter/v4@v4.0.4 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .) || exit 2
echo "$seen"
[ "$seen" = "13 digits: 000834393137303132333435363738 -> 000834393137303132333435363738
14 digits: 00083439313730313233343536373839 -> 000200083439313730313233343536373839
15 digits: 0008343931373031323334353637383930 -> 0008343931373031323334353637383930
IPv4-mapped: 000200000000000000000000ffffc0000201 -> 0001c0000201" ] || { echo "changed" >&2; exit 1; }
