//! What routers, hosts and this machine itself say of packets that were sent (RFC 9260 §10).

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use sheave_engine::{Complaint, Icmp};

#[cfg(target_os = "linux")]
use super::socket::Framing;
#[cfg(target_os = "linux")]
use crate::sys::error_queue::QueuedError;

/// Complaints that wait for the engine at most: whoever sends more is not heard.
const MOST: usize = 64;

/// Bytes of a packet that are kept: the engine looks at its head.
const QUOTED: usize = 64;

/// A complaint that owns what it quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    remote: IpAddr,
    complaint: Complaint,
    quoted: Vec<u8>,
}

impl Heard {
    /// A packet that began so was `mtu` bytes too long for its first link.
    pub(super) fn too_long(remote: IpAddr, mtu: u16, packet: &[u8]) -> Self {
        let complaint = Complaint::PacketTooBig { mtu };
        Self::new(remote, complaint, packet)
    }

    fn new(remote: IpAddr, complaint: Complaint, packet: &[u8]) -> Self {
        Self {
            remote,
            complaint,
            quoted: packet.get(..QUOTED).unwrap_or(packet).to_vec(),
        }
    }

    /// As the engine takes it.
    pub(crate) fn icmp(&self) -> Icmp<'_> {
        Icmp {
            remote: self.remote,
            complaint: self.complaint,
            quoted: &self.quoted,
        }
    }
}

/// Complaints that the engine has yet to hear of.
#[derive(Debug, Default)]
pub(super) struct Complaints {
    /// Whether there are any: looked at far more often than there are.
    any: AtomicBool,
    waiting: Mutex<Vec<Heard>>,
}

impl Complaints {
    pub(super) fn add(&self, heard: Heard) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push(heard);
            self.any.store(true, Ordering::Release);
        }
    }

    #[inline]
    pub(super) fn take(&self) -> Vec<Heard> {
        if !self.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.any.store(false, Ordering::Release);
        std::mem::take(&mut waiting)
    }
}

/// Type and code of the ICMP messages that matter, over IPv4 (RFC 792).
#[cfg(target_os = "linux")]
mod v4 {
    pub(super) const UNREACHABLE: u8 = 3;
    pub(super) const PROTOCOL: u8 = 2;
    pub(super) const PORT: u8 = 3;
    pub(super) const FRAGMENTATION_NEEDED: u8 = 4;
}

/// And over IPv6 (RFC 4443).
#[cfg(target_os = "linux")]
mod v6 {
    pub(super) const UNREACHABLE: u8 = 1;
    pub(super) const PORT: u8 = 4;
    pub(super) const TOO_BIG: u8 = 2;
    pub(super) const PARAMETER: u8 = 4;
    pub(super) const NEXT_HEADER: u8 = 1;
}

/// What an error in a socket's queue is to the engine.
#[cfg(target_os = "linux")]
pub(super) fn heard(error: &QueuedError, framing: Framing, quoted: &[u8]) -> Option<Heard> {
    let udp = framing == Framing::Udp;
    let complaint = match (error.origin, error.kind, error.code) {
        (libc::SO_EE_ORIGIN_ICMP, v4::UNREACHABLE, v4::FRAGMENTATION_NEEDED)
        | (libc::SO_EE_ORIGIN_ICMP6, v6::TOO_BIG, _) => Complaint::PacketTooBig {
            mtu: u16::try_from(error.info).unwrap_or(u16::MAX),
        },
        (libc::SO_EE_ORIGIN_ICMP, v4::UNREACHABLE, v4::PORT)
        | (libc::SO_EE_ORIGIN_ICMP6, v6::UNREACHABLE, v6::PORT)
            if udp =>
        {
            Complaint::NoSuchPort
        }
        (libc::SO_EE_ORIGIN_ICMP, v4::UNREACHABLE, v4::PROTOCOL)
        | (libc::SO_EE_ORIGIN_ICMP6, v6::PARAMETER, v6::NEXT_HEADER)
            if !udp =>
        {
            Complaint::NoSuchProtocol
        }
        _ => return None,
    };
    let quoted = quoted.get(..error.quoted).unwrap_or_default();
    Some(Heard::new(error.remote, complaint, quoted))
}
