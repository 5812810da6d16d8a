use std::collections::{BTreeSet, HashMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Failure;
use super::connection::Connection;
use super::session::{Role, Session};
use crate::dtls::DtlsError;

/// Clients that have not proved their address, remembered at most: the oldest makes room for the
/// next, so that a flood of forged addresses costs no more memory than this.
pub(super) const UNVERIFIED: usize = 256;

/// Handshakes of clients that have, at a time.
const HANDSHAKES: usize = 4096;

/// Ends of connections that are remembered.
const ENDED: usize = 64;

/// Aliases: 240.0.0.1 to 254.255.255.255.
const ALIASES: u32 = (15 << 24) - 1;

/// The connections of an endpoint, by address and by alias.
pub(super) struct Table {
    by_address: HashMap<(IpAddr, SocketAddr), Arc<Connection>>,
    by_alias: HashMap<IpAddr, Arc<Connection>>,
    /// Handshakes with peers that have a connection: they were started again, or so they say.
    renewals: HashMap<(IpAddr, SocketAddr), Arc<Connection>>,
    deadlines: BTreeSet<(Instant, IpAddr)>,
    deadline_of: HashMap<IpAddr, Instant>,
    /// Aliases of clients that have not proved their address, the oldest in front.
    unverified: VecDeque<IpAddr>,
    pub(super) failures: Vec<Failure>,
    /// The last of them, for associations that begin after their connection failed.
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

    /// Keeps the end of a connection for whoever asks.
    pub(super) fn fail(&mut self, failure: Failure) {
        if self.ended.len() >= ENDED {
            self.ended.pop_front();
        }
        self.ended.push_back(failure.clone());
        self.failures.push(failure);
    }

    /// The reason why a connection ended lately.
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

    /// Adds a connection; `None` where there are too many, or one with that peer.
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

    /// Adds a connection beside the one that there is with that client, to take its place once its
    /// handshake is done (RFC 6347 §4.2.8); `None` where there are too many.
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

    /// The handshake that is under way beside the connection with a client.
    pub(super) fn renewal(&self, local: IpAddr, remote: SocketAddr) -> Option<Arc<Connection>> {
        self.renewals.get(&(local, remote)).cloned()
    }

    /// A peer's connection, and the handshake beside it.
    pub(super) fn find_with_renewal(
        &self,
        local: IpAddr,
        remote: SocketAddr,
    ) -> (Option<Arc<Connection>>, Option<Arc<Connection>>) {
        (self.find(local, remote), self.renewal(local, remote))
    }

    /// A handshake is done; the connection in whose place it comes.
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

    /// An alias that no connection has. There are twice as many as connections.
    fn vacant_alias(&mut self) -> IpAddr {
        loop {
            self.last_alias = self.last_alias % ALIASES + 1;
            let alias = IpAddr::V4(Ipv4Addr::from_bits((240 << 24) + self.last_alias));
            if !self.by_alias.contains_key(&alias) {
                return alias;
            }
        }
    }

    /// The client has proved its address.
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

    /// Takes a connection out of everything that knows it by its alias.
    fn forget(&mut self, connection: &Connection) {
        self.set_deadline(connection, None);
        self.by_alias.remove(&connection.alias);
        self.unverified.retain(|alias| *alias != connection.alias);
    }

    /// Something is due at that time, or nothing.
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

    /// A connection for which something is due, once.
    pub(super) fn next_due(&mut self, now: Instant) -> Option<Arc<Connection>> {
        let &(at, alias) = self.deadlines.first()?;
        if at > now {
            return None;
        }
        self.deadlines.remove(&(at, alias));
        self.deadline_of.remove(&alias);
        self.by_alias(alias)
    }

    /// Whether the last sweep is longer ago than that, or there was none; then this is one.
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
