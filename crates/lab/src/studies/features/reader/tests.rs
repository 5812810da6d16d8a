use super::*;

/// A reader that received these numbers in this order.
fn reader(numbers: &[u32]) -> Reader {
    let mut reader = Reader::new(0);
    reader.read = numbers
        .iter()
        .map(|number| Read {
            stream: 0,
            payload: Bytes::copy_from_slice(&number.to_be_bytes()),
        })
        .collect();
    reader
}

#[test]
fn no_message_is_ahead_of_another_in_order() {
    assert_eq!(reader(&[0, 1, 2, 3, 4]).order(1), Order::default());
    assert_eq!(reader(&[0, 1, 2, 3, 4]).order(2), Order::default());
}

#[test]
fn all_behind_a_gap_are_ahead_until_it_is_filled() {
    let order = reader(&[0, 2, 3, 1, 4]).order(1);
    assert_eq!((order.ahead, order.ahead_within), (2, 2));
}

#[test]
fn all_behind_what_never_comes_are_ahead() {
    assert_eq!(reader(&[1, 2, 3]).order(1).ahead, 3);
}

#[test]
fn another_stream_may_be_ahead_while_each_keeps_its_order() {
    // The odd numbers are on a different stream, which is delayed.
    let order = reader(&[0, 2, 4, 1, 3]).order(2);
    assert_eq!((order.ahead, order.ahead_within), (2, 0));
}
