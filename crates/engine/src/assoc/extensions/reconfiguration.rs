//! Resetting and adding streams during an association (RFC 6525).

mod dialogue;
mod peer;
mod requests;

pub(crate) use self::dialogue::{
    Ask, Dialogue, OutstandingRequest, Progress, ReConfigAnswer, ReConfigSequence, RequestKind,
    Stage,
};
