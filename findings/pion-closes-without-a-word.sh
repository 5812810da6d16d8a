#!/usr/bin/env bash
# github.com/pion/sctp v1.12.1 (Go): Association.Close throws away what is not sent yet, and sends neither SHUTDOWN nor ABORT.
#
# Guess: Close ends the association as close() ends a socket (RFC 6458 §4.1.6, RFC 9260 §9.2): what Write took is delivered,
#   then the peer learns of the end, or the peer learns of it by an ABORT.
# Seen: 200 messages of 1000 bytes are written without an error, Close returns nil, and the peer reads a few of them
#   and waits: no packet of the association goes out after Close. The peer finds out by its own retransmissions or
#   HEARTBEATs, if it has any. Shutdown, which waits for all, and Abort are there to be called
#   first; over DTLS the close of that layer tells browsers, which hides it.
# Source: association.go, close: the underlying connection is closed first of all.
# Output seen: "wrote 200, error <nil>, all arrived: false, the peer was told: false", "after Shutdown: all arrived: true,
#   the peer was told: true"
set -euo pipefail
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder"
cat >main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/pion/logging"
	"github.com/pion/sctp"
)

const messages = 200

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// kept is a connection that ends reading when it is closed, and could still send: no ICMP message tells the peer.
type kept struct{ net.Conn }

func (connection kept) Close() error { return connection.SetReadDeadline(time.Now()) }

// Two sockets of UDP that send to each other.
func sockets() (net.Conn, net.Conn) {
	loopback := net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}
	first, err := net.ListenUDP("udp", &loopback)
	check(err)
	second, err := net.DialUDP("udp", nil, first.LocalAddr().(*net.UDPAddr))
	check(err)
	address := first.LocalAddr().(*net.UDPAddr)
	check(first.Close())
	first, err = net.DialUDP("udp", address, second.LocalAddr().(*net.UDPAddr))
	check(err)
	return first, second
}

func run(end func(*sctp.Association) error) (written int, result error, arrived int, told bool) {
	logger := logging.NewDefaultLoggerFactory()
	logger.DefaultLogLevel = logging.LogLevelDisabled
	near, far := sockets()
	accepted := make(chan *sctp.Association)
	go func() {
		server, err := sctp.Server(sctp.Config{NetConn: far, LoggerFactory: logger})
		check(err)
		accepted <- server
	}()
	client, err := sctp.Client(sctp.Config{NetConn: kept{near}, LoggerFactory: logger})
	check(err)
	server := <-accepted
	stream, err := client.OpenStream(1, sctp.PayloadTypeWebRTCBinary)
	check(err)
	_, err = stream.Write([]byte{0})
	check(err)
	reader, err := server.AcceptStream()
	check(err)
	for ; written < messages; written++ {
		if _, err := stream.Write(make([]byte, 1000)); err != nil {
			break
		}
	}
	result = end(client)
	check(reader.SetReadDeadline(time.Now().Add(5 * time.Second)))
	for buffer := make([]byte, 2000); ; arrived++ {
		if _, err := reader.Read(buffer); err != nil {
			return written, result, arrived - 1, err != sctp.ErrReadDeadlineExceeded
		}
	}
}

func main() {
	written, err, arrived, told := run((*sctp.Association).Close)
	fmt.Printf("wrote %d, error %v, all arrived: %v, the peer was told: %v\n", written, err, arrived == messages, told)
	_, _, arrived, told = run(func(association *sctp.Association) error {
		return association.Shutdown(context.Background())
	})
	fmt.Printf("after Shutdown: all arrived: %v, the peer was told: %v\n", arrived == messages, told)
}
GO
(go mod init finding && go get github.com/pion/sctp@v1.12.1 && go mod tidy) >/dev/null 2>&1 || exit 2
seen=$(nice -n 10 go run .) || exit 2
echo "$seen"
[ "$seen" = 'wrote 200, error <nil>, all arrived: false, the peer was told: false
after Shutdown: all arrived: true, the peer was told: true' ] || { echo "changed" >&2; exit 1; }
