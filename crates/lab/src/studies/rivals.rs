//! The TCPs that SCTP is compared with.
//!
//! The papers' TCP was Linux's of 2005 and 2006. It is the one that judges a claim; the letter of
//! the RFCs and a Linux of today stand beside it.

use core::time::Duration;

use sheave_sim::tcp::{Acknowledgement, Congestion, Counting, InitialWindow, Nagle, Options};

use crate::{Judgement, Quantity, Rule, Summary};

/// The letter of the RFCs: least timeout 1 s, NewReno.
pub(super) const RFC: &str = "tcp, RFC";
/// Linux of the papers' time.
pub(super) const THEN: &str = "tcp, Linux 2.6";
/// Linux of today.
pub(super) const TODAY: &str = "tcp, Linux today";
/// All of them, the judged one first.
pub(super) const ALL: [&str; 3] = [THEN, RFC, TODAY];

/// Sheave's default profile, beside [`TODAY`].
pub(super) const SCTP_TODAY: &str = "sctp, today";

/// The time that both sides of a comparison are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    /// The papers' SCTP and parameters, and Linux's TCP of their time.
    Papers,
    /// Sheave's default profile, and Linux's TCP of today.
    Today,
}

impl Era {
    /// The TCP that judges.
    pub(super) const fn tcp(self) -> &'static str {
        match self {
            Self::Papers => THEN,
            Self::Today => TODAY,
        }
    }

    /// The SCTP beside it: `then`, or that of today.
    pub(super) const fn sctp(self, then: &'static str) -> &'static str {
        match self {
            Self::Papers => then,
            Self::Today => SCTP_TODAY,
        }
    }
}

/// The options of one of them, without Nagle's algorithm; of [`RFC`] for any other name.
pub(super) fn options(name: &str) -> Options {
    let options = match name {
        THEN => linux_then(),
        TODAY => Options::linux_like(),
        _ => Options::default(),
    };
    Options {
        nagle: Nagle::Off,
        ..options
    }
}

/// Linux 2.6.16 and its neighbours. BIC, their default, grows as NewReno does below windows of 14
/// packets, which is where losses keep them here; it is not rebuilt.
fn linux_then() -> Options {
    Options {
        congestion: Congestion::NewReno,
        counting: Counting::Acknowledgements,
        initial_window: InitialWindow::Rfc5681,
        rto_initial: Duration::from_secs(3),
        rto_min: Duration::from_millis(200),
        rto_max: Duration::from_secs(120),
        acknowledgement: Acknowledgement::Delayed {
            segments: 2,
            timeout: Duration::from_millis(40),
        },
        ..Options::default()
    }
}

/// The three as the words of the studies have them.
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

/// The rule of a claim that is judged with both sides of the papers' time, and with those of today.
pub(super) fn rule(id: &str, judge: fn(&Summary, Era) -> Option<Judgement>) -> Rule {
    Rule::new(id, move |summary| judge(summary, Era::Papers))
        .today(move |summary| judge(summary, Era::Today))
}
