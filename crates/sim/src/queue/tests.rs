use core::time::Duration;

use sheave_engine::{Ecn, Time};

use super::{Codel, Discipline, Limit, Queue, Red, Signal, Verdict, Waiting};
use crate::packets::{PacketId, Packets};
use crate::{Probability, Random};

const PACKET_TIME: Duration = Duration::from_micros(120);

fn queue(discipline: &Discipline) -> Box<dyn Queue> {
    Box::new(discipline.queue(PACKET_TIME, Random::new(5)))
}

fn packet(now: Time, len: u32, ecn: Ecn) -> Waiting {
    Waiting {
        packet: Packets::default().take(),
        len,
        since: now,
        ecn,
        flow: 0,
    }
}

fn push(queue: &mut dyn Queue, now: Time) -> Verdict {
    queue.push(now, packet(now, 1500, Ecn::NotEct))
}

fn pop(queue: &mut dyn Queue, now: Time) -> (Option<Waiting>, Vec<PacketId>) {
    let mut dropped = Vec::new();
    (queue.pop(now, &mut dropped), dropped)
}

#[test]
fn drop_tail_holds_what_it_may_and_no_more() {
    let mut packets = queue(&Discipline::DropTail(Limit::Packets(2)));
    let verdicts = [0; 3].map(|_| push(&mut *packets, Time::ZERO));
    assert_eq!(
        verdicts,
        [Verdict::Queued, Verdict::Queued, Verdict::Dropped]
    );
    let mut bytes = queue(&Discipline::DropTail(Limit::Bytes(3999)));
    let verdicts = [0; 3].map(|_| push(&mut *bytes, Time::ZERO));
    assert_eq!(
        verdicts,
        [Verdict::Queued, Verdict::Queued, Verdict::Dropped]
    );
    assert_eq!(
        bytes.push(Time::ZERO, packet(Time::ZERO, 999, Ecn::NotEct)),
        Verdict::Queued
    );
}

/// Keeps a RED queue at a constant length and counts signals: marks and drops.
fn red_signals(length: usize, ecn: Ecn, signal: Signal) -> (u32, u32) {
    let red = Red {
        limit: 100,
        lower: 5.0,
        upper: 15.0,
        most: Probability::new(0.1),
        weight: 0.5,
        signal,
    };
    let mut queue = queue(&Discipline::Red(red));
    let (mut marked, mut dropped) = (0, 0);
    for step in 0..40_000_u64 {
        let now = Time::from_nanos(step * 120_000);
        if queue.push(now, packet(now, 1500, ecn)) == Verdict::Dropped {
            dropped += 1;
        }
        if queue.len() > length {
            let (head, _) = pop(&mut *queue, now);
            marked += u32::from(head.is_some_and(|head| head.ecn == Ecn::Ce));
        }
    }
    (marked, dropped)
}

#[test]
fn red_leaves_a_short_queue_alone() {
    assert_eq!(red_signals(4, Ecn::NotEct, Signal::Drop), (0, 0));
}

#[test]
fn red_signals_evenly_spread_with_half_the_probability_halfway() {
    // At average 10 the slope is 0.05; evenly spread gaps of 1 to 20 have mean 10.5.
    let (marked, dropped) = red_signals(10, Ecn::Ect0, Signal::Mark);
    assert_eq!(dropped, 0);
    let expected = 40_000.0 / 10.5;
    assert!(
        (f64::from(marked) - expected).abs() < 0.1 * expected,
        "{marked}"
    );
}

#[test]
fn red_drops_what_cannot_be_marked() {
    let (marked, dropped) = red_signals(10, Ecn::NotEct, Signal::Mark);
    assert_eq!(marked, 0);
    assert!(dropped > 2000);
}

#[test]
fn the_average_of_red_falls_while_the_link_is_idle() {
    let red = Red {
        weight: 0.02,
        ..Red::for_limit(40, Signal::Drop)
    };
    let filled = || {
        let mut queue = queue(&Discipline::Red(red));
        for _ in 0..400 {
            push(&mut *queue, Time::ZERO);
        }
        while pop(&mut *queue, Time::ZERO).0.is_some() {}
        queue
    };
    let drops_of = |mut queue: Box<dyn Queue>| {
        (0..10)
            .filter(|_| push(&mut *queue, Time::from_millis(100)) == Verdict::Dropped)
            .count()
    };
    assert!(drops_of(filled()) > 2);
    let mut rested = filled();
    rested.on_idle(Time::ZERO, Time::from_millis(100));
    assert_eq!(drops_of(rested), 0);
}

/// Overloads a CoDel queue for `seconds`; returns the numbers of drops and marks.
fn overload_codel(ecn: Ecn, signal: Signal, seconds: u64) -> (usize, usize) {
    let codel = Codel {
        signal,
        ..Codel::default()
    };
    let mut queue = queue(&Discipline::Codel(codel));
    let (mut drops, mut marks) = (0, 0);
    for tick in 0..seconds * 1000 {
        let now = Time::from_millis(tick);
        // A standing queue of 20 packets of 1 ms each.
        while queue.len() < 20 {
            assert_eq!(queue.push(now, packet(now, 1500, ecn)), Verdict::Queued);
        }
        let (head, dropped) = pop(&mut *queue, now);
        drops += dropped.len();
        marks += usize::from(head.is_some_and(|head| head.ecn == Ecn::Ce));
    }
    (drops, marks)
}

#[test]
fn codel_signals_ever_more_often_while_the_delay_stands() {
    let (short, _) = overload_codel(Ecn::NotEct, Signal::Drop, 1);
    let (long, _) = overload_codel(Ecn::NotEct, Signal::Drop, 2);
    assert!((5..60).contains(&short), "{short}");
    assert!(long > 2 * short, "{long} after {short}");
}

#[test]
fn codel_marks_what_can_be_marked() {
    let (drops, marks) = overload_codel(Ecn::Ect0, Signal::Mark, 1);
    assert_eq!(drops, 0);
    assert!(marks > 5);
}

#[test]
fn codel_leaves_a_burst_alone_that_is_gone_within_an_interval() {
    let mut queue = queue(&Discipline::Codel(Codel::default()));
    for _ in 0..90 {
        assert_eq!(push(&mut *queue, Time::ZERO), Verdict::Queued);
    }
    for tick in 1..=90 {
        let (head, dropped) = pop(&mut *queue, Time::from_millis(tick));
        assert!(head.is_some() && dropped.is_empty());
    }
}
