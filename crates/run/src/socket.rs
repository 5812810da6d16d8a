//! The two ends of a socket: the program's end, which shows readiness, and the host's end.
//!
//! The ends are a Unix `SOCK_SEQPACKET` pair. Messages do not pass through it: a byte is queued in
//! the program's end while the socket is readable, and a packet of the program's own fills its send
//! buffer while the socket is not writable. At end of stream the host's end is shut down, which the
//! kernel shows to the program as usual. When the last copy of the program's end is closed, the
//! host's end hangs up.

use std::io::{IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::OFlags;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair, sockopt,
};
use sheave_sockets::{Readiness, SocketId};

use crate::sys::{AT_ONCE, has_unread};

/// Send buffer of the program's end: the smallest that the kernel grants.
const SMALLEST_BUFFER: usize = 1;
/// A packet that takes over a quarter of that buffer, which makes it unwritable.
const FILLER: [u8; 3000] = [0; 3000];
/// Bytes of a Unix socket's send buffer that no message takes (`unix_dgram_sendmsg`).
const OWN: usize = 32;
/// Most bytes queued in a pair for messages; each new byte is an edge for `EPOLLET`.
const MAX_BYTES: usize = 4;

/// The host's side of a socket.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) id: SocketId,
    /// The host's end.
    pub(crate) end: OwnedFd,
    /// A copy of the program's end, if copies cannot be made on demand.
    pub(crate) kept: Option<OwnedFd>,
    /// Index of the program that created the socket.
    pub(crate) program: usize,
    /// Whether a process was seen to have the program's end, if that is searched for.
    pub(crate) arrived: bool,
    pub(crate) mode: Mode,
    /// Whether the program has shut down a pass-through pair.
    pub(crate) has_ended: bool,
    /// Bytes queued in the program's end.
    bytes: usize,
    /// Readable messages when the program's end was last updated.
    told: usize,
    /// Whether there was an error then.
    failed: bool,
    writing: Writing,
    ended: Ended,
}

/// The use of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// The pair shows readiness; calls are trapped.
    Readiness,
    /// The pair carries messages, because a copy is outside the trapped range.
    PassThrough,
}

/// Whether the program's end is writable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Writing {
    Possible,
    Withheld,
}

/// The end of stream shown by the program's end; it cannot be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ended {
    No,
    /// End of stream (`POLLRDHUP`).
    Reading,
    /// Both halves are shut (`POLLHUP`).
    Both,
}

/// Creates a pair: the host's side and the program's end.
pub(crate) fn pair(
    id: SocketId,
    program: usize,
    blocking: Blocking,
) -> rustix::io::Result<(Held, OwnedFd)> {
    let (end, theirs) = socketpair(
        AddressFamily::UNIX,
        SocketType::SEQPACKET,
        SocketFlags::CLOEXEC,
        None,
    )?;
    rustix::io::ioctl_fionbio(&end, true)?;
    sockopt::set_socket_send_buffer_size(&theirs, SMALLEST_BUFFER)?;
    if blocking == Blocking::Never {
        rustix::io::ioctl_fionbio(&theirs, true)?;
    }
    let held = Held {
        id,
        end,
        kept: None,
        program,
        arrived: false,
        mode: Mode::Readiness,
        has_ended: false,
        bytes: 0,
        told: 0,
        failed: false,
        writing: Writing::Possible,
        ended: Ended::No,
    };
    Ok((held, theirs))
}

/// Whether the readiness was shown completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Showing {
    Whole,
    /// The program's end was needed but not available.
    InPart,
}

/// Whether calls on a descriptor block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blocking {
    /// Calls block.
    Usual,
    /// `O_NONBLOCK`.
    Never,
}

impl From<OFlags> for Blocking {
    fn from(flags: OFlags) -> Self {
        match flags.contains(OFlags::NONBLOCK) {
            true => Self::Never,
            false => Self::Usual,
        }
    }
}

/// Whether calls on this copy of a program's descriptor block.
pub(crate) fn blocking_of(descriptor: BorrowedFd<'_>) -> Blocking {
    rustix::fs::fcntl_getfl(descriptor).map_or(Blocking::Usual, Blocking::from)
}

impl Held {
    /// Shows the readiness: adds what is new, and removes what no longer holds if the program's end
    /// is available.
    pub(crate) fn show(
        &mut self,
        readiness: &Readiness,
        theirs: Option<BorrowedFd<'_>>,
    ) -> Showing {
        if self.mode == Mode::PassThrough {
            return Showing::Whole;
        }
        let fails = readiness.error.is_some() && !self.failed;
        let gains = readiness.readable > self.told && self.bytes < MAX_BYTES;
        if readiness.readable == 0 {
            self.take_back(theirs);
        } else if self.bytes == 0 || gains || fails {
            let sent = send(&self.end, &[1], SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
            self.bytes += usize::from(sent.is_ok());
        }
        self.told = readiness.readable;
        self.failed = readiness.error.is_some();
        let writable = readiness.writable;
        match self.writing {
            Writing::Withheld if writable => self.let_write(),
            Writing::Possible if !writable => self.withhold(theirs),
            Writing::Withheld | Writing::Possible => {}
        }
        match (readiness.ended, readiness.hung_up) {
            (_, true) => self.end(Ended::Both),
            (true, false) => self.end(Ended::Reading),
            (false, false) => {}
        }
        let is_owed = (self.bytes > 0 && readiness.readable == 0)
            || (self.writing == Writing::Possible && !writable);
        match is_owed && theirs.is_none() && self.kept.is_none() {
            true => Showing::InPart,
            false => Showing::Whole,
        }
    }

    /// Removes queued bytes before the last message is delivered, so that the program does not find
    /// the socket readable in between.
    pub(crate) fn take_back(&mut self, theirs: Option<BorrowedFd<'_>>) {
        if !self.shows_bytes() {
            return;
        }
        if let Some(theirs) = self.kept.as_ref().map(AsFd::as_fd).or(theirs) {
            drain(theirs);
            self.bytes = 0;
            self.told = 0;
        }
    }

    /// Whether queued bytes may have to be removed.
    pub(crate) fn shows_bytes(&self) -> bool {
        self.bytes > 0 && self.ended == Ended::No
    }

    /// Shows end of stream; a queued byte then stays.
    fn end(&mut self, ended: Ended) {
        if ended <= self.ended {
            return;
        }
        let shut = match ended {
            Ended::Both => {
                self.let_write();
                rustix::net::Shutdown::Both
            }
            _ => rustix::net::Shutdown::Write,
        };
        let _ = rustix::net::shutdown(&self.end, shut);
        self.ended = ended;
    }

    /// Whether both halves are shown as shut, which already hangs up the host's end.
    pub(crate) fn has_hung_up(&self) -> bool {
        self.ended == Ended::Both
    }

    /// Whether the last copy of the program's end is closed.
    pub(crate) fn is_released(&self) -> bool {
        if self.has_hung_up() {
            // Closing the program's end discards its queue.
            return !has_unread(self.end.as_fd());
        }
        let none = rustix::event::PollFlags::empty();
        let mut polled = [rustix::event::PollFd::new(&self.end, none)];
        let _ = rustix::event::poll(&mut polled, Some(&AT_ONCE));
        polled[0].revents().contains(rustix::event::PollFlags::HUP)
    }

    fn withhold(&mut self, theirs: Option<BorrowedFd<'_>>) {
        if let Some(theirs) = self.kept.as_ref().map(AsFd::as_fd).or(theirs)
            && send(theirs, &FILLER, SendFlags::DONTWAIT | SendFlags::NOSIGNAL).is_ok()
        {
            self.writing = Writing::Withheld;
        }
    }

    fn let_write(&mut self) {
        drain(self.end.as_fd());
        self.writing = Writing::Possible;
    }

    /// Makes the pair carry messages, with buffers of that many bytes: longer ones are EMSGSIZE.
    pub(crate) fn pass_through(&mut self, theirs: BorrowedFd<'_>, buffer: usize) {
        drain(theirs);
        self.bytes = 0;
        self.let_write();
        // Linux doubles the size, unless the system allows less.
        let _ = sockopt::set_socket_send_buffer_size(theirs, buffer / 2);
        let _ = sockopt::set_socket_send_buffer_size(&self.end, buffer / 2);
        self.mode = Mode::PassThrough;
    }

    /// Length of the longest message that the pair takes, bytes.
    pub(crate) fn longest(&self) -> usize {
        sockopt::socket_send_buffer_size(&self.end).map_or(0, |buffer| buffer.saturating_sub(OWN))
    }

    /// Passes a message to a program that reads from the pair.
    pub(crate) fn pass(&self, bytes: &[u8]) -> rustix::io::Result<usize> {
        send(&self.end, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)
    }

    /// The next message that the program wrote to the pair.
    pub(crate) fn passed(&self, room: &mut [u8]) -> rustix::io::Result<usize> {
        let (received, _) = recv(&self.end, room, RecvFlags::DONTWAIT)?;
        Ok(received)
    }

    /// Shows end of stream on the pair.
    pub(crate) fn end_of_stream(&self) {
        let _ = rustix::net::shutdown(&self.end, rustix::net::Shutdown::Write);
    }
}

fn drain(end: BorrowedFd<'_>) {
    let mut room = [0; 8];
    while let Ok((received, _)) = recv(end, &mut room, RecvFlags::DONTWAIT)
        && received > 0
    {}
}

/// Sends `bytes` with descriptors over a Unix socket.
pub(crate) fn send_with(
    socket: BorrowedFd<'_>,
    bytes: &[u8],
    descriptors: &[BorrowedFd<'_>],
) -> rustix::io::Result<()> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = rustix::net::SendAncillaryBuffer::new(&mut space);
    control.push(rustix::net::SendAncillaryMessage::ScmRights(descriptors));
    let slices = [IoSlice::new(bytes)];
    rustix::net::sendmsg(socket, &slices, &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives bytes and descriptors.
pub(crate) fn receive_with(
    socket: BorrowedFd<'_>,
    bytes: &mut [u8],
) -> rustix::io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = rustix::net::RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(bytes)];
    let received =
        rustix::net::recvmsg(socket, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for message in control.drain() {
        if let rustix::net::RecvAncillaryMessage::ScmRights(mut rights) = message {
            descriptors.extend(rights.by_ref());
        }
    }
    Ok((received.bytes, descriptors))
}

/// Receives bytes and the sender's process id (if `SO_PASSCRED` is set) without blocking.
pub(crate) fn receive_from(
    socket: BorrowedFd<'_>,
    bytes: &mut [u8],
) -> rustix::io::Result<(usize, Option<u32>)> {
    let mut space = [std::mem::MaybeUninit::uninit(); rustix::cmsg_space!(ScmCredentials(1))];
    let mut control = rustix::net::RecvAncillaryBuffer::new(&mut space);
    let mut slices = [IoSliceMut::new(bytes)];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = rustix::net::recvmsg(socket, &mut slices, &mut control, flags)?;
    let sender = control.drain().find_map(|message| match message {
        rustix::net::RecvAncillaryMessage::ScmCredentials(sender) => Some(sender.pid),
        _ => None,
    });
    let sender = sender.map(|pid| pid.as_raw_nonzero().get().unsigned_abs());
    Ok((received.bytes, sender))
}

#[cfg(test)]
mod tests;
