use std::format;
use std::string::String;

use super::{Transition, Trigger};
use crate::Phase;

pub(crate) const PHASES: [Phase; 7] = [
    Phase::CookieWait,
    Phase::CookieEchoed,
    Phase::Established,
    Phase::ShutdownPending,
    Phase::ShutdownSent,
    Phase::ShutdownReceived,
    Phase::ShutdownAckSent,
];

const TRIGGERS: [Trigger; 15] = [
    Trigger::InitAckAccepted,
    Trigger::CookieAckReceived,
    Trigger::CookieEchoAccepted,
    Trigger::StaleCookieReported,
    Trigger::PeerRestarted,
    Trigger::UserShutdown,
    Trigger::AllDataAcknowledged,
    Trigger::ShutdownReceived,
    Trigger::ShutdownAckReceived,
    Trigger::ShutdownCompleteReceived,
    Trigger::AbortReceived,
    Trigger::UserAbort,
    Trigger::PeerFault,
    Trigger::RetransmissionsExceeded,
    Trigger::ShutdownGuardExpired,
];

fn cell(transition: Transition) -> String {
    match transition {
        Transition::To(phase) => format!("{phase:?}"),
        Transition::Close => "(closed)".into(),
        Transition::Stay => "stay".into(),
        Transition::Later => "later".into(),
        Transition::Ignore => "-".into(),
    }
}

fn row(head: &str, cells: impl Iterator<Item = String>) -> String {
    let cells: String = cells.map(|cell| format!(" {cell:<16}")).collect();
    format!("{}\n", format!("{head:<24}{cells}").trim_end())
}

fn table() -> String {
    let head = row("", PHASES.iter().map(|phase| format!("{phase:?}")));
    let rows = TRIGGERS.iter().map(|trigger| {
        let cells = PHASES.iter().map(|phase| cell(phase.next(*trigger)));
        row(&format!("{trigger:?}"), cells)
    });
    core::iter::once(head).chain(rows).collect()
}

#[test]
fn the_whole_table_is_as_checked_in() {
    let table = table();
    assert_eq!(
        table,
        include_str!("table.txt"),
        "the table is now:\n{table}"
    );
}

#[test]
fn a_message_is_taken_only_before_a_shutdown_begins() {
    for phase in PHASES {
        assert_eq!(
            phase.takes_messages(),
            phase <= Phase::Established,
            "{phase:?}"
        );
    }
}

#[test]
fn data_flows_in_the_phases_of_section_6() {
    use Phase::*;
    let phases = |holds: fn(Phase) -> bool| PHASES.into_iter().filter(move |phase| holds(*phase));
    assert!(
        phases(Phase::sends_data).eq([Established, ShutdownPending, ShutdownReceived]),
        "sends"
    );
    assert!(
        phases(Phase::receives_data).eq([Established, ShutdownPending, ShutdownSent]),
        "receives"
    );
    assert!(
        phases(Phase::takes_sack).eq([
            CookieEchoed,
            Established,
            ShutdownPending,
            ShutdownReceived
        ]),
        "takes SACK"
    );
}
