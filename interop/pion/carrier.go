package main

import "net"

// Carries packets to and from one peer: the one that is given, or the first that sends.
type carrier struct {
	*net.UDPConn
	peer *net.UDPAddr
}

func (c *carrier) Read(buffer []byte) (int, error) {
	length, from, err := c.ReadFromUDP(buffer)
	if err == nil && c.peer == nil {
		c.peer = from
	}
	return length, err
}

func (c *carrier) Write(packet []byte) (int, error) {
	return c.WriteToUDP(packet, c.peer)
}
