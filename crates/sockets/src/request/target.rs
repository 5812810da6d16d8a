//! The receivers of messages.

use core::net::{IpAddr, SocketAddr};

use crate::abi::Refusal;
use crate::control::Controls;
use crate::lookup::Lookup;
use crate::socket::{Fate, Kind};
use crate::{AssocId32, Domain, Errno, SendCall};

/// The receiver of a message.
pub(crate) enum Target {
    Known(AssocId32),
    /// A new peer with whom the message starts an association (RFC 6458 §7.5).
    New(Vec<SocketAddr>),
    /// Every association of a one-to-many socket.
    All(Vec<AssocId32>),
}

impl Target {
    /// The existing associations.
    pub(crate) fn associations(&self) -> &[AssocId32] {
        match self {
            Self::Known(number) => core::slice::from_ref(number),
            Self::All(numbers) => numbers,
            Self::New(_) => &[],
        }
    }
}

impl Lookup<'_> {
    /// Finds the receiver as Linux does.
    pub(crate) fn target(&self, call: &SendCall<'_>, controls: &Controls) -> Result<Target, Errno> {
        let socket = self.socket;
        let flags = self.abi.send_flags();
        let said = controls.send_flags();
        let destination = call.destination.filter(|_| socket.kind != Kind::PeeledOff);
        let is_of_family = |ip: &IpAddr| socket.domain == Domain::V6 || ip.is_ipv4();
        if destination.is_some_and(|to| !is_of_family(&to.ip()) || !socket.reaches(&to.ip())) {
            return Err(Errno::EINVAL);
        }
        if socket.kind == Kind::OneToMany && said & flags.send_all != 0 {
            // Like Linux, skips associations that are not up.
            let all = socket.assocs.iter().copied();
            return Ok(Target::All(
                all.filter(|number| self.associations.is_up(*number))
                    .collect(),
            ));
        }
        let Some(destination) = destination else {
            let number = match socket.kind {
                Kind::OneToMany => controls.send.map_or(0, |send| send.assoc),
                _ => match socket.only_assoc() {
                    Some(number) => number,
                    None => return Err(Errno::EPIPE),
                },
            };
            if socket.assocs.contains(&number) {
                return Ok(Target::Known(number));
            }
            return Err(Errno::EPIPE);
        };
        if let Some(number) = self.assoc_with(destination) {
            return Ok(Target::Known(number));
        }
        if said & (flags.end | flags.abort) != 0 {
            return Err(Errno::EINVAL);
        }
        if socket.fate == Fate::EndedWaiting && socket.peer == Some(destination) {
            return Err(Errno::EPIPE);
        }
        if socket.kind == Kind::OneToOne && (!socket.assocs.is_empty() || socket.fate != Fate::None)
        {
            return Err(Errno::EADDRNOTAVAIL);
        }
        let mut addresses = vec![destination];
        for ip in &controls.destinations {
            addresses.push(SocketAddr::new((*ip)?, destination.port()));
        }
        Ok(Target::New(addresses))
    }

    /// Finds the receiver as FreeBSD does: a socket with one association ignores the address.
    pub(crate) fn target_of_free_bsd(
        &self,
        call: &SendCall<'_>,
        controls: &Controls,
    ) -> Result<Target, Errno> {
        let socket = self.socket;
        let flags = self.abi.send_flags();
        let said = controls.send_flags();
        let overrides = said & flags.address_override != 0;
        let is_no_policy = |(policy, _)| policy > flags.retransmissions;
        if controls.policy.is_some_and(is_no_policy)
            || said & flags.policies > flags.retransmissions
        {
            return Err(Errno::EINVAL);
        }
        if said & flags.send_all != 0 {
            return Ok(Target::All(socket.assocs.iter().copied().collect()));
        }
        if overrides && call.destination.is_none() {
            return Err(Errno::EINVAL);
        }
        let named = controls.send.map_or(0, |send| send.assoc);
        let named = socket.assocs.get(&named).copied();
        let addressed = || {
            call.destination
                .and_then(|address| self.assoc_with(address))
        };
        let known = socket.only_assoc().or(named).or_else(addressed);
        match (known, call.destination) {
            (Some(number), Some(address)) if overrides => {
                // Port 0 means the port of the association.
                let has = self.associations.get(number).is_some_and(|found| {
                    if ![0, found.peer.port()].contains(&address.port()) {
                        return false;
                    }
                    let ip = address.ip().to_canonical();
                    found.has_address(self.endpoint, ip)
                });
                has.then_some(Target::Known(number)).ok_or(Errno::EINVAL)
            }
            (Some(number), _) => Ok(Target::Known(number)),
            (None, None) => Err(self.abi.refusal(Refusal::SendToNobody)),
            (None, Some(_)) if said & (flags.end | flags.abort) != 0 => {
                Err(self.abi.refusal(Refusal::EndOfNothing))
            }
            (None, Some(address)) => Ok(Target::New(vec![address])),
        }
    }
}
