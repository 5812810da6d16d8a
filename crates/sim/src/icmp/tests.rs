use super::*;

fn packet(source: &str, destination: &str, len: u8) -> Packet {
    Packet {
        source: source.parse().expect("an address"),
        destination: destination.parse().expect("an address"),
        protocol: Protocol::Sctp,
        ecn: Ecn::Ect0,
        fragmentation: Fragmentation::Allowed,
        payload: (0..len).collect(),
    }
}

#[test]
fn a_notice_quotes_the_packet_to_its_sender() {
    for (source, destination) in [("10.0.0.1", "10.0.0.2"), ("fd00::1", "fd00::2")] {
        let packet = packet(source, destination, 200);
        let icmp = icmp_of(&packet, Word::LinkError).expect("an ICMP message");
        assert_eq!(icmp.destination, packet.source);
        let quotation = quotation(&icmp).expect("a quotation");
        assert_eq!(quotation.protocol, Protocol::Sctp);
        assert_eq!(quotation.remote, packet.destination);
        assert_eq!(quotation.beginning, packet.payload);
        assert_eq!(quotation.source_port(), Some(1));
    }
}

#[test]
fn a_long_packet_is_quoted_in_576_bytes() {
    let mut long = packet("10.0.0.1", "10.0.0.2", 0);
    long.payload = vec![7; 1480];
    let icmp = icmp_of(&long, Word::LinkError).expect("an ICMP message");
    assert_eq!(icmp.len(), 576);
}

#[test]
fn a_damaged_notice_says_nothing() {
    let packet = packet("10.0.0.1", "10.0.0.2", 100);
    let icmp = icmp_of(&packet, Word::LinkError).expect("an ICMP message");
    for at in 0..icmp.payload.len() {
        let mut damaged = icmp.clone();
        damaged.payload[at] ^= 0x10;
        assert_eq!(quotation(&damaged), None, "byte {at}");
    }
}

#[test]
fn an_icmp_error_is_not_answered_with_an_icmp_error() {
    let packet = packet("10.0.0.1", "10.0.0.2", 100);
    let icmp = icmp_of(&packet, Word::LinkError).expect("an ICMP message");
    assert_eq!(icmp_of(&icmp, Word::LinkError), None);
}

#[test]
fn a_notice_says_how_long_a_packet_may_be() {
    for (source, destination) in [("10.0.0.1", "10.0.0.2"), ("fd00::1", "fd00::2")] {
        let word = Word::TooBig { mtu: 1280 };
        let icmp = icmp_of(&packet(source, destination, 200), word).expect("an ICMP message");
        assert_eq!(quotation(&icmp).map(|quotation| quotation.word), Some(word));
    }
}
