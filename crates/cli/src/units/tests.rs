use super::*;

#[test]
fn durations_are_read_with_their_unit() {
    for (text, millis) in [
        ("20ms", 20),
        ("1.5s", 1500),
        ("2", 2000),
        ("3m", 180_000),
        ("5000us", 5),
        ("1h", 3_600_000),
    ] {
        assert_eq!(
            parse_duration(text),
            Ok(Duration::from_millis(millis)),
            "{text}"
        );
    }
    for text in ["", "ms", "-1s", "1x", "1e99s", "1.2.3s"] {
        assert!(parse_duration(text).is_err(), "{text}");
    }
}

#[test]
fn sizes_are_powers_of_1024_and_rates_of_1000() {
    assert_eq!(parse_bytes("64K"), Ok(65_536));
    assert_eq!(parse_bytes("1.5M"), Ok(1_572_864));
    assert_eq!(parse_rate("10M"), Ok(10_000_000));
    assert!(parse_bytes("10Q").is_err());
    assert!(parse_bytes("99999999999T").is_err());
}

#[test]
fn numbers_look_as_in_iperf3() {
    assert_eq!(iperf_bytes(1_363_148_800), "1.27 GBytes");
    assert_eq!(iperf_bytes(259_000_000), "247 MBytes");
    assert_eq!(iperf_rate(10_900_000_000.0), "10.9 Gbits/sec");
    assert_eq!(iperf_rate(933_000_000.0), "933 Mbits/sec");
    assert_eq!(iperf_rate(0.0), "0.00 bits/sec");
}

#[test]
fn bytes_are_printed_in_powers_of_1000() {
    assert_eq!(bytes(999), "999 B");
    assert_eq!(bytes(500_000_000), "500.0 MB");
    assert_eq!(byte_rate(3_000_000, Duration::from_secs(2)), "1.5 MB/s");
}

#[test]
fn dates_are_right_around_leap_days() {
    let at = |seconds| http_date(UNIX_EPOCH + Duration::from_secs(seconds));
    assert_eq!(at(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_eq!(at(951_782_400), "Tue, 29 Feb 2000 00:00:00 GMT");
    assert_eq!(at(1_795_238_312), "Sat, 21 Nov 2026 05:18:32 GMT");
}

#[test]
fn a_rate_is_printed_in_the_unit_of_iperf3s_letter() {
    assert_eq!(iperf_rate_in(8_000_000.0, 'k'), "8000 Kbits/sec");
    assert_eq!(iperf_rate_in(8_000_000.0, 'm'), "8.00 Mbits/sec");
    assert_eq!(iperf_rate_in(8.0 * 1024.0 * 1024.0, 'M'), "1.00 MBytes/sec");
    assert_eq!(iperf_rate_in(12_300_000_000.0, 'g'), "12.3 Gbits/sec");
}

#[test]
fn a_byte_rate_without_a_unit_counts_kib() {
    assert_eq!(parse_byte_rate("500"), Ok(500 << 10));
    assert_eq!(parse_byte_rate("1.5M"), Ok(3 << 19));
    assert_eq!(parse_byte_rate("0"), Ok(0));
    assert!(parse_byte_rate("fast").is_err());
}
