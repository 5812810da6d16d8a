package main

import (
	"context"
	"crypto/tls"
	"net"

	"github.com/pion/dtls/v3"
	"github.com/pion/dtls/v3/pkg/crypto/selfsign"
)

// Datagrams to and from the one peer, whatever address DTLS believes it to have.
type datagrams struct {
	*carrier
}

func (d *datagrams) ReadFrom(buffer []byte) (int, net.Addr, error) {
	length, err := d.Read(buffer)
	return length, d.peer, err
}

func (d *datagrams) WriteTo(datagram []byte, _ net.Addr) (int, error) {
	return d.Write(datagram)
}

// Puts DTLS (RFC 8261) over the carrier; who has a peer already calls it. Any certificate will do.
func secure(plain *carrier) net.Conn {
	certificate, err := selfsign.GenerateSelfSigned()
	check("certificate", err)
	config := &dtls.Config{
		Certificates:         []tls.Certificate{certificate},
		ClientAuth:           dtls.RequireAnyClientCert,
		ExtendedMasterSecret: dtls.RequireExtendedMasterSecret,
		InsecureSkipVerify:   true,
		// As every WebRTC stack has it: the peer's DTLS offers SRTP unasked, and pion refuses whoever offers
		// what it was not told of.
		SRTPProtectionProfiles: []dtls.SRTPProtectionProfile{dtls.SRTP_AEAD_AES_128_GCM},
	}
	var secured *dtls.Conn
	if plain.peer == nil {
		anyone := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}
		secured, err = dtls.Server(&datagrams{plain}, anyone, config)
	} else {
		secured, err = dtls.Client(&datagrams{plain}, plain.peer, config)
	}
	check("dtls", err)
	limit, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	check("handshake", secured.HandshakeContext(limit))
	return secured
}
