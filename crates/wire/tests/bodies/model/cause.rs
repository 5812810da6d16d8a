use arbitrary::Arbitrary;
use sheave_wire::{Cause, Causes, List, StreamId, Tsn};

use super::{Opaque, Several};

#[derive(Arbitrary, Debug)]
pub(crate) enum CauseModel {
    InvalidStreamIdentifier(u16),
    MissingMandatoryParameter(Several<u16>),
    StaleCookie(u32),
    OutOfResource,
    UnresolvableAddress(Opaque),
    UnrecognizedChunkType(Opaque),
    InvalidMandatoryParameter,
    UnrecognizedParameters(Opaque),
    NoUserData(u32),
    CookieReceivedWhileShuttingDown,
    RestartWithNewAddresses(Opaque),
    UserInitiatedAbort(Opaque),
    ProtocolViolation(Opaque),
    DeleteLastAddress(Opaque),
    ResourceShortage(Opaque),
    DeleteSourceAddress(Opaque),
    IllegalAsconfAck,
    NotAuthorized(Opaque),
    UnsupportedHmac(u16),
    RestartWithNewEncapsulationPort { current: u16, new: u16 },
    MissingDtlsSupport,
    NoCommonKeyManagement,
    TieBreakerCollision,
    IncompatibleRoles,
    Unknown { code: u16, value: Opaque },
}

impl CauseModel {
    pub(super) fn cause(&self) -> Cause<'_> {
        match self {
            Self::InvalidStreamIdentifier(stream) => {
                Cause::InvalidStreamIdentifier(StreamId(*stream))
            }
            Self::MissingMandatoryParameter(types) => {
                Cause::MissingMandatoryParameter(List::from(&types[..]))
            }
            Self::StaleCookie(staleness) => Cause::StaleCookie {
                staleness: *staleness,
            },
            Self::OutOfResource => Cause::OutOfResource,
            Self::UnresolvableAddress(value) => Cause::UnresolvableAddress(value),
            Self::UnrecognizedChunkType(value) => Cause::UnrecognizedChunkType(value),
            Self::InvalidMandatoryParameter => Cause::InvalidMandatoryParameter,
            Self::UnrecognizedParameters(value) => Cause::UnrecognizedParameters(value),
            Self::NoUserData(tsn) => Cause::NoUserData(Tsn(*tsn)),
            Self::CookieReceivedWhileShuttingDown => Cause::CookieReceivedWhileShuttingDown,
            Self::RestartWithNewAddresses(value) => Cause::RestartWithNewAddresses(value),
            Self::UserInitiatedAbort(value) => Cause::UserInitiatedAbort(value),
            Self::ProtocolViolation(value) => Cause::ProtocolViolation(value),
            Self::DeleteLastAddress(value) => Cause::DeleteLastAddress(value),
            Self::ResourceShortage(value) => Cause::ResourceShortage(value),
            Self::DeleteSourceAddress(value) => Cause::DeleteSourceAddress(value),
            Self::IllegalAsconfAck => Cause::IllegalAsconfAck,
            Self::NotAuthorized(value) => Cause::NotAuthorized(value),
            Self::UnsupportedHmac(id) => Cause::UnsupportedHmac(*id),
            Self::RestartWithNewEncapsulationPort { current, new } => {
                Cause::RestartWithNewEncapsulationPort {
                    current: *current,
                    new: *new,
                }
            }
            Self::MissingDtlsSupport => Cause::MissingDtlsSupport,
            Self::NoCommonKeyManagement => Cause::NoCommonKeyManagement,
            Self::TieBreakerCollision => Cause::TieBreakerCollision,
            Self::IncompatibleRoles => Cause::IncompatibleRoles,
            Self::Unknown { code, value } => {
                // Known codes are below 0x200.
                let code = if *code < 0x200 { code | 0x4000 } else { *code };
                Cause::Unknown { code, value }
            }
        }
    }
}

pub(super) fn with_causes(models: &[CauseModel], f: impl FnOnce(Causes<'_>)) {
    let causes: Vec<Cause<'_>> = models.iter().map(CauseModel::cause).collect();
    f(Causes::from(&causes[..]));
}
