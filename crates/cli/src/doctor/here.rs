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

/// Looks at this machine, a finding at a time.
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

/// The system that this is, for a title.
pub fn title() -> String {
    let release = value("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Here: Linux {release} on {}", std::env::consts::ARCH)
}

/// The content of a file of the kernel's, trimmed.
fn value(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

/// A number in a file of the kernel's.
fn number(path: &str) -> Option<u64> {
    value(path)?.parse().ok()
}
