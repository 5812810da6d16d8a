use super::*;

#[test]
fn too_many_buffers_of_writev_are_invalid() {
    for count in [1025, u64::MAX] {
        let made = Message::of_vector(std::process::id(), 0, count);
        assert_eq!(made, Err(Failure::INVALID));
    }
}
