//! Random networks and users over the whole feature set, with invariants that must always hold.
//!
//! A [`plan`] is drawn from a seed (`draw`), executed (`world`), watched by oracles (`ledger`,
//! `packets`, `window`, `bounds`, `silence`, `rest`) and, should one of them object, made smaller (`shrink`).
//!
//! Faults were planted in the engine, one at a time, to measure the oracles:
//!
//! | fault | oracle | in 2,000 seeds |
//! | --- | --- | --- |
//! | T3-rtx does not mark chunks sent twice | stall, liveness | 163 |
//! | abandoned messages are not settled | stall, liveness, rest | 229 |
//! | a marked chunk stays in flight | none: T3-rtx corrects it within a second | 0 |
//! | a marked chunk does not count against the peer's window | window | 2 |
//! | the advertised window is the whole buffer | none; `advertised` was added since | 0 |
//! | AUTH is missing in packets with control chunks | auth | 11 |
//! | a closed window is not probed | stall, silence, one path | 21 |
//! | revoked chunks are not retransmitted | stall | 6 |
//! | the release of a key used by messages is not reported | stall | 1 |
//! | under go-back-N, messages abandoned behind a skip are not settled | none: see `scenarios/partial` | 0 |
//! | any HMAC is accepted | none: no packet is forged here, see `scenarios/authentication` | 0 |

#![allow(
    dead_code,
    unused_imports,
    reason = "the tests and the example that share this use different parts of it"
)]
#![allow(
    clippy::cast_possible_truncation,
    reason = "indices and small numbers of a plan"
)]

mod acts;
mod bounds;
#[path = "../../scenarios/protection/cipher.rs"]
mod cipher;
mod coverage;
mod draw;
mod driver;
mod failover;
mod fault;
mod features;
mod host;
mod ledger;
#[path = "../../scenarios/world/link.rs"]
mod link;
mod manager;
mod meddling;
mod middlebox;
mod net;
mod packets;
mod plan;
mod policies;
mod proof;
mod quiet;
#[path = "../../scenarios/world/random.rs"]
mod random;
mod rest;
mod search;
mod sender;
mod shrink;
mod silence;
#[cfg(test)]
mod tests;
mod verbs;
mod window;
mod world;
mod wrap;

pub(crate) use fault::Fault;
pub(crate) use plan::Plan;
pub(crate) use search::{Found, News, Outcome, Search, attempt, traced};
pub(crate) use shrink::shrink;
