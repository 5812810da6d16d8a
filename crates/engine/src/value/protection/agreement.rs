use alloc::boxed::Box;
use alloc::vec::Vec;

use sheave_wire::{Cause, KeyManagement, Parameter, dtls};

use super::{KeyRoles, ProtectedRestart};

/// Methods that are taken from a parameter at most: as many as there are.
const MAX_METHODS: usize = 256;

/// Bytes of a parameter at most.
pub(crate) const MAX_PARAMETER_LEN: usize = 9 + MAX_METHODS;

/// The role of an end in the key management (§5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyRole {
    /// The end that begins.
    Client,
    /// The end that answers.
    Server,
}

impl KeyRole {
    const fn bit(self) -> u8 {
        match self {
            Self::Client => dtls::CLIENT_BIT,
            Self::Server => dtls::SERVER_BIT,
        }
    }

    /// The role of the other end.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

impl KeyRoles {
    const fn bits(self) -> u8 {
        match self {
            Self::Client => dtls::CLIENT_BIT,
            Self::Server => dtls::SERVER_BIT,
            Self::Either => dtls::CLIENT_BIT | dtls::SERVER_BIT,
        }
    }
}

/// The agreement of both ends on keys (§6.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyAgreement {
    /// Our role.
    pub role: KeyRole,
    /// The method of key management.
    pub method: u8,
    /// Whether both ends can restart the association under protection.
    pub restart: ProtectedRestart,
    /// DTLS Key Management as the client sent it, header included and padding not.
    pub client_parameter: Vec<u8>,
    /// DTLS Key Management as the server sent it.
    pub server_parameter: Vec<u8>,
}

/// DTLS Key Management of one end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyParameter {
    tie_breaker: u32,
    flags: u8,
    methods: Box<[u8]>,
}

/// DTLS Key Management of both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyParameters {
    pub(crate) ours: KeyParameter,
    pub(crate) theirs: KeyParameter,
}

/// The reason why two ends cannot agree on keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Disagreement {
    /// The peer does not protect packets.
    Missing,
    /// There is no method that both have.
    Method,
    /// Both can act only in the same role.
    Roles,
    /// Both drew the same number.
    TieBreaker,
}

impl Disagreement {
    pub(crate) const fn cause(self) -> Cause<'static> {
        match self {
            Self::Missing => Cause::MissingDtlsSupport,
            Self::Method => Cause::NoCommonKeyManagement,
            Self::Roles => Cause::IncompatibleRoles,
            Self::TieBreaker => Cause::TieBreakerCollision,
        }
    }

    pub(crate) const fn rule(self) -> &'static str {
        match self {
            Self::Missing => "packets are protected",
            Self::Method => "there is a common method of key management",
            Self::Roles => "one end manages keys as client and the other as server",
            Self::TieBreaker => "tie breakers differ",
        }
    }
}

impl KeyParameter {
    pub(crate) fn new(
        tie_breaker: u32,
        roles: KeyRoles,
        restart: ProtectedRestart,
        methods: &[u8],
    ) -> Self {
        let restart = match restart {
            ProtectedRestart::Off => 0,
            ProtectedRestart::On => dtls::RESTART_BIT,
        };
        Self {
            tie_breaker,
            flags: roles.bits() | restart,
            methods: methods.into(),
        }
    }

    /// Reads the peer's; `None` if it lists more methods than there are.
    pub(crate) fn of_peer(told: &KeyManagement<'_>) -> Option<Self> {
        (told.methods.len() <= MAX_METHODS).then(|| Self {
            tie_breaker: told.tie_breaker,
            flags: told.flags,
            methods: told.methods.into(),
        })
    }

    pub(crate) fn parameter(&self) -> Parameter<'_> {
        Parameter::DtlsKeyManagement(KeyManagement {
            tie_breaker: self.tie_breaker,
            flags: self.flags,
            methods: &self.methods,
        })
    }

    /// The bytes on the wire, header included and padding not.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(9 + self.methods.len());
        self.parameter().write(&mut bytes);
        bytes
    }

    /// Reads what [`bytes`](Self::bytes) wrote.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        match Parameter::parse(bytes).ok()? {
            Parameter::DtlsKeyManagement(told) => Self::of_peer(&told),
            _ => None,
        }
    }

    const fn can(&self, role: KeyRole) -> bool {
        self.flags & role.bit() != 0
    }
}

impl KeyParameters {
    /// The role and the method that both ends find, each by itself (§5.1).
    pub(crate) fn agree(&self) -> Result<KeyAgreement, Disagreement> {
        let (ours, theirs) = (&self.ours, &self.theirs);
        let fits = |role: KeyRole| ours.can(role) && theirs.can(role.other());
        let (server, client) = (fits(KeyRole::Server), fits(KeyRole::Client));
        if !ours.methods.iter().any(|one| theirs.methods.contains(one)) {
            return Err(Disagreement::Method);
        }
        let role = match (server, client) {
            (false, false) => return Err(Disagreement::Roles),
            (true, false) => KeyRole::Server,
            (false, true) => KeyRole::Client,
            // Each can act as either.
            (true, true) if ours.tie_breaker == theirs.tie_breaker => {
                return Err(Disagreement::TieBreaker);
            }
            (true, true) if ours.tie_breaker > theirs.tie_breaker => KeyRole::Server,
            (true, true) => KeyRole::Client,
        };
        let (client, server) = match role {
            KeyRole::Client => (ours, theirs),
            KeyRole::Server => (theirs, ours),
        };
        let mut methods = server.methods.iter();
        let method = methods.find(|method| client.methods.contains(method));
        let restarts = ours.flags & theirs.flags & dtls::RESTART_BIT != 0;
        Ok(KeyAgreement {
            role,
            method: *method.ok_or(Disagreement::Method)?,
            restart: match restarts {
                true => ProtectedRestart::On,
                false => ProtectedRestart::Off,
            },
            client_parameter: client.bytes(),
            server_parameter: server.bytes(),
        })
    }
}

#[cfg(test)]
mod tests;
