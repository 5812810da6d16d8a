//! Effects of a program's calls on its other sockets.

use super::{Host, Source};

/// A call's use of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exchange {
    Nothing,
    Sends,
    Receives,
    Other,
}

impl Exchange {
    pub(super) const fn of(number: i64) -> Self {
        match number {
            libc::SYS_sendto
            | libc::SYS_sendmsg
            | libc::SYS_sendmmsg
            | libc::SYS_write
            | libc::SYS_writev
            | libc::SYS_pwritev2
            | libc::SYS_sendfile => Self::Sends,
            libc::SYS_recvfrom
            | libc::SYS_recvmsg
            | libc::SYS_recvmmsg
            | libc::SYS_read
            | libc::SYS_readv
            | libc::SYS_preadv2 => Self::Receives,
            _ => Self::Other,
        }
    }
}

impl Host {
    /// Exchanges packets before a call of another kind, so that a program that alternates between
    /// its own sockets sees the effects, as on the kernel's loopback interface. Consecutive sends
    /// or receives are batched.
    pub(super) fn catch_up(&mut self, next: Exchange) {
        if next == Exchange::Other {
            // Closes are not calls, so their events are handled here.
            for (source, flags) in self.poller.due() {
                if let Source::Socket(inode) = source {
                    self.on_pair(inode, flags);
                }
            }
        }
        if next == Exchange::Other || next != self.exchanges {
            self.settle();
        }
        self.exchanges = next;
    }
}
