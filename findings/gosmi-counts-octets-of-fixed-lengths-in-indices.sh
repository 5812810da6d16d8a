#!/usr/bin/env bash
# github.com/sleepinggenius2/gosmi v0.4.4 (Go): the index of a table by hardware or IP address gets a length in front, and no row has it.
#
# Guess: BuildIndex() of TableNode follows RFC 2578 §7.7: strings of one fixed length and IpAddress are one sub-identifier an octet, with no length;
#   strings of variable length and identifiers of objects have it, unless they are IMPLIED. The type knows its sizes (Ranges).
# Seen: a length stands in front of each string that is not IMPLIED, also of six octets that cannot be more or fewer and of an IPv4 address. A
#   manager that asks for dot1dTpFdbPort or the old tables of TCP connections by the index made so has "no such instance" for
#   rows that are there. Numbers and strings of variable length are right.
# Source: models/type.go, indexValueOctetString, which does not look at Ranges or Name.
# Output seen: "MacAddress .6.2.0.0.0.0.1", "IpAddress .4.192.0.2.1", "DisplayString .2.97.98", "IMPLIED .97.98"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
go mod init finding >/dev/null 2>&1
go get github.com/sleepinggenius2/gosmi@v0.4.4 >/dev/null 2>&1 || exit 2
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/sleepinggenius2/gosmi/models"
	"github.com/sleepinggenius2/gosmi/types"
)

func show(name string, implied bool, least, most int64, value []byte) {
	kind := models.Type{Name: name, BaseType: types.BaseTypeOctetString, Ranges: []models.Range{{MinValue: least, MaxValue: most}}}
	index := models.ColumnNode{Type: kind}
	table := models.TableNode{Row: models.RowNode{Implied: implied, Index: []models.ColumnNode{index}}}
	parts, err := table.BuildIndex(value)
	if implied {
		name = "IMPLIED"
	}
	fmt.Print(name, " ")
	for _, part := range parts {
		fmt.Print(".", part)
	}
	if err != nil {
		fmt.Print(err)
	}
	fmt.Println()
}

func main() {
	show("MacAddress", false, 6, 6, []byte{2, 0, 0, 0, 0, 1})
	show("IpAddress", false, 4, 4, []byte{192, 0, 2, 1})
	show("DisplayString", false, 0, 255, []byte("ab"))
	show("DisplayString", true, 0, 255, []byte("ab"))
}
GO
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "MacAddress .6.2.0.0.0.0.1
IpAddress .4.192.0.2.1
DisplayString .2.97.98
IMPLIED .97.98" ] || { echo "changed" >&2; exit 1; }
