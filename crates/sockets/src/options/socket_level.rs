//! Options of the levels `SOL_SOCKET`, `IPPROTO_IP` and `IPPROTO_IPV6`.

use core::time::Duration;

use sheave_engine::BufferSizes;

use super::values::int;
use super::{Change, Query};
use crate::abi::{SocketOption, System};
use crate::socket::Kind;
use crate::{Domain, Errno, SocketMemory};

/// `IPV6_V6ONLY`.
const V6_ONLY: i32 = 26;
/// Smallest buffers of Linux sockets, bytes.
const LEAST_SEND: u32 = 4608;
const LEAST_RECEIVE: u32 = 2304;
/// `IP_MTU` and `IPV6_MTU`, the MTU of the route; SCTP sockets on Linux have none.
const MTU: [(i32, i32); 2] = [(0, 14), (41, 24)];

impl Change<'_> {
    pub(super) fn set_socket_level(&mut self, name: i32, value: &[u8]) -> Result<(), Errno> {
        let option = self.abi.socket_option(name).ok_or(Errno::ENOPROTOOPT)?;
        let (level, system) = (self.abi.levels().socket, self.abi.system());
        let [send, receive] = self.profile.memory;
        let own = &mut self.socket.own;
        match option {
            SocketOption::Kept => match system {
                System::Linux => own.kept.set_as_linux(level, name, value)?,
                System::FreeBsd => own.kept.set(level, name, value)?,
            },
            SocketOption::PeekOffset => {
                int(value)?;
                return Err(no_peek_offset(system));
            }
            SocketOption::Timestamp(form) => {
                own.timestamps = (int(value)? != 0).then_some(form);
            }
            SocketOption::ReuseAddr => own.reuse_address = u32::from(int(value)? != 0),
            SocketOption::SendBuffer => {
                own.send_buffer = Some(match system {
                    System::Linux => send.granted(int(value)?, LEAST_SEND),
                    System::FreeBsd => int(value)?.max(1),
                });
            }
            SocketOption::ReceiveBuffer => {
                own.receive_buffer = Some(match system {
                    System::Linux => receive.granted(int(value)?, LEAST_RECEIVE),
                    System::FreeBsd => SocketMemory::doubled(int(value)?, 2),
                });
            }
            SocketOption::SendBufferForce => {
                own.send_buffer = Some(SocketMemory::doubled(int(value)?, LEAST_SEND));
            }
            SocketOption::ReceiveBufferForce => {
                own.receive_buffer = Some(SocketMemory::doubled(int(value)?, LEAST_RECEIVE));
            }
            SocketOption::Linger => {
                let on = int(value)?;
                let seconds = int(value.get(4..).unwrap_or_default())?;
                // Linux ignores the seconds if lingering is off; FreeBSD stores them in 16 bits.
                own.linger = match (system, on) {
                    (System::Linux, 0) => (0, own.linger.1),
                    (System::Linux, _) => (1, seconds),
                    (System::FreeBsd, on) => {
                        let [low, high, ..] = seconds.to_le_bytes();
                        let short = i16::from_le_bytes([low, high]);
                        (u32::from(on != 0), i32::from(short).cast_unsigned())
                    }
                };
            }
            SocketOption::ReceiveTimeout => own.receive_timeout = timeval(value)?,
            SocketOption::SendTimeout => own.send_timeout = timeval(value)?,
            SocketOption::Type
            | SocketOption::Error
            | SocketOption::AcceptConn
            | SocketOption::Protocol
            | SocketOption::Domain => return Err(Errno::ENOPROTOOPT),
        }
        match option {
            SocketOption::SendBuffer
            | SocketOption::SendBufferForce
            | SocketOption::ReceiveBuffer
            | SocketOption::ReceiveBufferForce => self.retune_all(),
            _ => self.listen_anew(),
        }
    }

    pub(super) fn set_ip(&mut self, level: i32, name: i32, value: &[u8]) -> Result<(), Errno> {
        let v6 = level == self.abi.levels().ipv6;
        let system = self.abi.system();
        let socket = &mut *self.socket;
        if v6 && socket.domain == Domain::V4 || !(0..256).contains(&name) {
            return Err(Errno::ENOPROTOOPT);
        }
        if v6 && name == V6_ONLY {
            if socket.binding.is_some() {
                return Err(Errno::EINVAL);
            }
            socket.own.v6_only = u32::from(int(value)? != 0);
            return Ok(());
        }
        let kept = &mut socket.own.kept;
        let before = kept.dscp();
        match system {
            System::Linux => kept.set_as_linux(level, name, value)?,
            System::FreeBsd => kept.set(level, name, value)?,
        }
        match before == kept.dscp() {
            true => Ok(()),
            false => self.retune_all(),
        }
    }
}

impl Query<'_> {
    pub(super) fn socket_level(&mut self, name: i32) -> Result<Vec<u8>, Errno> {
        let option = self.abi.socket_option(name).ok_or(Errno::ENOPROTOOPT)?;
        let (level, sctp) = (self.abi.levels().socket, self.abi.levels().sctp);
        let (default, system) = (self.profile.defaults.clone(), self.abi.system());
        let [send, receive] = self.profile.memory;
        let socket = &mut *self.socket;
        // Linux reports its initial size for buffers that are tuned automatically.
        let size = |bytes: usize, memory: SocketMemory| match (system, default.buffers) {
            (System::Linux, BufferSizes::Auto { .. }) => memory.usual,
            _ => u32::try_from(bytes).unwrap_or(u32::MAX),
        };
        let number = match option {
            SocketOption::Kept => return Ok(socket.own.kept.value(level, name)),
            SocketOption::PeekOffset => return Err(no_peek_offset(system)),
            SocketOption::SendBufferForce | SocketOption::ReceiveBufferForce => {
                return Err(Errno::ENOPROTOOPT);
            }
            SocketOption::Timestamp(form) => form.is_shown_for(socket.own.timestamps).into(),
            SocketOption::ReuseAddr => socket.own.reuse_address,
            SocketOption::SendBuffer => {
                let usual = size(default.send_buffer, send);
                socket.own.send_buffer.unwrap_or(usual)
            }
            SocketOption::ReceiveBuffer => {
                match (socket.own.receive_buffer, system) {
                    (None, _) => size(default.receive_buffer, receive),
                    (Some(doubled), System::Linux) => doubled,
                    // The stored size is twice the size that the program asked for.
                    (Some(doubled), System::FreeBsd) => doubled / 2,
                }
            }
            SocketOption::Linger => {
                let (on, seconds) = socket.own.linger;
                return Ok([on.to_ne_bytes(), seconds.to_ne_bytes()].concat());
            }
            SocketOption::ReceiveTimeout => return Ok(timeval_bytes(socket.own.receive_timeout)),
            SocketOption::SendTimeout => return Ok(timeval_bytes(socket.own.send_timeout)),
            // `SOCK_STREAM` and `SOCK_SEQPACKET`.
            SocketOption::Type => match socket.kind {
                Kind::OneToOne => 1,
                _ => 5,
            },
            SocketOption::Error => {
                let error = socket.error.take().or_else(|| socket.soft_error.take());
                error.map_or(0, |error| error.code().cast_unsigned())
            }
            SocketOption::AcceptConn => socket.backlog.is_some().into(),
            SocketOption::Protocol => sctp.cast_unsigned(),
            SocketOption::Domain => match socket.domain {
                Domain::V4 => 2,
                Domain::V6 => 10,
            },
        };
        Ok(number.to_ne_bytes().to_vec())
    }

    pub(super) fn ip(&self, level: i32, name: i32) -> Result<Vec<u8>, Errno> {
        let v6 = level == self.abi.levels().ipv6;
        let socket = &*self.socket;
        if v6 && socket.domain == Domain::V4 {
            return Err(Errno::EOPNOTSUPP);
        }
        if !(0..256).contains(&name) {
            return Err(Errno::ENOPROTOOPT);
        }
        if v6 && name == V6_ONLY {
            return Ok(socket.own.v6_only.to_ne_bytes().to_vec());
        }
        if self.abi.system() == System::Linux && MTU.contains(&(level, name)) {
            return Err(Errno::ENOTCONN);
        }
        Ok(socket.own.kept.value(level, name))
    }
}

const fn no_peek_offset(system: System) -> Errno {
    system.pick(Errno::EOPNOTSUPP, Errno::ENOPROTOOPT)
}

/// Parses `struct timeval` of a 64-bit machine.
fn timeval(value: &[u8]) -> Result<Duration, Errno> {
    let eight = |at: usize| {
        let bytes = value
            .get(at..at + 8)
            .and_then(|bytes| bytes.try_into().ok());
        bytes.map(i64::from_ne_bytes).ok_or(Errno::EINVAL)
    };
    let (seconds, micros) = (eight(0)?, eight(8)?);
    if !(0..1_000_000).contains(&micros) {
        return Err(Errno::EDOM);
    }
    // A negative time means not to wait; 0 would mean to wait without limit.
    let Ok(seconds) = u64::try_from(seconds) else {
        return Ok(Duration::from_nanos(1));
    };
    let micros = u64::try_from(micros).unwrap_or(0);
    Ok(Duration::from_secs(seconds).saturating_add(Duration::from_micros(micros)))
}

fn timeval_bytes(time: Duration) -> Vec<u8> {
    [
        time.as_secs().to_ne_bytes(),
        u64::from(time.subsec_micros()).to_ne_bytes(),
    ]
    .concat()
}
