use std::net::Ipv4Addr;
use std::process::{self, Command};

/// Addresses of the two ends.
const NEAR: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
pub(super) const FAR: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

/// Two network namespaces, each with a TUN device of the same name, which must be there before.
/// They are fresh for each run: a kernel remembers what it learnt of a path. Dropping them removes
/// them.
pub(super) struct Namespaces([String; 2]);

impl Namespaces {
    /// Names that no other process uses; nothing is made yet.
    pub(super) fn new() -> Self {
        let id = process::id();
        Self(["n", "f"].map(|end| format!("lab{id}{end}")))
    }

    pub(super) fn names(&self) -> [&str; 2] {
        [&self.0[0], &self.0[1]]
    }

    /// Makes them and moves the devices there. Their TCP has the congestion control of its simulated
    /// twin, whatever this machine's default is.
    pub(super) fn make(&self) -> Result<(), String> {
        for (name, address) in self.names().into_iter().zip([NEAR, FAR]) {
            ip(&["netns", "add", name])?;
            ip(&["link", "set", name, "netns", name])?;
            let address = format!("{address}/30");
            ip(&["-n", name, "addr", "add", &address, "dev", name])?;
            ip(&["-n", name, "link", "set", name, "up"])?;
            let reno = "echo reno > /proc/sys/net/ipv4/tcp_congestion_control";
            ip(&["netns", "exec", name, "sh", "-c", reno])?;
        }
        Ok(())
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in self.names() {
            // What was not made need not be removed.
            let _ = ip(&["netns", "del", name]);
        }
    }
}

fn ip(args: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(args).output();
    let output = output.map_err(|error| format!("ip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("ip {}: {}", args.join(" "), said.trim()))
}
