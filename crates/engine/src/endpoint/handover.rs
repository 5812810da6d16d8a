//! Export and import of associations.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use super::Endpoint;
use crate::assoc::Tcb;
use crate::handover::State;
use crate::{AssocId, ExportError, ImportError, Options, Protection, Time, Unauthenticated};

impl Endpoint {
    /// Removes a quiet association from the endpoint without notifying the peer, and returns its
    /// state for import elsewhere. [`Obstacle`](crate::Obstacle) defines "quiet";
    /// [`Assoc::handover_obstacles`](crate::Assoc::handover_obstacles) checks in advance. No
    /// [`Event::Closed`](crate::Event::Closed) follows. Packets of the association that still
    /// arrive here are dropped silently.
    ///
    /// The returned bytes are the association: import them once, in one place. They are secret,
    /// since they hold verification tags and shared keys.
    ///
    /// If the peer must authenticate COOKIE ECHO, receive one more packet from it before exporting:
    /// should our COOKIE ACK be lost, the peer repeats a cookie that only this endpoint can open.
    /// Without authentication, the importing endpoint answers the repeated cookie.
    ///
    /// # Errors
    /// See [`ExportError`]; the association then stays as it is.
    pub fn export(&mut self, id: AssocId) -> Result<Vec<u8>, ExportError> {
        let index = self.registry.find(id).ok_or(ExportError::Unknown)?;
        let obstacles = self.registry.tcb(index).obstacles();
        if !obstacles.is_empty() {
            return Err(ExportError::NotReady(obstacles));
        }
        let tcb = self.registry.remove(index).ok_or(ExportError::Unknown)?;
        self.deadlines.forget(index);
        self.memory.close(tcb.memory);
        self.exported_tags.add(tcb.local_tag);
        Ok(tcb.standing().to_bytes())
    }

    /// Resumes an association [exported](Self::export) by another endpoint. The association is
    /// established at once, without an event; one SACK announces our window to the peer.
    ///
    /// `options` are those of [`connect`](Self::connect): the association's own, or others with the
    /// same extensions on. Packets of the association that arrive before this call are answered
    /// with ABORT as out of the blue; pass no packets in before it.
    ///
    /// # Errors
    /// See [`ImportError`]; invalid bytes change nothing.
    pub fn import(
        &mut self,
        now: Time,
        exported: &[u8],
        options: Options,
    ) -> Result<AssocId, ImportError> {
        options.validate().map_err(ImportError::Option)?;
        let state = State::parse(exported)?;
        self.admit(&state, &options)?;
        let local = self.share_local(&state.local);
        let options = self.shared(options);
        let index = self.registry.vacancy();
        let id = self.registry.id(index);
        self.exported_tags.forget(state.tags.0);
        self.enroll(now, index, |cx| Tcb::resume(cx, id, &state, local, options));
        self.settle(now, index);
        Ok(id)
    }

    /// Whether the association's ports, addresses and tag are free here.
    fn admit(&self, state: &State, options: &Options) -> Result<(), ImportError> {
        let shard = self.options.shard;
        let tagged = shard.of_tag(state.tags.0);
        if tagged != shard.index() {
            let here = shard.index();
            return Err(ImportError::WrongShard { tagged, here });
        }
        if let Some(stranger) = state.local.iter().find(|ip| !self.owns_address(**ip)) {
            return Err(ImportError::NotLocal(*stranger));
        }
        let (ours, theirs) = state.ports;
        let is_here = |tcb: &Tcb| tcb.is_at_any(&state.local);
        let met = |ip: IpAddr| self.registry.by_peer((ours, theirs, ip), is_here).is_some();
        if self.registry.by_tag(state.tags.0).is_some()
            || state.paths.iter().any(|path| met(path.remote.ip))
        {
            return Err(ImportError::InUse);
        }
        if self.registry.len() >= self.options.max_associations {
            return Err(ImportError::TooManyAssociations);
        }
        if !options.extensions().contains(state.extensions) {
            return Err(ImportError::Extensions);
        }
        let wanted = options.authentication.options();
        let insists = wanted.is_some_and(|wanted| wanted.others == Unauthenticated::Refused);
        if insists && state.credentials.is_none() {
            return Err(ImportError::Unauthenticated);
        }
        if options.protection == Protection::Strict {
            return Err(ImportError::Unprotected);
        }
        Ok(())
    }

    /// The address list; shares the endpoint's own list if equal.
    fn share_local(&self, listed: &[IpAddr]) -> Arc<[IpAddr]> {
        if **self.local.all() == *listed {
            self.local.all().clone()
        } else {
            listed.into()
        }
    }
}
