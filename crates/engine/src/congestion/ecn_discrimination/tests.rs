use super::super::Cumulative;
use super::*;

const PMDCS: u64 = 1000;

/// A window in congestion avoidance, of 40 packets.
fn avoiding() -> EcnDiscrimination {
    let mut cc = EcnDiscrimination::new(PMDCS, WindowRules::Rfc9260, 4404);
    cc.reno.set(40 * PMDCS, 20 * PMDCS);
    cc
}

/// A whole window is acknowledged while a loss is repaired.
fn ack() -> Ack {
    Ack {
        flight: PMDCS,
        cumulative: Cumulative::Unmoved,
        recovery: Recovery::Fast,
        ..Ack::of(40 * PMDCS, 40 * PMDCS)
    }
}

#[test]
fn a_loss_without_a_mark_changes_nothing_and_the_window_grows_while_damage_is_repaired() {
    let mut cc = avoiding();
    cc.on_loss(Time::ZERO, Loss::Unmarked);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (40 * PMDCS, 20 * PMDCS));
    cc.on_ack(&ack());
    assert_eq!(cc.cwnd(), 41 * PMDCS);
}
#[test]
fn a_mark_halves_the_window_which_then_waits_for_the_repair() {
    let mut cc = avoiding();
    cc.on_loss(Time::ZERO, Loss::Unmarked);
    cc.on_mark(Time::ZERO);
    cc.on_ack(&ack());
    assert_eq!(cc.cwnd(), 20 * PMDCS);
}

#[test]
fn a_timeout_and_a_loss_without_ecn_are_congestion() {
    let mut cc = avoiding();
    cc.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!(cc.cwnd(), 20 * PMDCS);
    cc.on_loss(Time::ZERO, Loss::Timeout);
    assert_eq!(cc.cwnd(), PMDCS);
}
