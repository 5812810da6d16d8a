use super::*;

#[test]
fn the_machine_is_named_as_uname_does() {
    assert!(system_info().split(' ').count() >= 3);
}
