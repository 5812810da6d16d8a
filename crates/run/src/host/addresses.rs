//! Addresses to which programs bind that the host did not have when it started.

use sheave::poll_loop::Time;
use sheave_sockets::{Errno, Stack};

use super::Host;

/// The addresses of 127.0.0.0/8, all of which are this machine's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loopback {
    /// Programs may bind to any.
    Whole,
    /// The user has said which addresses there are.
    AsSaid,
}

impl Host {
    /// Binds, by that call, and once more where it was to an address that the machine has by now, or to one
    /// of 127.0.0.0/8 that no socket had: as by the kernel, any of them can be had.
    pub(super) fn bind_by(
        &mut self,
        mut call: impl FnMut(&mut Stack, Time) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        loop {
            let bound = call(&mut self.stack, self.carrier.now());
            if bound != Err(Errno::EADDRNOTAVAIL) || !self.finds_missing() {
                return bound;
            }
        }
    }

    /// Whether the address that a socket could not be bound to can be had now.
    fn finds_missing(&mut self) -> bool {
        let Some(ip) = self.stack.take_missing_address() else {
            return false;
        };
        self.carrier.look_for_addresses(&mut self.stack);
        if self.stack.endpoint().local_addresses().contains(&ip) {
            return true;
        }
        let may = ip.is_ipv4() && ip.is_loopback() && self.loopback == Loopback::Whole;
        if !may || self.carrier.add_address(ip).is_err() {
            return false;
        }
        self.stack.add_named_address(ip);
        true
    }
}
