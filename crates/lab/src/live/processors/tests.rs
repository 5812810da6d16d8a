use super::{of_machine, of_process};

#[test]
fn the_machines_programs_are_user_nice_and_steal() {
    let text = "cpu  414050 290318 33327 104631 4296 0 2279 1876 0 0\ncpu0 203130 146016\n";
    assert_eq!(of_machine(text), Some(7062.44));
    assert_eq!(of_machine("intr 1 2 3"), None);
}

#[test]
fn a_name_with_blanks_and_brackets_is_passed_over() {
    let text = "17 (a) b (c) S 1 17 17 0 -1 4194304 100 0 0 0 250 30 0 0 20 0 1 0 100";
    assert_eq!(of_process(text), Some(2.5));
    assert_eq!(of_process("17"), None);
}
