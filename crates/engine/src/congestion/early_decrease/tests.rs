use super::*;

const PMDCS: u64 = 1000;

/// A window that a loss has left in congestion avoidance, at `cwnd` with 40,000 as threshold.
fn avoiding(trigger: DecreaseTrigger, cwnd: u64) -> EarlyDecrease {
    let mut cc = EarlyDecrease::new(PMDCS, WindowRules::Rfc9260, 80_000, trigger, 144);
    cc.reno.set(cwnd, 40_000);
    cc
}

/// A SACK that does not make the window grow.
fn ack(flight: u64) -> Ack {
    Ack::of(10, flight + 10)
}

// The paper's example: 950, 813.2, 696.1.
#[test]
fn two_steps_take_a_window_of_950_to_813_and_696() {
    let mut cc = avoiding(DecreaseTrigger::Always, 950_000);
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), 813_200);
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), 696_099);
}

#[test]
fn the_window_is_not_cut_below_the_threshold_again() {
    let mut cc = avoiding(DecreaseTrigger::Always, 40_100);
    cc.on_ack(&ack(1000));
    let once = cc.cwnd();
    assert_eq!(once, 40_100 * 856 / 1000);
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), once);
}

#[test]
fn slow_start_is_left_alone() {
    let always = DecreaseTrigger::Always;
    let mut cc = EarlyDecrease::new(PMDCS, WindowRules::Rfc9260, 4404, always, 144);
    let before = cc.cwnd();
    cc.on_ack(&Ack {
        bytes: PMDCS,
        flight_before: before,
        ..ack(before - PMDCS)
    });
    assert_eq!(cc.cwnd(), before + PMDCS);
}

#[test]
fn a_sack_for_everything_and_one_in_fast_recovery_cut_nothing() {
    let mut cc = avoiding(DecreaseTrigger::Always, 90_000);
    cc.on_ack(&ack(0));
    cc.on_ack(&Ack {
        recovery: Recovery::Fast,
        ..ack(1000)
    });
    assert_eq!(cc.cwnd(), 90_000);
}

// The paper: with all that was sent acknowledged, the window is updated "from the last decrease".
#[test]
fn growth_starts_again_from_the_last_cut_once_everything_is_acknowledged() {
    for trigger in [DecreaseTrigger::Always, DecreaseTrigger::Heartbeat] {
        let mut cc = avoiding(trigger, 90_000);
        cc.on_probe_unanswered();
        cc.on_ack(&ack(1000));
        let cut = cc.cwnd();
        assert!(cut < 90_000);
        let all = Ack {
            bytes: cut,
            flight_before: cut,
            ..ack(0)
        };
        cc.on_ack(&all);
        assert_eq!(cc.cwnd(), cut + PMDCS, "{trigger:?}");
    }
}

#[test]
fn without_an_unanswered_heartbeat_it_is_new_reno() {
    let mut cc = avoiding(DecreaseTrigger::Heartbeat, 90_000);
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), 90_000);
}

#[test]
fn an_unanswered_heartbeat_cuts_until_all_is_acknowledged() {
    let mut cc = avoiding(DecreaseTrigger::Heartbeat, 100_000);
    cc.on_probe_unanswered();
    assert_eq!(cc.cwnd(), 85_600);
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), 73_273);
    cc.on_ack(&ack(0));
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), 73_273);
}

#[test]
fn an_answered_heartbeat_ends_the_decrease() {
    let mut cc = avoiding(DecreaseTrigger::Heartbeat, 100_000);
    cc.on_probe_unanswered();
    cc.on_probe_answered();
    cc.on_ack(&ack(1000));
    assert_eq!(cc.cwnd(), 85_600);
}

#[test]
fn a_loss_is_treated_as_new_reno_does() {
    let mut cc = avoiding(DecreaseTrigger::Always, 100_000);
    cc.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (50_000, 50_000));
    cc.on_loss(Time::ZERO, Loss::Timeout);
    assert_eq!(cc.cwnd(), PMDCS);
}
