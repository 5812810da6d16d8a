// Both ends of an association of github.com/pion/sctp in one process, packets in memory.
//
// Each line "SIZE COUNT LANE" of the standard input moves COUNT messages of SIZE bytes and is answered by a line
// "SECONDS PACKETS": CPU time of the process, all of its threads, and packets that carried them. In the lane
// "fresh" each message is written before it is sent, in the lane "shared" one is sent again and again.
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/pion/logging"
	"github.com/pion/sctp"
)

const (
	packet  = 1472
	buffer  = 1 << 20
	largest = 1 << 20
)

func main() {
	// One core for both ends, as all others have.
	runtime.GOMAXPROCS(1)
	left, right := newPipe()
	server := make(chan *sctp.Association)
	go func() {
		association, err := sctp.ServerWithOptions(serverOptions(right)...)
		check("accept", err)
		server <- association
	}()
	client, err := sctp.ClientWithOptions(clientOptions(left)...)
	check("connect", err)
	outbound, err := client.OpenStream(0, sctp.PayloadTypeWebRTCBinary)
	check("stream", err)
	room := make(chan struct{}, 1)
	outbound.SetBufferedAmountLowThreshold(buffer / 2)
	outbound.OnBufferedAmountLow(func() {
		select {
		case room <- struct{}{}:
		default:
		}
	})
	arrivals := make(chan int, 1<<12)
	go receive(<-server, arrivals)
	for {
		var size, count int
		var lane string
		if read, _ := fmt.Scan(&size, &count, &lane); read != 3 {
			return
		}
		begin, packets := spent(), left.sent.Load()
		go send(outbound, make([]byte, size), count, lane == "fresh", room)
		for missing := size * count; missing > 0; {
			missing -= <-arrivals
		}
		fmt.Printf("%.9f %d\n", (spent() - begin).Seconds(), left.sent.Load()-packets)
	}
}

func send(stream *sctp.Stream, message []byte, count int, fresh bool, room <-chan struct{}) {
	for turn := range count {
		if fresh {
			fill(message, byte(turn))
		}
		for stream.BufferedAmount()+uint64(len(message)) > buffer {
			<-room
		}
		_, err := stream.WriteSCTP(message, sctp.PayloadTypeWebRTCBinary)
		check("write", err)
	}
}

func fill(message []byte, value byte) {
	if len(message) > 0 {
		message[0] = value
	}
	for done := 1; done < len(message); done *= 2 {
		copy(message[done:], message[:done])
	}
}

func receive(association *sctp.Association, arrivals chan<- int) {
	stream, err := association.AcceptStream()
	check("stream", err)
	message := make([]byte, largest)
	for {
		length, _, err := stream.ReadSCTP(message)
		check("read", err)
		arrivals <- length
	}
}

func serverOptions(pipe *end) []sctp.ServerOption {
	return []sctp.ServerOption{
		sctp.WithNetConn(pipe), sctp.WithLoggerFactory(logging.NewDefaultLoggerFactory()), sctp.WithMTU(packet),
		sctp.WithMaxReceiveBufferSize(buffer), sctp.WithMaxMessageSize(largest),
	}
}

func clientOptions(pipe *end) []sctp.ClientOption {
	return []sctp.ClientOption{
		sctp.WithNetConn(pipe), sctp.WithLoggerFactory(logging.NewDefaultLoggerFactory()), sctp.WithMTU(packet),
		sctp.WithMaxReceiveBufferSize(buffer), sctp.WithMaxMessageSize(largest),
	}
}

func spent() time.Duration {
	var usage syscall.Rusage
	check("rusage", syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func check(what string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "pion: %s: %v\n", what, err)
		os.Exit(1)
	}
}
