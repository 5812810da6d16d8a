#!/usr/bin/env bash
# github.com/emiago/diago v0.42.1 (Go), media/sdp: an offer of sound and picture is "more than 1 media line for type audio".
#
# Guess: MediaDescription("audio") gives the m= line of that type, whatever others there are; a section of a type that is not wanted is rejected with port
#   0 (RFC 3264, §6), and the call goes on with sound alone.
# Seen: the number of all m= lines is looked at before the type, so that audio with video, with a=text or with a data section is an error, and the session
#   that asks for "audio" ends with it; a video telephone cannot call. The direction is that of the last section, and the line c= that
#   GenerateForAudio writes for an IPv6 address says IP4, which its own reader refuses.
# Source: media/sdp/sdp.go, SessionDescription.MediaDescription (len(values) > 1), MediaDirection; media/sdp/utils.go, GenerateForAudio.
# Output seen: "audio: 5004", "audio and video: more than 1 media line for type "audio"", "c=IN IP4 2001:db8::1"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"net"
	"strings"

	"github.com/emiago/diago/media/sdp"
)

const (
	session = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\nc=IN IP4 192.0.2.1\r\nt=0 0\r\n"
	audio   = "m=audio 5004 RTP/AVP 0\r\na=sendrecv\r\n"
	video   = "m=video 5006 RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n"
)

func main() {
	for _, offer := range [][2]string{{"audio", session + audio}, {"audio and video", session + audio + video}} {
		description := sdp.SessionDescription{}
		if err := sdp.Unmarshal([]byte(offer[1]), &description); err != nil {
			panic(err)
		}
		media, err := description.MediaDescription("audio")
		if err != nil {
			fmt.Printf("%s: %v\n", offer[0], err)
		} else {
			fmt.Printf("%s: %d\n", offer[0], media.Port)
		}
	}
	address := net.ParseIP("2001:db8::1")
	for _, line := range strings.Split(string(sdp.GenerateForAudio(address, address, 5004, sdp.ModeSendrecv, sdp.NewFormats("0"))), "\r\n") {
		if strings.HasPrefix(line, "c=") {
			fmt.Println(line)
		}
	}
}
GO
go mod init finding >/dev/null 2>&1
go get github.com/emiago/diago/media/sdp@v0.42.1 >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .)
echo "$seen"
[ "$seen" = 'audio: 5004
audio and video: more than 1 media line for type "audio"
c=IN IP4 2001:db8::1' ] || { echo "changed" >&2; exit 1; }
