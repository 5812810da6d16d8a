use super::*;

#[test]
fn too_many_buffers_of_writev_are_invalid() {
    let memory = Memory::new(std::process::id(), None);
    for count in [1025, u64::MAX] {
        let made = Message::of_vector(&memory, 0, count);
        assert_eq!(made, Err(Failure::INVALID));
    }
}
