use super::*;

const PMDCS: u64 = 1452;

fn at(packets: u64) -> HighSpeed {
    let mut control = HighSpeed::new(PMDCS, WindowRules::Rfc9260, 4404);
    control.reno.set(packets * PMDCS, 1);
    control
}

/// b(w) and a(w) of RFC 3649 §7.
fn formula(window: f64) -> (f64, f64) {
    let share = (window.ln() - 38_f64.ln()) / (83_000_f64.ln() - 38_f64.ln());
    let b = (0.1 - 0.5) * share + 0.5;
    let p = 0.078 / window.powf(1.2);
    (window * window * p * 2.0 * b / (2.0 - b), b)
}

#[test]
fn the_rows_are_those_of_the_formulas() {
    for (n, row) in (2..).zip(&ROWS[1..]) {
        let (a, b) = formula(row.window as f64);
        let (before, _) = formula(row.window as f64 - 1.0);
        assert!(before < f64::from(n) && a >= f64::from(n), "{n}: {row:?}");
        assert!((row.decrease as f64 / 256.0 - b).abs() < 0.003, "{row:?}");
    }
}

#[test]
fn the_response_is_that_of_the_table_in_the_rfc() {
    // RFC 3649, Appendix B, whose windows differ from the formulas' by one at most here.
    let table = [
        (38, 1, 0.50),
        (118, 2, 0.44),
        (221, 3, 0.41),
        (347, 4, 0.38),
        (495, 5, 0.37),
        (663, 6, 0.35),
        (851, 7, 0.34),
        (1058, 8, 0.33),
    ];
    for (window, a, b) in table {
        let (increase, decrease) = at(window).response();
        assert_eq!(increase, a, "{window}");
        // Two digits there, 256ths here.
        assert!((decrease as f64 / 256.0 - b).abs() < 0.0075, "{window}");
    }
}

#[test]
fn a_round_trip_adds_and_a_loss_takes_what_the_table_says() {
    let mut control = at(1058);
    let window = control.cwnd();
    for _ in 0..1058 {
        control.on_ack(&Ack {
            flight: window,
            ..Ack::of(PMDCS, window + 100 * PMDCS)
        });
    }
    let grown = (control.cwnd() - window) / PMDCS;
    assert!((7..=8).contains(&grown), "{grown}");
    let mut control = at(1058);
    control.on_loss(Time::ZERO, Loss::GapReports);
    let kept = control.cwnd() as f64 / window as f64;
    assert!((kept - 0.67).abs() < 0.01, "{kept}");
}

#[test]
fn a_small_window_is_halved_and_a_timeout_leaves_one_packet() {
    let mut control = at(30);
    control.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!(control.cwnd(), 15 * PMDCS);
    let mut control = at(3000);
    control.on_loss(Time::ZERO, Loss::Timeout);
    assert_eq!(control.cwnd(), PMDCS);
}

#[test]
fn an_echo_never_widens_the_window() {
    let mut control = at(2);
    control.on_mark(Time::ZERO);
    assert_eq!(control.cwnd(), 2 * PMDCS);
}
