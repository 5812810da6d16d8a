//! Abandoned messages combined with other extensions.

use crate::prelude::*;

use super::{ONCE, abandoned, finish, partial, reset, send, timed};

/// A loss counts for the window whether the chunk is sent again or not (RFC 3758 §3.5, F5).
#[test]
fn a_loss_that_is_not_repaired_halves_the_window_nonetheless() {
    let cwnd = |reliability| {
        let mut world = partial(|_| {}).established();
        world.drop_nth(A, ChunkType::DATA, &[30]);
        for _ in 0..80 {
            send(&mut world, blob(0, 1400), reliability);
        }
        world.run_for(secs(5));
        let path = world.first_path(A);
        (path.ssthresh, path.fast_retransmissions)
    };
    let (reliable, repaired) = cwnd(Reliability::Reliable);
    let (partial, skipped) = cwnd(ONCE);
    assert_eq!((repaired, skipped), (1, 0));
    assert_eq!(reliable, partial);
}

#[test]
fn go_back_n_goes_on_behind_what_was_given_up() {
    use LossRecovery;
    let mut world = partial(|options| options.loss_recovery = LossRecovery::GoBackN).established();
    world.drop_nth(A, ChunkType::DATA, &[3, 7, 11]);
    for n in 0..60 {
        let reliability = [ONCE, Reliability::Reliable][usize::from(n % 2)];
        send(&mut world, blob(n % 3, 1300 + usize::from(n)), reliability);
    }
    world.run_for(secs(60));
    let told = abandoned(&world, A).len();
    assert!(told > 0);
    assert!(world.messages(Z).len() + told >= 60);
    finish(&mut world);
}

#[test]
fn losses_found_by_time_are_given_up_too_and_tails_are_not_probed_in_vain() {
    use LossDetection;
    let mut world = partial(|options| options.loss_detection = LossDetection::Rack).established();
    world.drop_nth(A, ChunkType::DATA, &[2, 19]);
    for n in 0..20 {
        send(&mut world, blob(n % 3, 1300), ONCE);
    }
    world.run_for(secs(60));
    assert_eq!(world.stats(A).retransmissions, 0);
    assert_eq!(abandoned(&world, A).len(), 2);
    assert_eq!(world.messages(Z).len(), 18);
    finish(&mut world);
}

#[test]
fn a_damaged_chunk_is_sent_again_only_as_often_as_it_may() {
    use ChunkChecksum;
    let setup = partial(|options| options.chunk_checksum = ChunkChecksum::On);
    let mut world = setup.linked(|link| link.corrupt = 150).established();
    for n in 0..100 {
        send(&mut world, blob(n % 4, 900), ONCE);
    }
    world.run_for(secs(60));
    assert_eq!(world.stats(A).retransmissions, 0);
    assert!(world.stats(A).messages_abandoned > 0);
    assert_eq!(world.messages(Z).len() + abandoned(&world, A).len(), 100);
}

#[test]
fn streams_can_be_reset_behind_what_was_given_up() {
    let mut world = partial(set("reconfiguration=on")).established();
    world.cut_path(1);
    send(&mut world, text(1, "lost"), ONCE);
    let done = reset(&mut world);
    send(&mut world, text(1, "held and stale"), timed(100));
    world.send(A, text(1, "new"));
    world.run_for(ms(500));
    world.mend();
    world.run_for(secs(20));
    assert_eq!(world.texts(Z), ["new"]);
    assert_eq!(abandoned(&world, A).len(), 2);
    assert!(world.saw(A, &done));
    finish(&mut world);
}

#[test]
fn another_path_carries_the_forward_tsn_when_the_first_is_dead() {
    let setup = partial(set(
        "path_max_retrans=1, rto_min=200 ms, rto_initial=200 ms, rto_max=1 s",
    ));
    let mut world = setup.paths(2).established();
    world.run_for(secs(10));
    world.cut_path(1);
    for _ in 0..3 {
        send(&mut world, text(1, "lost"), ONCE);
        world.run_for(secs(1));
    }
    world.run_for(secs(10));
    world.send(A, text(1, "fresh"));
    world.run_for(secs(10));
    assert_eq!(world.texts(Z).last().map(String::as_str), Some("fresh"));
    assert_eq!(world.stats(A).send_buffered, 0);
}

#[test]
fn tickets_ssns_and_tsns_may_wrap_while_messages_are_given_up() {
    // Streams of 65,536 messages and more: SSNs wrap, every 50th message is lost (A30).
    let setup = partial(|options| options.max_burst = None);
    let delay = Duration::from_micros(100);
    let mut world = setup.linked(|link| link.delay = delay).established();
    let mut nth = 0_u32;
    world.when(Verdict::Drop, move |record| {
        nth += u32::from(record.has(ChunkType::DATA));
        record.has(ChunkType::DATA) && nth.is_multiple_of(50)
    });
    let mut told = 0;
    let mut read = 0;
    for _ in 0..70 {
        for _ in 0..1000 {
            send(&mut world, text(1, "x"), ONCE);
        }
        world.run_for(secs(8));
        read += world.received(Z).len();
        world.forget_received(Z);
        told = abandoned(&world, A).len();
    }
    assert!(told > 100, "{told}");
    assert_eq!(read + told, 70_000);
    finish(&mut world);
}

#[test]
fn messages_are_given_up_after_the_numbers_began_anew_too() {
    for interleaving in [Interleaving::Off, Interleaving::On] {
        let mut world = partial(|options| {
            options.interleaving = interleaving;
            options.reconfiguration = Reconfiguration::On(PeerRequests::ALL);
        })
        .established();
        assert_eq!(world.reset_tsns(A), Ok(()));
        world.run_for(secs(5));
        // The last chunk of one message, and the first of another.
        world.drop_nth(A, ChunkType::DATA, &[2, 3]);
        world.drop_nth(A, ChunkType::I_DATA, &[2, 3]);
        for len in [4000, 4000, 10] {
            send(&mut world, blob(1, len), ONCE);
        }
        world.run_for(secs(20));
        assert_eq!(world.messages(Z), [blob(1, 10)], "{interleaving:?}");
        assert!(world.stats(Z).skips_received > 0);
        finish(&mut world);
    }
}

/// Like [`partial`], with messages interleaved.
fn interleaved(edit: impl FnOnce(&mut Options)) -> Setup {
    partial(|options| {
        options.interleaving = Interleaving::On;
        options.scheduler = StreamScheduler::RoundRobin;
        edit(options);
    })
}

#[test]
fn interleaved_messages_are_skipped_with_i_forward_tsn() {
    let mut world = interleaved(|_| {}).established();
    world.drop_nth(A, ChunkType::I_DATA, &[0, 3]);
    send(&mut world, text(1, "lost"), ONCE);
    send(&mut world, text(2, "lost too").unordered(), ONCE);
    for n in 0..8 {
        world.send(A, text(1, &format!("kept {n}")));
    }
    world.run_for(secs(5));
    let texts = world.texts(Z).into_iter();
    assert_eq!(texts.filter(|text| text.starts_with("kept")).count(), 8);
    assert!(!abandoned(&world, A).is_empty());
    assert!(world.count(A, ChunkType::I_FORWARD_TSN) > 0);
    assert_eq!(world.count(A, ChunkType::FORWARD_TSN), 0);
    finish(&mut world);
}

#[test]
fn a_large_message_is_given_up_between_the_chunks_of_others() {
    let mut world = interleaved(set("rto_min=100 ms, rto_initial=100 ms")).established();
    let cut = world.now() + ms(25);
    send(&mut world, blob(1, 60_000), timed(600));
    send(&mut world, blob(2, 60_000).unordered(), timed(600));
    world.send(A, blob(3, 60_000));
    world.cut_path_during(1, cut..cut + secs(1));
    world.run_for(secs(3));
    world.send(A, text(1, "next"));
    world.run_for(secs(60));
    assert_eq!(abandoned(&world, A).len(), 2);
    assert_eq!(world.messages(Z), [blob(3, 60_000), text(1, "next")]);
    finish(&mut world);
}

#[test]
fn a_peer_without_i_forward_tsn_gets_interleaved_messages_whole() {
    let setup = interleaved(|_| {});
    let setup = setup.z(|options| options.partial_reliability = PartialReliability::Off);
    let mut world = setup.established();
    let agreed = world.assoc(A).partial_reliability();
    assert_eq!(agreed, PartialReliability::Off);
    world.drop_next(A, ChunkType::I_DATA, 1);
    send(&mut world, text(1, "once"), ONCE);
    world.run_for(secs(10));
    assert_eq!(world.texts(Z), ["once"]);
    finish(&mut world);
}
