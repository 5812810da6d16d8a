//! An association: its state (`tcb`), and the procedures that change it, one file each; extensions
//! have a folder each in `extensions`.

mod acceptance;
mod accounting;
mod buffers;
mod chunk_counts;
mod control;
mod copies;
mod delivery_rate;
mod dispatch;
mod early_data;
pub(crate) mod extensions;
mod failover;
mod handover;
mod handshake;
mod hedging;
mod input;
mod output;
mod paths;
mod refusals;
mod retune;
mod shutdown;
mod sources;
mod stale_data;
mod tcb;
mod timeouts;
mod unanswered;

pub(crate) use self::accounting::{Birthplace, Queued};
pub(crate) use self::early_data::may_be_answered_late;
pub(crate) use self::handshake::{Opener, advertised};
pub(crate) use self::input::{Incoming, Proof, WellFormed, leading_asconf};
pub(crate) use self::output::Outlet;
pub(crate) use self::shutdown::{Ending, Farewell};
pub(crate) use self::sources::pair;
pub(crate) use self::tcb::{Context, Tcb};
