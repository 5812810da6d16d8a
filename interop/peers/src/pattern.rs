use std::collections::BTreeMap;

use bytes::Bytes;
use sheave_engine::{Delivery, Message};

/// The number of the first message: smaller PPIDs are those of other protocols.
pub(crate) const FIRST_NUMBER: u32 = 1 << 20;

/// The bytes of message `number`, the same as in `interop/pattern.h`.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the pattern is defined by its lowest byte"
)]
pub fn pattern(number: u32, length: usize) -> Bytes {
    (0..length)
        .map(|at| (number.wrapping_mul(31) as usize + at * 7 + (at >> 8)) as u8)
        .collect()
}

/// A receiver's record of numbered messages: the PPID of each is its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// User bytes.
    pub bytes: usize,
    /// Messages.
    pub messages: usize,
    /// Messages with other bytes than expected, or out of order on their stream.
    pub wrong: usize,
    /// Messages of odd numbers, which are reliable wherever others are not.
    pub odd: usize,
    newest: BTreeMap<u16, u32>,
}

impl Tally {
    /// Counts a message in and checks it.
    pub fn add(&mut self, message: &Message) {
        let number = message.ppid.0;
        let mut right = message.payload == pattern(number, message.payload.len());
        if message.delivery == Delivery::Ordered {
            let newest = self.newest.insert(message.stream.0, number);
            right &= newest.is_none_or(|newest| newest < number);
        }
        self.bytes += message.payload.len();
        self.messages += 1;
        self.wrong += usize::from(!right);
        self.odd += usize::from(number % 2 == 1);
    }
}
