//! Binding to addresses that the host did not have at its start.

use sheave::poll_loop::Time;
use sheave_sockets::{Errno, Stack};

use super::Host;

/// Whether programs may bind to any address of 127.0.0.0/8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loopback {
    /// Programs may bind to any of them.
    Whole,
    /// The user has listed the addresses.
    AsSaid,
}

impl Host {
    /// Binds by `call`, and retries if the address exists by now or is one of 127.0.0.0/8, which
    /// the kernel also accepts.
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

    /// Whether the address for which the last bind failed is available now.
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
