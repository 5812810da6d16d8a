use super::*;

const LEAST: Duration = Duration::from_millis(40);
const QUARTER: Duration = Duration::from_millis(10);

fn width(window: &ReorderingWindow, recovery: Recovery) -> Duration {
    window.width(recovery, 3, LEAST, Some(Duration::from_millis(45)))
}

#[test]
fn it_is_a_quarter_of_the_least_round_trip() {
    let window = ReorderingWindow::default();
    assert_eq!(width(&window, Recovery::Open), QUARTER);
}

#[test]
fn it_is_zero_while_a_loss_is_repaired_until_order_was_broken() {
    let mut window = ReorderingWindow::default();
    assert_eq!(width(&window, Recovery::Fast), Duration::ZERO);
    window.on_reordering();
    assert_eq!(width(&window, Recovery::Fast), QUARTER);
}

#[test]
fn it_is_zero_from_the_third_report_on_until_the_gaps_are_closed() {
    let mut window = ReorderingWindow::default();
    window.on_report();
    window.on_report();
    assert_eq!(width(&window, Recovery::Open), QUARTER);
    window.on_report();
    assert_eq!(width(&window, Recovery::Open), Duration::ZERO);
    window.on_gaps_closed();
    assert_eq!(width(&window, Recovery::Open), QUARTER);
}

#[test]
fn reports_do_not_narrow_it_once_order_was_broken() {
    let mut window = ReorderingWindow::default();
    window.on_reordering();
    for _ in 0..300 {
        window.on_report();
    }
    assert_eq!(width(&window, Recovery::Open), QUARTER);
}

#[test]
fn spurious_retransmissions_widen_it_once_per_round_trip_up_to_srtt() {
    let mut window = ReorderingWindow::default();
    window.on_spurious(50);
    window.on_spurious(60);
    assert_eq!(width(&window, Recovery::Open), 2 * QUARTER);
    window.on_acknowledged(49);
    window.on_spurious(70);
    assert_eq!(width(&window, Recovery::Open), 2 * QUARTER);
    for base in [50, 100, 150, 200] {
        window.on_acknowledged(base);
        window.on_spurious(base + 50);
    }
    assert_eq!(width(&window, Recovery::Open), Duration::from_millis(45));
}

#[test]
fn sixteen_recoveries_without_a_spurious_retransmission_narrow_it() {
    let mut window = ReorderingWindow::default();
    window.on_spurious(50);
    for _ in 0..15 {
        window.on_recovery_ended();
        assert_eq!(width(&window, Recovery::Open), 2 * QUARTER);
    }
    window.on_recovery_ended();
    assert_eq!(width(&window, Recovery::Open), QUARTER);
}
