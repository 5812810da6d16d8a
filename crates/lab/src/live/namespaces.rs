use std::net::Ipv4Addr;
use std::process;

use serde_json::Value;

use super::Process;
use super::stage::run;

/// Address of the sending end.
pub(crate) const NEAR: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 1);
/// Address of the receiving end.
pub(crate) const FAR: Ipv4Addr = Ipv4Addr::new(10, 9, 0, 2);

/// Two network namespaces, each with a TUN device of the same name, which must exist already. Each
/// run uses new ones, because a kernel caches metrics of a path. Dropping this removes the
/// namespaces.
pub(crate) struct Namespaces([String; 2]);

impl Namespaces {
    /// Reserves unique names, without creating the namespaces.
    pub(crate) fn new() -> Self {
        let id = process::id();
        Self(["n", "f"].map(|end| format!("lab{id}{end}")))
    }

    pub(crate) fn names(&self) -> [&str; 2] {
        [&self.0[0], &self.0[1]]
    }

    /// Creates the namespaces and moves the devices into them.
    pub(crate) fn make(&self) -> Result<(), String> {
        for (name, address) in self.names().into_iter().zip([NEAR, FAR]) {
            ip(&["netns", "add", name])?;
            ip(&["link", "set", name, "netns", name])?;
            let address = format!("{address}/30");
            ip(&["-n", name, "addr", "add", &address, "dev", name])?;
            ip(&["-n", name, "link", "set", name, "up"])?;
        }
        Ok(())
    }

    /// Starts a part of a study's run in the namespace `name`.
    pub(crate) fn part(name: &str, study: &str, part: &Value) -> Result<Process, String> {
        Process::part_within(&["ip", "netns", "exec", name], study, part)
    }

    /// The reason for skipping a run if the namespaces cannot be created.
    pub(crate) fn missing(error: &str) -> String {
        format!(
            "the kernel's TCP crosses the emulated link between two network namespaces, which takes \
             root and a TUN device: {error}"
        )
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in self.names() {
            // A namespace that does not exist need not be removed.
            let _ = ip(&["netns", "del", name]);
        }
    }
}

fn ip(args: &[&str]) -> Result<(), String> {
    run("ip", args)
}
