//! The TCP variants compared with SCTP.
//!
//! The papers used Linux's TCP of 2005 and 2006. Claims are judged with that one; TCP exactly as in
//! the RFCs and today's Linux TCP are measured in addition.

use sheave_sim::tcp::{Nagle, Options};

use crate::{Judgement, Quantity, Rule, Summary};

/// TCP exactly as in the RFCs: minimum RTO of 1 s, NewReno.
pub(super) const RFC: &str = "tcp, RFC";
/// Linux at the papers' time.
pub(super) const THEN: &str = "tcp, Linux 2.6";
pub(super) const TODAY: &str = "tcp, Linux today";
/// The variants; the first one is used for judging.
pub(super) const ALL: [&str; 3] = [THEN, RFC, TODAY];

/// Sheave's default profile, compared with [`TODAY`].
pub(super) const SCTP_TODAY: &str = "sctp, today";

/// The time from which both sides of a comparison are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The papers' SCTP and parameters, and Linux's TCP of their time.
    Papers,
    /// Sheave's default profile, and today's Linux TCP.
    Today,
}

impl Era {
    /// The TCP used for judging.
    pub(super) const fn tcp(self) -> &'static str {
        match self {
            Self::Papers => THEN,
            Self::Today => TODAY,
        }
    }

    /// The SCTP variant for the comparison: `then`, or today's.
    pub(super) const fn sctp(self, then: &'static str) -> &'static str {
        match self {
            Self::Papers => then,
            Self::Today => SCTP_TODAY,
        }
    }
}

/// The options of a variant, without Nagle's algorithm; those of [`RFC`] for an unknown name.
pub(super) fn options(name: &str) -> Options {
    let options = match name {
        THEN => Options::linux_2006(),
        TODAY => Options::linux_like(),
        _ => Options::default(),
    };
    Options {
        nagle: Nagle::Off,
        ..options
    }
}

/// Descriptions of the three variants for the texts of the studies.
pub(super) fn quantities() -> Vec<Quantity> {
    [
        ("tcp_of_the_rfcs", "least timeout 1 s, NewReno with SACK"),
        (
            "tcp_of_2006",
            "least timeout 200 ms, first timeout 3 s, three segments to begin with, growth by \
             acknowledgements, NewReno (for BIC, which differs above 14 packets) with SACK, \
             acknowledgements 40 ms late at most",
        ),
        (
            "tcp_of_today",
            "200 ms, ten segments to begin with, CUBIC with HyStart, RACK-TLP, timestamps",
        ),
    ]
    .map(|(name, tcp)| (name, tcp.to_owned()))
    .to_vec()
}

/// The rule of a claim that is judged for transports of the papers' time and for today's.
pub(super) fn rule(id: &str, judge: fn(&Summary, Era) -> Option<Judgement>) -> Rule {
    Rule::new(id, move |summary| judge(summary, Era::Papers))
        .today(move |summary| judge(summary, Era::Today))
}
