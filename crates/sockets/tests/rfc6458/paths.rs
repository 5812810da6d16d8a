//! Options and messages of one path of several (RFC 6458 §5.3.2, §8.1.3, §8.1.12, §8.1.16; RFC 7829
//! §7).

use std::net::SocketAddr;
use std::time::Duration;

use sheave_engine::{Options, PathMtuDiscovery, Profile};
use sheave_sockets::{Errno, How, SocketId, Style};

use crate::pair::{Pair, Wire, address, chunks, i32_at, second_address, sndrcv, u16_at, u32_at};

const ADDRESS_OVER: u16 = 2;
const HEARTBEAT: u8 = 4;
const PEER_ADDR_PARAMS: i32 = 9;
/// `SPP_DSCP`.
const DSCP: u32 = 512;

/// `struct sctp_paddrparams` for one peer address.
fn params(pair: &Pair, to: Option<SocketAddr>, fill: impl FnOnce(&mut [u8])) -> Vec<u8> {
    let mut bytes = vec![0; 156];
    if let Some(to) = to {
        let address = pair.ends[0].abi().address_bytes(to);
        bytes[4..4 + address.len()].copy_from_slice(&address);
    }
    fill(&mut bytes);
    bytes
}

/// Sockets whose association has two paths.
fn connected() -> (Pair, SocketId, SocketId) {
    connected_in(Pair::new(), |_, _| {})
}

/// Like [`connected`], after calling `prepare` with the client's socket.
fn connected_in(
    mut pair: Pair,
    prepare: impl FnOnce(&mut Pair, SocketId),
) -> (Pair, SocketId, SocketId) {
    let server = pair.socket(1, Style::OneToOne);
    let both = [address(1, 5000), second_address(1, 5000)];
    pair.bind(1, server, &both).unwrap();
    pair.listen(1, server, 5).unwrap();
    let client = pair.socket(0, Style::OneToOne);
    prepare(&mut pair, client);
    pair.start_connect(0, client, &both).unwrap();
    pair.settle();
    let accepted = pair.ends[1].accept(server).unwrap();
    (pair, client, accepted)
}

#[test]
fn section_8_1_12_the_paths_of_several_associations_are_not_set_at_once() {
    const CURRENT: u8 = 1;
    const ALL: u8 = 2;
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    let socket = pair.socket(0, Style::OneToOne);
    for assoc in [CURRENT, ALL] {
        for (option, length) in [(9, 156), (133, 144)] {
            let mut value = vec![0; length];
            value[0] = assoc;
            let set = pair.set(1, server, option, &value);
            assert_eq!(set, Err(Errno::EINVAL), "{option}");
            // One-to-one sockets ignore association ids.
            pair.set(0, socket, option, &value).unwrap();
        }
    }
}

#[test]
fn section_5_3_2_a_message_can_be_sent_to_another_address_than_the_primary_one() {
    let (mut pair, client, accepted) = connected();
    let over = sndrcv(0, ADDRESS_OVER, 0, 0);
    for to in [second_address(1, 5000), address(1, 5000)] {
        pair.deliver_with(0, client, Some(to), &over, b"there");
        assert_eq!(pair.last_data(0)[1], to.ip());
        assert_eq!(pair.read(1, accepted).unwrap().payload, "there");
    }
    // Messages queued for different addresses are sent in separate packets.
    let second = second_address(1, 5000);
    pair.send_with(0, client, Some(second), &over, b"a")
        .unwrap();
    pair.deliver(0, client, b"b");
    assert_eq!(pair.last_data(0)[1], address(1, 0).ip());
    assert_eq!(pair.read(1, accepted).unwrap().payload, "a");
    assert_eq!(pair.read(1, accepted).unwrap().payload, "b");
}

#[test]
fn sections_5_3_2_and_5_3_5_a_message_tells_its_ssn_and_tsn() {
    let (mut pair, client, accepted) = connected();
    pair.set(1, accepted, 32, &1_i32.to_ne_bytes()).unwrap();
    pair.subscribe(1, accepted, &[0]);
    let places: Vec<_> = (0..3)
        .map(|_| {
            pair.deliver(0, client, b"x");
            let control = pair.read(1, accepted).unwrap().control;
            // RCVINFO, then SNDRCV.
            let (rcv, sndrcv) = (&control[16..44], &control[64..96]);
            assert_eq!(u16_at(rcv, 2), u16_at(sndrcv, 2));
            assert_eq!(i32_at(rcv, 12), i32_at(sndrcv, 20));
            assert_eq!(i32_at(rcv, 16), i32_at(sndrcv, 24));
            (u16_at(rcv, 2), i32_at(rcv, 12), i32_at(rcv, 16))
        })
        .collect();
    let first = places[0].1;
    let wanted = [0, 1, 2].map(|n: u16| {
        let tsn = first.wrapping_add(n.into());
        (n, tsn, tsn)
    });
    assert_eq!(places, wanted);
}

#[test]
fn section_8_1_12_heartbeats_of_one_path_stop_and_the_others_go_on() {
    let (mut pair, client, _) = connected();
    let off = params(&pair, Some(second_address(1, 5000)), |bytes| bytes[146] = 2);
    pair.set(0, client, 9, &off).unwrap();
    let often = params(&pair, Some(address(1, 5000)), |bytes| {
        bytes[132..136].copy_from_slice(&1000_u32.to_ne_bytes());
        bytes[146] = 1;
    });
    pair.set(0, client, 9, &often).unwrap();
    pair.sent.clear();
    pair.pass(Duration::from_secs(100));
    let beats = |to: SocketAddr| {
        let to_there = |one: &&(usize, [std::net::IpAddr; 2], Vec<u8>)| {
            one.0 == 0 && one.1[1] == to.ip() && chunks(&one.2).any(|one| one.0 == HEARTBEAT)
        };
        pair.sent.iter().filter(to_there).count()
    };
    assert_eq!(beats(second_address(1, 0)), 0);
    assert!((30..=110).contains(&beats(address(1, 0))));
}

#[test]
fn section_8_1_12_values_of_a_path_are_its_own() {
    let (mut pair, client, _) = connected();
    let second = Some(second_address(1, 5000));
    let ask = params(&pair, second, |_| ());
    let other = params(&pair, Some(address(1, 5000)), |_| ());
    let before = pair.get(0, client, 9, &other).unwrap();
    let wanted = params(&pair, second, |bytes| {
        bytes[132..136].copy_from_slice(&7000_u32.to_ne_bytes());
        bytes[136..138].copy_from_slice(&9_u16.to_ne_bytes());
        bytes[138..142].copy_from_slice(&1000_u32.to_ne_bytes());
        bytes[146..150].copy_from_slice(&(1_u32 | 16).to_ne_bytes());
    });
    pair.set(0, client, 9, &wanted).unwrap();
    let got = pair.get(0, client, 9, &ask).unwrap();
    assert_eq!((i32_at(&got, 132), u16_at(&got, 136)), (7000, 9));
    assert_eq!(i32_at(&got, 138), 1000);
    assert_eq!(pair.get(0, client, 9, &other).unwrap(), before);
    // Messages fragmented from now on fit the smaller path, too.
    assert_eq!(
        i32_at(&pair.get(0, client, 14, &[0; 176]).unwrap(), 20),
        952
    );
}

#[test]
fn section_8_1_12_packets_have_the_code_point_of_their_path_or_their_socket() {
    const IP_TOS: i32 = 1;
    let (mut pair, client, _) = connected();
    let now = pair.now;
    let class = 0xb9_i32.to_ne_bytes();
    pair.ends[0]
        .set_option(now, client, 0, IP_TOS, &class)
        .unwrap();
    let second = second_address(1, 5000);
    let own = params(&pair, Some(second), |bytes| {
        bytes[146..150].copy_from_slice(&DSCP.to_ne_bytes());
        bytes[154] = 10 << 2;
    });
    pair.set(0, client, 9, &own).unwrap();
    let before = pair.sent.len();
    let over = sndrcv(0, ADDRESS_OVER, 0, 0);
    for to in [second, address(1, 5000)] {
        pair.deliver_with(0, client, Some(to), &over, b"x");
    }
    let sent = pair.sent[before..].iter().zip(&pair.markings[before..]);
    let ours = sent.filter(|((end, ..), _)| *end == 0);
    let marked: Vec<_> = ours
        .map(|((_, [_, to], _), marking)| (*to, marking.dscp))
        .collect();
    assert!(marked.contains(&(second.ip(), 10)), "{marked:?}");
    assert!(marked.contains(&(address(1, 0).ip(), 46)), "{marked:?}");
    assert_eq!(
        marked
            .iter()
            .filter(|(to, dscp)| (*to == second.ip()) != (*dscp == 10))
            .count(),
        0
    );
    // One setting for the whole association, none for the other end.
    let all = params(&pair, None, |bytes| {
        bytes[146..150].copy_from_slice(&DSCP.to_ne_bytes());
        bytes[154] = 12 << 2;
    });
    pair.set(0, client, 9, &all).unwrap();
    let before = pair.sent.len();
    pair.deliver(0, client, b"x");
    let sent = pair.sent[before..].iter().zip(&pair.markings[before..]);
    for ((end, ..), marking) in sent {
        assert_eq!(marking.dscp, [12, 0][*end]);
    }
}

#[test]
fn rfc_7829_section_7_1_a_path_fails_after_as_many_timeouts_as_its_own_threshold_says() {
    let (mut pair, client, _) = connected();
    pair.subscribe(0, client, &[2]);
    let mut thresholds = vec![0; 144];
    let second = pair.ends[0].abi().address_bytes(second_address(1, 5000));
    thresholds[8..8 + second.len()].copy_from_slice(&second);
    thresholds[136..138].copy_from_slice(&1_u16.to_ne_bytes());
    thresholds[138..142].fill(0xff);
    pair.set(0, client, 37, &thresholds).unwrap();
    let often = params(&pair, None, |bytes| {
        bytes[132..136].copy_from_slice(&500_u32.to_ne_bytes());
        bytes[146] = 1;
    });
    pair.set(0, client, 9, &often).unwrap();
    pair.wire = Wire::Cut;
    pair.pass(Duration::from_secs(50));
    // The other paths have Path.Max.Retrans 5.
    let down = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&down, 0), i32_at(&down, 136)), (0x8002, 1));
    let abi = pair.ends[0].abi();
    assert_eq!(abi.address(&down[8..136]), Ok(second_address(1, 5000)));
}

/// States in SCTP_PEER_ADDR_CHANGE events while a path is silent for some seconds, with the given
/// value of `SCTP_EXPOSE_POTENTIALLY_FAILED_STATE`.
fn told_of_a_lull(expose: u32) -> Vec<i32> {
    const EXPOSE: i32 = 131;
    let (mut pair, client, _) = connected();
    let value = [0_u32.to_ne_bytes(), expose.to_ne_bytes()].concat();
    pair.set(0, client, EXPOSE, &value).unwrap();
    pair.subscribe(0, client, &[2]);
    let often = params(&pair, None, |bytes| {
        bytes[132..136].copy_from_slice(&500_u32.to_ne_bytes());
        bytes[146] = 1;
    });
    pair.set(0, client, 9, &often).unwrap();
    pair.pass(Duration::from_secs(5));
    while pair.read(0, client).is_ok() {}
    pair.cut = Some(second_address(1, 5000).ip());
    pair.pass(Duration::from_secs(4));
    pair.cut = None;
    pair.pass(Duration::from_secs(20));
    let reads = std::iter::from_fn(|| pair.read(0, client).ok());
    reads.map(|read| i32_at(&read.payload, 136)).collect()
}

#[test]
fn rfc_7829_section_7_2_a_lull_is_told_whole_where_that_is_asked_for_and_else_not_at_all() {
    assert_eq!(told_of_a_lull(2), [6, 0]);
    assert!(told_of_a_lull(1).is_empty());
    assert!(told_of_a_lull(0).is_empty());
}

#[test]
fn section_8_1_16_chunks_are_no_longer_than_the_program_allows() {
    let (mut pair, client, accepted) = connected();
    let most = [0_u32, 500].map(u32::to_ne_bytes).concat();
    pair.set(0, client, 13, &most).unwrap();
    pair.sent.clear();
    let message: Vec<u8> = (0..=255).cycle().take(5000).collect();
    pair.deliver(0, client, &message);
    assert_eq!(pair.read(1, accepted).unwrap().payload, message);
    let lengths = pair.sent.iter().filter(|one| one.0 == 0);
    let lengths = lengths.flat_map(|one| chunks(&one.2).filter(|one| one.0 == 0));
    let lengths: Vec<usize> = lengths.map(|one| one.1.len() - 12).collect();
    assert_eq!(lengths.iter().max(), Some(&500));
    assert_eq!(lengths.iter().sum::<usize>(), 5000);
}

#[test]
fn section_8_1_3_timeouts_of_the_handshake_are_bounded_by_the_program() {
    let mut pair = Pair::new();
    pair.wire = Wire::Cut;
    let client = pair.socket(0, Style::OneToOne);
    // 4 attempts, at most 1.5 s apart.
    let init = [0_u16, 0, 4, 1500].map(u16::to_ne_bytes).concat();
    pair.set(0, client, 2, &init).unwrap();
    pair.start_connect(0, client, &[address(1, 5000)]).unwrap();
    pair.pass(Duration::from_secs(8));
    assert_eq!(pair.sent.len(), 5);
    assert!(pair.ends[0].readiness(client).error.is_some());
}

#[test]
fn section_4_1_7_what_had_come_before_reading_was_shut_can_still_be_read() {
    let (mut pair, client, accepted) = connected();
    pair.deliver(0, client, b"before");
    pair.shutdown(1, accepted, How::Read).unwrap();
    pair.deliver(0, client, b"after");
    assert_eq!(pair.read(1, accepted).unwrap().payload, "before");
    assert!(pair.read(1, accepted).unwrap().payload.is_empty());
    // The other direction still works.
    pair.deliver(1, accepted, b"back");
    assert_eq!(pair.read(0, client).unwrap().payload, "back");
}

const PROBE_INTERVAL: i32 = 133;
const PAD: u8 = 132;

/// Ends with path MTU discovery, over links of 1500 bytes.
fn searching() -> Pair {
    let mut options = Profile::Linux.options();
    options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 9000 };
    let mut pair = Pair::with(&options);
    pair.mtu = 1500;
    pair
}

/// `struct sctp_probeinterval`.
fn probe_interval(pair: &Pair, to: Option<SocketAddr>, millis: u32) -> Vec<u8> {
    let mut bytes = vec![0; 144];
    if let Some(to) = to {
        let address = pair.ends[0].abi().address_bytes(to);
        bytes[8..8 + address.len()].copy_from_slice(&address);
    }
    bytes[136..140].copy_from_slice(&millis.to_ne_bytes());
    bytes
}

fn set_probe_interval(pair: &mut Pair, id: SocketId, to: Option<SocketAddr>, millis: u32) {
    let value = probe_interval(pair, to, millis);
    pair.set(0, id, PROBE_INTERVAL, &value).unwrap();
}

/// Number of probes to each of the second end's addresses while the first end sends for 30 s.
fn probes(pair: &mut Pair, client: SocketId) -> [usize; 2] {
    let from = pair.sent.len();
    for _ in 0..30 {
        pair.deliver(0, client, b"x");
    }
    let is_probe = |packet: &[u8]| chunks(packet).any(|(kind, _)| kind == PAD);
    [address(1, 0), second_address(1, 0)].map(|to| {
        let sent = pair.sent[from..].iter();
        let found = sent.filter(|(end, [_, remote], packet)| {
            (*end, *remote) == (0, to.ip()) && is_probe(packet)
        });
        found.count()
    })
}

#[test]
fn probes_for_the_path_mtu_without_an_answer_are_repeated_by_the_interval_that_is_set() {
    let (mut pair, client, _) = connected_in(searching(), |_, _| {});
    assert!(probes(&mut pair, client).iter().all(|count| *count > 10));
    let (mut pair, client, _) = connected_in(searching(), |pair, client| {
        set_probe_interval(pair, client, None, 60_000);
    });
    // One probe of 1500 bytes, which is answered, and a longer one.
    assert_eq!(probes(&mut pair, client), [2, 2]);
    set_probe_interval(&mut pair, client, None, 5000);
    let faster = probes(&mut pair, client);
    assert!(
        faster.iter().all(|count| (4..8).contains(count)),
        "{faster:?}"
    );
}

#[test]
fn an_interval_of_0_ends_the_search_for_path_mtus() {
    let (mut pair, client, _) = connected_in(searching(), |pair, client| {
        set_probe_interval(pair, client, None, 0);
    });
    assert_eq!(probes(&mut pair, client), [0, 0]);
    set_probe_interval(&mut pair, client, None, 60_000);
    assert_eq!(probes(&mut pair, client), [2, 2]);
    set_probe_interval(&mut pair, client, None, 0);
    assert_eq!(probes(&mut pair, client), [0, 0]);
}

/// Sets flags of `SCTP_PEER_ADDR_PARAMS` and leaves its values.
fn set_path_flags(pair: &mut Pair, id: SocketId, to: Option<SocketAddr>, flags: u32) {
    let value = params(pair, to, |bytes| {
        bytes[146..150].copy_from_slice(&flags.to_ne_bytes());
    });
    pair.set(0, id, PEER_ADDR_PARAMS, &value).unwrap();
}

#[test]
fn section_8_1_12_discovery_can_be_disabled_without_a_path_mtu_and_enabled_again() {
    const PMTUD_ENABLE: u32 = 8;
    const PMTUD_DISABLE: u32 = 16;
    let (mut pair, client, _) = connected_in(searching(), |pair, client| {
        set_path_flags(pair, client, None, PMTUD_DISABLE);
    });
    assert_eq!(probes(&mut pair, client), [0, 0]);
    set_path_flags(&mut pair, client, None, PMTUD_ENABLE);
    assert!(probes(&mut pair, client).iter().all(|count| *count > 10));
    let (mut pair, client, _) = connected_in(searching(), |_, _| {});
    let second = second_address(1, 5000);
    set_path_flags(&mut pair, client, Some(second), PMTUD_DISABLE);
    let [first, second] = probes(&mut pair, client);
    assert!(first > 10 && second == 0, "{first} {second}");
}

#[test]
fn section_8_1_12_a_host_that_discovers_no_path_mtus_says_so_and_lets_programs_do_so() {
    let mut pair = searching();
    for end in &mut pair.ends {
        let options = Options {
            path_mtu_discovery: PathMtuDiscovery::Off,
            ..Profile::Linux.options()
        };
        end.profile_mut().defaults = options;
    }
    let (mut pair, client, _) = connected_in(pair, |_, _| {});
    let shown = pair.get(0, client, PEER_ADDR_PARAMS, &[0; 156]).unwrap();
    assert_eq!(u32_at(&shown, 146) & 24, 16);
    assert_eq!(probes(&mut pair, client), [0, 0]);
    set_path_flags(&mut pair, client, None, 8);
    assert!(probes(&mut pair, client).iter().all(|count| *count > 0));
}

#[test]
fn one_path_may_have_an_interval_of_probes_of_its_own() {
    let (mut pair, client, _) = connected_in(searching(), |_, _| {});
    let second = second_address(1, 5000);
    set_probe_interval(&mut pair, client, Some(second), 0);
    let [first, other] = probes(&mut pair, client);
    assert!(first > 10 && other == 0, "{first} {other}");
    set_probe_interval(&mut pair, client, Some(second), 9000);
    let mut shown = |to| {
        let question = probe_interval(&pair, to, 7);
        u32_at(
            &pair.get(0, client, PROBE_INTERVAL, &question).unwrap(),
            136,
        )
    };
    assert_eq!((shown(Some(second)), shown(None)), (9000, 0));
    let unknown = "203.0.113.9:5000".parse().unwrap();
    let value = probe_interval(&pair, Some(unknown), 9000);
    let refused = pair.set(0, client, PROBE_INTERVAL, &value);
    assert_eq!(refused, Err(Errno::EINVAL));
}
