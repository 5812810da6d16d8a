#!/usr/bin/env bash
# github.com/vishvananda/netlink v1.3.1 (Go): a delay of HFSC that is given in seconds, as the comment says, is a millionth of it.
#
# Guess: SetRsc(), SetFsc() and SetUsc() take "the delay in seconds", SetSC() "the delay in ms" (their comments), and each turns its unit into that of the
#   kernel, microseconds (linux/pkt_sched.h, struct tc_service_curve: d in us), as the rates are turned from bits into bytes.
# Seen: the number is stored and sent as it is: 1 from either is one microsecond. What is read from the kernel comes back in microseconds by the same names. A
#   class that was to have its burst for a second has it for a microsecond, so that the first slope (m1) never shows; nothing fails. SetSC()
#   also has no delay of its own: it calls the setters whose comments say seconds.
# Source: class.go, HfscClass.SetUsc and SetSC; class_linux.go, classPayload (opt.Usc.Set(um1/8, ud, um2/8)); nl.SerializeHfscCurve.
# Output seen: "SetUsc(1), \"in seconds\": 1", "SetSC(1), \"in ms\": 1", "sent: 01000000"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
)

func main() {
	var upper, both netlink.HfscClass
	upper.SetUsc(8000, 1, 4000)
	both.SetSC(8000, 1, 4000)
	fmt.Printf("SetUsc(1), \"in seconds\": %d\n", upper.Usc.Delay())
	fmt.Printf("SetSC(1), \"in ms\": %d\n", both.Fsc.Delay())
	// As the payload of a class is made: rates by eight, the delay as it is.
	burst, delay, rate := upper.Usc.Attrs()
	var options nl.HfscCopt
	options.Usc.Set(burst/8, delay, rate/8)
	fmt.Printf("sent: %x\n", nl.SerializeHfscCurve(&options.Usc)[4:8])
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/vishvananda/netlink@v1.3.1 github.com/vishvananda/netlink/nl@v1.3.1 >/dev/null 2>&1 || exit 2
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = 'SetUsc(1), "in seconds": 1
SetSC(1), "in ms": 1
sent: 01000000' ] || { echo "changed" >&2; exit 1; }
