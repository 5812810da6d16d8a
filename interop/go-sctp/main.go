// An SCTP echo on the module that most Go programs use, for `sheave run`: a static binary, whose calls no library
// of ours could stand in for.
//
//	go-sctp PORT COUNT
//	go-sctp client ADDRESS PORT COUNT
//	go-sctp server ADDRESS PORT
//
// The first is server and client on this machine, each in goroutines of its own; the second sends messages to an echo,
// and the third is one for one connection.
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

func address(host string, port int) *sctp.SCTPAddr {
	return &sctp.SCTPAddr{IPAddrs: []net.IPAddr{{IP: net.ParseIP(host)}}, Port: port}
}

// Gives the number that an argument is.
func number(argument int) int {
	value, err := strconv.Atoi(os.Args[argument])
	if err != nil {
		log.Fatal(err)
	}
	return value
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

func client(to *sctp.SCTPAddr, count int) error {
	connection, err := sctp.DialSCTP("sctp", nil, to)
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
	switch os.Args[1] {
	case "client":
		count := number(4)
		if err := client(address(os.Args[2], number(3)), count); err != nil {
			log.Fatal(err)
		}
		fmt.Println("echoed", count)
	case "server":
		listener, err := sctp.ListenSCTP("sctp", address(os.Args[2], number(3)))
		if err != nil {
			log.Fatal("listen: ", err)
		}
		done := make(chan error, 1)
		serve(listener, 1, done)
		if err := <-done; err != nil {
			log.Fatal(err)
		}
	default:
		both(number(1), number(2))
	}
}

func both(port, count int) {
	const connections = 3
	here := address("127.0.0.1", port)
	listener, err := sctp.ListenSCTP("sctp", here)
	if err != nil {
		log.Fatal("listen: ", err)
	}
	done := make(chan error, 2*connections)
	go serve(listener, connections, done)
	for n := 0; n < connections; n++ {
		go func() { done <- client(here, count) }()
	}
	for n := 0; n < 2*connections; n++ {
		if err := <-done; err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println("echoed", connections*count)
}
