use super::*;

const PMDCS: u64 = 1000;

/// A path whose window and threshold are these.
fn path(coupling: Coupling, cwnd: u64, ssthresh: u64, siblings: Siblings) -> Coupled {
    let mut path = Coupled::new(PMDCS, WindowRules::Rfc9260, 4404, coupling);
    path.reno.set(cwnd, ssthresh);
    path.on_siblings(&siblings);
    path
}

/// Acknowledges a whole window, full, in one SACK.
fn window(path: &mut Coupled) -> u64 {
    let cwnd = path.cwnd();
    path.on_ack(&Ack {
        now: Time::from_millis(1),
        flight: cwnd,
        ..Ack::of(cwnd, cwnd)
    });
    path.cwnd() - cwnd
}

/// Two paths with windows of 10,000 and 30,000 bytes and round trips of 100 ms each.
fn pair() -> Siblings {
    Siblings {
        cwnd: 40_000,
        ssthresh: 40_000,
        rate: 400_000,
        own_rate: 100_000,
        best_pull: 3_000_000,
    }
}

#[test]
fn growth_is_in_proportion_to_the_share_of_thresholds() {
    let mut path = path(Coupling::PooledThresholds, 12_000, 10_000, pair());
    assert_eq!(window(&mut path), PMDCS / 4);
}

#[test]
fn growth_is_in_proportion_to_the_share_of_rates() {
    for ssthresh in [5_000, 20_000] {
        let mut path = path(Coupling::PooledRates, 10_000, ssthresh, pair());
        assert_eq!(window(&mut path), PMDCS / 4);
    }
}

#[test]
fn linked_increases_add_up_to_one_connection_on_the_best_path() {
    let mut small = path(Coupling::LinkedIncreases, 10_000, 5_000, pair());
    let mut large = path(Coupling::LinkedIncreases, 30_000, 5_000, pair());
    // alpha = 40000 * 3e6 / (4e5)^2 = 0.75
    assert_eq!(window(&mut small), 188);
    assert_eq!(window(&mut large), 563);
    let mut starting = path(Coupling::LinkedIncreases, 10_000, 50_000, pair());
    assert_eq!(window(&mut starting), PMDCS);
}

#[test]
fn a_single_path_is_new_reno_whatever_the_coupling() {
    for coupling in [
        Coupling::Uncoupled,
        Coupling::PooledThresholds,
        Coupling::PooledRates,
        Coupling::LinkedIncreases,
    ] {
        let alone = Siblings {
            cwnd: 20_000,
            ssthresh: 15_000,
            rate: 200_000,
            own_rate: 200_000,
            best_pull: 2_000_000,
        };
        let mut path = path(coupling, 20_000, 15_000, alone);
        assert_eq!(window(&mut path), PMDCS, "{coupling:?}");
        path.on_loss(Time::ZERO, Loss::GapReports);
        assert_eq!(path.cwnd(), 10_500, "{coupling:?}");
    }
}

#[test]
fn a_loss_takes_half_of_all_from_the_path_that_lost() {
    let mut small = path(Coupling::PooledThresholds, 10_000, 10_000, pair());
    small.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!((small.cwnd(), small.ssthresh()), (PMDCS, PMDCS));
    let large = Siblings {
        own_rate: 300_000,
        ..pair()
    };
    for coupling in [Coupling::PooledThresholds, Coupling::PooledRates] {
        let mut path = path(coupling, 30_000, 30_000, large);
        path.on_loss(Time::ZERO, Loss::GapReports);
        assert_eq!(path.cwnd(), 10_000, "{coupling:?}");
    }
    let mut small = path(Coupling::PooledRates, 10_000, 10_000, pair());
    small.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!(small.cwnd(), PMDCS);
}

#[test]
fn a_timeout_leaves_one_packet() {
    for coupling in [Coupling::PooledThresholds, Coupling::PooledRates] {
        let mut path = path(coupling, 30_000, 30_000, pair());
        path.on_loss(Time::ZERO, Loss::Timeout);
        assert_eq!(path.cwnd(), PMDCS, "{coupling:?}");
    }
}

#[test]
fn growth_is_not_scaled_before_the_other_paths_are_known() {
    let mut path = path(Coupling::PooledRates, 10_000, 5_000, Siblings::default());
    assert_eq!(window(&mut path), PMDCS);
}
