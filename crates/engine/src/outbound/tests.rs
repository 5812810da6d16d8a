use alloc::vec;
use alloc::vec::Vec;
use core::mem;
use core::net::{IpAddr, Ipv4Addr};
use core::time::Duration;

use bytes::Bytes;
use sheave_wire::{GapBlock, List, Ppid, Sack};

use super::*;
use crate::flight::share::{Digest, PathShare, Reports};
use crate::value::error::PeerFault;
use crate::{Admission, Options, PathState, PeerAddress, Profile, SendError, Time};

const FULL: usize = 1452;
const PATH: PathIndex = PathIndex(0);
const FIRST: u32 = u32::MAX - 2;

pub(super) struct Bench {
    pub(super) outbound: Outbound,
    paths: Vec<Path>,
    pub(super) now: Time,
    /// The outcome of the last SACK.
    outcome: Option<SackOutcome>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Cut {
    tsn: u32,
    ssn: u16,
    flags: DataFlags,
    payload: Vec<u8>,
}

impl Bench {
    fn new(rwnd: u32) -> Self {
        Self::with(rwnd, &Profile::Rfc9260.options())
    }

    pub(super) fn with(rwnd: u32, options: &Options) -> Self {
        let mut outbound = Outbound::new(Tsn(FIRST), 10, options);
        outbound.on_negotiated(10, rwnd);
        let ip = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let path = Path::new(
            Time::ZERO,
            ip,
            PeerAddress::native(ip),
            PathState::Active,
            options,
        );
        Self {
            outbound,
            paths: vec![path],
            now: Time::ZERO,
            outcome: None,
        }
    }

    pub(super) fn enqueue(&mut self, stream: u16, bytes: usize) {
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

    pub(super) fn cut(&mut self, room: usize) -> Option<Cut> {
        let slot = self.slot(room);
        self.outbound
            .next_new(slot, &mut self.paths)
            .map(|data| Cut {
                tsn: data.data.tsn.0,
                ssn: data.data.ssn.0,
                flags: data.data.flags,
                payload: data.data.payload.to_vec(),
            })
    }

    /// Sends `n` one-chunk messages.
    pub(super) fn send(&mut self, n: usize) {
        for _ in 0..n {
            self.enqueue(0, 100);
            self.cut(FULL + 16).unwrap();
        }
    }

    pub(super) fn resend(&mut self) -> Option<u32> {
        let slot = self.slot(FULL + 16);
        self.outbound
            .next_retransmission(slot, &mut self.paths)
            .map(|resent| resent.piece.data.tsn.0)
    }

    /// A SACK of everything up to the `cumulative`th chunk (from 1), and of the blocks.
    pub(super) fn sack(&mut self, cumulative: u32, blocks: &[(u16, u16)]) -> Option<Digest> {
        self.try_sack(cumulative, blocks, 1 << 20).unwrap()
    }

    fn try_sack(
        &mut self,
        cumulative: u32,
        blocks: &[(u16, u16)],
        a_rwnd: u32,
    ) -> Result<Option<Digest>, PeerFault> {
        let blocks: Vec<GapBlock> = blocks
            .iter()
            .map(|&(start, end)| GapBlock { start, end })
            .collect();
        let sack = Sack {
            cumulative_tsn_ack: Tsn(FIRST).plus(cumulative).prev(),
            a_rwnd,
            gap_blocks: List::from(&blocks[..]),
            duplicates: List::EMPTY,
            packets: 0,
        };
        let outcome = self
            .outbound
            .on_sack(self.now, &sack, PathIndex(0), &mut self.paths)?;
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

    fn flight(&self) -> u64 {
        self.paths[0].flow.flight()
    }
}

/// Hands a message in where `limit` bytes may be held.
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

fn flags(parts: &[DataFlags]) -> DataFlags {
    parts
        .iter()
        .fold(DataFlags::EMPTY, |all, one| all.union(*one))
}

#[test]
fn a_message_that_fits_is_one_chunk_and_tsns_wrap() {
    let mut bench = Bench::new(1 << 20);
    for n in 0..4_u16 {
        bench.enqueue(3, 10);
        let cut = bench.cut(FULL).unwrap();
        assert_eq!(cut.tsn, FIRST.wrapping_add(u32::from(n)));
        assert_eq!(cut.ssn, n);
        assert_eq!(cut.flags, flags(&[DataFlags::BEGINNING, DataFlags::ENDING]));
    }
}

#[test]
fn streams_count_their_messages_apart_and_unordered_ones_not_at_all() {
    let mut bench = Bench::new(1 << 20);
    for stream in [1, 2, 1] {
        bench.enqueue(stream, 10);
    }
    let message = Message::new(StreamId(1), Bytes::from_static(b"x"))
        .unordered()
        .with_ppid(Ppid(9));
    offer(&mut bench.outbound, message, usize::MAX).unwrap();
    bench.enqueue(1, 10);
    let ssns: Vec<u16> = core::iter::from_fn(|| bench.cut(FULL))
        .map(|cut| cut.ssn)
        .collect();
    assert_eq!(ssns, [0, 0, 1, 0, 2]);
}

#[test]
fn a_large_message_is_cut_into_full_chunks_and_a_rest() {
    let mut bench = Bench::new(1 << 20);
    bench.enqueue(0, 2 * FULL + 100);
    let cuts: Vec<Cut> = core::iter::from_fn(|| bench.cut(FULL + 16)).collect();
    assert_eq!(
        cuts.iter().map(|cut| cut.payload.len()).collect::<Vec<_>>(),
        [FULL, FULL, 100]
    );
    let bits: Vec<DataFlags> = cuts.iter().map(|cut| cut.flags).collect();
    assert_eq!(
        bits,
        [DataFlags::BEGINNING, DataFlags::EMPTY, DataFlags::ENDING]
    );
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
    assert_eq!(
        bench.cut(200),
        None,
        "less than a quarter of a packet is not worth a chunk"
    );
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
fn an_older_sack_is_ignored() {
    let mut bench = Bench::new(1 << 20);
    bench.send(3);
    bench.sack(2, &[]);
    assert_eq!(bench.sack(1, &[]), None);
}

#[test]
fn a_sack_for_what_was_never_sent_is_a_fault_and_changes_nothing() {
    let mut bench = Bench::new(1 << 20);
    bench.send(3);
    assert!(bench.try_sack(4, &[], 1 << 20).is_err());
    assert!(bench.try_sack(1, &[(2, 3)], 1 << 20).is_err());
    assert_eq!(bench.flight(), 3 * 116);
    assert_eq!(bench.outbound.ring.first_seq(), 0);
}

#[test]
fn the_third_miss_indication_marks_a_chunk_once() {
    let mut bench = Bench::new(1 << 20);
    bench.send(6);
    assert!(!bench.sack(1, &[(2, 2)]).unwrap().entered_recovery);
    assert!(!bench.sack(1, &[(2, 3)]).unwrap().entered_recovery);
    assert_eq!(bench.resend(), None);
    assert!(bench.sack(1, &[(2, 4)]).unwrap().entered_recovery);
    assert!(bench.share(PATH).lost_below > 0);
    assert_eq!(bench.resend(), Some(FIRST.wrapping_add(1)));
    bench.send(3);
    for last in 5..8 {
        bench.sack(1, &[(2, last)]);
    }
    assert_eq!(
        bench.resend(),
        None,
        "a chunk is fast retransmitted only once"
    );
}

#[test]
fn a_gap_block_without_a_gap_is_no_acknowledgement() {
    let mut bench = Bench::new(1 << 20);
    bench.send(3);
    let digest = bench.sack(0, &[(1, 3)]).unwrap();
    assert_eq!(digest.reports, Reports::Passed);
    assert_eq!(
        bench.flight(),
        3 * 116,
        "T3-rtx goes on, or nothing would ever move again"
    );
}

#[test]
fn repeating_the_same_gap_report_is_no_further_indication() {
    let mut bench = Bench::new(1 << 20);
    bench.send(4);
    for _ in 0..5 {
        bench.sack(1, &[(2, 3)]);
    }
    assert_eq!(bench.resend(), None);
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
fn a_reneged_chunk_is_in_flight_again() {
    let mut bench = Bench::new(1 << 20);
    bench.send(3);
    bench.sack(0, &[(2, 3)]);
    assert_eq!(bench.flight(), 116);
    bench.sack(0, &[]);
    assert_eq!(bench.flight(), 3 * 116);
    bench.sack(3, &[]);
    assert!(bench.outbound.is_empty());
    assert_eq!(bench.flight(), 0);
}

#[test]
fn a_timeout_marks_all_that_is_in_flight_and_lowest_tsns_go_first() {
    let mut bench = Bench::new(1 << 20);
    bench.send(4);
    bench.sack(0, &[(2, 2)]);
    bench
        .outbound
        .on_timeout(Time::ZERO, PATH, PATH, &mut bench.paths);
    assert_eq!(bench.flight(), 0);
    let resent: Vec<u32> = core::iter::from_fn(|| bench.resend()).collect();
    assert_eq!(
        resent,
        [FIRST, FIRST.wrapping_add(2), FIRST.wrapping_add(3)]
    );
}

#[test]
fn a_marked_chunk_that_is_acknowledged_is_credited_to_the_path_it_was_sent_on() {
    let mut bench = Bench::new(1 << 20);
    let other = PathIndex(1);
    let ip = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    bench.paths.push(Path::new(
        Time::ZERO,
        ip,
        PeerAddress::native(ip),
        PathState::Inactive,
        &Profile::Rfc9260.options(),
    ));
    bench.send(2);
    bench
        .outbound
        .on_timeout(Time::ZERO, PATH, other, &mut bench.paths);
    assert_eq!(bench.outbound.retransmission_path(), Some(other));
    bench.sack(2, &[]);
    let acked = [PATH, other].map(|path| bench.share(path).acked);
    assert_eq!(acked, [2 * 116, 0]);
}

#[test]
fn after_a_timeout_gap_reports_mark_again() {
    let mut bench = Bench::new(1 << 20);
    bench.send(6);
    bench
        .outbound
        .on_timeout(Time::ZERO, PATH, PATH, &mut bench.paths);
    while bench.resend().is_some() {}
    for last in 2..5 {
        bench.sack(0, &[(2, last)]);
    }
    assert_eq!(bench.resend(), Some(FIRST));
}

#[test]
fn only_a_chunk_sent_once_measures_the_round_trip() {
    let mut bench = Bench::new(1 << 20);
    bench.send(2);
    bench.now = Time::from_millis(30);
    bench.sack(1, &[]);
    assert_eq!(
        bench.share(PATH).round_trip,
        Some(Duration::from_millis(30))
    );
    bench.send(1);
    bench
        .outbound
        .on_timeout(Time::ZERO, PATH, PATH, &mut bench.paths);
    while bench.resend().is_some() {}
    bench.now = Time::from_millis(60);
    bench.sack(3, &[]);
    assert_eq!(bench.share(PATH).round_trip, None);
}

#[test]
fn the_peers_window_holds_new_data_back() {
    let mut bench = Bench::new(150);
    bench.enqueue(0, 100);
    bench.enqueue(0, 100);
    assert!(bench.cut(FULL).is_some());
    assert!(bench.outbound.peer_rwnd() == 50 && bench.cut(FULL).is_none());
    assert!(
        !bench.outbound.is_window_blocked(|| FULL),
        "the SACK to come may open it"
    );
    bench.try_sack(1, &[], 0).unwrap();
    assert!(bench.outbound.is_window_blocked(|| FULL));
}

#[test]
fn a_probe_of_a_closed_window_goes_out_again_when_it_opens() {
    let mut bench = Bench::new(0);
    bench.enqueue(0, 100);
    assert_eq!(bench.cut(FULL), None);
    bench.outbound.allow_probe();
    assert_eq!(bench.cut(FULL).unwrap().tsn, FIRST);
    bench.enqueue(0, 100);
    assert_eq!(bench.cut(FULL), None, "one probe at a time");
    assert_eq!(bench.outbound.take_probe_answer(), None);
    bench.try_sack(0, &[], 0).unwrap();
    assert_eq!(bench.outbound.take_probe_answer(), Some(PathIndex(0)));
    assert_eq!(bench.resend(), None);
    bench.try_sack(0, &[], 5000).unwrap();
    assert_eq!(bench.resend(), Some(FIRST));
}

#[test]
fn a_chunk_that_the_peer_has_no_room_for_serves_as_a_probe() {
    let mut bench = Bench::new(1 << 20);
    bench.send(1);
    bench.try_sack(0, &[], 0).unwrap();
    assert_eq!(bench.outbound.take_probe_answer(), Some(PathIndex(0)));
    assert_eq!(
        bench.outbound.take_probe_answer(),
        None,
        "nothing came since"
    );
    assert_eq!(bench.resend(), None);
    bench.try_sack(0, &[], 5000).unwrap();
    assert_eq!(bench.resend(), Some(FIRST));
}

#[test]
fn shutdown_chunks_alone_do_not_use_the_window_up() {
    let mut bench = Bench::new(1000);
    for round in 1..=5 {
        bench.send(9);
        let ack = Tsn(FIRST).plus(9 * round).prev();
        let digest =
            bench
                .outbound
                .on_cumulative_ack(bench.now, ack, PathIndex(0), &mut bench.paths);
        assert!(digest.unwrap().is_some());
        assert_eq!(bench.outbound.peer_rwnd(), 1000);
    }
}

#[test]
fn a_full_buffer_gives_the_message_back_but_one_message_always_fits() {
    let mut outbound = Outbound::new(Tsn(0), 1, &Profile::Rfc9260.options());
    let message = Message::new(StreamId(0), Bytes::from(vec![0; 5000]));
    assert_eq!(offer(&mut outbound, message.clone(), 1000), Ok(()));
    assert_eq!(
        offer(&mut outbound, message.clone(), 1000),
        Err(SendError::BufferFull(message))
    );
}

#[test]
fn streams_beyond_those_granted_are_refused() {
    let mut outbound = Outbound::new(Tsn(0), 3, &Profile::Rfc9260.options());
    for stream in [0, 2] {
        let message = Message::new(StreamId(stream), Bytes::from_static(b"x"));
        offer(&mut outbound, message, 1000).unwrap();
    }
    let refused = outbound.on_negotiated(1, 0);
    assert_eq!(refused.len(), 1);
    assert_eq!(outbound.buffered(), 65);
    let message = Message::new(StreamId(1), Bytes::from_static(b"x"));
    assert_eq!(
        offer(&mut outbound, message, 1000),
        Err(SendError::InvalidStream)
    );
}

#[test]
fn sent_and_unsent_messages_come_back_apart() {
    let mut bench = Bench::new(1 << 20);
    bench.send(2);
    bench.enqueue(0, 5);
    bench.sack(1, &[]);
    let failures: Vec<SendFailure> = bench
        .outbound
        .into_undelivered()
        .map(|(_, failure)| failure)
        .collect();
    assert_eq!(failures, [SendFailure::Unacknowledged, SendFailure::Unsent]);
}

#[test]
fn nagle_holds_less_than_a_packet_while_data_is_outstanding() {
    let mut bench = Bench::new(1 << 20);
    bench.enqueue(0, 10);
    assert!(bench.outbound.has_new(FULL, true));
    bench.cut(FULL).unwrap();
    bench.enqueue(0, 10);
    assert!(!bench.outbound.has_new(FULL, true));
    assert!(bench.outbound.has_new(FULL, false));
    bench.enqueue(0, FULL);
    assert!(bench.outbound.has_new(FULL, true));
}
