use super::*;

#[test]
fn times_are_read_with_their_unit() {
    let read = [
        ("20 ms", Some(Duration::from_millis(20))),
        ("20ms", Some(Duration::from_millis(20))),
        ("1.5s", Some(Duration::from_millis(1500))),
        ("0.000001 ms", Some(Duration::from_nanos(1))),
        ("300 us", Some(Duration::from_micros(300))),
        ("2 min", Some(Duration::from_secs(120))),
        ("1 d", Some(Duration::from_secs(86_400))),
        ("0", Some(Duration::ZERO)),
        ("20", None),
        ("", None),
        ("ms", None),
        (".5 s", None),
        ("1..5 s", None),
        ("-1 s", None),
        ("1 fortnight", None),
        ("99999999999999999999 s", None),
        ("9999999999 d", None),
    ];
    for (text, expected) in read {
        assert_eq!(read_time(text).ok(), expected, "{text}");
    }
}

#[test]
fn sizes_are_read_with_or_without_a_unit() {
    let read = [
        ("1500", Some(1500)),
        ("1500 B", Some(1500)),
        ("64K", Some(65_536)),
        ("64 KiB", Some(65_536)),
        ("1.5M", Some(1_572_864)),
        ("64 kB", Some(64_000)),
        ("2G", Some(2 << 30)),
        ("large", None),
        ("1 T", Some(1 << 40)),
        ("1 P", None),
        ("18446744073709551616", None),
    ];
    for (text, expected) in read {
        assert_eq!(read_size(text).ok(), expected, "{text}");
    }
}

#[test]
fn quantities_are_written_in_their_largest_whole_unit() {
    assert_eq!(write_time(Duration::from_millis(200)), "200 ms");
    assert_eq!(write_time(Duration::from_millis(1500)), "1500 ms");
    assert_eq!(write_time(Duration::from_secs(60)), "60 s");
    assert_eq!(write_time(Duration::from_secs(3600)), "1 h");
    assert_eq!(write_time(Duration::ZERO), "0 s");
    assert_eq!(write_size(1500), "1500 B");
    assert_eq!(write_size(212_992), "208 KiB");
    assert_eq!(write_size(1 << 30), "1 GiB");
    assert_eq!(write_size(0), "0 B");
}

#[test]
fn rates_are_read_with_or_without_a_unit() {
    let read = [
        ("11 Mbit/s", Some(11_000_000)),
        ("1.5Mbit/s", Some(1_500_000)),
        ("2.5G", Some(2_500_000_000)),
        ("9600", Some(9600)),
        ("11 MB/s", None),
        ("fast", None),
    ];
    for (text, expected) in read {
        assert_eq!(read_rate(text).ok(), expected, "{text}");
    }
}

#[test]
fn a_quantity_is_rounded_to_its_smallest_unit() {
    assert_eq!(read_time("0.6 ns"), Ok(Duration::from_nanos(1)));
    assert_eq!(
        read_time("0.333333333333 us"),
        Ok(Duration::from_nanos(333))
    );
    assert_eq!(read_size("0.4 B"), Ok(0));
}

#[test]
fn an_error_says_what_a_quantity_looks_like() {
    let error = read_time("20").unwrap_err();
    assert_eq!(
        alloc::string::ToString::to_string(&error),
        "must be a time, such as 20 ms or 1.5s (ns, us, ms, s, min, h, d)"
    );
}

#[test]
fn whole_numbers_are_read_in_the_bases_of_c() {
    for text in ["46", "056", "0x2e", "0X2E", " 46 "] {
        assert_eq!(read_integer(text), Some(46), "{text}");
    }
    assert_eq!(read_integer("0"), Some(0));
    for text in ["", "08", "0x", "2e", "-1", "99999999999999999999"] {
        assert_eq!(read_integer(text), None, "{text}");
    }
}
