use core::net::{Ipv4Addr, Ipv6Addr};

use super::*;
use crate::flight::share::Reports;
use crate::{Cumulative, Profile};

fn path(remote: PeerAddress) -> Path {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Path::new(
        Time::ZERO,
        local,
        remote,
        PathState::Active,
        &Profile::Rfc9260.options(),
    )
}

fn v4() -> PeerAddress {
    PeerAddress::native(IpAddr::V4(Ipv4Addr::LOCALHOST))
}

#[test]
fn a_packet_leaves_room_for_the_headers_below_it() {
    assert_eq!(path(v4()).packet_len(), 1480);
    assert_eq!(
        path(PeerAddress {
            encapsulation: Some(9899),
            ..v4()
        })
        .packet_len(),
        1472
    );
    let v6 = PeerAddress::native(IpAddr::V6(Ipv6Addr::LOCALHOST));
    assert_eq!(path(v6).packet_len(), 1460);
}

#[test]
fn a_heartbeat_waits_for_the_interval_and_half_to_one_and_a_half_timeouts() {
    let path = path(v4());
    let interval = Duration::from_secs(30);
    assert_eq!(
        path.heartbeat_wait(interval, 0),
        Duration::from_millis(30_500)
    );
    assert_eq!(
        path.heartbeat_wait(interval, u16::MAX),
        Duration::from_millis(31_500)
    );
}

#[test]
fn what_sacks_have_no_room_to_tell_of_makes_room_in_the_window() {
    let mut path = path(v4());
    let cwnd = path.congestion.cwnd();
    path.flow.on_sent(0, cwnd + 2000, Time::ZERO);
    path.on_unreported(1500);
    assert!(!path.may_retransmit());
    path.on_unreported(501);
    assert!(path.may_retransmit());
    // The byte now reported had counted as unreported.
    path.on_reported(1);
    assert!(!path.may_retransmit());
    path.on_unreported(1);
    path.forget_unreported();
    assert!(!path.may_retransmit());
    // Neither one SACK nor many free more room than there was data in flight.
    path.on_unreported(u64::MAX);
    assert!(path.may_retransmit());
    path.on_reported(2 * path.pmdcs());
    assert!(!path.may_retransmit());
    (0..1000).for_each(|_| path.on_unreported(u64::MAX));
    path.on_reported(cwnd + 2000);
    assert!(!path.may_retransmit());
}

#[test]
fn what_sacks_had_no_room_to_tell_of_is_in_flight_again_with_all_the_rest() {
    let mut path = path(v4());
    let cwnd = path.congestion.cwnd();
    path.flow.on_sent(0, cwnd + 500, Time::ZERO);
    path.on_unreported(1000);
    assert!(path.may_retransmit());
    path.flow.on_all_marked();
    path.on_unreported_timed_out();
    // Retransmitted data counts as in flight.
    path.flow.on_retransmitted(0, cwnd + 500);
    assert!(!path.may_retransmit());
    path.on_timeout_undone();
    assert!(path.may_retransmit());
    path.on_unreported_timed_out();
    path.on_reported(600);
    path.on_timeout_undone();
    assert!(!path.may_retransmit());
}

fn share(path: &Path) -> PathShare {
    PathShare::new(path.flow.flight())
}

fn digest() -> Digest {
    Digest {
        reports: Reports::Taken,
        cumulative: Cumulative::Unmoved,
        recovery: Recovery::Open,
        entered_recovery: false,
    }
}

fn bursts_of_two() -> Options {
    Options {
        max_burst: Some(2),
        ..Profile::Rfc9260.options()
    }
}

#[test]
fn one_sack_releases_no_more_than_a_burst() {
    let options = bursts_of_two();
    let mut path = path(v4());
    path.flow.on_sent(0, 100, Time::ZERO);
    path.on_digest(Time::ZERO, &digest(), &share(&path), None, &options);
    for _ in 0..2 {
        assert!(path.may_send());
        path.on_poll(Time::ZERO);
        path.on_new_data_packet(Time::ZERO, path.pmdcs());
    }
    assert!(!path.may_send());
}

#[test]
fn sacks_that_arrive_together_release_a_burst_each_and_nothing_is_saved_up() {
    let options = bursts_of_two();
    let mut path = path(v4());
    path.on_digest(Time::ZERO, &digest(), &share(&path), None, &options);
    path.on_digest(Time::ZERO, &digest(), &share(&path), None, &options);
    assert_eq!(path.burst, 4 * path.pmdcs());
    path.on_poll(Time::ZERO);
    path.on_digest(Time::ZERO, &digest(), &share(&path), None, &options);
    assert_eq!(path.burst, 2 * path.pmdcs());
}

#[test]
fn sacks_that_arrive_together_grow_the_window_as_if_they_came_one_by_one() {
    let options = Profile::Rfc9260.options();
    let mut path = path(v4());
    let (cwnd, pmdcs) = (path.congestion.cwnd(), path.pmdcs());
    path.flow.on_sent(0, 4 * pmdcs, Time::ZERO);
    let digest = Digest {
        cumulative: Cumulative::Advanced,
        ..digest()
    };
    for seq in 0..2 {
        let mut share = share(&path);
        path.flow.on_acked(seq, 2 * pmdcs, true, Time::ZERO);
        share.acked = 2 * pmdcs;
        path.on_digest(
            Time::ZERO,
            &digest,
            &share,
            Some(Loss::GapReports),
            &options,
        );
    }
    assert_eq!(path.congestion.cwnd(), cwnd + 2 * pmdcs);
}

// RFC 9260 §7.2.4: one packet goes out regardless of the window when Fast Recovery begins.
#[test]
fn a_loss_that_is_found_within_fast_recovery_waits_for_the_window() {
    let options = Profile::Modern.options();
    for (recovery, goes_at_once) in [(Recovery::Open, true), (Recovery::Fast, false)] {
        let mut path = path(v4());
        let full = 2 * path.congestion.cwnd();
        path.flow.on_sent(0, full, Time::ZERO);
        let digest = Digest {
            recovery,
            entered_recovery: true,
            ..digest()
        };
        let share = PathShare {
            lost_below: 1,
            ..share(&path)
        };
        let loss = Some(Loss::GapReports);
        path.on_digest(Time::ZERO, &digest, &share, loss, &options);
        assert_eq!(path.may_retransmit(), goes_at_once, "{recovery:?}");
    }
}

#[test]
fn another_source_address_is_another_route() {
    let options = Profile::Rfc9260.options();
    let mut path = path(v4());
    let fresh = path.congestion.cwnd();
    path.on_timeout(Time::ZERO, &options);
    let local = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
    path.reroute(local, &options);
    assert_eq!((path.local, path.congestion.cwnd()), (local, fresh));
}

#[test]
fn a_path_mtu_that_no_link_has_is_not_believed() {
    let mut v6 = path(PeerAddress::native(IpAddr::V6(Ipv6Addr::LOCALHOST)));
    v6.lower_pmtu(1279);
    assert_eq!(v6.pmtu, 1500);
    v6.lower_pmtu(1280);
    assert_eq!(v6.pmtu, 1280);
}

#[test]
fn after_a_timeout_one_packet_goes_out_however_small() {
    let mut path = path(v4());
    path.on_timeout(Time::ZERO, &Profile::Rfc9260.options());
    assert!(path.may_send());
    path.flow.on_sent(0, 20, Time::ZERO);
    assert!(!path.may_send());
}

#[test]
fn the_last_round_trip_is_told_as_it_was_measured() {
    let options = Profile::Rfc9260.options();
    let mut path = path(v4());
    assert_eq!(path.stats(true).rtt, None);
    for millis in [100, 900] {
        path.on_round_trip(Duration::from_millis(millis), &options);
    }
    let stats = path.stats(true);
    assert_eq!(stats.rtt, Some(Duration::from_millis(900)));
    assert_eq!(stats.srtt, Some(Duration::from_millis(200)));
    assert_eq!(stats.round_trips, 2);
}
