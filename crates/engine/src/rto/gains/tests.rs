use super::*;
use crate::Profile;

fn options(rto_gains: RtoGains) -> Options {
    Options {
        rto_gains,
        ..Profile::Rfc9260.options()
    }
}

#[test]
fn fixed_gains_stay_as_configured() {
    let mut gains = Gains::default();
    let options = options(RtoGains::Fixed);
    assert_eq!(gains.shifts(1_000_000, 1, &options), (3, 2));
    assert_eq!(gains.shifts(0, 1_000_000, &options), (3, 2));
}

#[test]
fn surprises_make_adaptive_gains_larger_to_a_bound() {
    let mut gains = Gains::default();
    let options = options(RtoGains::Adaptive);
    assert_eq!(gains.shifts(21, 10, &options), (2, 1));
    assert_eq!(gains.shifts(21, 10, &options), (1, 1));
    assert_eq!(gains.shifts(21, 10, &options), (1, 1));
}

#[test]
fn steadiness_makes_them_smaller_to_a_bound() {
    let mut gains = Gains::default();
    let options = options(RtoGains::Adaptive);
    assert_eq!(gains.shifts(4, 10, &options), (4, 3));
    assert_eq!(gains.shifts(4, 10, &options), (4, 3));
    assert_eq!(gains.shifts(10, 10, &options), (4, 3), "neither");
}
