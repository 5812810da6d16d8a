//! Adapter for the crate `is`, used only in this file.

use std::net::SocketAddr;
use std::time::Instant;

use hmac::{Hmac, KeyInit, Mac};
use is::stun::{StunMessage, StunPacket};
use is::{
    Candidate, IceAgent, IceAgentEvent, IceConnectionState, IceCreds, Protocol, Sha1HmacProvider,
};
use sha1::Sha1;

use crate::{Description, IceMode};

/// An event of the ICE agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The selected pair of addresses.
    Route {
        local: SocketAddr,
        remote: SocketAddr,
    },
    /// The peer is unreachable.
    Lost,
    /// The peer at that address has proved that it knows the credentials.
    Heard(SocketAddr),
}

/// The ICE agent of a connection, with host candidates only.
pub(crate) struct Ice {
    agent: IceAgent,
    started: bool,
    /// Every pair has failed since the last selected one.
    lost: bool,
}

/// A datagram from the agent.
pub(crate) struct Check {
    pub(crate) local: SocketAddr,
    pub(crate) remote: SocketAddr,
    pub(crate) bytes: Vec<u8>,
}

impl Ice {
    /// Creates an agent for these addresses; returns an address that cannot be a host candidate.
    pub(crate) fn new(mode: IceMode, addresses: &[SocketAddr]) -> Result<Self, SocketAddr> {
        let mut agent = IceAgent::with_hmac(IceCreds::new(), &StunIntegrity);
        agent.set_ice_lite(mode == IceMode::Lite);
        for &address in addresses {
            let candidate = Candidate::host(address, "udp").map_err(|_| address)?;
            agent.add_local_candidate(candidate);
        }
        Ok(Self {
            agent,
            started: false,
            lost: false,
        })
    }

    pub(crate) fn credentials(&self) -> (String, String) {
        let credentials = self.agent.local_credentials();
        (credentials.ufrag.clone(), credentials.pass.clone())
    }

    /// The local candidates: the text after `a=`.
    pub(crate) fn candidates(&self) -> Vec<String> {
        let candidates = self.agent.local_candidates();
        candidates
            .map(|candidate| candidate.to_sdp_string())
            .collect()
    }

    /// Starts connecting to the described peer.
    pub(crate) fn start(&mut self, now: Instant, peer: &Description, controlling: Controlling) {
        self.agent.set_controlling(controlling == Controlling::Yes);
        self.agent.set_remote_credentials(IceCreds {
            ufrag: peer.ufrag.clone(),
            pass: peer.password.clone(),
        });
        let own = self.candidates();
        for candidate in &peer.candidates {
            // An answer may copy unknown attributes of the offer.
            if !own.contains(candidate) {
                self.add_remote(candidate);
            }
        }
        self.started = true;
        self.agent.handle_timeout(now);
    }

    /// Adds a candidate of the peer. Candidates without an IP address, or not for UDP, are ignored:
    /// the peer's own checks reveal its address.
    pub(crate) fn add_remote(&mut self, candidate: &str) {
        if let Ok(candidate) = Candidate::from_sdp_string(candidate) {
            self.agent.add_remote_candidate(candidate);
        }
    }

    pub(crate) fn handle(
        &mut self,
        now: Instant,
        (local, remote): (SocketAddr, SocketAddr),
        datagram: &[u8],
    ) {
        let Ok(message) = StunMessage::parse(datagram) else {
            return;
        };
        let packet = StunPacket {
            proto: Protocol::Udp,
            source: remote,
            destination: local,
            message,
        };
        if self.agent.handle_packet(now, packet) && self.started {
            self.agent.handle_timeout(now);
        }
    }

    pub(crate) fn handle_timeout(&mut self, now: Instant) {
        self.agent.handle_timeout(now);
    }

    /// The agent reports no deadline before its first timeout is handled. The connection handles
    /// one at the start, since checks of the peer may precede its description.
    pub(crate) fn poll_timeout(&mut self) -> Option<Instant> {
        self.agent.poll_timeout().filter(|_| self.started)
    }

    pub(crate) fn poll_transmit(&mut self) -> Option<Check> {
        let transmit = self.agent.poll_transmit()?;
        Some(Check {
            local: transmit.source,
            remote: transmit.destination,
            bytes: transmit.contents.into(),
        })
    }

    pub(crate) fn poll_news(&mut self) -> Option<News> {
        loop {
            match self.agent.poll_event()? {
                IceAgentEvent::NominatedSend {
                    source,
                    destination,
                    ..
                } => {
                    let (local, remote) = (source, destination);
                    self.lost = false;
                    return Some(News::Route { local, remote });
                }
                // With all pairs failed, the agent would stop for good. But the peer's user may
                // still be carrying our description by hand, or connectivity may return.
                IceAgentEvent::IceConnectionStateChange(IceConnectionState::Disconnected) => {
                    self.agent.recreate_candidate_pairs();
                    if !std::mem::replace(&mut self.lost, true) {
                        return Some(News::Lost);
                    }
                }
                IceAgentEvent::DiscoveredRecv { source, .. } => return Some(News::Heard(source)),
                _ => {}
            }
        }
    }
}

/// Whether this end nominates the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controlling {
    Yes,
    No,
}

/// The HMAC of STUN's MESSAGE-INTEGRITY (RFC 8489 §14.5).
#[derive(Debug)]
struct StunIntegrity;

impl Sha1HmacProvider for StunIntegrity {
    fn sha1_hmac(&self, key: &[u8], payloads: &[&[u8]]) -> [u8; 20] {
        // HMAC accepts a key of any length.
        let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(key) else {
            return [0; 20];
        };
        for payload in payloads {
            mac.update(payload);
        }
        mac.finalize().into_bytes().into()
    }
}
