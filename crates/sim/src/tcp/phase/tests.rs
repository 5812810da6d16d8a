use super::*;

/// Compares all phases and steps with RFC 9293 figure 5. A dash means no change.
#[test]
fn the_table_is_that_of_the_figure() {
    let phases = [
        Phase::SynSent,
        Phase::SynReceived,
        Phase::Established,
        Phase::FinWait1,
        Phase::FinWait2,
        Phase::CloseWait,
        Phase::Closing,
        Phase::LastAck,
        Phase::TimeWait,
        Phase::Closed,
    ];
    let steps = [
        Step::SynAlone,
        Step::Established,
        Step::Shutdown,
        Step::PeerFin,
        Step::FinAcked,
    ];
    let table: Vec<String> = phases
        .iter()
        .map(|phase| {
            let row = steps.map(|step| match phase.after(step) {
                same if same == *phase => "-".to_owned(),
                next => next.to_string(),
            });
            format!("{phase}: {}", row.join(" "))
        })
        .collect();
    assert_eq!(
        table,
        [
            "SYN-SENT: SYN-RECEIVED ESTABLISHED - - -",
            "SYN-RECEIVED: - ESTABLISHED - - -",
            "ESTABLISHED: - - FIN-WAIT-1 CLOSE-WAIT -",
            "FIN-WAIT-1: - - - CLOSING FIN-WAIT-2",
            "FIN-WAIT-2: - - - TIME-WAIT -",
            "CLOSE-WAIT: - - LAST-ACK - -",
            "CLOSING: - - - - TIME-WAIT",
            "LAST-ACK: - - - - CLOSED",
            "TIME-WAIT: - - - - -",
            "CLOSED: - - - - -",
        ]
    );
}
