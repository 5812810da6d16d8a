use alloc::vec::Vec;
use core::net::{IpAddr, Ipv6Addr};

use hashbrown::HashMap;

use crate::SourceShare;

/// Accounts for the user data held by all associations, in total and per source.
///
/// A *source* is the party behind associations, as far as its address shows: an IPv4 address, or
/// the 64-bit network prefix of an IPv6 address (RFC 4291 §2.5.4). The address is the one that
/// answered in the handshake, so it cannot be forged.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Most bytes that may be held.
    limit: usize,
    share: SourceShare,
    /// Bytes held.
    held: usize,
    sources: HashMap<IpAddr, Source>,
    accounts: Vec<Account>,
    free: Vec<Source>,
}

/// Index of a source's account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source(u32);

#[derive(Clone, Copy, Debug)]
struct Account {
    network: IpAddr,
    /// Bytes held.
    held: usize,
    associations: usize,
}

/// Bytes accounted to one association.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Booking {
    source: Source,
    /// Bytes.
    held: usize,
}

impl Memory {
    pub(crate) fn new(limit: usize, share: SourceShare) -> Self {
        Self {
            limit,
            share,
            held: 0,
            sources: HashMap::new(),
            accounts: Vec::new(),
            free: Vec::new(),
        }
    }

    /// Bytes held by all associations.
    pub(crate) const fn held(&self) -> usize {
        self.held
    }

    /// Additional bytes that the association may hold.
    #[inline]
    pub(crate) fn left(&self, booking: &Booking) -> usize {
        let free = self.limit.saturating_sub(self.held);
        let of_source = self
            .account(booking.source)
            .map_or(0, |account| account.held);
        match self.share {
            SourceShare::AsMuchAsIsFree => free.saturating_sub(of_source) / 2,
            SourceShare::Bytes(most) => free.min(most.saturating_sub(of_source)),
            SourceShare::All => free,
        }
    }

    /// Opens an account entry for an association with a peer at the address.
    pub(crate) fn open(&mut self, peer: IpAddr) -> Booking {
        let network = network(peer);
        let source = match self.sources.get(&network) {
            Some(source) => *source,
            None => self.open_account(network),
        };
        if let Some(account) = self.account_mut(source) {
            account.associations += 1;
        }
        Booking { source, held: 0 }
    }

    /// Sets the number of bytes that an association holds.
    #[inline]
    pub(crate) fn book(&mut self, booking: &mut Booking, held: usize) {
        if held == booking.held {
            return;
        }
        self.held = self.held + held - booking.held;
        if let Some(account) = self.account_mut(booking.source) {
            account.held = account.held + held - booking.held;
        }
        booking.held = held;
    }

    /// Closes the entry of an association that no longer holds anything.
    pub(crate) fn close(&mut self, mut booking: Booking) {
        self.book(&mut booking, 0);
        let Some(account) = self.account_mut(booking.source) else {
            return;
        };
        account.associations -= 1;
        if account.associations == 0 {
            let network = account.network;
            self.sources.remove(&network);
            self.free.push(booking.source);
        }
    }

    fn open_account(&mut self, network: IpAddr) -> Source {
        let fresh = Account {
            network,
            held: 0,
            associations: 0,
        };
        let source = self.free.pop().unwrap_or_else(|| {
            self.accounts.push(fresh);
            Source(u32::try_from(self.accounts.len() - 1).unwrap_or(u32::MAX))
        });
        if let Some(account) = self.account_mut(source) {
            *account = fresh;
        }
        self.sources.insert(network, source);
        source
    }

    #[inline]
    fn account(&self, source: Source) -> Option<&Account> {
        self.accounts.get(source.0 as usize)
    }

    #[inline]
    fn account_mut(&mut self, source: Source) -> Option<&mut Account> {
        self.accounts.get_mut(source.0 as usize)
    }
}

/// The part of an address that identifies a source.
fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(ip) => {
            let [a, b, c, d, ..] = ip.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests;
