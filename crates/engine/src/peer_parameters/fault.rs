use alloc::vec::Vec;

use sheave_wire::{Cause, List, Parameter, ParameterType, TagReflection};

use crate::value::protection::Disagreement;

/// Most bytes of a host name echoed to the peer.
const MAX_ECHOED_NAME: usize = 256;

/// A fault in an INIT or INIT ACK, with the answer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParameterFault {
    /// The action to take.
    pub(crate) answer: FaultAnswer,
    /// The fault found.
    pub(crate) flaw: Flaw,
}

/// The action on a faulty INIT or INIT ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultAnswer {
    /// Drop the packet silently.
    Discard,
    /// Drop the packet and send ABORT with the chunk's initiate tag as verification tag, T bit 0.
    /// An existing association is unaffected.
    Refuse,
    /// Destroy the TCB in COOKIE-WAIT and send ABORT: with the chunk's initiate tag for
    /// [`TagReflection::Own`], with the packet's verification tag for [`TagReflection::Reflected`].
    GiveUp(TagReflection),
}

/// A fault of an INIT or INIT ACK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The initiate tag is 0.
    ZeroTag,
    /// The receive window is below 1500 bytes.
    SmallWindow,
    /// No outbound or no inbound streams.
    NoStreams,
    /// A parameter is malformed; describes how.
    Malformed(&'static str),
    /// A Host Name Address, no longer allowed; contains the whole parameter.
    HostName(Vec<u8>),
    /// INIT ACK without a State Cookie.
    MissingCookie,
    /// The peer does not authenticate, which we require.
    Unauthenticated,
    /// We require protection, and cannot agree on keys with the peer.
    Unprotected(Disagreement),
}

impl Flaw {
    /// The fault of a Host Name Address with this value.
    pub(super) fn host_name(name: &[u8]) -> Self {
        let mut whole = Vec::new();
        let name = name.get(..MAX_ECHOED_NAME).unwrap_or(name);
        Parameter::HostNameAddress(name).write(&mut whole);
        Self::HostName(whole)
    }
}

impl ParameterFault {
    /// A fault of an INIT, answered as RFC 9260 §3.3.2 requires.
    pub(crate) fn in_init(flaw: Flaw) -> Self {
        let answer = match flaw {
            Flaw::ZeroTag => FaultAnswer::Discard,
            Flaw::SmallWindow
            | Flaw::NoStreams
            | Flaw::Malformed(_)
            | Flaw::HostName(_)
            | Flaw::MissingCookie
            | Flaw::Unauthenticated
            | Flaw::Unprotected(_) => FaultAnswer::Refuse,
        };
        Self { answer, flaw }
    }

    /// A fault of an INIT ACK, answered as RFC 9260 §3.3.3 requires.
    pub(crate) fn in_init_ack(flaw: Flaw) -> Self {
        let answer = match flaw {
            Flaw::ZeroTag => FaultAnswer::GiveUp(TagReflection::Reflected),
            // The state must not change; INIT is retransmitted.
            Flaw::SmallWindow => FaultAnswer::Refuse,
            Flaw::NoStreams
            | Flaw::Malformed(_)
            | Flaw::HostName(_)
            | Flaw::MissingCookie
            | Flaw::Unauthenticated
            | Flaw::Unprotected(_) => FaultAnswer::GiveUp(TagReflection::Own),
        };
        Self { answer, flaw }
    }

    /// The error cause for the ABORT.
    pub(crate) fn cause(&self) -> Cause<'_> {
        const COOKIE: &[u16] = &[ParameterType::STATE_COOKIE.0];
        const VECTOR: &[u16] = &[ParameterType::RANDOM.0, ParameterType::REQUESTED_HMACS.0];
        match &self.flaw {
            Flaw::ZeroTag | Flaw::SmallWindow | Flaw::NoStreams => Cause::InvalidMandatoryParameter,
            Flaw::Malformed(what) => Cause::ProtocolViolation(what.as_bytes()),
            Flaw::HostName(whole) => Cause::UnresolvableAddress(whole),
            Flaw::Unauthenticated => Cause::MissingMandatoryParameter(List::from(VECTOR)),
            Flaw::Unprotected(disagreement) => disagreement.cause(),
            Flaw::MissingCookie => Cause::MissingMandatoryParameter(List::from(COOKIE)),
        }
    }

    /// The violated rule, in words.
    pub(crate) const fn rule(&self) -> &'static str {
        match &self.flaw {
            Flaw::ZeroTag => "the initiate tag is not 0",
            Flaw::SmallWindow => "the receive window is at least 1500 bytes",
            Flaw::NoStreams => "there is at least one stream each way",
            Flaw::Malformed(what) => what,
            Flaw::HostName(_) => "host names are not addresses",
            Flaw::Unauthenticated => "chunks are authenticated",
            Flaw::Unprotected(disagreement) => disagreement.rule(),
            Flaw::MissingCookie => "INIT ACK carries a State Cookie",
        }
    }
}
