// An SCTP peer made of github.com/pion/sctp, over UDP encapsulation (RFC 6951) on 127.0.0.1. Its SCTP port
// is always 5000.
//
//	peer echo UDP_PORT [OPTIONS]                             sends back whatever comes, as it came
//	peer sink UDP_PORT [OPTIONS]                             checks and counts whatever comes
//	peer join UDP_PORT REMOTE_UDP_PORT [OPTIONS]             calls, and then does as echo
//	peer take UDP_PORT REMOTE_UDP_PORT [OPTIONS]             calls, and then does as sink
//	peer send UDP_PORT REMOTE_UDP_PORT SIZE COUNT [OPTIONS]  sends, then ends the association
//	peer ping UDP_PORT REMOTE_UDP_PORT SIZE COUNT [OPTIONS]  the same, and expects it all back
//
// OPTIONS: streams=N  unordered  zero-checksum  interleaving  dtls  end=shutdown|abort, and retransmissions=N: how
// messages on streams of even numbers are given up
//
// A server prints "ready", serves one association and ends; so does who calls and then does as a server, but for
// the word. To these a line "reset N" on the standard input says that stream N is to be reset (RFC 6525), and
// they print "reset N" when the other end resets one, on which they reset their own (RFC 8831 §6.7). Each
// association ends with two lines: ROLE odd N and ROLE bytes N messages N wrong N end HOW.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pion/logging"
	"github.com/pion/sctp"
)

const (
	largest  = 4 << 20
	patience = 20 * time.Second
	bound    = 5 * time.Minute
)

// How a peer behaves.
type options struct {
	streams      int
	unordered    bool
	reliability  byte
	most         int
	zeroChecksum bool
	interleaving bool
	dtls         bool
	abort        bool
}

func main() {
	time.AfterFunc(bound, func() { fail("time", fmt.Errorf("more than %v", bound)) })
	if len(os.Args) < 3 {
		fail("arguments", fmt.Errorf("ROLE UDP_PORT"))
	}
	role, words := os.Args[1], os.Args[3:]
	local := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: number(os.Args[2])}
	socket, err := net.ListenUDP("udp4", local)
	check("socket", err)
	switch role {
	case "echo", "sink":
		serve(role, socket, parse(words))
	case "join", "take":
		if len(words) < 1 {
			fail("arguments", fmt.Errorf("REMOTE_UDP_PORT"))
		}
		chosen := parse(words[1:])
		attend(role, role == "join", connect(socket, number(words[0]), chosen), chosen)
	case "send", "ping":
		if len(words) < 3 {
			fail("arguments", fmt.Errorf("REMOTE_UDP_PORT SIZE COUNT"))
		}
		call(role, socket, number(words[0]), number(words[1]), number(words[2]), parse(words[3:]))
	default:
		fail("role", fmt.Errorf("%q", role))
	}
}

func serve(role string, socket *net.UDPConn, chosen options) {
	fmt.Println("ready")
	association, err := sctp.ServerWithOptions(chosen.server(chosen.over(&carrier{UDPConn: socket}))...)
	check("accept", err)
	attend(role, role == "echo", association, chosen)
}

func connect(socket *net.UDPConn, remote int, chosen options) *sctp.Association {
	peer := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: remote}
	association, err := sctp.ClientWithOptions(chosen.client(chosen.over(&carrier{UDPConn: socket, peer: peer}))...)
	check("connect", err)
	return association
}

// Takes what comes on every stream until the association ends, and sends it back where it is to.
func attend(role string, echo bool, association *sctp.Association, chosen options) {
	tally := newTally()
	var readers sync.WaitGroup
	var open sync.Map
	go obey(&open)
	for {
		stream, err := association.AcceptStream()
		if err != nil {
			break
		}
		chosen.prepare(stream)
		open.Store(int(stream.StreamIdentifier()), stream)
		readers.Add(1)
		go func() {
			defer readers.Done()
			end := read(stream, func(ppid uint32, message []byte) bool {
				tally.add(stream.StreamIdentifier(), ppid, chosen.unordered, message)
				if !echo {
					return true
				}
				_, err := stream.WriteSCTP(message, sctp.PayloadProtocolIdentifier(ppid))
				return err == nil
			})
			if !errors.Is(end, io.EOF) {
				return
			}
			tally.begin(stream.StreamIdentifier())
			if stream.State() == sctp.StreamStateOpen {
				fmt.Println("reset", stream.StreamIdentifier())
				stream.Close()
			}
		}()
	}
	readers.Wait()
	tally.report(role, "closed")
}

// Resets the streams that the standard input names.
func obey(open *sync.Map) {
	var id int
	for {
		if _, err := fmt.Scanf("reset %d\n", &id); err != nil {
			return
		}
		stream, found := open.Load(id)
		if !found {
			fail("reset", fmt.Errorf("no stream %d", id))
		}
		check("reset", stream.(*sctp.Stream).Close())
	}
}

func call(role string, socket *net.UDPConn, remote, size, count int, chosen options) {
	association := connect(socket, remote, chosen)
	tally := newTally()
	arrived := make(chan struct{}, count)
	streams := make([]*sctp.Stream, chosen.streams)
	for id := range streams {
		stream, err := association.OpenStream(uint16(id), 0)
		check("stream", err)
		chosen.prepare(stream)
		streams[id] = stream
		go read(stream, func(ppid uint32, message []byte) bool {
			tally.add(stream.StreamIdentifier(), ppid, chosen.unordered, message)
			arrived <- struct{}{}
			return true
		})
	}
	for index := range count {
		ppid := uint32(firstNumber + index)
		stream := streams[index%len(streams)]
		_, err := stream.WriteSCTP(pattern(ppid, size), sctp.PayloadProtocolIdentifier(ppid))
		check("write", err)
	}
	for range map[string]int{"ping": count}[role] {
		<-arrived
	}
	end := "shutdown"
	if chosen.abort {
		end = "abort"
		association.Abort("enough")
	} else {
		limit, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		check("shutdown", association.Shutdown(limit))
	}
	tally.report(role, end)
}

// Calls `take` for each message until it says no or the stream ends, and says how that does.
func read(stream *sctp.Stream, take func(ppid uint32, message []byte) bool) error {
	buffer := make([]byte, largest)
	for {
		length, ppid, err := stream.ReadSCTP(buffer)
		if err != nil || !take(uint32(ppid), append([]byte(nil), buffer[:length]...)) {
			return err
		}
	}
}

func (chosen options) prepare(stream *sctp.Stream) {
	if stream.StreamIdentifier()%2 == 0 {
		stream.SetReliabilityParams(chosen.unordered, chosen.reliability, uint32(chosen.most))
	} else {
		stream.SetReliabilityParams(chosen.unordered, sctp.ReliabilityTypeReliable, 0)
	}
}

func (chosen options) common(socket net.Conn) []sctp.AssociationOption {
	return []sctp.AssociationOption{
		sctp.WithLoggerFactory(logging.NewDefaultLoggerFactory()),
		sctp.WithNetConn(socket),
		sctp.WithBlockWrite(true),
		sctp.WithMaxReceiveBufferSize(largest),
		sctp.WithMaxMessageSize(largest),
		sctp.WithEnableZeroChecksum(chosen.zeroChecksum),
		sctp.WithEnableInterleaving(chosen.interleaving),
	}
}

func (chosen options) server(socket net.Conn) (all []sctp.ServerOption) {
	for _, option := range chosen.common(socket) {
		all = append(all, option)
	}
	return all
}

func (chosen options) client(socket net.Conn) (all []sctp.ClientOption) {
	for _, option := range chosen.common(socket) {
		all = append(all, option)
	}
	return all
}

// What SCTP packets travel over.
func (chosen options) over(plain *carrier) net.Conn {
	if chosen.dtls {
		return secure(plain)
	}
	return plain
}

func parse(words []string) options {
	chosen := options{streams: 1, reliability: sctp.ReliabilityTypeReliable}
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "streams":
			chosen.streams = number(value)
		case "unordered":
			chosen.unordered = true
		case "retransmissions":
			chosen.reliability, chosen.most = sctp.ReliabilityTypeRexmit, number(value)
		case "zero-checksum":
			chosen.zeroChecksum = true
		case "interleaving":
			chosen.interleaving = true
		case "dtls":
			chosen.dtls = true
		case "end":
			chosen.abort = value == "abort"
		default:
			fail("option", fmt.Errorf("%q", word))
		}
	}
	return chosen
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
	fmt.Printf("failed %s: %v\n", what, err)
	os.Exit(1)
}
