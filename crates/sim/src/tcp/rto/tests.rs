use super::*;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn linux() -> Rto {
    Rto::new(&Options::linux_like())
}

#[test]
fn it_begins_at_one_second() {
    assert_eq!(Rto::new(&Options::default()).rto(), ms(1000));
}

#[test]
fn the_first_round_trip_counts_three_times() {
    let mut rto = linux();
    rto.on_sent(Time::ZERO, 10);
    assert_eq!(rto.on_ack(Time::from_millis(100), 10), Some(ms(100)));
    assert_eq!(rto.srtt(), Some(ms(100)));
    assert_eq!(rto.rto(), ms(300));
}

#[test]
fn later_ones_are_smoothed() {
    let mut rto = linux();
    rto.measure(ms(100));
    rto.measure(ms(180));
    assert_eq!(rto.srtt(), Some(ms(110)));
    // 3/4 of 50 ms and 1/4 of 80 ms.
    assert_eq!(rto.rttvar, Duration::from_micros(57_500));
    assert_eq!(rto.rto(), ms(340));
}

#[test]
fn the_minimum_is_an_option() {
    let mut rfc = Rto::new(&Options::default());
    rfc.measure(ms(10));
    assert_eq!(rfc.rto(), ms(1000));
    let mut linux = linux();
    linux.measure(ms(10));
    assert_eq!(linux.rto(), ms(200));
}

#[test]
fn it_doubles_up_to_the_maximum_and_stays_until_a_new_measurement() {
    let mut rto = Rto::new(&Options::default());
    rto.measure(ms(100));
    for expected in [2, 4, 8, 16, 32, 60, 60] {
        rto.back_off();
        assert_eq!(rto.rto(), Duration::from_secs(expected));
    }
    // Karn's algorithm: acknowledgements of retransmitted data are not measured.
    assert_eq!(rto.on_ack(Time::from_millis(900), 100), None);
    assert_eq!(rto.rto(), Duration::from_secs(60));
    rto.on_sent(Time::from_millis(900), 200);
    rto.on_ack(Time::from_millis(1000), 200);
    assert_eq!(rto.rto(), ms(1000));
}

#[test]
fn a_retransmission_ends_the_timing() {
    let mut rto = linux();
    rto.on_sent(Time::ZERO, 10);
    rto.on_retransmit();
    assert_eq!(rto.on_ack(Time::from_millis(50), 10), None);
}

#[test]
fn one_segment_is_timed_at_a_time() {
    let mut rto = linux();
    rto.on_sent(Time::ZERO, 10);
    rto.on_sent(Time::from_millis(5), 20);
    assert_eq!(rto.on_ack(Time::from_millis(50), 20), Some(ms(50)));
    assert_eq!(rto.on_ack(Time::from_millis(60), 20), None);
}
