//! Path MTU discovery by probes (RFC 8899).

use crate::prelude::*;

fn on(options: &mut Options) {
    options.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 9000 };
}

/// Both ends use discovery, over a link that fragments packets if permitted and silently drops
/// others.
fn setup(mtu: usize) -> Setup {
    Setup::quiet(on).linked(|link| {
        link.mtu = mtu;
        link.oversize = Oversize::Fragmented;
    })
}

fn is_probe(record: &Record) -> bool {
    record.has(ChunkType::PAD)
}

/// Sends a message every 100 ms.
fn keep_sending(world: &mut World, span: Duration) {
    let messages = span.as_millis() / 100;
    world.send_every(A, ms(100), messages as usize, &blob(0, 2000));
}

fn pmtu(world: &mut World) -> u16 {
    world.first_path(A).pmtu
}

#[test]
fn the_longest_packets_that_get_through_are_found() {
    for mtu in [1280, 1400, 1500, 9000] {
        let mut world = setup(mtu).established();
        keep_sending(&mut world, secs(60));
        assert_eq!(usize::from(pmtu(&mut world)), mtu);
        let count = world.messages(Z).len();
        assert_eq!(count, 600, "{mtu}");
        let data = world.sent_with(A, ChunkType::DATA);
        assert!(data.map(Record::ip_len).max().unwrap() <= 9000);
    }
}

/// The initial window for an MTU of 1500 is smaller than one packet of 9000 bytes.
#[test]
fn small_messages_do_not_wait_for_each_other_once_a_large_mtu_is_found() {
    let mut world = setup(9000).linked(|link| link.delay = ms(50)).established();
    world.run_for(secs(60));
    world.send_every(A, ms(1000), 100, &blob(0, 10));
    assert_eq!(pmtu(&mut world), 9000);
    let path = world.first_path(A);
    assert!(path.cwnd < 9000, "{path:?}");
    let before = world.messages(Z).len();
    let began = world.now();
    world.send_every(A, ms(1), 5, &blob(0, 10));
    world.run_for(ms(50));
    let took = world.now().since(began);
    assert_eq!(world.messages(Z).len() - before, 5, "{took:?}");
}

#[test]
fn no_more_is_looked_for_than_was_asked_for() {
    let mut setup = setup(9000);
    let max = 4000;
    setup.a.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max };
    let mut world = setup.established();
    keep_sending(&mut world, secs(60));
    assert_eq!(pmtu(&mut world), max);
    let mut sent = world.sent(A);
    assert!(sent.all(|record| record.ip_len() <= usize::from(max)));
}

#[test]
fn no_probe_is_sent_if_the_search_is_off() {
    for wish in [PathMtuDiscovery::Automatic, PathMtuDiscovery::Off] {
        let mut setup = setup(9000);
        setup.a.path_mtu_discovery = wish;
        let mut world = setup.established();
        keep_sending(&mut world, secs(10));
        assert_eq!(pmtu(&mut world), 1500);
        assert!(!world.sent(A).any(is_probe));
        let mut sent = world.sent(A);
        assert!(sent.all(|record| record.fragmentation == Fragmentation::Allowed));
    }
}

fn probe_by(world: &mut World, probes: MtuProbes) {
    let tuning = PathTuning {
        mtu_probes: Some(probes),
        ..PathTuning::default()
    };
    let tuned = world.call(A, |it, now| it.retune_path(now, address(Z, 1), tuning));
    tuned.unwrap();
}

/// Sending times of A's probes.
fn probed_at(world: &World) -> Vec<Time> {
    let probes = world.sent(A).filter(|record| is_probe(record));
    probes.map(|record| record.at).collect()
}

#[test]
fn an_unanswered_probe_is_repeated_after_the_span_that_the_user_sets() {
    let mut world = setup(1500).established();
    probe_by(&mut world, MtuProbes::Timed(secs(7)));
    keep_sending(&mut world, secs(40));
    assert_eq!(pmtu(&mut world), 1500);
    let times = probed_at(&world);
    let between = times.windows(2).map(|pair| pair[1].since(pair[0]));
    let waits: Vec<_> = between.filter(|wait| *wait > secs(1)).collect();
    assert!(waits.len() > 2);
    assert!(waits.iter().all(|wait| *wait == secs(7)), "{waits:?}");
}

#[test]
fn a_complete_search_rests_for_thirty_spans_that_the_user_sets() {
    let mut setup = setup(1400);
    setup.a.path_mtu_discovery = PathMtuDiscovery::Plpmtud { max: 1500 };
    let mut world = setup.established();
    probe_by(&mut world, MtuProbes::Timed(secs(5)));
    keep_sending(&mut world, secs(100));
    assert_eq!(pmtu(&mut world), 1400);
    let complete = probed_at(&world).len();
    world.edit_link(address(A, 1), address(Z, 1), |link| link.mtu = 1500);
    keep_sending(&mut world, secs(200));
    assert_eq!(pmtu(&mut world), 1500);
    let times = probed_at(&world);
    // The last probe was unanswered for 5 s.
    assert_eq!(times[complete].since(times[complete - 1]), secs(155));
}

#[test]
fn a_path_without_probes_keeps_the_mtu_that_was_found() {
    let mut world = setup(9000).established();
    keep_sending(&mut world, secs(30));
    assert_eq!(pmtu(&mut world), 9000);
    probe_by(&mut world, MtuProbes::Off);
    let before = (probed_at(&world).len(), world.sent(A).count());
    keep_sending(&mut world, secs(1000));
    let after = (probed_at(&world).len(), pmtu(&mut world));
    assert_eq!(after, (before.0, 9000));
    let later = world.sent(A).skip(before.1);
    let forbids = |record: &&Record| record.fragmentation == Fragmentation::Forbidden;
    assert_eq!(later.filter(forbids).count(), 0);
    // The search restarts with the next data.
    probe_by(&mut world, MtuProbes::Timed(secs(5)));
    keep_sending(&mut world, secs(30));
    assert!(probed_at(&world).len() > before.0);
}

#[test]
fn a_path_that_is_never_probed_keeps_the_mtu_that_it_began_with() {
    let mut world = setup(9000).established();
    probe_by(&mut world, MtuProbes::Off);
    keep_sending(&mut world, secs(30));
    assert_eq!((pmtu(&mut world), probed_at(&world).len()), (1500, 0));
}

#[test]
fn an_association_without_data_probes_nothing() {
    let mut world = setup(9000).established();
    world.run_for(secs(3600));
    assert!(!world.log().iter().any(is_probe));
}

#[test]
fn probes_hold_nothing_that_would_be_missed_and_are_not_fragmented() {
    let mut world = setup(1400).established();
    keep_sending(&mut world, secs(30));
    let probes: Vec<&Record> = world.sent(A).filter(|record| is_probe(record)).collect();
    assert!(probes.len() > 5);
    for probe in probes {
        assert_eq!(probe.types(), [ChunkType::HEARTBEAT, ChunkType::PAD]);
        assert_eq!(probe.fragmentation, Fragmentation::Forbidden);
    }
    // A probe is not part of a train, whose packets have the first one's length.
    let first = world.sent(A).find(|record| is_probe(record));
    assert_eq!(first.map(Record::ip_len), Some(1500));
}

#[test]
fn a_probe_is_sent_three_times_a_second_apart_before_its_size_is_given_up() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(10));
    let lost = |record: &&Record| record.ip_len() == 2000;
    let times: Vec<_> = world.sent(A).filter(lost).map(|record| record.at).collect();
    let [first, second, third] = times[..] else {
        panic!("{times:?}");
    };
    assert!(second.since(first) >= secs(1) && third.since(second) >= secs(1));
}

#[test]
fn a_lost_probe_is_no_failure() {
    let mut world = setup(1500).established();
    let before = world.first_path(A);
    world.when(Verdict::Drop, is_probe);
    keep_sending(&mut world, secs(60));
    let after = world.first_path(A);
    assert_eq!(after.errors, 0);
    assert_eq!(after.timeouts, 0);
    assert_eq!(after.rto, before.rto);
    assert_eq!(after.state, PathState::Active);
    assert!(after.cwnd >= before.cwnd);
    assert_eq!(world.messages(Z).len(), 600);
}

/// Sends at full rate while the link's MTU shrinks to `narrow`; returns the time from then until
/// 100 more messages have arrived.
fn through_a_black_hole(setup: &Setup, narrow: usize) -> (World, Option<Duration>) {
    let mut world = setup.established();
    keep_sending(&mut world, secs(5));
    world.send_together(A, (0..400).map(|_| blob(0, 4000)).collect());
    world.run_for(ms(30));
    let began = world.now();
    let before = world.messages(Z).len();
    world.edit_link(address(A, 1), address(Z, 1), |link| link.mtu = narrow);
    let over = world.run_until(secs(300), |world| world.messages(Z).len() >= before + 100);
    let took = over.then(|| world.now().since(began));
    (world, took)
}

#[test]
fn a_black_hole_in_mid_transfer_is_passed_after_two_timeouts() {
    let (mut world, took) = through_a_black_hole(&setup(1500), 1280);
    let took = took.expect("data flows again");
    // T3-rtx after 1 s and, backed off, 2 s later; then some round trips.
    assert!(took < secs(5), "{took:?}");
    assert_eq!(world.first_path(A).timeouts, 2);
    keep_sending(&mut world, secs(60));
    assert_eq!(pmtu(&mut world), 1280);
}

#[test]
fn over_ipv6_no_data_is_lost_in_a_black_hole_that_was_there_before() {
    let mut world = setup(1300)
        .ipv6()
        .linked(|link| link.oversize = Oversize::Lost)
        .established();
    world.send_together(A, (0..50).map(|_| blob(0, 4000)).collect());
    world.wait(secs(2), |world| world.messages(Z).len() == 50);
    assert_eq!(world.path(A, address6(Z, 1)).timeouts, 0);
    keep_sending(&mut world, secs(60));
    let pmtu = world.path(A, address6(Z, 1)).pmtu;
    assert!((1293..=1300).contains(&pmtu), "{pmtu}");
    assert_eq!(world.messages(Z).len(), 650);
}

#[test]
fn over_ipv6_the_full_size_is_used_after_a_round_trip() {
    let mut world = setup(1500)
        .ipv6()
        .linked(|link| link.oversize = Oversize::Lost)
        .established();
    world.send(A, blob(0, 1000));
    world.run_for(ms(500));
    assert_eq!(world.path(A, address6(Z, 1)).pmtu, 1500);
}

#[test]
fn without_discovery_a_black_hole_stalls() {
    let mut setup = setup(1500);
    setup.a.path_mtu_discovery = PathMtuDiscovery::Off;
    // As if the sender had set DF.
    setup.link.oversize = Oversize::Lost;
    let (_, took) = through_a_black_hole(&setup, 1280);
    assert_eq!(took, None);
}

#[test]
fn without_discovery_timeouts_and_long_rests_leave_the_mtu_as_it_was() {
    for discovery in [PathMtuDiscovery::Automatic, PathMtuDiscovery::Off] {
        let mut setup = setup(1500);
        setup.a.path_mtu_discovery = discovery;
        setup.a.initial_pmtu = 1440;
        setup.link.oversize = Oversize::Lost;
        let mut world = setup.established();
        keep_sending(&mut world, secs(5));
        for narrow in [1400, 300, 1500] {
            world.edit_link(address(A, 1), address(Z, 1), |link| link.mtu = narrow);
            world.send(A, blob(0, 100_000));
            world.run_for(secs(40));
            assert_eq!(pmtu(&mut world), 1440, "{discovery:?}");
        }
        world.run_for(secs(1000));
        assert_eq!(pmtu(&mut world), 1440, "{discovery:?}");
        assert!(world.first_path(A).timeouts >= 3);
    }
}

#[test]
fn chunks_that_were_cut_before_the_path_narrowed_are_sent_in_fragments() {
    let (world, _) = through_a_black_hole(&setup(1500), 1280);
    let overlong = world
        .sent_with(A, ChunkType::DATA)
        .filter(|record| record.ip_len() > 1280 && record.fate == Fate::Carried)
        .filter(|record| record.fragmentation == Fragmentation::Allowed);
    assert!(overlong.count() > 0);
}

#[test]
fn many_small_messages_pass_a_black_hole_too() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(5));
    world.edit_link(address(A, 1), address(Z, 1), |link| link.mtu = 1300);
    let before = world.messages(Z).len();
    world.send_together(A, (0..2000).map(|_| blob(0, 100)).collect());
    world.wait(secs(30), |world| world.messages(Z).len() == before + 2000);
}

#[test]
fn a_path_that_was_dead_for_a_while_keeps_its_mtu() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(60));
    let now = world.now();
    world.cut(address(A, 1), address(Z, 1), now..now + secs(20));
    world.send(A, blob(0, 100_000));
    world.run_for(secs(19));
    assert_eq!(pmtu(&mut world), 1500);
    world.run_for(secs(60));
    assert_eq!(pmtu(&mut world), 1500);
    assert!(world.first_path(A).timeouts >= 3);
}

#[test]
fn lossy_paths_find_their_mtu_too() {
    let mut world = setup(1500).linked(|link| link.loss = 50).established();
    keep_sending(&mut world, secs(120));
    assert_eq!(pmtu(&mut world), 1500);
}

#[test]
fn larger_packets_are_looked_for_again_after_ten_minutes() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(60));
    assert_eq!(pmtu(&mut world), 1500);
    for (one, other) in [(A, Z), (Z, A)] {
        world.edit_link(address(one, 1), address(other, 1), |link| link.mtu = 9000);
    }
    keep_sending(&mut world, secs(500));
    assert_eq!(pmtu(&mut world), 1500);
    keep_sending(&mut world, secs(120));
    assert_eq!(pmtu(&mut world), 9000);
}

#[test]
fn each_path_has_an_mtu_of_its_own() {
    let mut setup = setup(1500).paths(2);
    setup.a.heartbeats = Heartbeats::Every(secs(5));
    let mut world = setup.established();
    world.run_for(secs(10));
    let narrow = Link {
        mtu: 1300,
        oversize: Oversize::Fragmented,
        ..Link::default()
    };
    world.set_link(address(A, 2), address(Z, 2), narrow);
    keep_sending(&mut world, secs(30));
    let second = address(Z, 2);
    world.assoc(A).set_primary(second).unwrap();
    keep_sending(&mut world, secs(60));
    assert_eq!(world.first_path(A).pmtu, 1500);
    assert!((1293..=1300).contains(&world.path(A, second).pmtu));
}

/// Delivers an ICMP error that quotes A's last packet as a router would.
fn complain(world: &mut World, mtu: u16) {
    complain_quoting(world, mtu, |_| {});
}

/// Like [`complain`], with changes of the quoted packet.
fn complain_quoting(world: &mut World, mtu: u16, edit: impl FnOnce(&mut Vec<u8>)) {
    let mut quoted = world.sent(A).last().expect("a packet").bytes.clone();
    edit(&mut quoted);
    world.complain(address(Z, 1), IcmpError::PacketTooBig { mtu }, &quoted);
}

#[test]
fn a_router_that_tells_spares_the_timeouts() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(60));
    world.edit_link(address(A, 1), address(Z, 1), |link| link.mtu = 1300);
    world.send_together(A, (0..50).map(|_| blob(0, 4000)).collect());
    world.run_for(ms(1));
    complain(&mut world, 1300);
    assert_eq!(pmtu(&mut world), 1300);
    world.run_for(secs(30));
    assert_eq!(world.messages(Z).len(), 650);
    assert_eq!(pmtu(&mut world), 1300);
    let lost = world
        .sent(A)
        .filter(|record| record.fate == Fate::Lost(LossReason::TooBig));
    assert!(lost.filter(|record| !is_probe(record)).count() < 30);
}

#[test]
fn a_path_mtu_lowered_by_a_forged_report_recovers_after_ten_minutes() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(60));
    complain(&mut world, 600);
    keep_sending(&mut world, secs(10));
    assert_eq!(pmtu(&mut world), 600);
    keep_sending(&mut world, secs(640));
    assert_eq!(pmtu(&mut world), 1500);
}

// RFC 8899 §4.6.2; A35.
#[test]
fn icmp_that_quotes_another_tag_or_claims_the_impossible_changes_no_search() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(60));
    for mtu in [0, 68, 575, 1500, 9000, 65_535] {
        complain(&mut world, mtu);
        assert_eq!(pmtu(&mut world), 1500, "{mtu}");
    }
    complain_quoting(&mut world, 600, |quoted| quoted[5] ^= 1);
    assert_eq!(pmtu(&mut world), 1500);
}

// A35.
#[test]
fn answers_to_probes_may_come_late_and_out_of_order() {
    let mut world = setup(9000).established();
    let mut nth = 0;
    world.add_rule(move |record| {
        let answer = record.types() == [ChunkType::HEARTBEAT_ACK];
        if !answer {
            return Verdict::Deliver;
        }
        nth += 1;
        match nth % 3 {
            0 => Verdict::Delay(ms(2500)),
            1 => Verdict::Delay(ms(1200)),
            _ => Verdict::Deliver,
        }
    });
    keep_sending(&mut world, secs(120));
    assert_eq!(pmtu(&mut world), 9000);
    assert_eq!(world.first_path(A).errors, 0);
}

// A29, A35
#[test]
fn an_answer_that_belongs_to_no_probe_makes_packets_no_longer() {
    let mut setup = setup(1500);
    on(&mut setup.a);
    let (mut world, mut peer) = Peer::connected(setup.a.clone());
    world.send(A, blob(0, 3000));
    let seen = peer.expect(&mut world, ChunkType::PAD);
    let chunks = seen.chunks();
    let Some(Chunk::Heartbeat(Heartbeat { info })) = chunks.first() else {
        panic!("{chunks:?}");
    };
    let mut forged = info.to_vec();
    *forged.last_mut().expect("a nonce") ^= 1;
    let other_path = [&[1], &info[1..]].concat();
    let longer = [info, &[0; 4][..]].concat();
    for info in [&forged, &other_path, &longer] {
        peer.send(&mut world, &[Chunk::HeartbeatAck(Heartbeat { info })]);
        world.run_for(ms(50));
    }
    let longest = |world: &World| world.sent(A).map(Record::ip_len).max();
    assert_eq!(longest(&world), Some(1500));
    peer.send(&mut world, &[Chunk::HeartbeatAck(Heartbeat { info })]);
    world.run_for(ms(50));
    assert!(longest(&world) > Some(1500), "the right one does");
}

#[test]
fn a_padded_heartbeat_is_answered_without_its_padding() {
    let mut world = setup(1500).established();
    keep_sending(&mut world, secs(1));
    let answers = world.sent_with(Z, ChunkType::HEARTBEAT_ACK);
    let answers: Vec<usize> = answers.map(Record::ip_len).collect();
    assert!(!answers.is_empty());
    assert!(answers.iter().all(|len| *len < 100), "{answers:?}");
}

/// A probe with space reserved for an AUTH chunk that the peer does not require would be too short.
#[test]
fn probes_are_as_long_as_they_say_where_some_chunks_are_authenticated() {
    for chunks in [
        ChunkSet::NONE,
        ChunkSet::of([ChunkType::HEARTBEAT]),
        ChunkSet::of([ChunkType::PAD]),
        ChunkSet::all(),
    ] {
        let mut setup = setup(1400);
        for options in [&mut setup.a, &mut setup.z] {
            options.authentication = Authentication::with_key("secret", chunks);
        }
        let mut world = setup.established();
        keep_sending(&mut world, secs(60));
        assert_eq!(pmtu(&mut world), 1400, "{chunks:?}");
        assert_eq!(world.messages(Z).len(), 600);
    }
}
