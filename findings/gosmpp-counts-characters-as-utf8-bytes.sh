#!/usr/bin/env bash
# github.com/linxGnu/gosmpp v0.2.1 (Go): whether a message is split depends on its length in UTF-8, and text in long parts is cut.
#
# Guess: up to 160 septets or 70 characters of UCS-2 are one short message; beyond that, parts hold 153 or 67 of them, and a
#   character with an escape counts twice (TS 23.038 §4 and §6.2.1.1, TS 23.040 §9.2.3.24.1). What NewLongMessageWithEncoding
#   returns has the whole text.
# Seen: the Go string's bytes are compared with 140. Of Cyrillic text, with two bytes a letter, 36 letters make a concatenated
#   message of one part, "1 of 1", and 70 make two messages; so do 160 ASCII letters, one octet each in SMPP. Parts are cut by
#   characters: 134 euro signs, which are 268 septets, make one part of 268 octets, of which Marshal writes the lowest
#   eight bits' worth: twelve octets, six euro signs, without an error.
# Who cares: gateways that pay by the part, and centres that see concatenations of one.
# Source: data/codings.go, ShouldSplit (len(text)) and EncodeSplit ([]rune); pdu/ShortMessage.go, Marshal (messageData[:n]).
# Output seen: "160 a: 134+6 26+6", "70 я: 134+6 6+6", "36 я: 72+6", "134 €: 12+6 of 268" (octets of text and header)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"strings"

	"github.com/linxGnu/gosmpp/data"
	"github.com/linxGnu/gosmpp/pdu"
)

// parts gives the octets of text and of the header that each part is sent with.
func parts(text string, encoding data.Encoding) string {
	messages, err := pdu.NewLongMessageWithEncoding(text, encoding)
	if err != nil {
		return err.Error()
	}
	list := ""
	for _, message := range messages {
		buffer := pdu.NewBuffer(nil)
		message.Marshal(buffer)
		length, header := int(buffer.Bytes()[2]), 0 // behind data_coding and sm_default_msg_id
		if message.UDH() != nil {
			header = message.UDH().UDHL()
		}
		list += fmt.Sprintf(" %d+%d", length-header, header)
		if octets, _ := message.GetMessageData(); len(octets) != length-header {
			list += fmt.Sprintf(" of %d", len(octets))
		}
	}
	return list
}

func main() {
	fmt.Println("140 a:" + parts(strings.Repeat("a", 140), data.GSM7BIT))
	fmt.Println("160 a:" + parts(strings.Repeat("a", 160), data.GSM7BIT))
	fmt.Println("36 я:" + parts(strings.Repeat("я", 36), data.UCS2))
	fmt.Println("70 я:" + parts(strings.Repeat("я", 70), data.UCS2))
	fmt.Println("134 €:" + parts(strings.Repeat("€", 134), data.GSM7BIT))
}
GO
(go mod init finding && go get github.com/linxGnu/gosmpp@v0.2.1 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .) || exit 2
echo "$seen"
[ "$seen" = "140 a: 140+0
160 a: 134+6 26+6
36 я: 72+6
70 я: 134+6 6+6
134 €: 12+6 of 268" ] || { echo "changed" >&2; exit 1; }
