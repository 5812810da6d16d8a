package main

import (
	"bytes"
	"fmt"
	"sync"
)

// The number of the first message, as in ../pattern.h.
const firstNumber = 1 << 20

// The bytes of message `number`, as in ../pattern.h.
func pattern(number uint32, length int) []byte {
	message := make([]byte, length)
	for at := range message {
		message[at] = byte(int(number)*31 + at*7 + at>>8)
	}
	return message
}

// What was received: an ordered message must be newer than the last one of its stream.
type tally struct {
	sync.Mutex
	bytes, messages, wrong, odd int
	newest                      map[uint16]uint32
}

func newTally() *tally {
	return &tally{newest: map[uint16]uint32{}}
}

func (t *tally) add(stream uint16, number uint32, unordered bool, message []byte) {
	right := bytes.Equal(message, pattern(number, len(message)))
	t.Lock()
	defer t.Unlock()
	if newest, seen := t.newest[stream]; seen && !unordered {
		right = right && newest < number
	}
	t.newest[stream] = number
	t.bytes += len(message)
	t.messages++
	t.odd += int(number % 2)
	if !right {
		t.wrong++
	}
}

// A stream that was reset: nothing came on it before.
func (t *tally) begin(stream uint16) {
	t.Lock()
	defer t.Unlock()
	delete(t.newest, stream)
}

func (t *tally) report(role, end string) {
	t.Lock()
	defer t.Unlock()
	fmt.Printf("%s odd %d\n", role, t.odd)
	fmt.Printf("%s bytes %d messages %d wrong %d end %s\n", role, t.bytes, t.messages, t.wrong, end)
}
