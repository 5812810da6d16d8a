use super::{Drawing, wrapped};

#[test]
fn ends_that_all_paths_share_are_drawn_once() {
    let two = Drawing::path(&[("A", "upper"), ("B", "")]).and_path(&[("A", "lower"), ("B", "")]);
    assert_eq!(two.svg().matches("<rect").count(), 2);
    let apart = Drawing::path(&[("A", "upper"), ("B", "")]).and_path(&[("C", "lower"), ("B", "")]);
    assert_eq!(apart.svg().matches("<rect").count(), 3);
}

#[test]
fn a_long_label_becomes_lines() {
    assert_eq!(wrapped("100 Mbit/s, 20 ms", 70.0), ["100 Mbit/s,", "20 ms"]);
    assert_eq!(wrapped("", 70.0), Vec::<String>::new());
}

#[test]
fn a_drawing_can_be_read_aloud() {
    let drawing = Drawing::path(&[("A", "1 Gb/s"), ("B", "")]);
    assert_eq!(drawing.words(), "A – (1 Gb/s) – B");
}
