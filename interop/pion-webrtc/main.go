// A WebRTC peer made of github.com/pion/webrtc, with data channels alone.
//
// Commands come by standard input and news go to standard output, a line each, as ../webrtc.md says.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pion/webrtc/v4"
)

const bound = 5 * time.Minute

var (
	output   sync.Mutex
	channels sync.Map
)

func main() {
	time.AfterFunc(bound, func() { fail("time", fmt.Errorf("more than %v", bound)) })
	settings := webrtc.SettingEngine{}
	settings.SetIncludeLoopbackCandidate(true)
	settings.SetNetworkTypes([]webrtc.NetworkType{webrtc.NetworkTypeUDP4})
	settings.SetSCTPMaxReceiveBufferSize(32 << 20)
	// With the word "init" its descriptions have an INIT chunk.
	settings.EnableSctpSnap(slices.Contains(os.Args[1:], "init"))
	api := webrtc.NewAPI(webrtc.WithSettingEngine(settings))
	peer, err := api.NewPeerConnection(webrtc.Configuration{})
	check("connection", err)
	peer.OnDataChannel(attend)
	say("ready")
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<20)
	for input.Scan() {
		verb, rest, _ := strings.Cut(input.Text(), " ")
		obey(peer, verb, rest)
	}
	peer.Close()
}

func obey(peer *webrtc.PeerConnection, verb, rest string) {
	words := strings.Fields(rest)
	switch verb {
	case "offer":
		// Without a channel pion offers no data channels.
		open(peer, "first", nil)
		offer, err := peer.CreateOffer(nil)
		check("offer", err)
		describe(peer, offer)
	case "offered":
		check("offered", peer.SetRemoteDescription(description(rest)))
		answer, err := peer.CreateAnswer(nil)
		check("answer", err)
		describe(peer, answer)
	case "answered":
		check("answered", peer.SetRemoteDescription(description(rest)))
	case "open":
		open(peer, words[0], words[1:])
	case "send":
		go send(find(words[0]), words[1] == "text", number(words[2]), number(words[3]))
	case "close":
		check("close", find(words[0]).Close())
	case "low":
		channel := find(words[0])
		channel.OnBufferedAmountLow(func() { say("low", words[0]) })
		channel.SetBufferedAmountLowThreshold(uint64(number(words[1])))
	default:
		fail("command", fmt.Errorf("%q", verb))
	}
}

func describe(peer *webrtc.PeerConnection, own webrtc.SessionDescription) {
	gathered := webrtc.GatheringCompletePromise(peer)
	check("description", peer.SetLocalDescription(own))
	<-gathered
	text, err := json.Marshal(peer.LocalDescription())
	check("json", err)
	say(own.Type.String(), string(text))
}

func description(text string) (found webrtc.SessionDescription) {
	check("json", json.Unmarshal([]byte(text), &found))
	return found
}

func open(peer *webrtc.PeerConnection, label string, words []string) {
	chosen := webrtc.DataChannelInit{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "unordered":
			no := false
			chosen.Ordered = &no
		case "retransmits":
			most := uint16(number(value))
			chosen.MaxRetransmits = &most
		case "lifetime":
			most := uint16(number(value))
			chosen.MaxPacketLifeTime = &most
		case "protocol":
			chosen.Protocol = &value
		case "id":
			yes, id := true, uint16(number(value))
			chosen.Negotiated, chosen.ID = &yes, &id
		default:
			fail("option", fmt.Errorf("%q", word))
		}
	}
	channel, err := peer.CreateDataChannel(label, &chosen)
	check("channel", err)
	attend(channel)
}

// Tells of what happens on a channel, and sends back what comes on one whose label begins with "echo".
func attend(channel *webrtc.DataChannel) {
	label := channel.Label()
	channels.Store(label, channel)
	channel.OnOpen(func() {
		say("opened", label, order(channel), limit(channel.MaxRetransmits()),
			limit(channel.MaxPacketLifeTime()), strconv.Quote(channel.Protocol()))
	})
	channel.OnClose(func() { say("closed", label) })
	channel.OnMessage(func(message webrtc.DataChannelMessage) {
		if strings.HasPrefix(label, "echo") {
			if message.IsString {
				check("echo", channel.SendText(string(message.Data)))
			} else {
				check("echo", channel.Send(message.Data))
			}
			return
		}
		sum := uint32(0)
		for _, value := range message.Data {
			sum += uint32(value)
		}
		kind := "binary"
		if message.IsString {
			kind = "text"
		}
		say("message", label, kind, len(message.Data), sum)
	})
}

// Sends messages of letters, the same in text and binary.
func send(channel *webrtc.DataChannel, text bool, size, count int) {
	message := make([]byte, size)
	for index := range message {
		message[index] = byte('a' + index%26)
	}
	for range count {
		var err error
		if text {
			err = channel.SendText(string(message))
		} else {
			err = channel.Send(message)
		}
		check("send", err)
	}
}

func find(label string) *webrtc.DataChannel {
	channel, found := channels.Load(label)
	if !found {
		fail("channel", fmt.Errorf("no %q", label))
	}
	return channel.(*webrtc.DataChannel)
}

func order(channel *webrtc.DataChannel) string {
	if channel.Ordered() {
		return "ordered"
	}
	return "unordered"
}

func limit(most *uint16) string {
	if most == nil {
		return "-"
	}
	return strconv.Itoa(int(*most))
}

func say(words ...any) {
	output.Lock()
	defer output.Unlock()
	fmt.Println(words...)
}

func number(word string) int {
	value, err := strconv.Atoi(word)
	check("number", err)
	return value
}

func check(what string, err error) {
	if err != nil {
		fail(what, err)
	}
}

func fail(what string, err error) {
	say("failed", what, err)
	os.Exit(1)
}
