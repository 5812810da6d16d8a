package main

import (
	"errors"
	"io"
	"net"
	"sync/atomic"
	"time"
)

// Packets that may be under way.
const underWay = 1 << 12

var errTooLarge = errors.New("a packet that is too large")

// One end of a pipe of packets, which loses none: a sender waits for room.
type end struct {
	in, out chan []byte
	sent    atomic.Int64
}

func newPipe() (*end, *end) {
	right, left := make(chan []byte, underWay), make(chan []byte, underWay)
	return &end{in: left, out: right}, &end{in: right, out: left}
}

func (e *end) Read(buffer []byte) (int, error) {
	bytes, open := <-e.in
	if !open {
		return 0, io.EOF
	}
	return copy(buffer, bytes), nil
}

func (e *end) Write(bytes []byte) (int, error) {
	if len(bytes) > packet {
		return 0, errTooLarge
	}
	e.sent.Add(1)
	e.out <- append([]byte(nil), bytes...)
	return len(bytes), nil
}

func (e *end) Close() error                     { return nil }
func (e *end) LocalAddr() net.Addr              { return &net.UDPAddr{} }
func (e *end) RemoteAddr() net.Addr             { return &net.UDPAddr{} }
func (e *end) SetDeadline(time.Time) error      { return nil }
func (e *end) SetReadDeadline(time.Time) error  { return nil }
func (e *end) SetWriteDeadline(time.Time) error { return nil }
