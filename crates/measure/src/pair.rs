//! Two ends of a stack in one thread, in virtual time, connected directly.

mod clock;
mod ends;
mod link;
mod rng;
mod sheave;
mod user_data;

use std::time::Duration;

use crate::cpu_time;

pub use self::clock::Clock;
pub use self::ends::{End, Ends};
pub use self::link::{Impairment, Link, Toward};
use self::rng::Rng;
pub use self::sheave::{AT_A_TIME, EACH, Setup, SheaveEnd, SheavePair};
pub use self::user_data::UserData;

/// Size of an SCTP packet that fits a path MTU of 1500 in UDP over IPv4, bytes.
pub const PACKET: usize = 1472;

/// Two ends of a stack; the left one sends on stream 0 of the latest association.
pub trait Pair {
    /// Sets up one more association completely.
    fn connect(&mut self);

    /// Offers up to `most` messages to the left end; returns the number accepted.
    fn offer(&mut self, data: &mut UserData, most: u64) -> u64;

    /// Carries the left end's pending packets to the right, then all answers to the left. Returns
    /// the number of packets to the right or, with impairment, how many were sent or arrived in
    /// either direction.
    fn carry(&mut self) -> u64;

    /// Packets carried to the right so far.
    fn packets(&self) -> u64;

    /// Packets carried to the left so far.
    fn answers(&self) -> u64;

    /// Reads arrived messages at the right end; returns their number and bytes.
    fn read(&mut self) -> Reading;

    /// Advances to the next timer; false if none is set.
    fn wait(&mut self) -> bool;

    /// Applies the impairment to all further packets.
    fn set_impairment(&mut self, impairment: Impairment);

    /// Virtual time since the start.
    fn passed(&self) -> Duration;

    /// The sender's loss-recovery counters, if it has any.
    fn troubles(&mut self) -> Option<Troubles>;

    /// Transfers messages for `span` of virtual time, or until `bytes` have arrived; returns bytes
    /// per second.
    /// Errors: the stack stalled: no packet is in flight and no timer is set.
    fn goodput(&mut self, data: &mut UserData, span: Duration, bytes: u64) -> Result<f64, Stall> {
        let begin = self.passed();
        let mut arrived = 0;
        let mut idle_rounds = IdleRounds::default();
        while arrived < bytes && self.passed() - begin < span {
            let taken = self.offer(data, 1024);
            let carried = self.carry();
            let read = self.read().bytes;
            arrived += read;
            if idle_rounds.is_spent(taken + carried + read) && !self.wait() {
                let after = self.passed() - begin;
                return Err(Stall { after, arrived });
            }
        }
        Ok(arrived as f64 / (self.passed() - begin).as_secs_f64())
    }

    /// Transfers `count` messages from left to right; returns the packets carried to the right.
    fn transfer(&mut self, data: &mut UserData, count: u64) -> u64 {
        let mut unsent = count;
        let mut packets = 0;
        let mut missing = count * data.message_len() as u64;
        let mut idle_rounds = IdleRounds::default();
        while missing > 0 {
            let taken = self.offer(data, unsent);
            unsent -= taken;
            let carried = self.carry();
            packets += carried;
            let read = self.read().bytes;
            missing -= read;
            if idle_rounds.is_spent(taken + carried + read) {
                assert!(self.wait(), "the transfer came to a standstill");
            }
        }
        packets
    }

    /// CPU time, in seconds, and packets to the right of a transfer of `count` messages.
    fn cost(&mut self, data: &mut UserData, count: u64) -> (f64, u64) {
        let (before, packets) = (cpu_time(), self.packets());
        self.transfer(data, count);
        let spent = (cpu_time() - before).as_secs_f64().max(1e-9);
        let packets = self.packets() - packets;
        self.settle();
        (spent, packets)
    }

    /// CPU time of both ends to set up each of `count` more associations, microseconds.
    fn set_up(&mut self, count: u32) -> f64 {
        let before = cpu_time();
        for _ in 0..count {
            self.connect();
        }
        (cpu_time() - before).as_secs_f64() * 1e6 / f64::from(count)
    }

    /// Carries remaining packets, such as late acknowledgements, until none is left.
    fn settle(&mut self) {
        while self.carry() > 0 || self.read().bytes > 0 {}
    }
}

/// Decides when to advance time; some stacks react to a packet only one turn later.
#[derive(Debug, Default)]
pub struct IdleRounds {
    fruitless: u32,
}

impl IdleRounds {
    /// Records the progress of a turn; true when it is time to wait for a timer, whose effect a
    /// stack may also show one turn later.
    pub fn is_spent(&mut self, brought: u64) -> bool {
        self.fruitless = if brought == 0 { self.fruitless + 1 } else { 0 };
        let is_spent = self.fruitless > 1;
        if is_spent {
            self.fruitless = 0;
        }
        is_spent
    }
}

/// A stalled transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Virtual time until the stall.
    pub after: Duration,
    /// User bytes that had arrived.
    pub arrived: u64,
}

/// Loss-recovery counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Troubles {
    /// Expirations of the retransmission timer.
    pub timeouts: u64,
    /// Retransmitted chunks.
    pub retransmissions: u64,
    /// Chunks that arrived at the receiver more than once.
    pub duplicates: u64,
}

/// Messages and bytes read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Messages, or parts of messages delivered in parts.
    pub messages: u64,
    /// User bytes.
    pub bytes: u64,
}
