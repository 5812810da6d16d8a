use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Failure;
use super::connection::Connection;
use super::session::{Role, Session};
use crate::dtls::DtlsError;

/// Maximum clients with unverified addresses; the oldest is evicted, so that a flood of forged
/// addresses uses bounded memory.
pub(super) const UNVERIFIED: usize = 256;

/// Maximum concurrent handshakes with verified clients.
const HANDSHAKES: usize = 4096;

/// Number of ended connections remembered.
const ENDED: usize = 64;

/// Aliases: 240.0.0.1 to 254.255.255.255.
const ALIASES: u32 = (15 << 24) - 1;

/// The connections of an endpoint, by address and by alias.
pub(super) struct Table {
    by_address: HashMap<(IpAddr, SocketAddr), Arc<Connection>>,
    by_alias: HashMap<IpAddr, Arc<Connection>>,
    /// Handshakes with peers that already have a connection and claim to have restarted.
    renewals: HashMap<(IpAddr, SocketAddr), Arc<Connection>>,
    deadlines: BTreeSet<(Instant, IpAddr)>,
    deadline_of: HashMap<IpAddr, Instant>,
    /// Aliases of clients with unverified addresses, oldest first.
    unverified: VecDeque<IpAddr>,
    pub(super) failures: Vec<Failure>,
    /// The latest failures, for associations that start after their connection failed.
    ended: VecDeque<Failure>,
    most: usize,
    last_alias: u32,
    swept: Option<Instant>,
}

impl Table {
    pub(super) fn new(most: usize) -> Self {
        Self {
            by_address: HashMap::new(),
            by_alias: HashMap::new(),
            renewals: HashMap::new(),
            deadlines: BTreeSet::new(),
            deadline_of: HashMap::new(),
            unverified: VecDeque::new(),
            failures: Vec::new(),
            ended: VecDeque::new(),
            most: most.saturating_add(HANDSHAKES).min(ALIASES as usize / 2),
            last_alias: 0,
            swept: None,
        }
    }

    /// Records the failure of a connection.
    pub(super) fn fail(&mut self, failure: Failure) {
        if self.ended.len() >= ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(failure.clone());
        self.failures.push(failure);
    }

    /// The reason why a connection recently ended, if it did.
    pub(super) fn end_of(&self, alias: IpAddr) -> Option<DtlsError> {
        let mut ended = self.ended.iter().rev();
        let failure = ended.find(|failure| failure.alias == alias)?;
        Some(failure.error.clone())
    }

    pub(super) fn len(&self) -> usize {
        self.by_alias.len()
    }

    pub(super) fn find(&self, local: IpAddr, remote: SocketAddr) -> Option<Arc<Connection>> {
        self.by_address.get(&(local, remote)).cloned()
    }

    pub(super) fn by_alias(&self, alias: IpAddr) -> Option<Arc<Connection>> {
        self.by_alias.get(&alias).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Connection>> {
        self.by_alias.values().cloned().collect()
    }

    /// Adds a connection; `None` if there are too many, or already one with that peer.
    pub(super) fn insert(
        &mut self,
        now: Instant,
        local: IpAddr,
        remote: SocketAddr,
        session: Session,
        role: Role,
    ) -> Option<Arc<Connection>> {
        if self.by_address.contains_key(&(local, remote)) {
            return None;
        }
        let connection = self.admit(now, local, remote, session, role)?;
        self.by_address
            .insert((local, remote), Arc::clone(&connection));
        Some(connection)
    }

    /// Adds a second connection with a client, to replace the first once its handshake is done (RFC
    /// 6347 §4.2.8); `None` if there are too many.
    pub(super) fn insert_renewal(
        &mut self,
        now: Instant,
        local: IpAddr,
        remote: SocketAddr,
        session: Session,
    ) -> Option<Arc<Connection>> {
        if let Some(before) = self.renewal(local, remote) {
            self.remove(&before);
        }
        let connection = self.admit(now, local, remote, session, Role::Server)?;
        self.renewals
            .insert((local, remote), Arc::clone(&connection));
        Some(connection)
    }

    /// The pending second handshake with a client, if any.
    pub(super) fn renewal(&self, local: IpAddr, remote: SocketAddr) -> Option<Arc<Connection>> {
        self.renewals.get(&(local, remote)).cloned()
    }

    /// A peer's connection, and its pending second handshake.
    pub(super) fn find_with_renewal(
        &self,
        local: IpAddr,
        remote: SocketAddr,
    ) -> (Option<Arc<Connection>>, Option<Arc<Connection>>) {
        (self.find(local, remote), self.renewal(local, remote))
    }

    /// Records a completed handshake; returns the connection that it replaces.
    pub(super) fn promote(&mut self, connection: &Arc<Connection>) -> Option<Arc<Connection>> {
        let address = (connection.local, connection.remote);
        let renewal = self.renewals.get(&address)?;
        if !Arc::ptr_eq(renewal, connection) {
            return None;
        }
        self.renewals.remove(&address);
        let before = self.by_address.insert(address, Arc::clone(connection))?;
        self.forget(&before);
        Some(before)
    }

    fn admit(
        &mut self,
        now: Instant,
        local: IpAddr,
        remote: SocketAddr,
        session: Session,
        role: Role,
    ) -> Option<Arc<Connection>> {
        if role == Role::Server && self.unverified.len() >= UNVERIFIED {
            let oldest = self
                .unverified
                .front()
                .and_then(|alias| self.by_alias(*alias));
            match oldest {
                Some(oldest) => self.remove(&oldest),
                None => drop(self.unverified.pop_front()),
            }
        }
        if self.len() >= self.most {
            return None;
        }
        let alias = self.vacant_alias();
        let connection = Connection::new(now, (local, remote, alias), session, role);
        let connection = Arc::new(connection);
        self.by_alias.insert(alias, Arc::clone(&connection));
        if role == Role::Server {
            self.unverified.push_back(alias);
        }
        Some(connection)
    }

    /// An unused alias. There are at least twice as many aliases as connections.
    fn vacant_alias(&mut self) -> IpAddr {
        loop {
            self.last_alias = self.last_alias % ALIASES + 1;
            let alias = IpAddr::V4(Ipv4Addr::from_bits((240 << 24) + self.last_alias));
            if !self.by_alias.contains_key(&alias) {
                return alias;
            }
        }
    }

    /// Records that a client's address was verified.
    pub(super) fn on_verified(&mut self, connection: &Connection) {
        self.unverified.retain(|alias| *alias != connection.alias);
    }

    pub(super) fn remove(&mut self, connection: &Connection) {
        self.forget(connection);
        let address = (connection.local, connection.remote);
        let is_it = |found: &Arc<Connection>| found.alias == connection.alias;
        if self.renewals.get(&address).is_some_and(is_it) {
            self.renewals.remove(&address);
        }
        if self.by_address.get(&address).is_some_and(is_it) {
            match self.renewals.remove(&address) {
                Some(next) => self.by_address.insert(address, next),
                None => self.by_address.remove(&address),
            };
        }
    }

    /// Removes a connection from all collections keyed by alias.
    fn forget(&mut self, connection: &Connection) {
        self.set_deadline(connection, None);
        self.by_alias.remove(&connection.alias);
        self.unverified.retain(|alias| *alias != connection.alias);
    }

    /// Sets or clears a connection's deadline.
    pub(super) fn set_deadline(&mut self, connection: &Connection, at: Option<Instant>) {
        let alias = connection.alias;
        if self.deadline_of.get(&alias).copied() == at {
            return;
        }
        if let Some(before) = self.deadline_of.remove(&alias) {
            self.deadlines.remove(&(before, alias));
        }
        if let Some(at) = at.filter(|_| self.by_alias.contains_key(&alias)) {
            self.deadline_of.insert(alias, at);
            self.deadlines.insert((at, alias));
        }
    }

    pub(super) fn next_timeout(&self) -> Option<Instant> {
        self.deadlines.first().map(|(at, _)| *at)
    }

    /// Takes a connection whose deadline has passed, and clears the deadline.
    pub(super) fn next_due(&mut self, now: Instant) -> Option<Arc<Connection>> {
        let &(at, alias) = self.deadlines.first()?;
        if at > now {
            return None;
        }
        self.deadlines.remove(&(at, alias));
        self.deadline_of.remove(&alias);
        self.by_alias(alias)
    }

    /// Whether the last sweep was at least `every` ago, or never; if so, records one now.
    pub(super) fn is_sweep_due(&mut self, now: Instant, every: Duration) -> bool {
        if self.by_alias.is_empty() {
            return false;
        }
        let last = *self.swept.get_or_insert(now);
        let due = now.saturating_duration_since(last) >= every;
        if due {
            self.swept = Some(now);
        }
        due
    }
}
