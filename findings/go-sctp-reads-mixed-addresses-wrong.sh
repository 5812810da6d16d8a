#!/usr/bin/env bash
# github.com/ishidawataru/sctp v0.0.0-20251114114122: of a peer with addresses of both families one family comes out wrong.
#
# Guess: SCTPRemoteAddr and SCTPLocalAddr give the addresses that the kernel hands out, a packed row of socket addresses,
#   each of its own size (RFC 6458 §9.3, sctp_getpaddrs); ToRawSockAddrBuf writes just such a row for bind and connect.
# Seen: all are read as the first one's family, in steps of its size. Of 192.0.2.1 and 2001:db8::1 the second is 0.0.0.0, the
#   flow label of the IPv6 one. The count is right and there is no error, so that a multihomed peer's second path is
#   shown, and may be used, as another host.
# Source: sctp.go, resolveFromRawAddr. It is not exported and its callers need a kernel with SCTP: a test within the package
#   reads what the package wrote.
# Output seen: "same family 192.0.2.1/192.0.2.2:5000", "both families 192.0.2.1/0.0.0.0:5000"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/ishidawataru/sctp@v0.0.0-20251114114122-19ddcbc6aae2 >/dev/null 2>&1 || exit 2
cp -r "$(go list -m -f '{{.Dir}}' github.com/ishidawataru/sctp)" sctp
chmod -R u+w sctp
cd sctp
rm -f ./*_test.go
cat >finding_test.go <<'GO'
package sctp

import (
	"fmt"
	"testing"
	"unsafe"
)

func TestAddresses(t *testing.T) {
	for name, text := range map[string]string{
		"same family": "192.0.2.1/192.0.2.2:5000", "both families": "192.0.2.1/[2001:db8::1]:5000",
	} {
		address, err := ResolveSCTPAddr("sctp", text)
		if err != nil {
			t.Fatal(err)
		}
		row := address.ToRawSockAddrBuf()
		read, err := resolveFromRawAddr(unsafe.Pointer(&row[0]), len(address.IPAddrs))
		fmt.Println(name, read, err)
	}
}
GO
seen=$(nice -n 15 go test -v -count=1 -run TestAddresses . | grep famil | sort)
echo "$seen"
[ "$seen" = "both families 192.0.2.1/0.0.0.0:5000 <nil>
same family 192.0.2.1/192.0.2.2:5000 <nil>" ] || { echo "changed" >&2; exit 1; }
