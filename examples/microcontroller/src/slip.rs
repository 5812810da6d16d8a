//! SLIP: packets on a serial line (RFC 1055).

use alloc::vec::Vec;

const END: u8 = 0xc0;
const ESC: u8 = 0xdb;
const ESC_END: u8 = 0xdc;
const ESC_ESC: u8 = 0xdd;

/// Cuts received bytes into frames.
pub struct Decoder {
    frame: Vec<u8>,
    /// Bytes of the longest frame.
    longest: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Between,
    Within,
    Escaped,
}

impl Decoder {
    pub fn new(longest: usize) -> Self {
        Self {
            frame: Vec::with_capacity(longest),
            longest,
            state: State::Between,
        }
    }

    /// Takes a byte; the frame that it ends, which may be empty or cut off.
    pub fn push(&mut self, byte: u8) -> Option<&[u8]> {
        if self.state == State::Between {
            self.frame.clear();
        }
        let (state, byte) = match (self.state, byte) {
            (_, END) => {
                self.state = State::Between;
                return Some(&self.frame);
            }
            (State::Escaped, ESC_END) => (State::Within, Some(END)),
            (State::Escaped, ESC_ESC) => (State::Within, Some(ESC)),
            (_, ESC) => (State::Escaped, None),
            (_, byte) => (State::Within, Some(byte)),
        };
        self.state = state;
        self.frame
            .extend(byte.filter(|_| self.frame.len() < self.longest));
        None
    }
}

/// Sends a frame byte by byte.
pub fn write<'a>(frame: impl Iterator<Item = &'a u8>, mut send: impl FnMut(u8)) {
    send(END);
    for byte in frame {
        match *byte {
            END => [ESC, ESC_END].into_iter().for_each(&mut send),
            ESC => [ESC, ESC_ESC].into_iter().for_each(&mut send),
            byte => send(byte),
        }
    }
    send(END);
}
