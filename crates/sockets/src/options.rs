//! Socket options (RFC 6458 §8).

mod auth;
mod change;
mod extensions;
mod notifications;
mod own;
mod paths;
mod primary;
mod protection;
mod query;
mod reports;
mod socket_level;
mod streams;
mod values;

pub(crate) use self::change::Change;
pub(crate) use self::query::Query;
