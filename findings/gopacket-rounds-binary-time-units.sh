#!/usr/bin/env bash
# gopacket 1.7.7 (the maintained fork): times of a pcapng file in units of 2^-n s are off, by up to 7 % of a second.
#
# Guess: NgReader, which accepts binary resolutions up to 2^-63, gives the time to a nanosecond: ticks * 10^9 / 2^n.
# Seen: it multiplies by the whole nanoseconds in a tick, or divides by the whole ticks in a nanosecond. In units of 2^-32
#   (NTP's, and those of capture cards) a packet at .25 is at .268, and one at .95 falls into the next second, behind
#   later packets. With 2^-20 it is at .2498. Decimal units are right, but for if_tsresol 0, whole seconds, which counts
#   as "absent": microseconds.
# Source: pcapgo/ngread.go, scaleUp and scaleDown; draft-ietf-opsawg-pcapng §4.2.
# Output seen: "2^-32: 1000.268435456 1001.020054732", "2^-20: 1000.249823232 1000.949328091",
#   "10^-9: 1000.250000000 1000.950000000", "10^0: 0.001000000 0.001000000"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/gopacket/gopacket/pcapgo"
)

func block(kind uint32, fields ...any) []byte {
	var body bytes.Buffer
	for _, field := range fields {
		binary.Write(&body, binary.LittleEndian, field)
	}
	head := binary.LittleEndian.AppendUint32(nil, kind)
	length := binary.LittleEndian.AppendUint32(nil, uint32(12+body.Len()))
	return bytes.Join([][]byte{head, length, body.Bytes(), length}, nil)
}

func main() {
	for _, unit := range []struct {
		name   string
		option uint8
		second uint64
	}{{"2^-32", 0xa0, 1 << 32}, {"2^-20", 0x94, 1 << 20}, {"10^-9", 9, 1e9}, {"10^0", 0, 1}} {
		fmt.Print(unit.name, ":")
		for _, hundredths := range []uint64{25, 95} {
			ticks := 1000*unit.second + unit.second*hundredths/100
			file := block(0x0a0d0d0a, uint32(0x1a2b3c4d), uint16(1), uint16(0), int64(-1))
			file = append(file, block(1, uint16(1), uint16(0), uint32(0),
				uint16(9), uint16(1), unit.option, [3]byte{}, uint32(0))...)
			file = append(file, block(6, uint32(0), uint32(ticks>>32), uint32(ticks), uint32(60), uint32(60), [60]byte{})...)
			reader, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.DefaultNgReaderOptions)
			if err != nil {
				panic(err)
			}
			_, info, err := reader.ReadPacketData()
			if err != nil {
				panic(err)
			}
			fmt.Printf(" %d.%09d", info.Timestamp.Unix(), info.Timestamp.Nanosecond())
		}
		fmt.Println()
	}
}
GO
(go mod init finding && go get github.com/gopacket/gopacket/pcapgo@v1.7.7 && go mod tidy) >/dev/null 2>&1
seen=$(go run .)
echo "$seen"
[ "$seen" = '2^-32: 1000.268435456 1001.020054732
2^-20: 1000.249823232 1000.949328091
10^-9: 1000.250000000 1000.950000000
10^0: 0.001000000 0.001000000' ] || { echo "changed" >&2; exit 1; }
