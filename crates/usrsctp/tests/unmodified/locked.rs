//! A program that holds a lock of its own over a call, and takes it in its callbacks.

use sheave_interop::skip;

use crate::installed::{Library, compiled, on, run};
use crate::running::ports;

#[test]
fn a_call_makes_no_callback_that_its_caller_holds_up() {
    let Ok(program) = compiled("locked").map_err(skip) else {
        return;
    };
    let [udp_port, _] = ports();
    let output = run(on(Library::Ours, &program).arg(udp_port));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "called back\n");
}
