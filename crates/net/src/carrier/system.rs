use std::fmt;
use std::io::{self, IoSliceMut};
use std::time::{Duration, Instant};

use quinn_udp::{RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use rustix::event::{PollFd, Timespec, poll};

use super::marked;

/// Operating-system calls of the driver, replaceable so that a test can make them fail. The
/// defaults call the real system.
pub(crate) trait System: fmt::Debug + Send + Sync {
    /// Current time; never goes back.
    fn now(&self) -> Instant {
        Instant::now()
    }

    /// Sends a packet or a train of packets, each with the given DSCP.
    ///
    /// # Errors
    /// The kernel's error.
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

    /// Receives waiting datagrams into the buffers and returns the number of filled buffers.
    ///
    /// # Errors
    /// The kernel's error.
    fn receive(
        &self,
        socket: UdpSockRef<'_>,
        state: &UdpSocketState,
        buffers: &mut [IoSliceMut<'_>],
        metas: &mut [RecvMeta],
    ) -> io::Result<usize> {
        state.recv(socket, buffers, metas)
    }

    /// Sleeps until a descriptor is ready, or for `span`, and returns the number of ready ones.
    ///
    /// # Errors
    /// The kernel's error.
    fn poll(&self, polled: &mut [PollFd<'_>], span: Duration) -> io::Result<usize> {
        Ok(poll(polled, Some(&timespec(span)))?)
    }
}

/// The real operating system.
#[derive(Debug)]
pub(crate) struct Real;

impl System for Real {}

fn timespec(span: Duration) -> Timespec {
    Timespec {
        tv_sec: span.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: span.subsec_nanos().into(),
    }
}
