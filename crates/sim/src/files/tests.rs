use core::time::Duration;

use sheave_engine::{Profile, Time};

use super::transfer_message::TransferMessage;
use super::*;
use crate::scenario::{FileProtocol, Flow, FlowKind, LinkPair, Run, Scenario};
use crate::{Bitrate, Errors, LinkSpec, Outcome, Pattern, Probability, Program, Sctp, tcp};

/// One-way delay.
const WAY: Duration = Duration::from_millis(10);

fn link(loss: Errors) -> LinkSpec {
    LinkSpec {
        loss,
        ..LinkSpec::new(Bitrate::mbit(1000), WAY)
    }
}

fn run_over(link: &LinkSpec, files: Files, protocol: &FileProtocol) -> Run {
    let scenario = Scenario {
        name: "files".to_owned(),
        duration: Duration::from_secs(3600),
        seeds: 1,
        hosts: vec!["A".to_owned(), "B".to_owned()],
        routers: Vec::new(),
        links: vec![LinkPair {
            name: "wire".to_owned(),
            ends: ["A".to_owned(), "B".to_owned()],
            there: link.clone(),
            back: link.clone(),
        }],
        flows: vec![Flow {
            name: "main".to_owned(),
            from: "A".to_owned(),
            to: "B".to_owned(),
            start: Duration::ZERO,
            start_spread: Duration::ZERO,
            kind: FlowKind::Files {
                files,
                protocol: protocol.clone(),
            },
        }],
    };
    let mut run = scenario.build(1).expect("a network");
    assert_ne!(run.world.run_to_completion(run.end), Outcome::TimeUp);
    run
}

fn receipts(files: Files, protocol: &FileProtocol) -> FileReceipts {
    let run = run_over(&link(Errors::None), files, protocol);
    run.files("main").expect("files").clone()
}

fn tcp_options() -> Box<tcp::Options> {
    Box::new(tcp::Options {
        nagle: tcp::Nagle::Off,
        ..tcp::Options::default()
    })
}

fn ftp() -> FileProtocol {
    FileProtocol::Ftp(tcp_options())
}

fn http(requests: Requests) -> FileProtocol {
    let options = tcp_options();
    FileProtocol::Http { options, requests }
}

fn sheave(streams: u16) -> FileProtocol {
    let options = Box::default();
    FileProtocol::Sheave {
        options,
        streams,
        keys: None,
    }
}

fn all() -> [FileProtocol; 4] {
    let (one, piped) = (Requests::OneByOne, Requests::Pipelined);
    [ftp(), http(one), http(piped), sheave(8)]
}

/// Whole round trips, for links so fast that transmission times do not matter.
fn round_trips(time: Option<Duration>) -> u128 {
    time.expect("files").as_millis() / 20
}

const SMALL: Files = Files { count: 4, len: 100 };

#[test]
fn the_first_file_over_ftp_takes_eight_round_trips() {
    // Handshake and greeting, USER, PASS, TYPE, PASV, handshake, RETR.
    let receipts = receipts(SMALL, &ftp());
    assert_eq!(round_trips(receipts.first(Time::ZERO)), 8);
}

#[test]
fn each_further_file_over_ftp_takes_three_round_trips() {
    // PASV, handshake, RETR.
    let receipts = receipts(SMALL, &ftp());
    assert_eq!(round_trips(receipts.all(Time::ZERO)), 8 + 3 * 3);
}

#[test]
fn each_file_over_ftp_has_a_connection_of_its_own() {
    let run = run_over(&link(Errors::None), SMALL, &ftp());
    let client = run.flow("main").expect("a flow").client;
    let client: &FtpClient = run.world.agent(client).expect("a client");
    assert_eq!(client.stack().stats().opened, 1 + u64::from(SMALL.count));
}

#[test]
fn an_ftp_session_ends_in_good_order() {
    let mut run = run_over(&link(Errors::None), SMALL, &ftp());
    run.world.run_until(Time::from_millis(3_600_000));
    let client = run.flow("main").expect("a flow").client;
    let client: &FtpClient = run.world.agent(client).expect("a client");
    assert_eq!(client.stage(), FtpStage::Over);
    assert!(client.stack().is_empty());
}

#[test]
fn a_file_over_http_takes_one_round_trip_besides_the_handshake() {
    let receipts = receipts(SMALL, &http(Requests::OneByOne));
    assert_eq!(round_trips(receipts.first(Time::ZERO)), 2);
    assert_eq!(round_trips(receipts.all(Time::ZERO)), 2 + 3);
}

#[test]
fn pipelined_files_come_together() {
    let receipts = receipts(SMALL, &http(Requests::Pipelined));
    assert_eq!(round_trips(receipts.all(Time::ZERO)), 2);
}

#[test]
fn files_over_one_association_take_three_and_a_half_round_trips() {
    // One round trip for INIT, one for the cookie with Hello and Welcome, one for Entry and Want,
    // and half of one for the file.
    let receipts = receipts(SMALL, &sheave(8));
    assert_eq!(round_trips(receipts.first(Time::ZERO)), 3);
    assert_eq!(round_trips(receipts.all(Time::ZERO)), 3);
}

#[test]
fn the_sender_hears_of_the_end() {
    let mut run = run_over(&link(Errors::None), SMALL, &sheave(2));
    run.world.run_until(Time::from_millis(3_600_000));
    let client = run.flow("main").expect("a flow").client;
    let client: &Program<Sctp, FileSender> = run.world.agent(client).expect("a client");
    assert!(client.workload().is_over());
}

#[test]
fn all_files_arrive_whatever_is_lost() {
    let lossy = link(Errors::Uniform(Probability::new(0.05)));
    for files in [
        SMALL,
        Files {
            count: 2,
            len: 300_000,
        },
        Files { count: 3, len: 0 },
    ] {
        for protocol in all() {
            let run = run_over(&lossy, files, &protocol);
            let receipts = run.files("main").expect("files");
            assert!(receipts.is_complete(), "{files:?} over {protocol:?}");
            let mut numbers: Vec<u32> = receipts.receipts().iter().map(|r| r.number).collect();
            numbers.sort_unstable();
            assert!(numbers.iter().copied().eq(0..files.count));
        }
    }
}

#[test]
fn more_files_than_the_window_holds_arrive() {
    let many = Files {
        count: 2000,
        len: 10,
    };
    assert!(receipts(many, &sheave(8)).is_complete());
}

#[test]
fn a_server_that_nobody_reaches_makes_a_transfer_fail() {
    let cut = link(Errors::Pattern(Pattern::parse("1").expect("a pattern")));
    for protocol in all() {
        let run = run_over(&cut, SMALL, &protocol);
        let receipts = run.files("main").expect("files");
        assert_eq!(receipts.all(Time::ZERO), None);
    }
}

#[test]
fn messages_of_the_transfer_protocol_are_as_long_as_real_ones() {
    let lens = [
        (TransferMessage::Hello, 27),
        (TransferMessage::Welcome, 7),
        (TransferMessage::Entry(3), 28 + 10),
        (TransferMessage::Want(3), 46),
        (TransferMessage::Begin(3), 13),
        (TransferMessage::Data(3, 1000), 1013),
        (TransferMessage::End(3), 37),
        (TransferMessage::Settled(3), 8),
        (TransferMessage::Finish, 1),
        (TransferMessage::Report, 41),
    ];
    for (message, len) in lens {
        let bytes = message.write();
        assert_eq!(bytes.len(), len, "{message:?}");
        assert_eq!(TransferMessage::parse(&bytes), Some(message));
    }
}

#[test]
fn lines_come_whole_however_they_are_cut() {
    let mut lines = lines::Lines::default();
    for piece in [&b"220 re"[..], b"ady\r", b"\n331 ", b"\r\n\r\nbody"] {
        lines.push(piece);
    }
    let read = core::iter::from_fn(|| lines.poll_line());
    assert!(read.eq(["220 ready", "331", ""]));
    assert_eq!(lines.discard(2), 2);
    assert_eq!(lines.discard(9), 2);
}

#[test]
fn default_options_carry_the_longest_message() {
    assert!(Profile::Rfc9260.options().max_message_size > CHUNK as usize + 64);
}
