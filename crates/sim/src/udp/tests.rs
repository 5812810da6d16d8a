use super::*;

const ONE: &str = "10.0.0.1:7";
const OTHER: &str = "10.0.0.2:9";

fn at(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

/// A datagram with that payload, and the socket that is to receive it.
fn sent(payload: &'static [u8]) -> (Vec<u8>, Udp) {
    let mut sender = Udp::new(at(ONE), at(OTHER));
    Transport::open(&mut sender, Time::ZERO);
    assert_eq!(
        sender.send(Time::ZERO, 0, Bytes::from_static(payload)),
        Admission::Taken
    );
    let mut packet = Vec::new();
    sender
        .poll_transmit(Time::ZERO, &mut packet, 1)
        .expect("a packet");
    (packet, Udp::new(at(OTHER), at(ONE)))
}

fn hand_over(packet: &[u8], receiver: &mut Udp) {
    let datagram = Datagram {
        local: at(OTHER).ip(),
        remote: PeerAddress::native(at(ONE).ip()),
        ecn: Ecn::NotEct,
        payload: packet,
    };
    receiver.handle_datagram(Time::ZERO, datagram);
}

#[test]
fn a_message_is_a_datagram_of_even_or_odd_length() {
    for payload in [&b""[..], b"odd", b"even"] {
        let (packet, mut receiver) = sent(payload);
        hand_over(&packet, &mut receiver);
        let arrival = receiver.receive(Time::ZERO).expect("a message");
        assert_eq!(arrival.payload, payload);
        assert_eq!(receiver.receive(Time::ZERO), None);
    }
}

#[test]
fn one_wrong_bit_anywhere_is_found() {
    let (packet, mut receiver) = sent(b"whatever");
    for bit in 0..packet.len() * 8 {
        let mut broken = packet.clone();
        broken[bit / 8] ^= 0x80 >> (bit % 8);
        hand_over(&broken, &mut receiver);
    }
    assert_eq!(receiver.stats().broken, packet.len() as u64 * 8);
    assert_eq!(receiver.stats().received, 0);
}

#[test]
fn a_datagram_on_the_wire_has_the_checksum_of_rfc_768() {
    // Computed by hand: 0x0a00 + 1 + 0x0a00 + 2 + 17 + 12 + 7 + 9 + 12 + 0x6162 + 0x6364.
    let (packet, _) = sent(b"abcd");
    let sum = 0x0a00_u16 + 1 + 0x0a00 + 2 + 17 + 12 + 7 + 9 + 12 + 0x6162 + 0x6364;
    assert_eq!(packet[6..8], (!sum).to_be_bytes());
}

#[test]
fn unread_messages_are_dropped_in_the_end() {
    let (packet, mut receiver) = sent(&[0; 1000]);
    for _ in 0..2000 {
        hand_over(&packet, &mut receiver);
    }
    let stats = receiver.stats();
    assert_eq!(stats.received, (1 << 20) / 1000);
    assert_eq!(stats.overflowed, 2000 - stats.received);
}
