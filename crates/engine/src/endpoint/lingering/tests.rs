use std::vec::Vec;

use super::{LINGER, Lingering, MAX_PORTS};
use crate::Time;

#[test]
fn a_port_lingers_for_a_minute() {
    let mut lingering = Lingering::default();
    let ended = Time::from_millis(5);
    lingering.add(ended, 7);
    lingering.forget_old(ended + LINGER);
    assert!(lingering.contains(7));
    lingering.forget_old(ended + LINGER * 2);
    assert!(!lingering.contains(7));
}

#[test]
fn a_port_used_again_lingers_from_its_last_end() {
    let mut lingering = Lingering::default();
    lingering.add(Time::ZERO, 7);
    lingering.add(Time::ZERO + LINGER, 7);
    lingering.forget_old(Time::ZERO + LINGER + LINGER / 2);
    assert_eq!(lingering.ports().collect::<Vec<_>>(), [7]);
}

#[test]
fn the_oldest_ports_give_way() {
    let mut lingering = Lingering::default();
    for port in 1..=1000 {
        lingering.add(Time::ZERO, port);
    }
    assert_eq!(lingering.ports().count(), MAX_PORTS);
    assert!(lingering.contains(1000) && !lingering.contains(1));
}
