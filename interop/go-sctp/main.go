// An SCTP echo on the module that most Go programs use, for `sheave run`: a static binary, whose calls no library
// of ours could stand in for.
//
//	go-sctp PORT COUNT
//
// is server and client, each in goroutines of its own.
package main

import (
	"bytes"
	"fmt"
	"log"
	"net"
	"os"
	"strconv"

	"github.com/ishidawataru/sctp"
)

func address(port int) *sctp.SCTPAddr {
	return &sctp.SCTPAddr{IPAddrs: []net.IPAddr{{IP: net.IPv4(127, 0, 0, 1)}}, Port: port}
}

func serve(listener *sctp.SCTPListener, connections int, done chan<- error) {
	for n := 0; n < connections; n++ {
		connection, err := listener.Accept()
		if err != nil {
			done <- err
			return
		}
		go func() {
			buffer := make([]byte, 1<<16)
			for {
				length, err := connection.Read(buffer)
				if err != nil || length == 0 {
					connection.Close()
					done <- nil
					return
				}
				if _, err := connection.Write(buffer[:length]); err != nil {
					done <- err
					return
				}
			}
		}()
	}
}

func client(port, count int) error {
	connection, err := sctp.DialSCTP("sctp", nil, address(port))
	if err != nil {
		return err
	}
	buffer := make([]byte, 1<<16)
	for n := 0; n < count; n++ {
		message := bytes.Repeat([]byte{byte(n)}, 1+n%5000)
		info := &sctp.SndRcvInfo{Stream: uint16(n % 4), PPID: 7}
		if _, err := connection.SCTPWrite(message, info); err != nil {
			return err
		}
		length, _, err := connection.SCTPRead(buffer)
		if err != nil {
			return err
		}
		if !bytes.Equal(buffer[:length], message) {
			return fmt.Errorf("message %d came back changed", n)
		}
	}
	return connection.Close()
}

func main() {
	port, _ := strconv.Atoi(os.Args[1])
	count, _ := strconv.Atoi(os.Args[2])
	const connections = 3
	listener, err := sctp.ListenSCTP("sctp", address(port))
	if err != nil {
		log.Fatal("listen: ", err)
	}
	done := make(chan error, 2*connections)
	go serve(listener, connections, done)
	for n := 0; n < connections; n++ {
		go func() { done <- client(port, count) }()
	}
	for n := 0; n < 2*connections; n++ {
		if err := <-done; err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("echoed", connections*count)
}
