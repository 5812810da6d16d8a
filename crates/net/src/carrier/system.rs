use std::fmt;
use std::io::{self, IoSliceMut};
use std::time::{Duration, Instant};

use quinn_udp::{RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use rustix::event::{PollFd, Timespec, poll};

use super::marked;

/// The operating system as the driver sees it while it works: a plug point, so that a test can have
/// any of it fail. Every function has the real system's answer as its default.
pub(crate) trait System: fmt::Debug + Send + Sync {
    /// The time, which never goes back.
    fn now(&self) -> Instant {
        Instant::now()
    }

    /// Sends a packet, or a train of them, each with that code point.
    ///
    /// # Errors
    /// What the kernel says.
    fn send(
        &self,
        socket: &socket2::Socket,
        state: &UdpSocketState,
        transmit: &Transmit<'_>,
        dscp: u8,
    ) -> io::Result<()> {
        match dscp {
            0 => state.try_send(UdpSockRef::from(socket), transmit),
            _ => marked::send(socket, transmit, dscp),
        }
    }

    /// Receives what waits, as far as there is room, and returns how many buffers it filled.
    ///
    /// # Errors
    /// What the kernel says.
    fn receive(
        &self,
        socket: UdpSockRef<'_>,
        state: &UdpSocketState,
        buffers: &mut [IoSliceMut<'_>],
        metas: &mut [RecvMeta],
    ) -> io::Result<usize> {
        state.recv(socket, buffers, metas)
    }

    /// Sleeps until something is ready, or for `span`, and returns how many are ready.
    ///
    /// # Errors
    /// What the kernel says.
    fn poll(&self, polled: &mut [PollFd<'_>], span: Duration) -> io::Result<usize> {
        Ok(poll(polled, Some(&timespec(span)))?)
    }
}

/// The operating system itself.
#[derive(Debug)]
pub(crate) struct Real;

impl System for Real {}

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: span.subsec_nanos().into(),
    }
}
