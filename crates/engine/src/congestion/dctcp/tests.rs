use super::*;

const PMDCS: u64 = 1452;
const WINDOW: u64 = 100 * PMDCS;

fn dctcp() -> Dctcp {
    let mut dctcp = Dctcp::new(PMDCS, WindowRules::Rfc9260, 4404);
    dctcp.reno.set(WINDOW, WINDOW);
    dctcp
}

/// Round trips of 100 packets, of which so many are marked.
fn run(dctcp: &mut Dctcp, round_trips: u32, marked: u32) {
    for _ in 0..round_trips {
        for n in 0..100 {
            if n < marked {
                dctcp.on_marked_packet(PMDCS);
            }
            // Not full: what marks do is looked at alone.
            dctcp.on_ack(&Ack {
                flight: WINDOW - PMDCS,
                ..Ack::of(PMDCS, WINDOW - PMDCS)
            });
        }
    }
}

#[test]
fn the_share_of_marks_is_learnt() {
    for marked in [0, 10, 50, 100] {
        let mut dctcp = dctcp();
        run(&mut dctcp, 200, marked);
        let alpha = dctcp.alpha() as f64 / 1e6 - f64::from(marked) / 100.0;
        assert!(alpha.abs() < 0.02, "{marked}: {alpha}");
    }
}

#[test]
fn a_mark_takes_half_of_the_share_of_marks() {
    let mut dctcp = dctcp();
    run(&mut dctcp, 200, 20);
    let before = dctcp.cwnd();
    dctcp.on_mark(Time::ZERO);
    let kept = dctcp.cwnd() as f64 / before as f64;
    assert!((kept - 0.9).abs() < 0.01, "{kept}");
}

#[test]
fn the_first_mark_takes_half() {
    let mut dctcp = dctcp();
    dctcp.on_mark(Time::ZERO);
    assert_eq!(dctcp.cwnd(), WINDOW / 2);
}

#[test]
fn a_loss_takes_half_whatever_was_marked() {
    let mut dctcp = dctcp();
    run(&mut dctcp, 200, 0);
    dctcp.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!(dctcp.cwnd(), WINDOW / 2);
}

#[test]
fn an_echo_never_widens_the_window() {
    let mut dctcp = dctcp();
    dctcp.reno.set(PMDCS, PMDCS);
    dctcp.on_mark(Time::ZERO);
    assert_eq!(dctcp.cwnd(), PMDCS);
}
