use super::{BATCHES, Lookout};

#[test]
fn a_socket_that_always_has_more_does_not_keep_another_waiting() {
    let mut lookout = Lookout::new();
    lookout.begin([0, 1].into_iter());
    let mut turns = Vec::new();
    while let Some(position) = lookout.next_socket() {
        turns.push(position);
        if position == 0 {
            lookout.ready.push_back(position);
        }
    }
    assert_eq!(turns[..3], [0, 1, 0]);
    assert_eq!(turns.len(), BATCHES);
}

#[test]
fn every_socket_with_packets_gets_a_turn_however_many_there_are() {
    let mut lookout = Lookout::new();
    lookout.begin(0..3 * BATCHES);
    let mut turns = 0;
    while let Some(position) = lookout.next_socket() {
        assert_eq!(position, turns);
        turns += 1;
        lookout.ready.push_back(position);
    }
    assert_eq!(turns, 3 * BATCHES);
}
