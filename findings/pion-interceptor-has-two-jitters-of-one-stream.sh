#!/usr/bin/env bash
# github.com/pion/interceptor v0.1.51 (Go): the jitter in its statistics is twice that of its own receiver reports for packets that are late by turns.
#
# Guess: Stats.Jitter of an inbound stream is what RFC 3550 §6.4.1 has, as W3C's jitter is defined ("Identifiers for WebRTC's Statistics API"), so the
#   mean of |D| between neighbours, smoothed by 1/16; the receiver report of the same packets has the same number in steps of the clock.
# Seen: if each second packet is 10 ms late, each |D| is 10 ms, and the report nears 10 ms; the statistics near 20. They take for the transit time what
#   is D already, since it is measured from the packet before, and smooth the difference of two of them. With a steady drift of the sender's
#   clock they say 0 where the report has the drift. Which of both a dashboard shows depends on where it asks.
# Source: pkg/stats/stats_recorder.go, recordIncomingRTP (inboundLastTransit); pkg/report/receiver_stream.go, processRTP.
# Output seen: "late by turns: report 10 ms, statistics 20 ms", "drift of 2 ms a packet: report 2 ms, statistics 0 ms"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"fmt"
	"time"

	"github.com/pion/interceptor"
	"github.com/pion/interceptor/pkg/report"
	"github.com/pion/interceptor/pkg/stats"
	"github.com/pion/rtcp"
	"github.com/pion/rtp"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Packets are sent each 20 ms, and come as late as a function says.
func show(name string, late func(index int) time.Duration) {
	start := time.Unix(1000, 0)
	now := start
	clock := func() time.Time { return now }
	reports, err := report.NewReceiverInterceptor(report.ReceiverInterval(20*time.Millisecond), report.ReceiverNow(clock))
	check(err)
	statistics, err := stats.NewInterceptor(stats.SetNowFunc(clock))
	check(err)
	var getter stats.Getter
	statistics.OnNewPeerConnection(func(_ string, made stats.Getter) { getter = made })
	first, err := reports.NewInterceptor("")
	check(err)
	second, err := statistics.NewInterceptor("")
	check(err)
	var packet []byte
	var reader interceptor.RTPReader = interceptor.RTPReaderFunc(
		func(buffer []byte, attributes interceptor.Attributes) (int, interceptor.Attributes, error) {
			return copy(buffer, packet), attributes, nil
		})
	info := &interceptor.StreamInfo{SSRC: 1, ClockRate: 8000}
	reader = second.BindRemoteStream(info, first.BindRemoteStream(info, reader))
	time.Sleep(100 * time.Millisecond) // until the recorder runs
	for index := range 400 {
		header := rtp.Header{Version: 2, SSRC: 1, SequenceNumber: uint16(index), Timestamp: 1000 + uint32(index)*160}
		packet, _ = header.Marshal()
		now = start.Add(time.Duration(index)*20*time.Millisecond + late(index))
		_, _, err := reader.Read(make([]byte, 1500), interceptor.Attributes{})
		check(err)
	}
	jitters := make(chan uint32, 100)
	first.BindRTCPWriter(interceptor.RTCPWriterFunc(func(packets []rtcp.Packet, _ interceptor.Attributes) (int, error) {
		if read, ok := packets[0].(*rtcp.ReceiverReport); ok {
			select {
			case jitters <- read.Reports[0].Jitter:
			default:
			}
		}
		return 0, nil
	}))
	reported := float64(<-jitters) / 8
	time.Sleep(100 * time.Millisecond)
	fmt.Printf("%s: report %.0f ms, statistics %.0f ms\n", name, reported, getter.Get(1).InboundRTPStreamStats.Jitter*1000)
	check(first.Close())
	check(second.Close())
}

func main() {
	show("late by turns", func(index int) time.Duration { return time.Duration(index%2) * 10 * time.Millisecond })
	show("drift of 2 ms a packet", func(index int) time.Duration { return time.Duration(index) * 2 * time.Millisecond })
}
GO
(go mod init finding && go get github.com/pion/interceptor@v0.1.51 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 15 go run . 2>/dev/null) || exit 2
echo "$seen"
[ "$seen" = "late by turns: report 10 ms, statistics 20 ms
drift of 2 ms a packet: report 2 ms, statistics 0 ms" ] || { echo "changed" >&2; exit 1; }
