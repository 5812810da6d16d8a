use std::net::IpAddr;

use sheave_wire::{CommonHeader, Init, PacketWriter, Parameters, Tsn};

use super::*;

fn route(from: &str, to: &str) -> Route {
    let ip = |text: &str| text.parse::<IpAddr>().ok();
    Route {
        source: ip(from),
        destination: ip(to),
    }
}

fn packet(ports: (u16, u16), vtag: u32, chunk: &Chunk<'_>) -> Vec<u8> {
    let header = CommonHeader {
        source_port: ports.0,
        destination_port: ports.1,
        vtag: Vtag(vtag),
    };
    let mut out = Vec::new();
    let mut writer = PacketWriter::new(&mut out, header, 1500);
    writer.push(chunk);
    writer.finish();
    out
}

fn init(tag: u32) -> Init<'static> {
    Init {
        initiate_tag: Vtag(tag),
        a_rwnd: 10_000,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn(1),
        parameters: Parameters::EMPTY,
    }
}

fn number(tracker: &mut Tracker, route: Route, bytes: &[u8]) -> usize {
    tracker.number(route, &Packet::parse(bytes).unwrap())
}

#[test]
fn both_directions_and_all_paths_of_an_association_have_one_number() {
    let mut tracker = Tracker::default();
    let (there, back) = (route("10.0.0.1", "10.0.0.2"), route("10.0.0.2", "10.0.0.1"));
    let other = route("10.1.0.1", "10.1.0.2");
    let packets = [
        (there, packet((7, 8), 0, &Chunk::Init(init(100))), 1),
        (back, packet((8, 7), 100, &Chunk::InitAck(init(200))), 1),
        (other, packet((7, 8), 200, &Chunk::CookieAck), 1),
        (there, packet((7, 8), 0, &Chunk::Init(init(300))), 2),
    ];
    for (route, bytes, association) in packets {
        assert_eq!(number(&mut tracker, route, &bytes), association);
    }
    assert_eq!(tracker.count(), 2);
}

#[test]
fn a_capture_that_begins_late_goes_by_addresses_and_ports() {
    let mut tracker = Tracker::default();
    let (there, back) = (route("10.0.0.1", "10.0.0.2"), route("10.0.0.2", "10.0.0.1"));
    let packets = [(there, (7, 8), 1), (back, (8, 7), 1), (there, (9, 8), 2)];
    for (vtag, (route, ports, association)) in (5..).zip(packets) {
        let bytes = packet(ports, vtag, &Chunk::CookieAck);
        assert_eq!(number(&mut tracker, route, &bytes), association);
    }
}

#[test]
fn two_inits_that_cross_begin_one_association() {
    let mut tracker = Tracker::default();
    let (there, back) = (route("10.0.0.1", "10.0.0.2"), route("10.0.0.2", "10.0.0.1"));
    // RFC 9260 §5.2.1: each end answers with the tag of its own INIT.
    let packets = [
        (there, packet((7, 8), 0, &Chunk::Init(init(100)))),
        (back, packet((8, 7), 0, &Chunk::Init(init(200)))),
        (back, packet((8, 7), 100, &Chunk::InitAck(init(200)))),
        (there, packet((7, 8), 200, &Chunk::InitAck(init(100)))),
        (there, packet((7, 8), 200, &Chunk::CookieAck)),
        (back, packet((8, 7), 100, &Chunk::CookieAck)),
    ];
    for (route, bytes) in packets {
        assert_eq!(number(&mut tracker, route, &bytes), 1);
    }
    // Later it is the other end's restart.
    let restart = packet((8, 7), 0, &Chunk::Init(init(300)));
    assert_eq!(number(&mut tracker, back, &restart), 2);
    assert_eq!(tracker.count(), 2);
}
