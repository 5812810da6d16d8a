//! A program whose peer is not there.

use sheave_interop::skip;

use crate::installed::{Library, compiled, on, run};
use crate::running::ports;

#[test]
fn an_attempt_ends_where_nobody_is_at_the_peer_s_udp_port() {
    let Ok(program) = compiled("absent").map_err(skip) else {
        return;
    };
    for library in [Library::Usrsctp, Library::Ours] {
        let output = run(on(library, &program).args(ports()));
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, "timed out\n", "{library:?}");
    }
}
