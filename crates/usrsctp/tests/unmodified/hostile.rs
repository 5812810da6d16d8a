//! Calls that no program should make.

use sheave_interop::skip;

use crate::installed::{Library, compiled, on, run};

#[test]
fn wild_calls_fail_with_an_error_each_and_harm_nothing() {
    let Ok(program) = compiled("hostile").map_err(skip) else {
        return;
    };
    let output = run(&mut on(Library::Ours, &program));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "0 faults\n");
}
