use core::net::Ipv4Addr;
use core::time::Duration;
use std::collections::BTreeMap;

use sheave_engine::{Datagram, Ecn, Node, PeerAddress};

use super::*;
use crate::tcp::segment::{self, Flags, Segment};
use crate::tcp::{Acknowledgement, Nagle};

const A: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const B: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const PORT: u16 = 80;
const WAY: Duration = Duration::from_millis(10);

fn ms(n: u64) -> Time {
    Time::from_millis(n)
}

/// Two stacks, 10 ms apart, with a network that may lose packets.
struct Pair {
    now: Time,
    ends: [Stack; 2],
    /// Packets in flight, by arrival time and order; each with the index of its receiver.
    flying: BTreeMap<(Time, u64), (usize, Vec<u8>)>,
    sent: u64,
    /// Segments sent: time, sender, text.
    trace: Vec<(Time, usize, String)>,
    events: [Vec<Event>; 2],
    /// Packets to lose, by number, counted from 0.
    lose: Vec<u64>,
}

impl Pair {
    fn new(options: &Options) -> (Self, ConnectionId) {
        let mut pair = Self {
            now: Time::ZERO,
            ends: [Stack::new(1), Stack::new(2)],
            flying: BTreeMap::new(),
            sent: 0,
            trace: Vec::new(),
            events: [Vec::new(), Vec::new()],
            lose: Vec::new(),
        };
        pair.ends[1].listen(PORT, options.clone(), 4).unwrap();
        let id = pair.ends[0].connect(A, (B, PORT), options).unwrap();
        (pair, id)
    }

    /// Two stacks whose connection has been open for a while.
    fn open(options: &Options) -> (Self, ConnectionId, ConnectionId) {
        let (mut pair, a) = Self::new(options);
        pair.run_until(ms(100));
        let b = pair.accepted();
        (pair, a, b)
    }

    fn at(&mut self, end: usize, id: ConnectionId) -> Connection<'_> {
        self.ends[end].connection(id).unwrap()
    }

    /// Everything that can be read.
    fn read(&mut self, end: usize, id: ConnectionId) -> Vec<u8> {
        let mut out = Vec::new();
        self.at(end, id).receive(&mut out, usize::MAX);
        out
    }

    fn flush(&mut self) {
        let mut buf = Vec::new();
        for end in 0..2 {
            while self.ends[end]
                .poll_transmit(self.now, &mut buf, 1)
                .is_some()
            {
                let segment = Segment::parse(&buf).unwrap();
                let (header, len) = (segment.header, segment.payload.len());
                let mut line = format!("len {len}");
                for (flag, name) in [
                    (Flags::SYN, " SYN"),
                    (Flags::FIN, " FIN"),
                    (Flags::RST, " RST"),
                ] {
                    if header.flags.contains(flag) {
                        line.push_str(name);
                    }
                }
                self.trace.push((self.now, end, line));
                if !self.lose.contains(&self.sent) {
                    let place = (self.now + WAY, self.sent);
                    self.flying.insert(place, (1 - end, buf.clone()));
                }
                self.sent += 1;
            }
            while let Some(event) = self.ends[end].poll_event() {
                self.events[end].push(event);
            }
        }
    }

    fn run_until(&mut self, end: Time) {
        loop {
            self.flush();
            let next = self.ends.iter().filter_map(Node::poll_timeout).min();
            let arrival = self.flying.first_key_value().map(|((at, _), _)| *at);
            let Some(at) = next
                .into_iter()
                .chain(arrival)
                .min()
                .filter(|at| *at <= end)
            else {
                self.now = end;
                return;
            };
            self.now = self.now.max(at);
            if arrival == Some(at) {
                let (_, (to, bytes)) = self.flying.pop_first().unwrap();
                let [local, remote] = if to == 0 { [A, B] } else { [B, A] };
                let datagram = Datagram {
                    local,
                    remote: PeerAddress::native(remote),
                    ecn: Ecn::NotEct,
                    payload: &bytes,
                };
                self.ends[to].handle_datagram(self.now, datagram);
            }
            for end in &mut self.ends {
                end.handle_timeout(self.now);
            }
        }
    }

    /// The segments sent by both ends from `from` ms on, as "ms end text".
    fn trace(&self, from: u64) -> Vec<String> {
        self.trace
            .iter()
            .filter(|(at, ..)| *at >= ms(from))
            .map(|(at, end, line)| {
                format!("{} {} {line}", at.as_nanos() / 1_000_000, ["A", "B"][*end])
            })
            .collect()
    }

    fn accepted(&self) -> ConnectionId {
        self.events[1]
            .iter()
            .find_map(|event| match event {
                Event::Accepted { id, .. } => Some(*id),
                _ => None,
            })
            .unwrap()
    }

    fn phase(&mut self, end: usize, id: ConnectionId) -> Phase {
        self.ends[end]
            .connection(id)
            .map_or(Phase::Closed, |connection| connection.phase())
    }

    fn reason(&self, end: usize) -> Option<CloseReason> {
        self.events[end].iter().find_map(|event| match event {
            Event::Closed { reason, .. } => Some(*reason),
            _ => None,
        })
    }
}

#[test]
fn a_connection_opens_carries_bytes_and_closes() {
    let (mut pair, a, b) = Pair::open(&Options::default());
    assert_eq!(pair.events[0], [Event::Connected(a)]);
    let text: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
    let sent = pair.at(0, a).send(&text).unwrap();
    assert_eq!(sent, text.len());
    pair.at(0, a).shutdown();
    pair.run_until(ms(2000));
    let out = pair.read(1, b);
    assert_eq!(out, text);
    assert_eq!(pair.phase(0, a), Phase::FinWait2);
    assert_eq!(pair.phase(1, b), Phase::CloseWait);
    assert!(pair.events[1].contains(&Event::PeerFinished(b)));
    pair.at(1, b).shutdown();
    pair.run_until(ms(2100));
    assert_eq!(pair.phase(0, a), Phase::TimeWait);
    assert_eq!(pair.phase(1, b), Phase::Closed);
    pair.run_until(ms(70_000));
    assert_eq!(pair.reason(0), Some(CloseReason::Finished));
    assert!(pair.ends[0].is_empty() && pair.ends[1].is_empty());
    assert_eq!(pair.ends[0].poll_timeout(), None);
}

#[test]
fn a_lost_syn_is_sent_again_after_one_second_and_then_after_two() {
    let (mut pair, _) = Pair::new(&Options::default());
    pair.lose = vec![0, 1];
    pair.run_until(ms(3500));
    assert_eq!(
        pair.trace(0),
        [
            "0 A len 0 SYN",
            "1000 A len 0 SYN",
            "3000 A len 0 SYN",
            "3010 B len 0 SYN",
            "3020 A len 0"
        ]
    );
}

#[test]
fn a_lost_answer_to_the_syn_comes_again_as_soon_as_the_syn_does() {
    let (mut pair, a) = Pair::new(&Options::default());
    pair.lose = vec![1];
    pair.run_until(ms(1500));
    assert_eq!(pair.phase(0, a), Phase::Established);
    assert_eq!(pair.reason(1), None);
    assert!(pair.events[1].len() == 1);
}

#[test]
fn data_stands_in_for_a_lost_last_step_of_the_handshake() {
    let (mut pair, a) = Pair::new(&Options::default());
    pair.lose = vec![2];
    pair.run_until(ms(25));
    pair.at(0, a).send(b"hello").unwrap();
    pair.run_until(ms(500));
    let b = pair.accepted();
    assert_eq!(pair.at(1, b).readable(), 5);
}

#[test]
fn a_connection_that_nobody_answers_is_given_up() {
    let options = Options {
        syn_retries: 2,
        ..Options::default()
    };
    let (mut pair, a) = Pair::new(&options);
    pair.lose = (0..100).collect();
    pair.run_until(ms(60_000));
    assert_eq!(pair.reason(0), Some(CloseReason::TimedOut));
    assert_eq!(pair.sent, 3);
    assert!(pair.ends[0].connection(a).is_none());
}

#[test]
fn a_port_where_nobody_listens_refuses() {
    let (mut pair, _) = Pair::new(&Options::default());
    pair.ends[0]
        .connect(A, (B, PORT + 1), &Options::default())
        .unwrap();
    pair.run_until(ms(100));
    assert_eq!(pair.reason(0), Some(CloseReason::Refused));
    assert_eq!(pair.ends[1].stats().misdirected, 1);
}

#[test]
fn an_abort_resets_the_other_end() {
    let (mut pair, a) = Pair::new(&Options::default());
    pair.run_until(ms(100));
    pair.at(0, a).abort();
    pair.run_until(ms(200));
    assert_eq!(pair.reason(0), Some(CloseReason::Aborted));
    assert_eq!(pair.reason(1), Some(CloseReason::Reset));
    assert!(pair.ends[1].is_empty());
}

#[test]
fn a_lost_fin_is_sent_again() {
    let (mut pair, a, b) = Pair::open(&Options::default());
    pair.lose = vec![pair.sent];
    pair.at(0, a).shutdown();
    pair.run_until(ms(1000));
    assert_eq!(pair.phase(1, b), Phase::Established);
    pair.run_until(ms(2000));
    assert_eq!(pair.phase(1, b), Phase::CloseWait);
    assert_eq!(pair.phase(0, a), Phase::FinWait2);
}

#[test]
fn a_lost_acknowledgement_of_the_fin_is_given_again_in_time_wait() {
    let (mut pair, a, b) = Pair::open(&Options::default());
    pair.at(0, a).shutdown();
    pair.run_until(ms(200));
    pair.at(1, b).shutdown();
    // The next packet is B's FIN; the one after is A's acknowledgement, which is lost.
    pair.lose = vec![pair.sent + 1];
    pair.run_until(ms(1000));
    assert_eq!(pair.phase(0, a), Phase::TimeWait);
    assert_eq!(pair.phase(1, b), Phase::LastAck);
    pair.run_until(ms(2000));
    assert_eq!(pair.phase(1, b), Phase::Closed);
}

#[test]
fn both_may_finish_at_once() {
    let (mut pair, a, b) = Pair::open(&Options::default());
    pair.at(0, a).shutdown();
    pair.at(1, b).shutdown();
    pair.run_until(ms(115));
    assert_eq!(pair.phase(0, a), Phase::Closing);
    pair.run_until(ms(200));
    assert_eq!(pair.phase(0, a), Phase::TimeWait);
    assert_eq!(pair.phase(1, b), Phase::TimeWait);
}

#[test]
fn a_stopped_reader_stops_the_writer_and_a_lost_window_update_is_found_by_a_probe() {
    let options = Options {
        receive_buffer: 10_000,
        ..Options::default()
    };
    let (mut pair, a, b) = Pair::open(&options);
    let text = vec![7; 30_000];
    pair.at(0, a).send(&text).unwrap();
    pair.run_until(ms(10_000));
    let got = pair.at(1, b).readable();
    assert!((8540..=10_000).contains(&got), "{got}");
    // The reader reads again, but its window update is lost.
    pair.lose = vec![pair.sent];
    let mut out = Vec::new();
    while out.len() < text.len() && pair.now < ms(60_000) {
        out.extend(pair.read(1, b));
        let next = pair.now + Duration::from_millis(500);
        pair.run_until(next);
    }
    assert_eq!(out, text);
    let stats = pair.at(0, a).stats().unwrap();
    assert!(stats.sent.probes > 0);
    assert_eq!(stats.sent.timeouts, 0);
}

/// Small writes, one every 50 ms: the classic bad interaction of Nagle's algorithm with delayed
/// acknowledgements.
#[test]
fn nagle_waits_for_the_delayed_acknowledgement() {
    let run = |nagle| {
        let options = Options {
            nagle,
            ..Options::default()
        };
        let (mut pair, a) = Pair::new(&options);
        pair.run_until(ms(1000));
        for n in 0..4 {
            pair.run_until(ms(1000 + 50 * n));
            pair.at(0, a).send(&[1; 100]).unwrap();
        }
        pair.run_until(ms(1900));
        pair.trace(1000)
    };
    assert_eq!(
        run(Nagle::On),
        [
            "1000 A len 100",
            // 200 ms after the arrival of the first segment.
            "1210 B len 0",
            "1220 A len 300",
            // The largest segment so far, so full-sized from B's point of view, but only one.
            "1430 B len 0",
        ]
    );
    assert_eq!(
        run(Nagle::Off),
        [
            "1000 A len 100",
            "1050 A len 100",
            "1060 B len 0",
            "1100 A len 100",
            "1150 A len 100",
            "1160 B len 0",
        ]
    );
}

#[test]
fn numbers_wrap_in_the_middle_of_a_stream() {
    let options = Options {
        acknowledgement: Acknowledgement::Immediate,
        ..Options::default()
    };
    let (mut pair, a) = Pair::new(&options);
    // Makes the first end's sequence numbers wrap soon; the second end's depend on its seed.
    let tuple = pair.ends[0].tcb(a).unwrap().tuple();
    let isn = Seq(u32::MAX - 20_000);
    pair.ends[0].connections.get_mut(a).unwrap().tcb = Tcb::connect(tuple, &options, isn);
    let text: Vec<u8> = (0..300_000_u32).map(|n| (n * 3 % 253) as u8).collect();
    pair.at(0, a).send(&text).unwrap();
    // Loses packets around the wrap.
    pair.lose = (16..80).step_by(5).collect();
    pair.run_until(ms(30_000));
    let b = pair.accepted();
    let out = pair.read(1, b);
    assert!(out == text);
    let stats = pair.at(0, a).stats().unwrap();
    assert!(stats.sent.retransmissions >= 3, "{stats:?}");
}

#[test]
fn a_backlog_of_half_open_connections_is_bounded() {
    let (mut pair, _) = Pair::new(&Options::default());
    for _ in 0..9 {
        pair.ends[0]
            .connect(A, (B, PORT), &Options::default())
            .unwrap();
    }
    // All SYNs arrive together, before any handshake is complete.
    pair.run_until(ms(15));
    assert_eq!(pair.ends[1].len(), 4);
    assert_eq!(pair.ends[1].stats().backlog_drops, 6);
    // The dropped SYNs are retransmitted.
    pair.run_until(ms(10_000));
    assert_eq!(pair.ends[1].len(), 10);
}

#[test]
fn a_reset_out_of_place_is_answered_and_not_believed() {
    let (mut pair, a, b) = Pair::open(&Options::default());
    let mut header = pair.ends[0].tcb(a).unwrap().reset();
    header.seq = header.seq.plus(50);
    let tuple = pair.ends[0].tcb(a).unwrap().tuple();
    pair.ends[0].reply(tuple, header);
    pair.run_until(ms(200));
    assert_eq!(pair.phase(1, b), Phase::Established);
    assert_eq!(pair.trace(100), ["100 A len 0 RST", "110 B len 0"]);
}

#[test]
fn a_segment_with_a_wrong_checksum_is_dropped() {
    let mut stack = Stack::new(1);
    stack.listen(PORT, Options::default(), 4).unwrap();
    let mut bytes = Vec::new();
    let header = Header {
        destination_port: PORT,
        flags: Flags::SYN,
        ..Header::default()
    };
    header.write(&mut bytes);
    segment::seal(&mut bytes, A, B);
    bytes[5] ^= 1;
    let datagram = Datagram {
        local: B,
        remote: PeerAddress::native(A),
        ecn: Ecn::NotEct,
        payload: &bytes,
    };
    stack.handle_datagram(Time::ZERO, datagram);
    assert_eq!(stack.stats().checksum_errors, 1);
    assert!(stack.is_empty());
}

#[test]
fn an_end_without_options_is_met_without_them() {
    let plain = Options {
        selective: crate::tcp::Selective::Off,
        window_scaling: crate::tcp::WindowScaling::Off,
        mss: 536,
        ..Options::default()
    };
    let (mut pair, _) = Pair::new(&Options::default());
    let a = pair.ends[0].connect(A, (B, PORT), &plain).unwrap();
    pair.run_until(ms(100));
    pair.at(0, a).send(&[0; 60_000]).unwrap();
    pair.run_until(ms(5000));
    assert!(pair.trace.iter().all(|(_, _, line)| !line.contains("1460")));
    let stats = pair.at(0, a).stats().unwrap();
    assert_eq!(stats.bytes_acked, 60_000);
}

#[test]
fn a_port_that_is_given_up_refuses_and_keeps_what_it_took() {
    let options = Options::default();
    let (mut pair, first) = Pair::new(&options);
    pair.run_until(ms(100));
    pair.ends[1].unlisten(PORT);
    let second = pair.ends[0].connect(A, (B, PORT), &options).unwrap();
    pair.run_until(ms(200));
    assert_eq!(pair.phase(0, first), Phase::Established);
    assert_eq!(pair.phase(0, second), Phase::Closed);
    assert_eq!(pair.reason(0), Some(CloseReason::Refused));
}

#[test]
fn counts_of_sent_bytes_outlive_their_connection() {
    let (mut pair, a, b) = Pair::open(&Options::default());
    let mut connection = pair.at(0, a);
    connection.send(b"bytes").unwrap();
    connection.shutdown();
    pair.run_until(ms(200));
    let before = pair.ends[0].sent();
    pair.at(1, b).discard(usize::MAX);
    pair.at(1, b).shutdown();
    pair.run_until(ms(100_000));
    assert!(pair.ends[0].is_empty());
    assert_eq!(pair.ends[0].sent(), before);
    assert!(before.segments >= 2);
}
