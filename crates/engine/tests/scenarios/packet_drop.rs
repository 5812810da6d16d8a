//! Reports of packets that arrive damaged (draft-stewart-sctp-pktdrprep).

use crate::prelude::*;

/// Supported Extensions with PACKET DROP.
const SUPPORTED: [u8; 5] = [0x80, 0x08, 0, 5, 0x81];

fn on(options: &mut Options) {
    options.packet_drop_reports = PacketDropReports::On;
}

/// Flips a bit of the last payload byte of the packets with DATA at these indices.
fn damage(world: &mut World, places: &[usize]) {
    let places = places.to_vec();
    let mut packets = 0;
    world.damage(move |record| {
        let counts = record.has(ChunkType::DATA) && record.from == address(A, 1);
        packets += usize::from(counts);
        counts && places.contains(&(packets - 1))
    });
}

fn flow(setup: &Setup, places: &[usize]) -> World {
    let mut world = setup.established();
    damage(&mut world, places);
    world.send_times(A, 200, &blob(0, 1452));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 200);
    world
}

fn setup() -> Setup {
    Setup::quiet(on).linked(|link| link.rate = Some(20_000_000))
}

fn is_report(record: &Record) -> bool {
    record.has(ChunkType::PACKET_DROP)
}

/// The reports that Z sent.
fn reports(world: &World) -> Vec<&Record> {
    world.sent_with(Z, ChunkType::PACKET_DROP).collect()
}

fn report_in<'a>(record: &'a Record) -> PacketDrop<'a> {
    let chunks = record.chunks();
    let drop = chunks.into_iter().find_map(|chunk| match chunk {
        Chunk::PacketDrop(drop) => Some(drop),
        _ => None,
    });
    drop.expect("a report")
}

#[test]
fn a_damaged_packet_is_reported_and_sent_again_without_a_cut_of_the_window() {
    let mut world = flow(&setup(), &[60]);
    let path = world.first_path(A);
    assert!(path.ssthresh >= 1 << 20, "{path:?}");
    assert_eq!((path.retransmissions, path.timeouts), (1, 0));
    assert_eq!(path.fast_retransmissions, 0);
    assert_eq!(world.stats(A).damage_retransmissions, 1);
    assert_eq!(world.stats(Z).drop_reports_sent, 1);
}

#[test]
fn without_the_report_it_is_a_loss() {
    for (a, z) in [(true, false), (false, true), (false, false)] {
        let mut setup = setup();
        for (wanted, options) in [(a, &mut setup.a), (z, &mut setup.z)] {
            if !wanted {
                options.packet_drop_reports = PacketDropReports::Off;
            }
        }
        let mut world = flow(&setup, &[60]);
        assert!(!world.log().iter().any(is_report), "{a} {z}");
        assert!(world.first_path(A).ssthresh < 1 << 20);
    }
}

#[test]
fn a_report_fits_its_packet_and_says_how_long_the_damaged_one_was() {
    let world = flow(&setup(), &[10, 11]);
    let reports = reports(&world);
    assert_eq!(reports.len(), 2);
    for report in reports {
        assert!(report.ip_len() <= 1500);
        let drop = report_in(report);
        let flags = PacketDropFlags::BAD_CHECKSUM.union(PacketDropFlags::TRUNCATED);
        assert!(drop.flags.contains(flags));
        assert_eq!(drop.full_len, 1480);
        assert_eq!(drop.quoted.len(), 1480 - 28);
    }
}

/// Size and content of the receive buffer in a report.
fn told(report: &Record) -> (u32, u32) {
    let drop = report_in(report);
    (drop.bandwidth, drop.queued)
}

#[test]
fn a_report_tells_of_the_receive_buffer_as_it_is_now() {
    let setup = setup()
        .linked(|link| link.delay = ms(50))
        .both(set("receive_buffer=32 KiB, buffers=auto:4 MiB"));
    let mut world = setup.established();
    damage(&mut world, &[5, 600]);
    world.send_together(A, (0..800).map(|_| blob(0, 1452)).collect());
    world.run_for(secs(20));
    let told: Vec<_> = reports(&world).into_iter().map(told).collect();
    let [early, late] = told[..] else {
        panic!("{told:?}");
    };
    assert_eq!(early.0, 32 << 10);
    assert!(late.0 > 64 << 10, "{late:?}");
    world.set_reading(Z, Reading::Stopped);
    damage(&mut world, &[9]);
    world.send_together(A, (0..10).map(|_| blob(0, 1000)).collect());
    world.run_for(secs(1));
    let (_, queued) = self::told(reports(&world).last().expect("a report"));
    let held = 9 * (1000 + 64);
    assert_eq!(queued, held, "nine messages, and the record of each");
}

// A33
#[test]
fn a_storm_of_damaged_packets_brings_few_reports() {
    let mut world = setup().established();
    world.add_rule(|record| {
        let mut bytes = record.bytes.clone();
        match record.has(ChunkType::DATA) {
            true => bytes[40] ^= 1,
            false => return Verdict::Deliver,
        }
        Verdict::Replace(bytes)
    });
    world.send_together(A, (0..500).map(|_| blob(0, 1452)).collect());
    let began = world.now();
    world.run_for(secs(20));
    let reports = reports(&world).len();
    let sent = world.sent_with(A, ChunkType::DATA).count();
    let trips = world.now().since(began).as_millis() / 20 + 1;
    assert!(reports as u128 <= 8 * trips, "{reports}");
    assert!(reports <= sent, "{reports} for {sent}");
}

// A33
#[test]
fn a_damaged_report_is_not_reported() {
    let mut world = setup().established();
    damage(&mut world, &[3, 5, 7]);
    world.damage(is_report);
    world.send_times(A, 50, &blob(0, 1452));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z).len(), 50);
    assert_eq!(world.stats(Z).drop_reports_sent, 3);
    assert_eq!(world.stats(A).drop_reports_sent, 0);
}

/// An engine that sent two unacknowledged messages to a peer with the extension, and the packet
/// with the first.
fn unacknowledged() -> (World, Peer, Vec<u8>) {
    let setup = Setup::quiet(on);
    let (mut world, mut peer) = Peer::announcing(&setup, &[&SUPPORTED]);
    world.send_together(A, vec![blob(0, 1200), blob(0, 1200)]);
    let packet = peer.expect(&mut world, ChunkType::DATA).bytes;
    world.run_for(ms(20));
    (world, peer, packet)
}

fn report(flags: PacketDropFlags, quoted: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let report = PacketDrop {
        flags,
        bandwidth: u32::MAX,
        queued: 0,
        full_len: 0,
        quoted,
    };
    Chunk::PacketDrop(report).write(&mut bytes);
    bytes
}

/// Sends a report from the peer; returns the engine's retransmissions of DATA so far.
fn tell(world: &mut World, peer: &mut Peer, chunk: &[u8]) -> u64 {
    peer.send_raw(world, chunk);
    world.run_for(ms(30));
    world.stats(A).retransmissions
}

const BAD: PacketDropFlags = PacketDropFlags::BAD_CHECKSUM;

#[test]
fn a_scripted_report_is_acted_on() {
    let (mut world, mut peer, packet) = unacknowledged();
    assert_eq!(tell(&mut world, &mut peer, &report(BAD, &packet)), 1);
}

// A33
#[test]
fn a_report_whose_bytes_were_not_sent_so_causes_nothing() {
    let (mut world, mut peer, packet) = unacknowledged();
    // Ports, tag, TSN, stream, SSN, payload protocol, payload.
    for at in [0, 2, 5, 16, 20, 22, 24, 28, 40, 59] {
        let mut forged = packet.clone();
        forged[at] ^= 0x40;
        let again = tell(&mut world, &mut peer, &report(BAD, &forged));
        assert_eq!(again, 0, "byte {at}");
    }
    assert_eq!(tell(&mut world, &mut peer, &report(BAD, &packet)), 1);
}

// A33
#[test]
fn a_report_that_is_cut_short_counts_as_far_as_it_goes() {
    let (mut world, mut peer, packet) = unacknowledged();
    // Before T3-rtx expires.
    for len in (0..28).step_by(5) {
        let again = tell(&mut world, &mut peer, &report(BAD, &packet[..len]));
        assert_eq!(again, 0, "{len} bytes");
    }
    for len in (4..16).step_by(3) {
        let mut chunk = report(BAD, &[]);
        chunk.truncate(len);
        chunk[2..4].copy_from_slice(&u16::try_from(len).expect("small").to_be_bytes());
        assert_eq!(tell(&mut world, &mut peer, &chunk), 0, "{len} bytes");
    }
    assert_eq!(tell(&mut world, &mut peer, &report(BAD, &packet[..64])), 1);
}

// A33
#[test]
fn the_same_drop_report_again_and_again_causes_four_retransmissions_per_round_trip_at_most() {
    let (mut world, peer, packet) = unacknowledged();
    let chunk = report(BAD, &packet);
    let began = world.now();
    let mut again = 0;
    for _ in 0..100 {
        peer.send_raw(&mut world, &chunk);
        world.run_for(ms(1));
        again = world.stats(A).retransmissions;
    }
    let trips = world.now().since(began).as_millis() / 20;
    assert!(again > 0 && u128::from(again) <= 4 * trips + 1, "{again}");
}

// A33
#[test]
fn a_report_of_something_else_than_damage_and_its_figures_change_nothing() {
    let (mut world, mut peer, packet) = unacknowledged();
    let before = (world.first_path(A), world.stats(A).peer_rwnd);
    use PacketDropFlags as Flags;
    for flags in [Flags::EMPTY, Flags::MIDDLE_BOX, Flags::TRUNCATED] {
        let sent = tell(&mut world, &mut peer, &report(flags, &packet));
        assert_eq!(sent, 0, "{flags:?}");
    }
    let after = (world.first_path(A), world.stats(A).peer_rwnd);
    assert_eq!(before.1, after.1);
    let windows = |path: &PathStats| (path.cwnd, path.ssthresh, path.flight);
    assert_eq!(windows(&before.0), windows(&after.0));
    assert_eq!(tell(&mut world, &mut peer, &report(BAD, &packet)), 1);
    let repeated = world.first_path(A);
    assert!(repeated.cwnd <= before.0.cwnd && repeated.ssthresh <= before.0.ssthresh);
    assert!(world.stats(A).peer_rwnd <= before.1);
}

// A33
#[test]
fn a_drop_report_without_agreement_is_an_unknown_chunk() {
    let (mut world, mut peer) = Peer::connected(Setup::quiet(|_| {}).a);
    world.send(A, blob(0, 1200));
    let packet = peer.expect(&mut world, ChunkType::DATA).bytes;
    world.run_for(ms(20));
    let chunk = report(BAD, &packet);
    assert_eq!(tell(&mut world, &mut peer, &chunk), 0);
    assert!(!world.sent(A).any(|record| record.has(ChunkType::ERROR)));
}

// A33
#[test]
fn a_damaged_packet_with_a_guessed_tag_is_not_reported() {
    let (mut world, mut peer, _) = unacknowledged();
    let data = peer.data(0, 0, b"hello");
    let mut packet = peer.packet(&[Chunk::Data(data)]);
    packet[5] ^= 1;
    peer.inject(&mut world, packet);
    world.run_for(ms(50));
    assert!(!world.sent(A).any(is_report));
}

#[test]
fn a_report_leaves_room_for_the_proof_that_it_needs() {
    let mut world = setup()
        .both(|o| o.authentication = Authentication::with_key("secret", ChunkSet::all()))
        .established();
    damage(&mut world, &[60]);
    world.send(A, blob(0, 200_000));
    world.run_for(secs(10));
    assert_eq!(world.messages(Z), [blob(0, 200_000)]);
    let report = reports(&world)[0];
    assert!(report.has(ChunkType::AUTH), "{report}");
    assert!(world.log().iter().all(|record| record.ip_len() <= 1500));
    assert_eq!(world.stats(A).damage_retransmissions, 1);
}
