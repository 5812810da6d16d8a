//! Tests of the oracles: each must object to a planted fault.

mod at_rest;
mod authenticated;

use sheave_engine::wire::{
    Chunk, CommonHeader, Data, DataFlags, Init, PacketWriter, Parameters, Ppid, Shutdown, Ssn,
    StreamId, Tsn, Vtag,
};
use sheave_engine::{
    AssocId, Delivery, Ecn, Endpoint, EndpointOptions, Fragmentation, Options, Part, Profile,
    Received,
};
use sheave_engine::{Connect, PeerAddress, Policy, Reliability, SendFailure, Time};

use super::fault::Verdict;
use super::ledger::{Entry, Ledger, Pattern, Told};
use super::packets::{Agreed, Emitted, check};
use super::plan::{End, Plan};
use super::proof::Proofs;
use super::search::{Outcome, attempt, traced};
use super::shrink::shrink;
use super::window::Windows;

/// An arbitrary id.
fn some_id() -> AssocId {
    let local = vec![[10, 0, 0, 1].into()];
    let mut endpoint = Endpoint::new(local, EndpointOptions::default(), [1; 32]);
    let to = Connect {
        local_port: None,
        local: Vec::new(),
        remote_port: 1,
        remote: vec![PeerAddress::native([10, 0, 0, 2].into())],
        options: Profile::Rfc9260.options(),
    };
    endpoint.connect(Time::ZERO, to).expect("a peer")
}

/// A ledger in which A has sent `count` messages of ten bytes on stream 1.
fn ledger(count: usize) -> (Ledger, Pattern) {
    let mut ledger = Ledger::default();
    for _ in 0..count {
        ledger.add(Entry {
            stream: 1,
            len: 10,
            delivery: Delivery::Ordered,
            reliability: Reliability::Timed(core::time::Duration::ZERO),
            accepted: true,
            delivered: false,
            told: None,
            life: 0,
        });
    }
    (ledger, Pattern::new())
}

fn deliver(ledger: &mut Ledger, pattern: &Pattern, number: usize) -> Verdict {
    let message = pattern.message(End::A, number, &ledger.entries[number]);
    let part = Part::Whole;
    ledger.on_received(pattern, End::A, some_id(), &Received::new(message, part))
}

fn objects(verdict: Verdict, oracle: &str) {
    let fault = verdict.expect_err("an objection");
    assert_eq!(fault.oracle, oracle, "{fault}");
}

#[test]
fn a_message_that_comes_twice_is_objected_to() {
    let (mut ledger, pattern) = ledger(1);
    deliver(&mut ledger, &pattern, 0).expect("once");
    objects(deliver(&mut ledger, &pattern, 0), "exactly once");
}

#[test]
fn a_message_that_is_overtaken_on_its_stream_is_objected_to() {
    let (mut ledger, pattern) = ledger(2);
    deliver(&mut ledger, &pattern, 1).expect("the second");
    objects(deliver(&mut ledger, &pattern, 0), "in order");
}

#[test]
fn a_message_that_is_altered_on_its_way_is_objected_to() {
    let (mut ledger, pattern) = ledger(2);
    let message = pattern.message(End::A, 0, &ledger.entries[0]);
    let mut bytes = message.payload.to_vec();
    bytes[9] ^= 1;
    let mut altered = message.clone();
    altered.payload = bytes.into();
    let mut moved = message;
    moved.stream = StreamId(2);
    for message in [altered, moved] {
        let part = Part::Whole;
        let verdict =
            ledger.on_received(&pattern, End::A, some_id(), &Received::new(message, part));
        objects(verdict, "payload");
    }
}

#[test]
fn a_message_that_was_told_to_be_unsent_must_not_come() {
    let (mut ledger, pattern) = ledger(1);
    let message = pattern.message(End::A, 0, &ledger.entries[0]);
    let told = (Told::Abandoned(Policy::Timed), SendFailure::Unsent);
    ledger
        .on_told(End::A, 0, &message, told)
        .expect("it may be");
    objects(deliver(&mut ledger, &pattern, 0), "told");
}

#[test]
fn a_message_is_told_of_once_and_for_its_own_policy() {
    let (mut ledger, pattern) = ledger(1);
    let message = pattern.message(End::A, 0, &ledger.entries[0]);
    let wrong = (Told::Abandoned(Policy::Priority), SendFailure::Unsent);
    objects(ledger.on_told(End::A, 0, &message, wrong), "told");
    let right = (Told::Failed, SendFailure::Unacknowledged);
    ledger
        .on_told(End::A, 0, &message, right)
        .expect("it may be");
    objects(ledger.on_told(End::A, 0, &message, right), "told");
}

const HEADER: CommonHeader = CommonHeader {
    source_port: 5000,
    destination_port: 5000,
    vtag: Vtag(7),
};

fn packet(header: CommonHeader, chunks: &[Chunk<'_>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = PacketWriter::new(&mut bytes, header, 1452);
    for chunk in chunks {
        writer.push(chunk);
    }
    writer.finish();
    bytes
}

fn init(tag: u32) -> Chunk<'static> {
    init_with(tag, Parameters::EMPTY)
}

fn init_with(tag: u32, parameters: Parameters<'_>) -> Chunk<'_> {
    Chunk::Init(Init {
        initiate_tag: Vtag(tag),
        a_rwnd: 4096,
        outbound_streams: 1,
        inbound_streams: 1,
        initial_tsn: Tsn(1),
        parameters,
    })
}

const SHUTDOWN: Chunk<'_> = Chunk::Shutdown(Shutdown {
    cumulative_tsn_ack: Tsn(1),
});

fn data(payload: &[u8]) -> Chunk<'_> {
    Chunk::Data(Data {
        flags: DataFlags::default(),
        tsn: Tsn(1),
        stream: StreamId(0),
        ssn: Ssn(0),
        ppid: Ppid(0),
        payload,
    })
}

/// Checks these bytes, sent by A after Z announced tag 7.
fn emit(bytes: &[u8]) -> Verdict {
    emit_after(&[(End::Z, init(7))], &Profile::Rfc9260.options(), bytes)
}

/// Checks these bytes, sent by A after these INITs, with the same options at both ends.
fn emit_after(inits: &[(End, Chunk<'_>)], options: &Options, bytes: &[u8]) -> Verdict {
    let agreed = Agreed::of([options, options]);
    let (mut proofs, mut windows) = (Proofs::default(), Windows::default());
    let mut send = |end, bytes: &[u8]| {
        let emitted = Emitted {
            end,
            bytes,
            plain: bytes,
            ip_len: bytes.len() + 20,
            ecn: Ecn::NotEct,
            v6: false,
            fragmentation: Fragmentation::Forbidden,
        };
        check(&emitted, &agreed, &mut proofs, &mut windows)
    };
    let first = CommonHeader {
        vtag: Vtag(0),
        ..HEADER
    };
    for (end, init) in inits {
        send(*end, &packet(first, &[*init])).expect("an INIT is right");
    }
    send(End::A, bytes)
}

#[test]
fn a_packet_with_a_wrong_checksum_tag_length_or_order_is_objected_to() {
    emit(&packet(HEADER, &[SHUTDOWN])).expect("it is right");
    let mut broken = packet(HEADER, &[SHUTDOWN]);
    broken[15] ^= 1;
    assert!(emit(&broken).is_err());
    let mut unsealed = packet(HEADER, &[SHUTDOWN]);
    unsealed[8] ^= 1;
    objects(emit(&unsealed), "checksum");
    let vtag = Vtag(8);
    objects(
        emit(&packet(CommonHeader { vtag, ..HEADER }, &[SHUTDOWN])),
        "tag",
    );
    objects(
        emit(&packet(HEADER, &[data(b"four"), SHUTDOWN])),
        "chunk order",
    );
    objects(emit(&packet(HEADER, &[init(9), SHUTDOWN])), "chunk order");
    let long = [0; 1400];
    let mut two = packet(HEADER, &[data(&long)]);
    two.extend_from_slice(&[0; 200]);
    objects(emit(&two), "mtu");
}

#[test]
fn new_data_beyond_the_window_is_objected_to_but_for_a_probe() {
    let mut windows = Windows::default();
    windows.on_peer(End::A, 7, 1000);
    windows.on_sent(End::A, 7, Tsn(1), 2000).expect("a probe");
    objects(windows.on_sent(End::A, 7, Tsn(2), 1), "window");
    let mut windows = Windows::default();
    windows.on_peer(End::A, 7, 1000);
    windows.on_sent(End::A, 7, Tsn(1), 600).expect("it fits");
    windows.on_sent(End::A, 7, Tsn(2), 400).expect("it fits");
    windows
        .on_sent(End::A, 7, Tsn(1), 600)
        .expect("it is sent again");
    objects(windows.on_sent(End::A, 7, Tsn(3), 1), "window");
}

#[test]
fn packets_of_an_aborted_association_do_not_count_against_the_next() {
    let mut windows = Windows::default();
    windows.on_peer(End::A, 7, 1000);
    windows.on_sent(End::A, 7, Tsn(1), 900).expect("it fits");
    windows.on_abort(End::A, 8);
    objects(windows.on_sent(End::A, 7, Tsn(2), 900), "window");
    windows.on_abort(End::A, 7);
    windows.on_peer(End::A, 7, 1000);
    windows.on_sent(End::A, 7, Tsn(1), 900).expect("it fits");
    objects(windows.on_sent(End::A, 7, Tsn(2), 900), "window");
}

#[test]
fn data_from_an_offered_tsn_on_begins_anew() {
    let mut windows = Windows::default();
    windows.on_offer(End::Z, Tsn(1));
    windows.on_offer(End::Z, Tsn(500));
    windows.on_peer(End::Z, 7, 1000);
    windows.on_sent(End::Z, 7, Tsn(1), 900).expect("it fits");
    objects(windows.on_sent(End::Z, 7, Tsn(499), 900), "window");
    windows.on_sent(End::Z, 7, Tsn(500), 900).expect("anew");
    objects(windows.on_sent(End::Z, 7, Tsn(501), 900), "window");
}

/// A plan in which nothing arrives for longer than the sender's patience.
const CUT: &str = "seed 1
a association_max_retrans 1
a delay 2 100
a send 100 1 0 100 0 0 0
z cut 0 50 50000
";

#[test]
fn a_plan_with_a_cut_ends_with_a_reason() {
    let plan = Plan::parse(CUT).expect("a plan");
    let Outcome::Passed(figures) = attempt(&plan) else {
        panic!("{:?}", attempt(&plan));
    };
    assert!(figures.established && !figures.complete);
}

#[test]
fn numbers_wrap_in_a_plan_that_says_so() {
    for interleaving in ["", "a interleaving 1\nz interleaving 1\n"] {
        let acts = "seed 1\na wrap 500 3\na send 1000 9 0 100 0 0 0\nz send 1000 9 0 100 0 0 0\n";
        let plan = Plan::parse(&[acts, interleaving].concat()).expect("a plan");
        let (outcome, trace) = traced(&plan);
        assert!(matches!(outcome, Outcome::Passed(figures) if figures.complete));
        let has_sent = |what: &str| trace.iter().any(|packet| packet.contains(what));
        let wraps = match interleaving {
            "" => [
                "DATA tsn 4294967295 stream 0 ssn",
                "stream 0 ssn 65535 ",
                "stream 0 ssn 0 ",
            ],
            _ => [
                "I-DATA tsn 4294967295 stream 0",
                "mid 4294967295 ",
                "mid 0 ",
            ],
        };
        assert!(wraps.iter().all(|wrap| has_sent(wrap)), "{trace:#?}");
    }
}

#[test]
fn a_plan_that_passes_is_not_made_smaller() {
    let plan = Plan::parse(CUT).expect("a plan");
    assert_eq!(shrink(&plan, "liveness"), plan);
}
