//! UDP segmentation offload: several packets per system call.

use std::net::{Ipv4Addr, UdpSocket};

use quinn_udp::UdpSocketState;

use crate::doctor::check::{Check, State};

/// Most packets per system call; 1 without offload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offload {
    /// With GSO; `None` if no socket could be opened.
    pub send: Option<usize>,
    /// With GRO.
    pub receive: Option<usize>,
}

impl Offload {
    /// Tests a socket on the loopback interface.
    pub fn look() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).ok();
        let state = socket.and_then(|socket| UdpSocketState::new((&socket).into()).ok());
        Self {
            send: state.as_ref().map(UdpSocketState::max_gso_segments),
            receive: state.as_ref().map(UdpSocketState::gro_segments),
        }
    }

    /// Reports UDP offload.
    pub fn check(&self) -> Check {
        let name = "UDP offload";
        let word = |segments: usize| match segments {
            0 | 1 => "no".to_owned(),
            many => format!("up to {many} packets a call"),
        };
        let (Some(send), Some(receive)) = (self.send, self.receive) else {
            return Check::new(
                State::Unknown,
                name,
                "no UDP socket can be opened",
                "Nothing is known.",
            );
        };
        let saw = format!("GSO {}, GRO {}", word(send), word(receive));
        match send.min(receive) {
            0 | 1 => Check::new(
                State::Warn,
                name,
                saw,
                "Each packet costs a system call: throughput is a fraction of what it could be.",
            )
            .fix("a kernel from 5.0 on, without a sandbox between"),
            _ => Check::new(State::Ok, name, saw, "Trains of packets cost one call."),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_half_missing_is_to_be_known() {
        let state = |send, receive| {
            let (send, receive) = (Some(send), Some(receive));
            Offload { send, receive }.check().state
        };
        assert_eq!(state(64, 64), State::Ok);
        assert_eq!(state(64, 1), State::Warn);
        assert_eq!(state(1, 64), State::Warn);
    }
}
