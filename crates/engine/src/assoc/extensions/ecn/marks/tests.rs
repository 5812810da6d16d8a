use sheave_wire::Tsn;

use super::{MarkEcho, Marks};
use crate::congestion::Loss;
use crate::value::ids::PathIndex;

const PATH: PathIndex = PathIndex(0);

#[test]
fn an_echo_goes_on_until_its_own_mark_is_answered() {
    let mut marks = Marks::default();
    assert_eq!(marks.on_marked_packet(Tsn(10)), MarkEcho::Begins);
    assert_eq!(marks.on_marked_packet(Tsn(22)), MarkEcho::GoesOn);
    marks.on_cwr(Tsn(10));
    assert_eq!(marks.echo(), Some(Tsn(22)));
    marks.on_cwr(Tsn(22));
    assert_eq!(marks.echo(), None);
}

#[test]
fn a_mark_on_a_packet_that_was_overtaken_does_not_move_the_echo_back() {
    let mut marks = Marks::default();
    marks.on_marked_packet(Tsn(u32::MAX));
    marks.on_marked_packet(Tsn(3));
    marks.on_marked_packet(Tsn(1));
    assert_eq!(marks.echo(), Some(Tsn(3)));
}

#[test]
fn one_window_is_cut_once_whatever_it_suffers() {
    let mut marks = Marks::default();
    assert!(marks.on_echo(Tsn(5), PATH, 5, 20));
    assert!(!marks.on_echo(Tsn(19), PATH, 19, 25), "the same window");
    assert_eq!(marks.loss(PATH, 20), None, "the same window");
    assert_eq!(marks.loss(PATH, 21), Some(Loss::Unmarked));
    marks.on_loss_answered(PATH, 30);
    assert!(!marks.on_echo(Tsn(29), PATH, 29, 35), "after a loss");
    assert!(marks.on_echo(Tsn(30), PATH, 30, 40));
}

#[test]
fn paths_are_cut_each_for_itself() {
    let mut marks = Marks::default();
    assert!(marks.on_echo(Tsn(5), PATH, 5, 20));
    assert!(marks.on_echo(Tsn(6), PathIndex(1), 6, 20));
}

#[test]
fn a_loss_after_a_timeout_counts_again() {
    let mut marks = Marks::default();
    assert!(marks.on_echo(Tsn(5), PATH, 5, 20));
    marks.on_timeout(PATH, 20);
    assert!(!marks.on_echo(Tsn(6), PATH, 6, 20));
    assert_eq!(marks.loss(PATH, 7), Some(Loss::Unmarked));
}
