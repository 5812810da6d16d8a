#!/usr/bin/env bash
# github.com/pion/sdp v3.0.20 (Go): of several c= lines in one media section only the last is kept, and written again.
#
# Guess: a media section may have more than one c= line (RFC 8866 §5.7 and §9: *connection-field), one for each layer or group, and what is read is
#   written again with all of them; a structure with room for one would refuse the second.
# Seen: the second line takes the place of the first, without an error. A recorder or a forwarder that joins the groups of the description loses the
#   base layer, on which all others depend. Several b=, a= and t= lines are kept, in their order; the same two groups in the short form
#   (224.2.1.1/127/2) are kept too.
# Source: unmarshal.go, unmarshalMediaConnectionInformation; MediaDescription.ConnectionInformation is one pointer.
# Output seen: "c=IN IP4 224.2.1.2/127", "b=AS:1", "b=TIAS:2"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/pion/sdp/v3@v3.0.20 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/pion/sdp/v3"
)

func main() {
	text := "v=0\r\no=- 1 2 IN IP4 192.0.2.1\r\ns=-\r\nt=0 0\r\nm=video 49170/2 RTP/AVP 31\r\n" +
		"c=IN IP4 224.2.1.1/127\r\nc=IN IP4 224.2.1.2/127\r\nb=AS:1\r\nb=TIAS:2\r\n"
	var description sdp.SessionDescription
	if err := description.Unmarshal([]byte(text)); err != nil {
		fmt.Println(err)
		os.Exit(0)
	}
	written, err := description.Marshal()
	if err != nil {
		fmt.Println(err)
		os.Exit(0)
	}
	for _, line := range strings.Split(string(written), "\r\n") {
		if strings.HasPrefix(line, "c=") || strings.HasPrefix(line, "b=") {
			fmt.Println(line)
		}
	}
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "c=IN IP4 224.2.1.2/127
b=AS:1
b=TIAS:2" ] || { echo "changed" >&2; exit 1; }
