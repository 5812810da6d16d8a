//! Two ends of a stack in one thread, in virtual time, with nothing between them.

mod clock;
mod link;
mod rng;
mod sheave;
mod user_data;

use std::time::Duration;

pub use self::clock::Clock;
pub use self::link::{Impairment, Link, Toward, carry};
use self::rng::Rng;
pub use self::sheave::{Setup, SheavePair};
pub use self::user_data::UserData;

/// Bytes of an SCTP packet that fits a path MTU of 1500 in UDP over IPv4.
pub const PACKET: usize = 1472;

/// Two ends of a stack, the left one of which sends on stream 0 of the association that was
/// connected last.
pub trait Pair {
    /// Sets up one more association, to its end.
    fn connect(&mut self);

    /// Hands up to `most` messages to the left end; returns how many it took.
    fn offer(&mut self, data: &mut UserData, most: u64) -> u64;

    /// Carries to the right what the left end hands out at once, and then all answers to the left;
    /// returns how many packets went right or, where there is impairment, how many set out or arrived
    /// on either side.
    fn carry(&mut self) -> u64;

    /// Packets that have gone left so far.
    fn answers(&self) -> u64;

    /// Takes what has arrived at the right end; returns its messages and their bytes.
    fn read(&mut self) -> Reading;

    /// Lets time pass until a timer is due; false if none is set.
    fn wait(&mut self) -> bool;

    /// Lets packets travel through that impairment from here on.
    fn set_impairment(&mut self, impairment: Impairment);

    /// Virtual time since the beginning.
    fn passed(&self) -> Duration;

    /// The sender's counts of loss recovery, if it keeps them.
    fn troubles(&mut self) -> Option<Troubles> {
        None
    }

    /// Moves messages for as long as `span` of virtual time, or until so many bytes have
    /// arrived; returns the bytes for each second that it took.
    ///
    /// # Errors
    /// The stack came to a standstill: nothing is under way and no timer is set.
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

    /// Moves `count` messages from left to right; returns the packets that went right.
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

    /// Lets what was still under way settle: late acknowledgements and their timers.
    fn settle(&mut self) {
        while self.carry() > 0 || self.read().bytes > 0 {}
    }
}

/// When to let time pass: some stacks show only a turn later what a packet has brought about.
#[derive(Debug, Default)]
pub struct IdleRounds {
    fruitless: u32,
}

impl IdleRounds {
    /// Takes note of what a turn has brought; true when it is time to wait for a timer, of which a
    /// stack may again make something only a turn later.
    pub fn is_spent(&mut self, brought: u64) -> bool {
        self.fruitless = if brought == 0 { self.fruitless + 1 } else { 0 };
        let is_spent = self.fruitless > 1;
        if is_spent {
            self.fruitless = 0;
        }
        is_spent
    }
}

/// A transfer that nothing will move on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    /// Virtual time until then.
    pub after: Duration,
    /// User bytes that had arrived.
    pub arrived: u64,
}

/// Loss recovery counts of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Troubles {
    /// Expirations of the retransmission timer.
    pub timeouts: u64,
    /// Chunks sent again.
    pub retransmissions: u64,
    /// Chunks that arrived at the receiver more than once.
    pub duplicates: u64,
}

/// The bytes and messages that a reader took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// Messages, or parts of one that was handed over in parts.
    pub messages: u64,
    /// User bytes.
    pub bytes: u64,
}
