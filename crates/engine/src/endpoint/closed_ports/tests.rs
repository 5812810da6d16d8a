use std::vec::Vec;

use super::{ClosedPorts, LINGER, MAX_PORTS};
use crate::Time;

#[test]
fn a_port_lingers_for_a_minute() {
    let mut closed_ports = ClosedPorts::default();
    let ended = Time::from_millis(5);
    closed_ports.add(ended, 7);
    closed_ports.forget_old(ended + LINGER);
    assert!(closed_ports.contains(7));
    closed_ports.forget_old(ended + LINGER * 2);
    assert!(!closed_ports.contains(7));
}

#[test]
fn a_port_used_again_lingers_from_its_last_end() {
    let mut closed_ports = ClosedPorts::default();
    closed_ports.add(Time::ZERO, 7);
    closed_ports.add(Time::ZERO + LINGER, 7);
    closed_ports.forget_old(Time::ZERO + LINGER + LINGER / 2);
    assert_eq!(closed_ports.ports().collect::<Vec<_>>(), [7]);
}

#[test]
fn the_oldest_ports_give_way() {
    let mut closed_ports = ClosedPorts::default();
    for port in 1..=1000 {
        closed_ports.add(Time::ZERO, port);
    }
    assert_eq!(closed_ports.ports().count(), MAX_PORTS);
    assert!(closed_ports.contains(1000) && !closed_ports.contains(1));
}
