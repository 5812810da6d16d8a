//! MAC error warning: a node on the path reports a packet that its link lost.

use std::cell::RefCell;
use std::rc::Rc;

use crate::prelude::*;

type Kept = Rc<RefCell<Vec<Vec<u8>>>>;

/// A flow whose packets with DATA at some places are lost; what was lost is kept.
fn flow(lost: &[usize]) -> (World, Kept) {
    let mut world = fast();
    let kept = lose(&mut world, lost);
    world.send_times(A, 200, &blob(0, 1452));
    (world, kept)
}

fn fast() -> World {
    let setup = Setup::quiet(|_| {});
    setup
        .linked(|link| link.rate = Some(20_000_000))
        .established()
}

fn lose(world: &mut World, places: &[usize]) -> Kept {
    let kept = Rc::new(RefCell::new(Vec::new()));
    let (bin, places) = (Rc::clone(&kept), places.to_vec());
    let mut packets = 0;
    world.when(Verdict::Drop, move |record| {
        let counts = record.has(ChunkType::DATA) && record.from == address(A, 1);
        packets += usize::from(counts);
        let lost = counts && places.contains(&(packets - 1));
        if lost {
            bin.borrow_mut().push(record.bytes.clone());
        }
        lost
    });
    kept
}

fn warn(world: &mut World, quoted: &[u8]) {
    let (now, remote) = (world.now(), address(Z, 1));
    let warning = ErrorWarning { remote, quoted };
    world.endpoint(A).handle_error_warning(now, warning);
    world.pump();
}

/// Runs until `count` packets were lost, plus 5 ms.
fn until_lost(world: &mut World, kept: &Kept, count: usize) {
    world.wait(secs(5), |_| kept.borrow().len() == count);
    world.run_for(ms(5));
}

#[test]
fn a_warned_packet_is_sent_again_without_a_cut_of_the_window() {
    let (mut world, kept) = flow(&[60]);
    until_lost(&mut world, &kept, 1);
    // As much as an ICMP message would quote.
    let quoted = kept.borrow()[0][..64].to_vec();
    warn(&mut world, &quoted);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    let path = world.first_path(A);
    assert!(path.ssthresh >= 1 << 20, "{path:?}");
    assert_eq!((path.retransmissions, path.timeouts), (1, 0));
    assert_eq!(world.stats(A).damage_retransmissions, 1);
}

#[test]
fn without_the_warning_it_is_a_loss() {
    let (mut world, _) = flow(&[60]);
    world.run_for(secs(5));
    let path = world.first_path(A);
    assert!(path.ssthresh < 1 << 20);
    assert_eq!(path.fast_retransmissions, 1);
}

#[test]
fn all_chunks_of_a_bundle_are_sent_again() {
    let mut world = Setup::quiet(|_| {}).established();
    let kept = lose(&mut world, &[0]);
    world.send_together(A, (0..3).map(|_| blob(0, 100)).collect());
    let quoted = kept.borrow()[0].clone();
    warn(&mut world, &quoted);
    world.run_for(ms(300));
    assert_eq!(world.messages(Z).len(), 3);
    let path = world.first_path(A);
    assert_eq!((path.retransmissions, path.timeouts), (3, 0));
}

#[test]
fn a_retransmission_that_is_hit_too_is_sent_once_more() {
    let mut world = fast();
    world.send_times(A, 200, &blob(0, 1452));
    world.run_for(ms(150));
    let kept = lose(&mut world, &[0, 1]);
    until_lost(&mut world, &kept, 2);
    // The retransmission is what goes out next.
    let first = kept.borrow()[0].clone();
    world.run_for(ms(10));
    let again = lose(&mut world, &[0]);
    warn(&mut world, &first);
    assert_eq!(again.borrow().len(), 1);
    world.run_for(ms(30));
    warn(&mut world, &first);
    let second = kept.borrow()[1].clone();
    warn(&mut world, &second);
    world.run_for(secs(5));
    assert_eq!(world.messages(Z).len(), 200);
    assert_eq!(world.stats(A).damage_retransmissions, 3);
    assert_eq!(world.stats(A).timeouts, 0);
}

#[test]
fn a_wrong_tag_and_unknown_tsns_cause_nothing() {
    let (mut world, kept) = flow(&[60]);
    until_lost(&mut world, &kept, 1);
    let right = kept.borrow()[0].clone();
    let mut wrong_tag = right.clone();
    wrong_tag[5] ^= 1;
    let mut never_sent = right.clone();
    never_sent[16] ^= 0x40;
    let mut acknowledged = right.clone();
    let tsn = u32::from_be_bytes(right[16..20].try_into().unwrap());
    acknowledged[16..20].copy_from_slice(&tsn.wrapping_sub(59).to_be_bytes());
    let cut = &right[..19];
    for quoted in [&wrong_tag[..], &never_sent, &acknowledged, cut, &[]] {
        warn(&mut world, quoted);
    }
    assert_eq!(world.stats(A).damage_retransmissions, 0);
    let stranger = ErrorWarning {
        remote: address(Z, 9),
        quoted: &right,
    };
    let now = world.now();
    world.endpoint(A).handle_error_warning(now, stranger);
    assert_eq!(world.stats(A).damage_retransmissions, 0);
}

#[test]
fn a_storm_of_warnings_causes_four_retransmissions_per_round_trip_at_most() {
    let (mut world, kept) = flow(&[60]);
    until_lost(&mut world, &kept, 1);
    let quoted = kept.borrow()[0].clone();
    world.when(Verdict::Drop, |record| {
        record.has(ChunkType::DATA) || record.has(ChunkType::SACK)
    });
    let srtt = world.first_path(A).srtt.unwrap();
    for _ in 0..100 {
        warn(&mut world, &quoted);
        world.run_for(ms(1));
    }
    let rounds = 100 / srtt.as_millis() as u64 + 1;
    let sent = world.stats(A).damage_retransmissions;
    assert!(sent > 1 && sent <= 4 * rounds + 1, "{sent} in {rounds}");
}

#[test]
fn retransmissions_take_the_second_path_where_there_is_one() {
    let mut world = Setup::tuned(|_| {}).paths(2).confirmed();
    let kept = lose(&mut world, &[0]);
    world.send(A, blob(0, 1000));
    let quoted = kept.borrow()[0].clone();
    warn(&mut world, &quoted);
    world.run_for(ms(300));
    assert_eq!(world.path(A, address(Z, 2)).retransmissions, 1);
    assert_eq!(world.messages(Z).len(), 1);
}

// RFC 9260 §5.1 C: nothing but the COOKIE ECHO and its DATA before the COOKIE ACK.
#[test]
fn a_warning_during_the_setup_probes_no_path() {
    let setup = Setup::default().paths(2);
    let mut world = setup.world();
    world.drop_while(Z, ChunkType::COOKIE_ACK);
    world.connect(A, calling(&[1, 2].map(|n| address(Z, n)), setup.a.clone()));
    world.wait(secs(1), |world| world.count(A, ChunkType::COOKIE_ECHO) == 1);
    let echo = world.sent_with(A, ChunkType::COOKIE_ECHO).next().unwrap();
    let quoted = echo.bytes.clone();
    warn(&mut world, &quoted);
    world.run_for(secs(10));
    assert_eq!(world.count(A, ChunkType::HEARTBEAT), 0);
}
