use super::*;

const PMDCS: u64 = 1452;

fn ack(bytes: u64, flight_before: u64) -> Ack {
    Ack::of(bytes, flight_before)
}

fn rfc9260() -> NewReno {
    NewReno::new(PMDCS, WindowRules::Rfc9260, 4404)
}

#[test]
fn a_stretched_slow_start_adds_up_to_eight_packets_for_a_sack_and_never_more_than_it_acknowledges()
{
    let mut cc = NewReno::new(PMDCS, WindowRules::SlowStartL8, 4404);
    cc.on_ack(&ack(4404, 4404));
    assert_eq!(cc.cwnd(), 2 * 4404);
    cc.on_ack(&ack(500, 2 * 4404));
    assert_eq!(cc.cwnd(), 2 * 4404 + 500);
    let before = cc.cwnd();
    cc.on_ack(&ack(20 * PMDCS, 20 * PMDCS));
    assert_eq!(cc.cwnd(), before + 8 * PMDCS);
}

/// A round trip's worth of SACKs, each for two packets, of a full window.
fn round(cc: &mut NewReno, rtt_ms: u64) {
    let rtt = core::time::Duration::from_millis(rtt_ms);
    let sacks = cc.cwnd() / (2 * PMDCS);
    for _ in 0..sacks {
        let full = cc.cwnd();
        cc.on_ack(&Ack {
            flight: full - 2 * PMDCS,
            rtt: Some(rtt),
            ..ack(2 * PMDCS, full)
        });
    }
}

#[test]
fn the_first_slow_start_begins_with_ten_packets_and_ends_where_round_trips_grow() {
    let mut cc = NewReno::new(PMDCS, WindowRules::HyStart, 4404);
    assert_eq!(cc.cwnd(), 14_520);
    for _ in 0..3 {
        round(&mut cc, 100);
    }
    let before = cc.cwnd();
    assert!(before >= 7 * 14_520, "{before}");
    for _ in 0..12 {
        round(&mut cc, 130);
    }
    assert!(cc.ssthresh() <= cc.cwnd(), "{cc:?}");
    assert!(cc.cwnd() <= 8 * before, "{cc:?}");
}

#[test]
fn later_slow_starts_end_at_their_threshold() {
    let mut cc = NewReno::new(PMDCS, WindowRules::HyStart, 4404);
    for _ in 0..3 {
        round(&mut cc, 100);
    }
    cc.on_loss(Time::ZERO, Loss::Timeout);
    let threshold = cc.ssthresh();
    for rtt_ms in [100, 100, 100, 200, 200] {
        round(&mut cc, rtt_ms);
    }
    assert_eq!(cc.ssthresh(), threshold);
}

#[test]
fn a_window_of_one_packet_grows_although_a_small_packet_leaves_it_unfilled() {
    let mut cc = rfc9260();
    cc.on_loss(Time::ZERO, Loss::Timeout);
    cc.on_ack(&ack(1040, 1040));
    assert_eq!(cc.cwnd(), PMDCS + 1040);
}

#[test]
fn a_sack_that_moves_nothing_does_not_grow_the_window_in_slow_start() {
    let mut cc = rfc9260();
    cc.on_ack(&Ack {
        cumulative: Cumulative::Unmoved,
        ..ack(1000, 4404)
    });
    assert_eq!(cc.cwnd(), 4404);
}

#[test]
fn gap_reports_halve_the_window_but_not_below_four_chunks() {
    let mut cc = rfc9260();
    cc.cwnd = 20 * PMDCS;
    cc.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (10 * PMDCS, 10 * PMDCS));
    cc.cwnd = 6 * PMDCS;
    cc.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!(cc.cwnd(), 4 * PMDCS);
}

#[test]
fn acknowledged_bytes_are_not_saved_up_while_the_window_is_not_full() {
    let mut cc = rfc9260();
    cc.cwnd = 10 * PMDCS;
    cc.ssthresh = 5 * PMDCS;
    for _ in 0..40 {
        cc.on_ack(&ack(PMDCS, 2 * PMDCS));
    }
    assert_eq!(cc.partial_bytes_acked, 10 * PMDCS);
    assert_eq!(cc.cwnd(), 10 * PMDCS);
}

#[test]
fn an_idle_window_halves_once_a_timeout_and_remembers_where_it_was_and_never_grows() {
    let mut cc = rfc9260();
    cc.cwnd = 64 * PMDCS;
    cc.on_idle(2);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (16 * PMDCS, 64 * PMDCS));
    cc.on_idle(100);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (4 * PMDCS, 64 * PMDCS));
    cc.on_loss(Time::ZERO, Loss::Timeout);
    cc.on_idle(3);
    assert_eq!(cc.cwnd(), PMDCS);
}

// RFC 2960 §7.2.1, §7.2.3
#[test]
fn the_older_rules_begin_with_two_packets_and_never_fall_below_two() {
    let mut cc = NewReno::new(PMDCS, WindowRules::Rfc2960, 4404);
    assert_eq!(cc.cwnd(), 2 * PMDCS);
    cc.on_loss(Time::ZERO, Loss::GapReports);
    assert_eq!((cc.cwnd(), cc.ssthresh()), (2 * PMDCS, 2 * PMDCS));
    cc.cwnd = 20 * PMDCS;
    cc.on_idle(20);
    assert_eq!(cc.cwnd(), 2 * PMDCS);
}

#[test]
fn the_first_window_of_rfc_6928_is_ten_packets_of_ethernet_whatever_the_address_family() {
    for pmdcs in [1448, 1460, 1468] {
        let window = NewReno::new(pmdcs, WindowRules::Rfc6928, 4404);
        assert_eq!(window.cwnd(), 10 * pmdcs);
    }
    let jumbo = NewReno::new(8968, WindowRules::Rfc6928, 4404);
    assert_eq!(jumbo.cwnd(), 2 * 8968);
}
