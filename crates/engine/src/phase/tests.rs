use std::format;
use std::string::String;

use super::{Transition, Trigger};
use crate::Phase;

const PHASES: [Phase; 7] = [
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

/// The phase that a sequence of triggers leads to; `None` once the association is gone.
fn walk(from: Phase, triggers: &[Trigger]) -> Option<Phase> {
    triggers
        .iter()
        .try_fold(from, |phase, trigger| match phase.next(*trigger) {
            Transition::To(next) => Some(next),
            Transition::Close => None,
            Transition::Stay | Transition::Later | Transition::Ignore => Some(phase),
        })
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
fn a_handshake_leads_to_established_on_both_sides() {
    let connector = walk(
        Phase::BY_ASSOCIATE,
        &[Trigger::InitAckAccepted, Trigger::CookieAckReceived],
    );
    assert_eq!(connector, Some(Phase::Established));
    assert_eq!(Phase::BY_COOKIE, Phase::Established);
}

#[test]
fn a_graceful_shutdown_closes_both_sides() {
    use Trigger::*;
    let asking = [UserShutdown, AllDataAcknowledged, ShutdownAckReceived];
    let asked = [
        ShutdownReceived,
        AllDataAcknowledged,
        ShutdownCompleteReceived,
    ];
    assert_eq!(walk(Phase::Established, &asking), None);
    assert_eq!(walk(Phase::Established, &asked), None);
}

#[test]
fn shutdowns_that_cross_close_both_sides() {
    use Trigger::*;
    // Both in SHUTDOWN-SENT: each answers the other's SHUTDOWN with SHUTDOWN ACK. The first
    // SHUTDOWN ACK to arrive ends its receiver, which sends SHUTDOWN COMPLETE to the other end.
    let to_sent = [UserShutdown, AllDataAcknowledged];
    let sent = walk(Phase::Established, &to_sent).unwrap();
    assert_eq!(sent, Phase::ShutdownSent);
    assert_eq!(
        walk(sent, &[ShutdownReceived]),
        Some(Phase::ShutdownAckSent)
    );
    assert_eq!(walk(sent, &[ShutdownReceived, ShutdownAckReceived]), None);
    assert_eq!(
        walk(sent, &[ShutdownReceived, ShutdownCompleteReceived]),
        None
    );
}

#[test]
fn a_shutdown_from_the_peer_overtakes_one_that_waits_for_data() {
    use Trigger::*;
    let received = walk(Phase::Established, &[UserShutdown, ShutdownReceived]);
    assert_eq!(received, Some(Phase::ShutdownReceived));
    let acked = walk(Phase::ShutdownReceived, &[AllDataAcknowledged]);
    assert_eq!(acked, Some(Phase::ShutdownAckSent));
}

#[test]
fn a_shutdown_wanted_during_the_handshake_waits_for_its_end() {
    for phase in [Phase::CookieWait, Phase::CookieEchoed] {
        assert_eq!(phase.next(Trigger::UserShutdown), Transition::Later);
    }
}

#[test]
fn a_shutdown_complete_too_early_changes_nothing() {
    for phase in PHASES {
        let closes = phase.next(Trigger::ShutdownCompleteReceived) == Transition::Close;
        assert_eq!(closes, phase == Phase::ShutdownAckSent, "{phase:?}");
    }
}

#[test]
fn an_abort_ends_every_phase() {
    use Trigger::*;
    for phase in PHASES {
        for trigger in [AbortReceived, UserAbort, PeerFault, RetransmissionsExceeded] {
            assert_eq!(phase.next(trigger), Transition::Close, "{phase:?}");
        }
    }
}

#[test]
fn every_phase_can_be_reached_and_left() {
    let targets = |wanted: Transition| {
        PHASES.iter().any(|phase| {
            TRIGGERS
                .iter()
                .any(|trigger| phase.next(*trigger) == wanted)
        })
    };
    for phase in PHASES {
        assert!(phase == Phase::BY_ASSOCIATE || targets(Transition::To(phase)));
    }
    assert!(targets(Transition::Close));
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
