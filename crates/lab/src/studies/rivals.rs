//! The two eras of transports that claims are judged for.

use crate::{Judgement, Rule, Summary};

/// Sheave's default profile, in the names of variants.
pub(super) const SCTP_TODAY: &str = "sctp, today";

/// The time from which both sides of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The papers' SCTP and parameters, and Linux's TCP of their time.
    Papers,
    /// Sheave's default profile, and today's Linux TCP.
    Today,
}

/// The rule of a claim that is judged for transports of the papers' time and for today's.
pub(super) fn rule(id: &str, judge: fn(&Summary, Era) -> Option<Judgement>) -> Rule {
    Rule::new(id, move |summary| judge(summary, Era::Papers))
        .today(move |summary| judge(summary, Era::Today))
}
