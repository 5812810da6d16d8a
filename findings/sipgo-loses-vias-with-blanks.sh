#!/usr/bin/env bash
# github.com/emiago/sipgo v1.7.3 (Go): a Via with a blank behind the port has no host, no port and no parameters, and no error.
#
# Guess: blanks around "/", ":", ";" and "=" are read over, since RFC 3261 §25.1 allows them there (SLASH, COLON, SEMI, EQUAL have
#   SWS on both sides) and RFC 4475 §3.1.1.1, the first of the torture tests, has such Vias; a parser that cannot would refuse.
# Seen: "192.0.2.1:5060 ;branch=x" is a Via with an empty host, port 0 and no branch: the response has no address to go to but
#   the packet's, and its transaction no key. Blanks around "/" make the transport part of the host, with an empty
#   transport; around "=" a parameter is named "branch " with the blank, so there is no branch.
# Why it matters: gateways between SIP and telephony, where SCTP is a transport, come from many makers, and some write blanks.
# Source: sip/parse_via.go: viaStateHost gives the text up to ";" to Atoi and returns without an error when that fails.
# Output seen: "192.0.2.1:5060;branch=x" -> UDP "192.0.2.1" 5060 branch "x"; "192.0.2.1:5060 ;branch=x" -> UDP "" 0 branch ""
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/emiago/sipgo/sip"
)

func main() {
	for _, via := range []string{
		"SIP/2.0/SCTP 192.0.2.1:5060;branch=z9hG4bK1",
		"SIP/2.0/SCTP 192.0.2.1:5060 ;branch=z9hG4bK1",
		"SIP/2.0/SCTP 192.0.2.1 : 5060;branch=z9hG4bK1",
		"SIP / 2.0 / SCTP 192.0.2.1:5060;branch=z9hG4bK1",
		"SIP/2.0/SCTP 192.0.2.1:5060;branch = z9hG4bK1",
	} {
		text := "OPTIONS sip:user@host.example SIP/2.0\r\nVia: " + via + "\r\nFrom: <sip:a@b.example>;tag=1\r\n" +
			"To: <sip:user@host.example>\r\nCall-ID: 1\r\nCSeq: 1 OPTIONS\r\nMax-Forwards: 70\r\nContent-Length: 0\r\n\r\n"
		message, err := sip.NewParser().ParseSIP([]byte(text))
		if err != nil {
			fmt.Println(via, "refused")
			continue
		}
		read := message.(*sip.Request).Via()
		branch, _ := read.Params.Get("branch")
		fmt.Printf("%s -> %q %q %d branch %q\n", via, read.Transport, read.Host, read.Port, branch)
	}
}
GO
(go mod init finding && go get github.com/emiago/sipgo@v1.7.3 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(go run .) || exit 2
echo "$seen"
[ "$seen" = 'SIP/2.0/SCTP 192.0.2.1:5060;branch=z9hG4bK1 -> "SCTP" "192.0.2.1" 5060 branch "z9hG4bK1"
SIP/2.0/SCTP 192.0.2.1:5060 ;branch=z9hG4bK1 -> "SCTP" "" 0 branch ""
SIP/2.0/SCTP 192.0.2.1 : 5060;branch=z9hG4bK1 -> "SCTP" "" 0 branch ""
SIP / 2.0 / SCTP 192.0.2.1:5060;branch=z9hG4bK1 -> "" "SCTP 192.0.2.1" 5060 branch "z9hG4bK1"
SIP/2.0/SCTP 192.0.2.1:5060;branch = z9hG4bK1 -> "SCTP" "192.0.2.1" 5060 branch ""' ] || { echo "changed" >&2; exit 1; }
