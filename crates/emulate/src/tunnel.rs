use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};

use crate::gateway::{End, Gateway, Passage};
use crate::{EmulateError, Losses, ip, sys};

/// Packets read at one end before the other end is served.
const BATCH: usize = 32;
/// Longest IP packet, bytes.
const LONGEST: usize = 65_536;

/// IP packets between two TUN devices.
pub(crate) struct Tunnel {
    near: File,
    far: File,
    buffer: Vec<u8>,
    losses: Losses,
}

impl Tunnel {
    pub(crate) fn open(names: [&str; 2]) -> Result<Self, EmulateError> {
        let open = |name: &str| {
            sys::open_tun(name).map_err(|error| EmulateError::Tunnel {
                name: name.to_owned(),
                error,
            })
        };
        Ok(Self {
            near: open(names[0])?,
            far: open(names[1])?,
            buffer: vec![0; LONGEST],
            losses: Losses::default(),
        })
    }
}

impl Gateway for Tunnel {
    fn descriptors<'a>(&'a self, into: &mut Vec<BorrowedFd<'a>>) {
        into.extend([self.near.as_fd(), self.far.as_fd()]);
    }

    fn handle_ready(&mut self, place: usize, admit: &mut dyn FnMut(Passage)) -> io::Result<()> {
        let (end, mut device) = match place {
            0 => (End::Near, &self.near),
            _ => (End::Far, &self.far),
        };
        self.buffer.resize(LONGEST, 0);
        for _ in 0..BATCH {
            let len = match device.read(&mut self.buffer) {
                Ok(len) => len,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            };
            match ip::parse(self.buffer.get(..len).unwrap_or_default()) {
                Some((tag, packet)) => admit(Passage { end, tag, packet }),
                None => self.losses.foreign += 1,
            }
        }
        Ok(())
    }

    fn send(&mut self, passage: Passage) {
        let Passage { end, tag, packet } = passage;
        if ip::write(tag, &packet, &mut self.buffer).is_none() {
            self.losses.misdirected += 1;
            return;
        }
        let mut device = match end {
            End::Near => &self.near,
            End::Far => &self.far,
        };
        // A device that is down refuses packets.
        if device.write(&self.buffer).is_err() {
            self.losses.unsent += 1;
        }
    }

    fn flush(&mut self) {}

    fn clients(&self) -> usize {
        0
    }

    fn losses(&self) -> Losses {
        self.losses
    }
}
