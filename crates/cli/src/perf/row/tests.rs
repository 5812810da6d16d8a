use super::*;

#[test]
fn a_span_has_the_keys_of_iperf3() {
    let value = span(Duration::from_secs(1), Duration::from_secs(3), 1000);
    assert_eq!(value["seconds"], 2.0);
    assert_eq!(value["bytes"], 1000);
    assert_eq!(value["bits_per_second"], 4000.0);
}

#[test]
fn a_result_tells_both_ends() {
    let row = Row::new(0, Way::Received);
    let result = Result {
        sent: 20,
        sent_in: Duration::from_secs(1),
        received: 10,
        received_in: Duration::from_secs(2),
        retransmits: 3,
    };
    let mut sum = result;
    sum.add(&result);
    let value = row.summary(2, &sum, None);
    assert_eq!(value["sender"]["bytes"], 40);
    assert_eq!(value["sender"]["retransmits"], 6);
    assert_eq!(value["receiver"]["bits_per_second"], 80.0);
    assert_eq!(value["receiver"]["socket"], 2);
}
