use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::net::{IpAddr, Ipv4Addr};

use bytes::Bytes;
use sheave_wire::{DataFlags, GapBlock, List, Sack};

use super::*;
use crate::flight::share::{Digest, PathShare, Reports};
use crate::outbound::sack_outcome::SackOutcome;
use crate::value::error::PeerFault;
use crate::{Admission, Options, PathState, PeerAddress, Profile, SendError, Time};

const FULL: usize = 1452;
const PATH: PathIndex = PathIndex(0);
const FIRST: u32 = u32::MAX - 2;

pub(in crate::outbound) struct Bench {
    pub(in crate::outbound) outbound: Outbound,
    paths: Vec<Path>,
    pub(in crate::outbound) now: Time,
    /// The outcome of the last SACK.
    outcome: Option<SackOutcome>,
}

#[derive(Debug, PartialEq, Eq)]
pub(in crate::outbound) struct Cut {
    tsn: u32,
    ssn: u16,
    flags: DataFlags,
    payload: Vec<u8>,
}

impl Bench {
    fn new(rwnd: u32) -> Self {
        Self::with(rwnd, &Profile::Rfc9260.options())
    }

    pub(in crate::outbound) fn with(rwnd: u32, options: &Options) -> Self {
        let mut outbound = Outbound::new(Tsn(FIRST), 10, options);
        outbound.on_negotiated(10, rwnd);
        Self {
            outbound,
            paths: vec![path(1, PathState::Active, options)],
            now: Time::ZERO,
            outcome: None,
        }
    }

    pub(in crate::outbound) fn enqueue(&mut self, stream: u16, bytes: usize) {
        let message = Message::new(StreamId(stream), Bytes::from(vec![7; bytes]));
        offer(&mut self.outbound, message, usize::MAX).unwrap();
    }

    fn slot(&self, room: usize) -> Slot {
        Slot {
            now: self.now,
            path: PATH,
            room,
            overlong: Overlong::Refused,
            fragment: FULL,
            flags: DataFlags::EMPTY,
        }
    }

    pub(in crate::outbound) fn cut(&mut self, room: usize) -> Option<Cut> {
        let slot = self.slot(room);
        let new = self.outbound.next_new(slot, &mut self.paths)?;
        let data = new.data;
        Some(Cut {
            tsn: data.tsn.0,
            ssn: data.ssn.0,
            flags: data.flags,
            payload: data.payload.to_vec(),
        })
    }

    /// Sends `n` one-chunk messages.
    pub(in crate::outbound) fn send(&mut self, n: usize) {
        for _ in 0..n {
            self.enqueue(0, 100);
            self.cut(FULL + 16).unwrap();
        }
    }

    pub(in crate::outbound) fn resend(&mut self) -> Option<u32> {
        let slot = self.slot(FULL + 16);
        let resent = self.outbound.next_retransmission(slot, &mut self.paths)?;
        Some(resent.piece.data.tsn.0)
    }

    /// A SACK of everything up to the `cumulative`th chunk (from 1), and of the blocks.
    pub(in crate::outbound) fn sack(
        &mut self,
        cumulative: u32,
        blocks: &[(u16, u16)],
    ) -> Option<Digest> {
        self.try_sack(cumulative, blocks, 1 << 20).unwrap()
    }

    fn try_sack(
        &mut self,
        cumulative: u32,
        blocks: &[(u16, u16)],
        a_rwnd: u32,
    ) -> Result<Option<Digest>, PeerFault> {
        let blocks = blocks.iter().map(|&(start, end)| GapBlock { start, end });
        let blocks: Vec<GapBlock> = blocks.collect();
        let sack = Sack {
            cumulative_tsn_ack: Tsn(FIRST).plus(cumulative).prev(),
            a_rwnd,
            gap_blocks: List::from(&blocks[..]),
            duplicates: List::EMPTY,
            packets: 0,
        };
        let paths = &mut self.paths;
        let outcome = self
            .outbound
            .on_sack(self.now, &sack, PathIndex(0), paths)?;
        let digest = outcome.as_ref().map(|outcome| outcome.digest);
        if let Some(before) = mem::replace(&mut self.outcome, outcome) {
            self.outbound.take_back(before);
        }
        Ok(digest)
    }

    /// The share of a path in the last SACK.
    fn share(&self, path: PathIndex) -> PathShare {
        self.outcome.as_ref().unwrap().share(path)
    }

    fn time_out(&mut self, next: PathIndex) {
        let paths = &mut self.paths;
        self.outbound.on_timeout(Time::ZERO, PATH, next, paths);
    }

    fn flight(&self) -> u64 {
        self.paths[0].flow.flight()
    }
}

/// A path to an address of the loopback network.
fn path(host: u8, state: PathState, options: &Options) -> Path {
    let ip = IpAddr::V4(Ipv4Addr::new(127, 0, 0, host));
    Path::new(Time::ZERO, ip, PeerAddress::native(ip), state, options)
}

/// Hands in a message with a buffer limit of `limit` bytes.
fn offer(outbound: &mut Outbound, message: Message, limit: usize) -> Result<(), SendError> {
    let room = BufferRoom {
        limit,
        ceiling: limit,
        admission: Admission::WhenItFits,
    };
    match outbound.admit(&message, None, room) {
        Ok(()) => outbound.enqueue(message, SendOptions::default(), None, None),
        Err((objection, _)) => return Err(objection.to(message)),
    }
    Ok(())
}

#[test]
fn a_message_that_fits_a_packet_of_its_own_is_not_cut_to_fill_another() {
    let mut bench = Bench::new(1 << 20);
    bench.enqueue(0, 1000);
    assert_eq!(bench.cut(900), None);
    assert_eq!(bench.cut(1016).unwrap().payload.len(), 1000);
}

#[test]
fn a_large_message_fills_what_is_left_of_a_packet_in_multiples_of_four() {
    let mut bench = Bench::new(1 << 20);
    bench.enqueue(0, 5000);
    assert_eq!(bench.cut(1001).unwrap().payload.len(), 984);
    // Less than a quarter of a packet is not worth a chunk.
    assert_eq!(bench.cut(200), None);
}

#[test]
fn the_cumulative_ack_frees_the_send_buffer() {
    let mut bench = Bench::new(1 << 20);
    bench.send(3);
    assert_eq!(bench.outbound.buffered(), 3 * 164);
    assert_eq!(bench.flight(), 3 * 116);
    bench.sack(2, &[]);
    assert_eq!(bench.outbound.buffered(), 164);
    assert_eq!(bench.flight(), 116);
    bench.sack(3, &[]);
    assert!(bench.outbound.is_empty());
}

#[test]
fn a_gap_block_without_a_gap_is_no_acknowledgement() {
    let mut bench = Bench::new(1 << 20);
    bench.send(3);
    let digest = bench.sack(0, &[(1, 3)]).unwrap();
    assert_eq!(digest.reports, Reports::Passed);
    // T3-rtx goes on, or nothing would ever move again.
    assert_eq!(bench.flight(), 3 * 116);
}

#[test]
fn fast_recovery_ends_when_its_exit_point_is_acknowledged() {
    let mut bench = Bench::new(1 << 20);
    bench.send(5);
    for last in 2..5 {
        bench.sack(0, &[(2, last)]);
    }
    assert_eq!(bench.outbound.recovery(), Recovery::Fast);
    bench.resend();
    assert_eq!(bench.sack(4, &[]).unwrap().recovery, Recovery::Fast);
    assert_eq!(bench.outbound.recovery(), Recovery::Fast);
    bench.sack(5, &[]);
    assert_eq!(bench.outbound.recovery(), Recovery::Open);
}

#[test]
fn a_timeout_marks_all_that_is_in_flight_and_lowest_tsns_go_first() {
    let mut bench = Bench::new(1 << 20);
    bench.send(4);
    bench.sack(0, &[(2, 2)]);
    bench.time_out(PATH);
    assert_eq!(bench.flight(), 0);
    let resent: Vec<u32> = core::iter::from_fn(|| bench.resend()).collect();
    assert_eq!(resent, [0, 2, 3].map(|n| FIRST.wrapping_add(n)));
}

#[test]
fn a_marked_chunk_that_is_acknowledged_is_credited_to_the_path_it_was_sent_on() {
    let mut bench = Bench::new(1 << 20);
    let other = PathIndex(1);
    let options = Profile::Rfc9260.options();
    bench.paths.push(path(2, PathState::Inactive, &options));
    bench.send(2);
    bench.time_out(other);
    assert_eq!(bench.outbound.retransmission_path(), Some(other));
    bench.sack(2, &[]);
    let acked = [PATH, other].map(|path| bench.share(path).acked);
    assert_eq!(acked, [2 * 116, 0]);
}

#[test]
fn after_a_timeout_gap_reports_mark_again() {
    let mut bench = Bench::new(1 << 20);
    bench.send(6);
    bench.time_out(PATH);
    while bench.resend().is_some() {}
    for last in 2..5 {
        bench.sack(0, &[(2, last)]);
    }
    assert_eq!(bench.resend(), Some(FIRST));
}

#[test]
fn the_peers_window_holds_new_data_back() {
    let mut bench = Bench::new(150);
    bench.enqueue(0, 100);
    bench.enqueue(0, 100);
    assert!(bench.cut(FULL).is_some());
    assert!(bench.outbound.peer_rwnd() == 50 && bench.cut(FULL).is_none());
    // The SACK to come may open it.
    assert!(!bench.outbound.is_window_blocked(|| FULL));
    bench.try_sack(1, &[], 0).unwrap();
    assert!(bench.outbound.is_window_blocked(|| FULL));
}

#[test]
fn shutdown_chunks_alone_do_not_use_the_window_up() {
    let mut bench = Bench::new(1000);
    for round in 1..=5 {
        bench.send(9);
        let ack = Tsn(FIRST).plus(9 * round).prev();
        let (now, paths) = (bench.now, &mut bench.paths);
        let digest = bench.outbound.on_cumulative_ack(now, ack, PATH, paths);
        assert!(digest.unwrap().is_some());
        assert_eq!(bench.outbound.peer_rwnd(), 1000);
    }
}
