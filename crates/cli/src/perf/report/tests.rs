use super::*;

#[test]
fn a_span_has_the_keys_of_iperf3() {
    let value = span(Duration::from_secs(1), Duration::from_secs(3), 1000);
    assert_eq!(value["seconds"], 2.0);
    assert_eq!(value["bytes"], 1000);
    assert_eq!(value["bits_per_second"], 4000.0);
}

#[test]
fn the_machine_is_named_as_uname_does() {
    assert!(system_info().split(' ').count() >= 3);
}
