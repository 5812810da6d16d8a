use super::Unit;

fn symbol(name: &str) -> Option<&'static str> {
    Unit::of(name).map(Unit::symbol)
}

#[test]
fn the_end_of_a_name_says_the_unit() {
    for (name, unit) in [
        ("time_s", "s"),
        ("main.seconds", "s"),
        ("link.wire.delay_ms", "ms"),
        ("sender_bit_per_s", "bit/s"),
        ("main.mbit_per_s", "Mbit/s"),
        ("bottleneck_mbit", "Mbit/s"),
        ("kbyte_per_s", "kB/s"),
        ("main.bytes", "bytes"),
        ("link.wire.bytes_sent", "bytes"),
        ("interface_bytes_per_packet", "bytes/packet"),
        ("send_cpu_ns_per_byte", "ns/byte"),
        ("buffer_kib", "KiB"),
        ("loss_percent", "%"),
        ("pmtu", "bytes"),
    ] {
        assert_eq!(symbol(name), Some(unit), "{name}");
    }
}

#[test]
fn a_statistic_has_the_unit_of_its_quantity() {
    assert_eq!(symbol("rto_s_mean"), Some("s"));
    assert_eq!(symbol("received_bytes_max"), Some("bytes"));
    assert_eq!(symbol("cwnd_deviation"), Some("bytes"));
    assert_eq!(symbol("main.delay_mean_ms"), Some("ms"));
}

#[test]
fn counts_shares_and_names_have_no_unit() {
    for name in [
        "seed",
        "streams",
        "losses",
        "loss",
        "rto_s_count",
        "received_bytes_count",
        "main.packets_sent",
        "jain",
        "mean",
        "",
    ] {
        assert_eq!(symbol(name), None, "{name}");
    }
}
