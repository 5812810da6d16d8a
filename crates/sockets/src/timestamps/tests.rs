use super::*;

const fn at(millis: u64) -> Time {
    Time::from_millis(millis)
}

#[test]
fn messages_are_taken_with_their_times_in_order() {
    let mut unread = Unread::default();
    unread.add(1, None);
    unread.add(2, Some(at(5)));
    unread.add(1, Some(at(5)));
    unread.add(1, Some(at(9)));
    let taken: Vec<_> = (0..5).map(|_| unread.take()).collect();
    let five = Some(at(5));
    assert_eq!(taken, [None, five, five, five, Some(at(9))]);
    assert_eq!((unread.count(), unread.take()), (0, None));
}

#[test]
fn a_message_without_a_time_has_that_of_the_one_before_it() {
    let mut unread = Unread::default();
    unread.add(1, Some(at(5)));
    unread.add(1, None);
    assert_eq!((unread.take(), unread.take()), (Some(at(5)), Some(at(5))));
}
