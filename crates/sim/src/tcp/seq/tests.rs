use super::*;

#[test]
fn comparison_wraps() {
    assert!(Seq(u32::MAX).is_before(Seq(0)));
    assert!(Seq(u32::MAX - 5).is_before(Seq(10)));
    assert!(!Seq(10).is_before(Seq(u32::MAX - 5)));
    assert!(!Seq(7).is_before(Seq(7)));
}

#[test]
fn positions_go_on_where_numbers_wrap() {
    let origin = Origin(Seq(u32::MAX - 10));
    assert_eq!(origin.seq(11), Seq(0));
    assert_eq!(origin.position(Seq(5), 3), Some(16));
    let far = 5_u64 << 32;
    assert_eq!(origin.position(origin.seq(far + 9), far), Some(far + 9));
    assert_eq!(origin.position(origin.seq(far - 9), far), Some(far - 9));
}

#[test]
fn a_number_before_the_syn_has_no_position() {
    assert_eq!(Origin(Seq(100)).position(Seq(99), 0), None);
}
