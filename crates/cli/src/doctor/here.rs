//! Checks of this machine.

pub mod addresses;
mod buffers;
mod checksum;
mod conntrack;
mod doors;
mod kernel_sockets;
pub mod kernel_stack;
mod module;
pub mod mtu;
mod offload;
mod raw_ip;
mod udp_port;

use std::fs;

use super::check::Check;

/// Checks this machine and reports each finding.
pub fn checks(add: &mut dyn FnMut(Check)) {
    let module = module::Module::look();
    let stack = kernel_stack::KernelStack::look();
    let sockets = kernel_sockets::KernelSockets::look(&module, &stack);
    add(sockets.check());
    add(module.check(&stack, sockets.work()));
    add(stack.check());
    add(doors::check(&doors::look(), sockets.work()));
    add(udp_port::UdpPort::look(&stack).check());
    add(raw_ip::RawIp::look().check());
    add(buffers::Buffers::look().check());
    add(offload::Offload::look().check());
    let interfaces = addresses::Interface::all();
    add(addresses::check(&interfaces));
    add(mtu::check(&mtu::look()));
    add(checksum::check(&checksum::look(), &stack));
    add(conntrack::Conntrack::look().check());
}

/// A description of this system, for a title.
pub fn title() -> String {
    let release = value("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Here: Linux {release} on {}", std::env::consts::ARCH)
}

/// The trimmed content of a kernel file.
fn value(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// The number in a kernel file.
fn number(path: &str) -> Option<u64> {
    value(path)?.parse().ok()
}
