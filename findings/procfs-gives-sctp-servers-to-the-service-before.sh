#!/usr/bin/env bash
# github.com/prometheus/procfs v0.23.0 (Go): the real servers of an SCTP service of IPVS are listed under the service before it.
#
# Guess: IPVSBackendStatus has one entry for each real server, with the protocol and the address of its virtual service: IPVS balances
#   TCP, UDP and SCTP (ipvsadm --sctp-service), and the kernel writes all three into /proc/net/ip_vs in one form.
# Seen: a line that begins with SCTP is read over, and the lines "->" below it go on with the last service that was TCP or UDP:
#   the Diameter server 192.0.2.22:3868 stands under TCP 192.0.2.1:8080, with its connections. Where the SCTP service is
#   the first, its servers have no protocol and no address.
# Who cares: the metrics node_ipvs_backend_* of node_exporter, which have these as labels: sums for a service count those of another.
# Source: ipvs.go, parseIPVSBackendStatus (case fields[0] == "TCP" || fields[0] == "UDP").
# Output seen: "TCP 192.0.2.1:8080 192.0.2.21:8080 248", "TCP 192.0.2.1:8080 192.0.2.22:3868 3", "UDP 192.0.2.1:5060 192.0.2.23:5060 0"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p proc/net
cat >proc/net/ip_vs <<'TABLE'
IP Virtual Server version 1.2.1 (size=4096)
Prot LocalAddress:Port Scheduler Flags
  -> RemoteAddress:Port Forward Weight ActiveConn InActConn
TCP  C0000201:1F90 wlc
  -> C0000215:1F90      Masq    1      248        2
SCTP C0000201:0F1C wlc
  -> C0000216:0F1C      Masq    1      3          1
UDP  C0000201:13C4 rr
  -> C0000217:13C4      Masq    1      0          0
TABLE
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/prometheus/procfs"
)

func main() {
	fs, err := procfs.NewFS("proc")
	if err != nil {
		panic(err)
	}
	servers, err := fs.IPVSBackendStatus()
	if err != nil {
		panic(err)
	}
	for _, s := range servers {
		fmt.Printf("%s %v:%d %v:%d %d\n", s.Proto, s.LocalAddress, s.LocalPort, s.RemoteAddress, s.RemotePort, s.ActiveConn)
	}
}
GO
(go mod init finding && go get github.com/prometheus/procfs@v0.23.0 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .) || exit 2
echo "$seen"
[ "$seen" = "TCP 192.0.2.1:8080 192.0.2.21:8080 248
TCP 192.0.2.1:8080 192.0.2.22:3868 3
UDP 192.0.2.1:5060 192.0.2.23:5060 0" ] || { echo "changed" >&2; exit 1; }
