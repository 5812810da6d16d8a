use super::*;

const fn timed(unsent: u64, sent: u64) -> Abandoned {
    let none = Count { unsent: 0, sent: 0 };
    Abandoned {
        timed: Count { unsent, sent },
        retransmissions: none,
        priority: none,
    }
}

#[test]
fn messages_abandoned_before_the_measurement_do_not_count() {
    assert_eq!(timed(7, 5).since(&timed(3, 5)), timed(4, 0));
}

#[test]
fn the_sum_of_associations_is_told_with_its_reasons() {
    let mut others = Abandoned::default();
    others.retransmissions.sent = 2;
    let sum: Abandoned = [timed(1, 2), timed(3, 4), others].iter().sum();
    assert_eq!(sum.total(), 12);
    let text = "12 (too late: 4 unsent, 6 begun; sent too often: 0 unsent, 2 begun)";
    assert_eq!(sum.text(), text);
    assert_eq!(Abandoned::default().text(), "0");
}
