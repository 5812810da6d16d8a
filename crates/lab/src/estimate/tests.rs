use super::{Estimate, Paired, Spread, joint, quantile, shown, student_t, student_tail};

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() < 1e-3
}

#[test]
fn student_t_is_that_of_the_printed_tables() {
    let printed = [
        (1, 12.706),
        (4, 2.776),
        (9, 2.262),
        (19, 2.093),
        (30, 2.042),
        (40, 2.021),
        (60, 2.000),
        (120, 1.980),
        (100_000, 1.960),
    ];
    for (degrees, t) in printed {
        assert!(near(student_t(degrees), t), "{degrees}");
    }
}

#[test]
fn the_tail_of_student_t_is_the_printed_quantile_turned_round() {
    // Quantiles at 95 %, 97.5 %, 99 % and 99.95 % of the printed tables.
    let printed = [
        (6.314, 1, 0.05),
        (2.776, 4, 0.025),
        (8.610, 4, 0.0005),
        (2.571, 5, 0.025),
        (3.365, 5, 0.01),
        (2.228, 10, 0.025),
        (2.485, 25, 0.01),
        (3.725, 25, 0.0005),
    ];
    for (t, degrees, tail) in printed {
        assert!(
            (student_tail(t, degrees) / tail - 1.0).abs() < 2e-3,
            "{t} {degrees}"
        );
        let below = student_tail(-t, degrees);
        assert!((below - (1.0 - tail)).abs() < 1e-4, "{t} {degrees}");
    }
    assert!(near(student_tail(0.0, 7), 0.5));
}

#[test]
fn an_estimate_has_the_interval_of_the_textbook() {
    // Mean 5, sum of squares 32, s = sqrt(32 / 7) = 2.138; t(7) = 2.365.
    let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
    let estimate = Estimate::of(&values).expect("values");
    assert!(near(estimate.mean, 5.0));
    assert!(near(estimate.deviation, 2.1381));
    assert!(near(estimate.half_width, 1.7877));
    assert!(estimate.contains(6.7) && !estimate.contains(6.8));
}

#[test]
fn a_single_value_has_no_interval() {
    let estimate = Estimate::of(&[3.0]).expect("a value");
    assert!(estimate.half_width.is_infinite());
    assert_eq!(estimate.to_string(), "3.000");
    assert_eq!(Estimate::of(&[]), None);
}

#[test]
fn pairs_show_a_difference_that_the_spread_would_hide() {
    let pairs = [(10.1, 10.0), (20.2, 20.0), (30.1, 30.0), (40.2, 40.0)];
    let paired = Paired::of(&pairs).expect("pairs");
    assert!(paired.is_above() && !paired.is_below());
    assert!(near(paired.difference.mean, 0.15));
    assert!(near(paired.ratio, 1.006));
}

#[test]
fn numbers_show_the_digits_that_count() {
    assert_eq!(shown(0.0), "0");
    assert_eq!(shown(1.23456), "1.235");
    assert_eq!(shown(123.456), "123.5");
    assert_eq!(shown(123_456.7), "123457");
    assert_eq!(shown(0.000_012_3), "1.23e-5");
}

#[test]
fn equal_values_have_no_interval() {
    let estimate = Estimate::of(&[7.02, 7.02, 7.02]).expect("values");
    assert_eq!((estimate.mean, estimate.half_width), (7.02, 0.0));
}

#[test]
fn a_spread_is_told_by_its_middle_and_its_ends() {
    let spread = |values: &[f64]| Spread::of(values.to_vec()).map(|spread| spread.to_string());
    assert_eq!(spread(&[]), None);
    assert_eq!(spread(&[2.0]).as_deref(), Some("2.000"));
    assert_eq!(
        spread(&[3.0, 1.0, 2.0]).as_deref(),
        Some("2.000 (1.000 to 3.000)")
    );
    assert_eq!(
        spread(&[4.0, 1.0, 2.0, 3.0]).as_deref(),
        Some("2.500 (1.000 to 4.000)")
    );
}

#[test]
fn a_joint_interval_is_wider_by_the_quantile_for_its_share_of_the_error() {
    // Printed: 2.228 at 97.5 % and 3.169 at 99.5 % with 10 degrees of freedom.
    assert!(near(quantile(0.025, 10), 2.228) && near(quantile(0.005, 10), 3.169));
    let values: Vec<f64> = (0..11).map(f64::from).collect();
    let alone = Estimate::of(&values).unwrap();
    let both = joint(alone, 5);
    assert!((both.half_width / alone.half_width - 3.169 / 2.228).abs() < 1e-3);
    assert_eq!(joint(alone, 1), alone);
}
