//! Socket buffers: requested and granted sizes.

use std::io;

use sheave::Config;
use socket2::{Domain, Protocol, Socket, Type};

use super::number;
use crate::doctor::check::{Check, State};
use crate::units::bytes;

/// Smallest buffer for bursts of a fast network, bytes.
const ENOUGH: u64 = 1 << 20;

/// Socket buffer sizes, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Granted receive buffer; `None` if no socket could be opened.
    pub receive: Option<u64>,
    /// Granted send buffer.
    pub send: Option<u64>,
    /// The system's limits (`net.core.rmem_max`, `net.core.wmem_max`), if readable.
    pub limits: [Option<u64>; 2],
}

impl Buffers {
    /// Requests as much as Sheave does.
    pub fn look() -> Self {
        let granted = granted().ok();
        Self {
            receive: granted.map(|[receive, _]| receive),
            send: granted.map(|[_, send]| send),
            limits: ["/proc/sys/net/core/rmem_max", "/proc/sys/net/core/wmem_max"].map(number),
        }
    }

    /// Reports the buffer sizes.
    pub fn check(&self) -> Check {
        let name = "Socket buffers";
        let (Some(receive), Some(send)) = (self.receive, self.send) else {
            return Check::new(
                State::Unknown,
                name,
                "no UDP socket can be opened",
                "Nothing is known.",
            );
        };
        let saw = format!("{} to receive, {} to send", bytes(receive), bytes(send));
        if receive.min(send) >= ENOUGH {
            return Check::new(State::Ok, name, saw, "Bursts find room.");
        }
        let sysctls: Vec<String> = [("rmem_max", self.limits[0]), ("wmem_max", self.limits[1])]
            .iter()
            .filter_map(|(key, limit)| Some(format!("net.core.{key}={}", (*limit)?)))
            .collect();
        let saw = match sysctls.is_empty() {
            true => saw,
            false => format!("{saw} ({})", sysctls.join(", ")),
        };
        let means = "Bursts of a fast network are lost when they find no room, and throughput \
                     suffers; slow networks do not mind.";
        Check::new(State::Warn, name, saw, means).fix(
            "sudo sysctl net.core.rmem_max=8388608 net.core.wmem_max=8388608, on the host of a \
             container",
        )
    }
}

/// The granted buffers for Sheave's default request. The kernel doubles them for its overhead.
fn granted() -> io::Result<[u64; 2]> {
    let wanted = Config::default().socket_buffer;
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_recv_buffer_size(wanted)?;
    socket.set_send_buffer_size(wanted)?;
    let sizes = [socket.recv_buffer_size()?, socket.send_buffer_size()?];
    Ok(sizes.map(|size| u64::try_from(size).unwrap_or(u64::MAX) / 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffers(receive: u64, send: u64) -> Buffers {
        Buffers {
            receive: Some(receive),
            send: Some(send),
            limits: [Some(212_992), Some(212_992)],
        }
    }

    #[test]
    fn the_smaller_buffer_decides() {
        assert_eq!(buffers(8 << 20, 8 << 20).check().state, State::Ok);
        assert_eq!(buffers(8 << 20, 212_992).check().state, State::Warn);
        assert_eq!(buffers(212_992, 8 << 20).check().state, State::Warn);
    }

    #[test]
    fn small_buffers_name_the_limits() {
        let check = buffers(212_992, 212_992).check();
        assert!(
            check.saw.contains("net.core.rmem_max=212992"),
            "{}",
            check.saw
        );
        assert!(check.fix.unwrap().contains("net.core.wmem_max=8388608"));
    }
}
