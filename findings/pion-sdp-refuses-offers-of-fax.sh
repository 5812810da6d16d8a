#!/usr/bin/env bash
# github.com/pion/sdp v3.0.20 (Go): a description with an image section, as each call with T.38 fax has, is refused as a whole.
#
# Guess: an m= line may have any registered media type, and "image" is one (RFC 6466), which RFC 8866 §5.14 has as its example of a later
#   one; a WebRTC gateway that cannot do fax reads the offer and rejects that section with port 0 (RFC 3264 §6), as the application does with each section it does not want.
# Seen: "sdp: invalid value `image`" for the description; nothing of it is read, also not the audio before it, so that a gateway has to answer the
#   whole re-INVITE with an error where a port of 0 was due. audio, video, text, application and message pass; the comment
#   above the list says "currently registered with IANA".
# Source: unmarshal.go, unmarshalMediaDescription (anyOf).
# Output seen: "audio, message: 2 sections", "audio, image: sdp: invalid value `image`"
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

	"github.com/pion/sdp/v3"
)

func show(name, section string) {
	text := "v=0\r\no=- 1 2 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\nm=audio 4000 RTP/AVP 8\r\n" + section + "\r\n"
	var description sdp.SessionDescription
	if err := description.Unmarshal([]byte(text)); err != nil {
		fmt.Printf("audio, %s: %v\n", name, err)
		return
	}
	fmt.Printf("audio, %s: %d sections\n", name, len(description.MediaDescriptions))
}

func main() {
	show("message", "m=message 4002 TCP/MSRP *")
	show("image", "m=image 4002 udptl t38")
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = 'audio, message: 2 sections
audio, image: sdp: invalid value `image`' ] || { echo "changed" >&2; exit 1; }
