//! Pass-through sockets: calls on standard input and output are not trapped, so the host carries
//! messages between the pair and the association.

use std::os::fd::{AsFd, OwnedFd};

use bytes::Bytes;
use rustix::event::epoll::EventFlags;
use sheave_sockets::{Errno, How, Incoming, Limits, SendCall, Socket};

use super::Host;
use super::sockets::Target;
use crate::socket::{Held, Mode};

/// Bytes of the pair's buffers in either direction; a message is shorter than them.
pub(super) const ROOM: usize = 256 << 10;
/// `MSG_NOTIFICATION` of `linux/sctp.h`.
const MSG_NOTIFICATION: i32 = 0x8000;

impl Host {
    /// Makes the pair of a connected socket carry messages from now on. Returns whether the socket is
    /// connected.
    pub(super) fn pass_through(&mut self, target: &Target) -> bool {
        if self
            .stack
            .find(target.id)
            .and_then(Socket::peer_name)
            .is_err()
        {
            return false;
        }
        let Some(held) = self.sockets.get_mut(target.inode) else {
            return false;
        };
        let copy = held.kept.as_ref().or(target.theirs.as_ref());
        let copy: Option<OwnedFd> = copy.and_then(|end| end.try_clone().ok());
        if let (Mode::Readiness, Some(theirs)) = (held.mode, copy)
            && !held.has_hung_up()
        {
            held.pass_through(theirs.as_fd(), ROOM);
            self.poller.change(target.inode, &held.end, EventFlags::IN);
        }
        true
    }

    /// Handles events at the host's end of a pair.
    pub(super) fn on_pair(&mut self, inode: u64, flags: EventFlags) {
        let Some(held) = self.sockets.get(inode) else {
            return;
        };
        let passing = held.mode == Mode::PassThrough;
        if passing {
            self.shovel(inode);
        }
        if flags.contains(EventFlags::HUP) {
            if self.sockets.get(inode).is_some_and(Held::is_released) {
                self.hang_up(inode);
            }
        } else if !passing
            && flags.contains(EventFlags::RDHUP)
            && let Some(held) = self.sockets.get(inode)
        {
            // The program has shut down its end by an untrapped call.
            self.poller.change(inode, &held.end, EventFlags::empty());
        }
    }

    /// Handles the close of the last copy of the program's end.
    pub(super) fn hang_up(&mut self, inode: u64) {
        let Some(held) = self.sockets.get_mut(inode) else {
            return;
        };
        held.kept = None;
        if held.mode == Mode::PassThrough && self.has_written(inode) == Left::More {
            // Unsent output waits for room; the association will report it.
            if let Some(held) = self.sockets.get(inode) {
                self.poller.forget(&held.end);
            }
            self.orphans.insert(inode);
        } else {
            self.orphans.remove(&inode);
            self.release(inode);
        }
    }

    /// Carries messages in both directions while there is room.
    pub(super) fn shovel(&mut self, inode: u64) {
        if self.orphans.contains(&inode) {
            self.hang_up(inode);
            return;
        }
        let mut wanted = match self.has_written(inode) {
            Left::Nothing => EventFlags::RDHUP | EventFlags::IN,
            Left::More => EventFlags::RDHUP,
            // Stops polling, since the hang-up would be reported again and again.
            Left::End => EventFlags::empty(),
        };
        let Some(held) = self.sockets.get(inode) else {
            return;
        };
        let (id, now) = (held.id, self.carrier.now());
        let limits = Limits {
            payload: held.longest(),
            control: 0,
            // No flags: acts as a blocking call, which fails if no data can come.
            flags: 0,
        };
        loop {
            match pass_next(self.stack.peek(now, id, limits), held) {
                Passed::One(token) => self.stack.consume(now, id, token),
                Passed::Nothing => break,
                Passed::Full => {
                    wanted |= EventFlags::OUT;
                    break;
                }
                Passed::End => {
                    held.end_of_stream();
                    break;
                }
            }
        }
        self.poller.change(inode, &held.end, wanted);
    }

    /// Sends what the program wrote while there is room.
    fn has_written(&mut self, inode: u64) -> Left {
        loop {
            let Some(held) = self.sockets.get_mut(inode) else {
                return Left::Nothing;
            };
            if held.has_ended {
                return Left::End;
            }
            let id = held.id;
            let now = self.carrier.now();
            if !self.stack.readiness(id).writable {
                return Left::More;
            }
            let payload = match held.passed(&mut self.room) {
                Ok(0) => {
                    // The program has shut down the pair, so nothing more comes.
                    held.has_ended = true;
                    let _ = self.stack.shutdown(now, id, How::Write);
                    return Left::End;
                }
                Ok(length) => Bytes::copy_from_slice(&self.room[..length]),
                Err(_) => return Left::Nothing,
            };
            let call = SendCall {
                destination: None,
                control: &[],
                flags: libc::MSG_DONTWAIT,
                payload,
            };
            if self.stack.send(now, id, call).is_err() {
                return Left::Nothing;
            }
        }
    }
}

/// Passes the next message to the program.
fn pass_next(next: Result<Incoming, Errno>, held: &Held) -> Passed {
    match next {
        Ok(incoming) if incoming.flags & MSG_NOTIFICATION != 0 => Passed::One(incoming.token),
        Ok(incoming) if incoming.payload.is_empty() => Passed::End,
        Ok(incoming) => match held.pass(&incoming.payload) {
            Ok(_) => Passed::One(incoming.token),
            Err(rustix::io::Errno::AGAIN) => Passed::Full,
            Err(_) => Passed::Nothing,
        },
        Err(Errno::EAGAIN) => Passed::Nothing,
        Err(_) => Passed::End,
    }
}

/// The rest of the program's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// No output is left.
    Nothing,
    /// Messages wait for room.
    More,
    /// No output is left, and the program has shut down the pair.
    End,
}

/// The outcome of passing a message.
enum Passed {
    One(sheave_sockets::ReadToken),
    Nothing,
    Full,
    End,
}
