use alloc::vec::Vec;

use sheave_wire::{Cause, List, Parameter, ParameterType, TagReflection};

use crate::value::protection::Disagreement;

/// Most bytes of a host name that are sent back.
const MAX_ECHOED_NAME: usize = 256;

/// An INIT or INIT ACK that cannot make an association, and what it is answered with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParameterFault {
    /// The reaction.
    pub(crate) answer: FaultAnswer,
    /// The flaw.
    pub(crate) flaw: Flaw,
}

/// The reaction to a faulty INIT or INIT ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultAnswer {
    /// Drop the packet in silence.
    Discard,
    /// Drop the packet and send ABORT with the chunk's initiate tag as verification tag, T bit 0.
    /// An association that exists stays as it is.
    Refuse,
    /// Destroy the TCB that is in COOKIE-WAIT and send ABORT: with the chunk's initiate tag for
    /// [`TagReflection::Own`], with the packet's verification tag for
    /// [`TagReflection::Reflected`].
    GiveUp(TagReflection),
}

/// A flaw of an INIT or INIT ACK.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The initiate tag is 0.
    ZeroTag,
    /// The receive window is below 1500 bytes.
    SmallWindow,
    /// No outbound or no inbound streams.
    NoStreams,
    /// A parameter breaks its format in this way.
    Malformed(&'static str),
    /// A Host Name Address, which is no longer allowed: the parameter, whole.
    HostName(Vec<u8>),
    /// INIT ACK without a State Cookie.
    MissingCookie,
    /// The peer does not authenticate, which we insist on.
    Unauthenticated,
    /// The peer and we cannot agree on keys, on which we insist.
    Unprotected(Disagreement),
}

impl Flaw {
    /// The flaw of a Host Name Address with this value.
    pub(super) fn host_name(name: &[u8]) -> Self {
        let mut whole = Vec::new();
        let name = name.get(..MAX_ECHOED_NAME).unwrap_or(name);
        Parameter::HostNameAddress(name).write(&mut whole);
        Self::HostName(whole)
    }
}

impl ParameterFault {
    /// A flaw of an INIT, answered as RFC 9260 §3.3.2 wants.
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

    /// A flaw of an INIT ACK, answered as RFC 9260 §3.3.3 wants.
    pub(crate) fn in_init_ack(flaw: Flaw) -> Self {
        let answer = match flaw {
            Flaw::ZeroTag => FaultAnswer::GiveUp(TagReflection::Reflected),
            // No state may change for it; INIT is sent again.
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

    /// The cause to put into the ABORT.
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

    /// The broken rule, in words.
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
