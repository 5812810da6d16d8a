//! RFC 6458 §8: socket options.

use std::time::Duration;

use sheave_engine::{PeerRequests, Profile, Reconfiguration};
use sheave_sockets::{Domain, Errno, SocketId, Special, Style};

use crate::pair::{Pair, SOCKET, address, i32_at, sndrcv, u16_at, u32_at, words};

#[test]
fn section_8_1_1_bounds_of_the_rto_come_back_as_they_were_set() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    pair.set(0, socket, 0, &words([0, 500, 2000, 250])).unwrap();
    let answer = pair.get(0, socket, 0, &[0; 16]);
    assert_eq!(answer, Ok(words([0, 500, 2000, 250])));
    // Zeros leave values unchanged.
    pair.set(0, socket, 0, &words([0, 0, 0, 300])).unwrap();
    let answer = pair.get(0, socket, 0, &[0; 16]);
    assert_eq!(answer, Ok(words([0, 500, 2000, 300])));
    let outcome = pair.set(0, socket, 0, &words([0, 0, 200, 0]));
    assert_eq!(outcome, Err(Errno::EINVAL));
    assert_eq!(pair.set(0, socket, 0, &[0; 15]), Err(Errno::EINVAL));
    assert_eq!(pair.get(0, socket, 0, &[0; 15]), Err(Errno::EINVAL));
}

#[test]
fn section_8_1_1_a_living_association_goes_by_the_new_bounds() {
    let (mut pair, client, _) = Pair::up();
    pair.deliver(0, client, b"measured");
    pair.set(0, client, 0, &words([0, 0, 0, 2500])).unwrap();
    pair.deliver(0, client, b"measured anew");
    let status = pair.get(0, client, 14, &[0; 176]).unwrap();
    assert_eq!(i32_at(&status, 24 + 144), 2500);
}

#[test]
fn section_8_1_2_association_parameters_have_facts_beside_them() {
    let (mut pair, client, _) = Pair::up();
    let mut params = vec![0; 20];
    params[4..6].copy_from_slice(&4_u16.to_ne_bytes());
    params[16..20].copy_from_slice(&30_000_u32.to_ne_bytes());
    pair.set(0, client, 1, &params).unwrap();
    let got = pair.get(0, client, 1, &[0; 20]).unwrap();
    let told = (u16_at(&got, 4), u16_at(&got, 6), i32_at(&got, 16));
    assert_eq!(told, (4, 1, 30_000));
    assert!(i32_at(&got, 8) > 10_000 && i32_at(&got, 12) > 10_000);
}

#[test]
fn section_8_1_3_handshake_parameters_hold_for_the_next_association() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    let init = |values: [u16; 4]| values.map(u16::to_ne_bytes).concat();
    pair.set(0, socket, 2, &init([30, 40, 5, 3000])).unwrap();
    assert_eq!(pair.get(0, socket, 2, &[0; 8]), Ok(init([30, 40, 5, 3000])));
    pair.server(Style::OneToOne);
    pair.establish(socket);
    let status = pair.get(0, socket, 14, &[0; 176]).unwrap();
    assert_eq!((u16_at(&status, 16), u16_at(&status, 18)), (10, 30));
}

#[test]
fn sections_4_1_1_and_7_2_socket_level_options_are_those_of_any_socket() {
    let mut pair = Pair::new();
    let socket = pair.ends[0].socket(Domain::V6, Style::OneToMany);
    let now = pair.now;
    let number =
        |pair: &mut Pair, name| i32_at(&pair.get_socket(0, socket, name, &[0; 4]).unwrap(), 0);
    assert_eq!(number(&mut pair, 3), 5);
    assert_eq!(number(&mut pair, 38), 132);
    assert_eq!(number(&mut pair, 39), 10);
    assert_eq!(number(&mut pair, 30), 0);
    pair.listen(0, socket, 1).unwrap();
    assert_eq!(number(&mut pair, 30), 1);
    pair.set_socket(0, socket, 8, &words([100_000])).unwrap();
    assert_eq!(number(&mut pair, 8), 200_000);
    let timeout = [3_u64.to_ne_bytes(), 500_000_u64.to_ne_bytes()].concat();
    pair.set_socket(0, socket, 20, &timeout).unwrap();
    assert_eq!(pair.get_socket(0, socket, 20, &[0; 16]), Ok(timeout));
    assert_eq!(
        pair.at(0, socket).patience().0,
        Some(Duration::from_millis(3500))
    );
    let answer = pair.get_socket(0, socket, 999, &[0; 4]);
    assert_eq!(answer, Err(Errno::ENOPROTOOPT));
    let answer = pair.ends[0].option(now, socket, 77, 1, &[0; 4]);
    assert_eq!(answer, Err(Errno::EOPNOTSUPP));
    pair.set_socket(0, socket, 13, &words([1, 7])).unwrap();
    assert_eq!(pair.at(0, socket).linger(), Some(Duration::from_secs(7)));
}

#[test]
fn options_that_are_numbers_come_back_as_they_were_set() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    for name in [3, 8, 12, 18, 32, 33] {
        for value in [1, 0] {
            pair.set(0, socket, name, &words([value])).unwrap();
            assert_eq!(
                pair.get(0, socket, name, &[0; 4]),
                Ok(words([value])),
                "option {name}"
            );
        }
    }
    for (name, value) in [(17, 99), (20, 7), (13, 1000), (118, 5), (123, 1), (131, 2)] {
        pair.set(0, socket, name, &words([0, value])).unwrap();
        assert_eq!(
            pair.get(0, socket, name, &[0; 8]),
            Ok(words([0, value])),
            "option {name}"
        );
    }
    // Old programs pass only the number.
    pair.set(0, socket, 13, &words([1200])).unwrap();
    assert_eq!(pair.get(0, socket, 13, &[0; 4]), Ok(words([1200])));
}

#[test]
fn times_by_hardware_can_be_asked_for_and_do_not_come() {
    const TIMESTAMPING: i32 = 37;
    let (mut pair, client, accepted) = Pair::up();
    let now = pair.now;
    let stack = &mut pair.ends[1];
    stack
        .set_option(now, accepted, SOCKET, TIMESTAMPING, &words([1]))
        .unwrap();
    let answer = stack.option(now, accepted, SOCKET, TIMESTAMPING, &[0; 4]);
    assert_eq!(answer, Ok(words([1])));
    pair.deliver(0, client, b"when?");
    let read = pair.read(1, accepted).unwrap();
    assert_eq!((&read.payload[..], read.control.len()), (&b"when?"[..], 0));
}

#[test]
fn the_interval_of_probes_comes_back_as_it_was_set() {
    const PROBE_INTERVAL: i32 = 133;
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    let mut set = |interval: u32| {
        let mut value = vec![0; 144];
        value[136..140].copy_from_slice(&interval.to_ne_bytes());
        let outcome = pair.set(0, socket, PROBE_INTERVAL, &value);
        let answer = pair.get(0, socket, PROBE_INTERVAL, &[0; 144]).unwrap();
        (outcome, u32_at(&answer, 136))
    };
    assert_eq!(set(5000), (Ok(()), 5000));
    assert_eq!(set(4999), (Err(Errno::EINVAL), 5000));
    assert_eq!(set(0), (Ok(()), 0));
}

#[test]
fn section_8_1_10_the_adaptation_layer_comes_back_as_it_was_set() {
    const ADAPTATION_LAYER: i32 = 7;
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    let answer = pair.get(0, socket, ADAPTATION_LAYER, &[0; 4]);
    assert_eq!(answer, Ok(words([0])));
    pair.set(0, socket, ADAPTATION_LAYER, &words([0xfeed_beef]))
        .unwrap();
    let answer = pair.get(0, socket, ADAPTATION_LAYER, &[0; 4]);
    assert_eq!(answer, Ok(words([0xfeed_beef])));
    let refused = pair.set(0, socket, ADAPTATION_LAYER, &[0; 3]);
    assert_eq!(refused, Err(Errno::EINVAL));
}

#[test]
fn section_8_1_11_a_message_that_would_be_fragmented_can_be_refused() {
    let (mut pair, client, _) = Pair::up();
    pair.set(0, client, 8, &words([1])).unwrap();
    assert_eq!(pair.send(0, client, &[0; 2000]), Err(Errno::EMSGSIZE));
    assert_eq!(pair.send(0, client, &[0; 1000]), Ok(1000));
}

#[test]
fn section_8_1_12_path_parameters_have_two_lengths_and_flags_that_exclude_each_other() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    let mut params = vec![0; 156];
    params[132..136].copy_from_slice(&7000_u32.to_ne_bytes());
    params[136..138].copy_from_slice(&3_u16.to_ne_bytes());
    params[146..150].copy_from_slice(&1_u32.to_ne_bytes());
    pair.set(0, socket, 9, &params).unwrap();
    let got = pair.get(0, socket, 9, &[0; 152]).unwrap();
    let told = (got.len(), i32_at(&got, 132), u16_at(&got, 136));
    assert_eq!(told, (152, 7000, 3));
    assert_eq!(pair.get(0, socket, 9, &[0; 300]).unwrap().len(), 156);
    pair.set(0, socket, 9, &params[..152]).unwrap();
    params[146..150].copy_from_slice(&3_u32.to_ne_bytes());
    assert_eq!(pair.set(0, socket, 9, &params), Err(Errno::EINVAL));
    assert_eq!(pair.set(0, socket, 9, &params[..100]), Err(Errno::EINVAL));
}

#[test]
fn section_8_1_13_defaults_describe_messages_that_come_without_a_description() {
    let (mut pair, client, accepted) = Pair::up();
    pair.subscribe(1, accepted, &[0]);
    let mut default = vec![0; 32];
    default[0..2].copy_from_slice(&6_u16.to_ne_bytes());
    default[8..12].copy_from_slice(&[0, 0, 0, 60]);
    pair.set(0, client, 10, &default).unwrap();
    let got = pair.get(0, client, 10, &[0; 32]).unwrap();
    assert_eq!(got[..12], default[..12]);
    pair.deliver(0, client, b"x");
    let control = pair.read(1, accepted).unwrap().control;
    let told = (u16_at(&control, 16), &control[24..28]);
    assert_eq!(told, (6, &[0, 0, 0, 60][..]));
}

#[test]
fn section_8_1_19_the_delay_of_sacks_is_bounded_and_can_be_none() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    pair.set(0, socket, 16, &words([0, 100, 4])).unwrap();
    assert_eq!(pair.get(0, socket, 16, &[0; 12]), Ok(words([0, 100, 4])));
    pair.set(0, socket, 16, &words([0, 0, 1])).unwrap();
    assert_eq!(pair.get(0, socket, 16, &[0; 12]), Ok(words([0, 0, 1])));
    let outcome = pair.set(0, socket, 16, &words([0, 501, 2]));
    assert_eq!(outcome, Err(Errno::EINVAL));
}

#[test]
fn section_8_2_1_status_needs_an_association() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    assert_eq!(pair.get(0, socket, 14, &[0; 176]), Err(Errno::EINVAL));
    let (client, _) = pair.connected();
    // Longer than the current struct, as passed by programs that probe its size.
    let status = pair.get(0, client, 14, &[0; 1000]).unwrap();
    assert_eq!((status.len(), i32_at(&status, 4)), (176, 4));
    assert!((1000..1500).contains(&i32_at(&status, 20)));
    let abi = pair.ends[0].abi();
    assert_eq!(abi.address(&status[28..156]), Ok(address(1, 5000)));
    assert_eq!(i32_at(&status, 24 + 132), 2);
}

/// Counters of `SCTP_GET_ASSOC_STATS` that follow the RTO.
fn assoc_stats(pair: &mut Pair, end: usize, socket: SocketId) -> [u64; 14] {
    let stats = pair.get(end, socket, 112, &[0; 256]).unwrap();
    core::array::from_fn(|at| {
        let place = 144 + 8 * at;
        u64::from_ne_bytes(stats[place..place + 8].try_into().unwrap())
    })
}

#[test]
fn stats_of_an_association_count_chunks_as_linux_does() {
    let (mut pair, client, accepted) = Pair::up();
    for length in [10, 10, 6000] {
        pair.send(0, client, &vec![0; length]).unwrap();
    }
    let unordered = sndrcv(0, 1, 0, 0);
    for length in [10, 3000] {
        pair.send_with(0, client, None, &unordered, &vec![0; length])
            .unwrap();
    }
    pair.settle();
    let ours = assoc_stats(&mut pair, 0, client);
    let [
        sacks,
        ..,
        unordered,
        _,
        ordered,
        _,
        control_sent,
        control_received,
    ] = ours;
    assert_eq!((unordered, ordered), (4, 7));
    assert!(sacks > 0 && control_received >= sacks + 2);
    // Nothing has been read yet.
    let theirs = assoc_stats(&mut pair, 1, accepted);
    let [_, .., _, unordered, _, ordered, answers, requests] = theirs;
    assert_eq!((unordered, ordered), (4, 7));
    // INIT, COOKIE ECHO and INIT ACK precede the association and are not counted.
    let told = (requests + 2, answers + 1);
    assert_eq!(told, (control_sent, control_received));
}

#[test]
fn stats_of_an_association_count_gaps_at_both_ends() {
    let (mut pair, client, accepted) = Pair::up();
    pair.loss = 300;
    for _ in 0..50 {
        pair.send(0, client, &[0; 1400]).unwrap();
    }
    pair.pass(Duration::from_secs(100));
    let [_, _, _, _, retransmissions, _, _, gaps, ..] = assoc_stats(&mut pair, 0, client);
    let [_, _, _, _, _, early, .., received, _, _] = assoc_stats(&mut pair, 1, accepted);
    assert!(retransmissions > 0 && gaps > 0 && early > 0);
    assert_eq!(received, 50);
}

#[test]
fn section_8_2_2_a_path_is_found_by_its_address() {
    let (mut pair, client, _) = Pair::up();
    let mut question = vec![0; 152];
    let peer = pair.ends[0].abi().address_bytes(address(1, 5000));
    question[4..20].copy_from_slice(&peer);
    let info = pair.get(0, client, 15, &question).unwrap();
    assert_eq!((i32_at(&info, 132), i32_at(&info, 148)), (2, 1500));
    question[8] = 203;
    assert_eq!(pair.get(0, client, 15, &question), Err(Errno::EINVAL));
}

#[test]
fn rfc_6525_section_6_3_streams_are_reset_and_added_where_that_is_enabled() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    for (end, socket) in [(0, client), (1, server)] {
        pair.set(end, socket, 117, &words([0, 1])).unwrap();
        pair.subscribe(end, socket, &[10, 12]);
    }
    pair.establish(client);
    let reset = [0_u16, 0, 2, 0].map(u16::to_ne_bytes).concat();
    assert_eq!(pair.set(0, client, 119, &reset), Err(Errno::ENOPROTOOPT));
    pair.set(0, client, 118, &words([0, 7])).unwrap();
    pair.set(0, client, 119, &reset).unwrap();
    pair.settle();
    let told = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&told, 0), u16_at(&told, 2)), (0x800a, 2));
    pair.set(
        0,
        client,
        121,
        &[0_u16, 0, 0, 5].map(u16::to_ne_bytes).concat(),
    )
    .unwrap();
    pair.settle();
    let told = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&told, 0), u16_at(&told, 14)), (0x800c, 15));
}

#[test]
fn rfc_6525_section_6_3_both_directions_are_asked_for_at_once() {
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    for (end, socket) in [(0, client), (1, server)] {
        pair.set(end, socket, 117, &words([0, 1])).unwrap();
        pair.set(end, socket, 118, &words([0, 7])).unwrap();
    }
    pair.subscribe(0, client, &[10, 12]);
    pair.establish(client);
    let told = |pair: &mut Pair| -> Vec<[u16; 4]> {
        pair.settle();
        let reads = std::iter::from_fn(|| pair.read(0, client).ok());
        let fields = |at: usize, body: &[u8]| body.get(at..at + 2).map_or(0, |_| u16_at(body, at));
        reads
            .map(|read| [0, 2, 12, 14].map(|at| fields(at, &read.payload)))
            .collect()
    };
    let halves = |halves: [u16; 4]| halves.map(u16::to_ne_bytes).concat();

    pair.set(0, client, 119, &halves([0, 0, 3, 0])).unwrap();
    let outcome = pair.set(0, client, 119, &halves([0, 0, 1, 0]));
    assert_eq!(outcome, Err(Errno::EINPROGRESS));
    let reset = told(&mut pair);
    let of =
        |reset: &[[u16; 4]]| -> Vec<[u16; 2]> { reset.iter().map(|[a, b, ..]| [*a, *b]).collect() };
    assert_eq!(of(&reset), [[0x800a, 2], [0x800a, 1]]);

    let refused = pair.set(0, client, 121, &halves([0, 0, 65_530, 5]));
    assert_eq!(refused, Err(Errno::EINVAL));
    pair.set(0, client, 121, &halves([0, 0, 3, 5])).unwrap();
    let added = told(&mut pair);
    assert_eq!(added, [[0x800c, 0, 10, 15], [0x800c, 0, 13, 15]]);
}

#[test]
fn rfc_6525_section_6_1_2_both_ends_are_told_the_tsns_of_an_association_that_was_reset() {
    let (mut pair, server) = Pair::with_server(Style::OneToMany);
    let client = pair.socket(0, Style::OneToOne);
    for (end, socket) in [(0, client), (1, server)] {
        pair.set(end, socket, 117, &words([0, 1])).unwrap();
        pair.set(end, socket, 118, &words([0, 7])).unwrap();
        pair.subscribe(end, socket, &[0, 10, 11]);
    }
    pair.establish(client);
    let last_tsn = |pair: &Pair, end: usize| {
        let mut sent = pair.sent.iter().filter(|(from, ..)| *from == end);
        let (.., packet) = sent.rfind(|(.., packet)| packet[12] == 0).unwrap();
        u32::from_be_bytes(packet[16..20].try_into().unwrap())
    };
    pair.set(0, client, 120, &words([0])).unwrap();
    pair.settle();
    pair.deliver(0, client, b"after it");
    let told = pair.read(0, client).unwrap().payload;
    assert_eq!((u16_at(&told, 0), u16_at(&told, 2)), (0x800b, 0));
    assert_eq!((u32_at(&told, 4), told.len()), (20, 20));
    let ours = last_tsn(&pair, 0);
    assert_eq!(u32_at(&told, 12), ours);
    let theirs = u32_at(&told, 16);

    let told = pair.read(1, server).unwrap().payload;
    assert_eq!((u16_at(&told, 0), told.len()), (0x800b, 20));
    assert_eq!((u32_at(&told, 12), u32_at(&told, 16)), (theirs, ours));
    assert_eq!(pair.read(1, server).unwrap().payload, b"after it"[..]);
}

#[test]
fn rfc_6525_section_6_1_each_request_that_is_denied_is_told_of_in_its_own_event() {
    let mut options = Profile::Linux.options();
    options.reconfiguration = Reconfiguration::On(PeerRequests::NONE);
    let mut pair = Pair::with(&options);
    pair.server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    pair.set(0, client, 118, &words([0, 7])).unwrap();
    pair.subscribe(0, client, &[10, 11, 12]);
    pair.establish(client);
    let mut refused = |option: i32, value: &[u8]| {
        pair.set(0, client, option, value).unwrap();
        pair.settle();
        pair.read(0, client).unwrap().payload
    };
    let halves = |halves: &[u16]| halves.iter().flat_map(|half| half.to_ne_bytes()).collect();
    const DENIED: u16 = 4;

    let outgoing: Vec<u8> = halves(&[0, 0, 2, 2, 3, 7]);
    let told = refused(119, &outgoing);
    assert_eq!((u16_at(&told, 0), u16_at(&told, 2)), (0x800a, 2 | DENIED));
    assert_eq!(&told[12..], halves(&[3, 7]) as Vec<u8>, "its streams");
    let incoming: Vec<u8> = halves(&[0, 0, 1, 1, 5]);
    let told = refused(119, &incoming);
    assert_eq!((u16_at(&told, 0), u16_at(&told, 2)), (0x800a, 1 | DENIED));
    assert_eq!(&told[12..], halves(&[5]) as Vec<u8>);

    let told = refused(120, &words([0]));
    assert_eq!((u16_at(&told, 0), u16_at(&told, 2)), (0x800b, DENIED));
    assert_eq!((i32_at(&told, 4), told.len()), (20, 20));

    let more: Vec<u8> = halves(&[0, 0, 0, 5]);
    let told = refused(121, &more);
    assert_eq!((u16_at(&told, 0), u16_at(&told, 2)), (0x800c, DENIED));
    assert_eq!(
        (u16_at(&told, 12), u16_at(&told, 14)),
        (10, 10),
        "as before"
    );
}

#[test]
fn authentication_is_refused_as_linux_does_by_default() {
    let (mut pair, socket) = Pair::with_socket(Style::OneToOne);
    for (name, length) in [(21, 1), (22, 6), (23, 16), (24, 8), (25, 8), (35, 8)] {
        let value = vec![0; length];
        assert_eq!(pair.set(0, socket, name, &value), Err(Errno::EACCES));
    }
}

#[test]
fn sections_9_2_and_9_9_requests_that_need_descriptors_or_memory_are_told_apart() {
    let pair = Pair::new();
    let stack = &pair.ends[0];
    let mut connect = words([0, 16]);
    connect.extend(0xdead_beef_u64.to_ne_bytes());
    let special = stack.abi().special(132, 111, &connect);
    assert_eq!(
        special,
        Ok(Some(Special::ConnectAt {
            pointer: 0xdead_beef,
            length: 16
        }))
    );
    let peel = stack.abi().special(132, 122, &words([7, 0, 0x800]));
    let wanted = Special::PeelOff {
        assoc: 7,
        flags: 0x800,
        descriptor_at: 4,
    };
    assert_eq!(peel, Ok(Some(wanted)));
    let addresses = stack.abi().address_bytes(address(1, 1));
    let wanted = Special::Connect(vec![address(1, 1)]);
    assert_eq!(stack.abi().special(132, 110, &addresses), Ok(Some(wanted)));
    assert_eq!(
        stack.abi().special(132, 110, &addresses[..9]),
        Err(Errno::EINVAL)
    );
    assert_eq!(stack.abi().special(1, 110, &addresses), Ok(None));
}

#[test]
fn section_8_1_2_an_association_bears_no_more_than_its_paths_do() {
    let (mut pair, client, accepted) = Pair::up();
    let set = |pair: &mut Pair, end, socket, most: u32| {
        pair.set(end, socket, 1, &words([0, most, 0, 0, 0]))
    };
    // The server knows two client addresses, each with a limit of 5.
    assert_eq!(set(&mut pair, 1, accepted, 10), Ok(()));
    assert_eq!(set(&mut pair, 1, accepted, 11), Err(Errno::EINVAL));
    assert_eq!(set(&mut pair, 0, client, 11), Ok(()));
}

/// An association's options report what both ends support; a socket's, what the program requests.
#[test]
fn options_of_extensions_tell_what_the_peer_has() {
    const PR_SUPPORTED: i32 = 113;
    const RECONFIG_SUPPORTED: i32 = 117;
    let (mut pair, server) = Pair::with_server(Style::OneToOne);
    let client = pair.socket(0, Style::OneToOne);
    for option in [PR_SUPPORTED, RECONFIG_SUPPORTED] {
        pair.set(0, client, option, &words([0, 1])).unwrap();
    }
    pair.set(1, server, PR_SUPPORTED, &words([0, 0])).unwrap();
    pair.set(1, server, RECONFIG_SUPPORTED, &words([0, 1]))
        .unwrap();
    pair.establish(client);
    let accepted = pair.ends[1].accept(server).unwrap();
    for (end, socket) in [(0, client), (1, accepted)] {
        let mut told = |option| pair.get(end, socket, option, &[0; 8]);
        assert_eq!(told(PR_SUPPORTED), Ok(words([0, 0])));
        assert_eq!(told(RECONFIG_SUPPORTED), Ok(words([0, 1])));
    }
}
