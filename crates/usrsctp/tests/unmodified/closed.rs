//! Ports at which nobody listens, over plain IP.

use sheave_interop::skip;

use crate::installed::{Library, compiled, on, run};

/// Three programs: the first binds 5001; the second binds 5002 and connects to both; the third, alone,
/// connects to a port that nobody has: where another stack is, it may be that one's.
const SCRIPT: &str = "ip link set lo up; rm -f \"$1\"; \"$0\" bind 5001 wait > \"$1\" & \
    until grep -q . \"$1\"; do sleep 0.05; done; \
    cat \"$1\"; \"$0\" bind 5002 connect 5001 5002; kill $!; wait $!; \"$0\" connect 5003";

#[test]
fn an_init_to_a_port_without_a_listener_is_aborted() {
    let Ok(program) = compiled("closed").map_err(skip) else {
        return;
    };
    // Raw sockets take a privilege, and no other stack of the machine should answer.
    let apart = || {
        let mut apart = on(Library::Ours, "unshare".as_ref());
        apart.args(["--map-root-user", "--net", "--"]);
        apart
    };
    if !apart()
        .args(["ip", "link"])
        .output()
        .is_ok_and(|out| out.status.success())
    {
        return skip("no network namespaces (`unshare --net`)");
    }
    let said = program.with_extension("said");
    let mut script = apart();
    let said = run(script.args(["sh", "-c", SCRIPT]).args([program, said])).stdout;
    let refused = ["5001", "5002", "5003"].map(|port| format!("{port}: Connection refused\n"));
    let wanted = format!("bound\nbound\n{}", refused.concat());
    assert_eq!(String::from_utf8_lossy(&said), wanted);
}
