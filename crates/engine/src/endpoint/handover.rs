//! Associations that leave for another endpoint, and those that come from one.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use super::Endpoint;
use crate::assoc::Tcb;
use crate::handover::State;
use crate::{AssocId, ExportError, ImportError, Options, Time, Unauthenticated};

impl Endpoint {
    /// Takes a quiet association out of the endpoint, without a word to the peer, and returns what
    /// it knows, to go on with elsewhere; see [`Obstacle`](crate::Obstacle) for what "quiet" is, and
    /// [`Assoc::handover_obstacles`](crate::Assoc::handover_obstacles) to ask before. No
    /// [`Event::Closed`](crate::Event::Closed) follows; packets of the association that still come
    /// here are dropped in silence from now on.
    ///
    /// Once the bytes exist they are the association: import them once, in one place. They are
    /// secret, since they hold its verification tags and shared keys.
    ///
    /// A peer whose COOKIE ECHO has to be authenticated had better be heard once more first: should our
    /// COOKIE ACK have been lost, it asks again with a cookie that only this endpoint can open. Any
    /// other is answered by the endpoint that has the association then.
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

    /// Goes on with an association that another endpoint has [exported](Self::export). It is
    /// established at once, and no event says so; one SACK tells the peer our window.
    ///
    /// `options` are as for [`connect`](Self::connect): those that the association had, or others
    /// that switch the same extensions on. Packets of the association that come before this call are
    /// answered with ABORT, as any out of the blue: let no packet in before.
    ///
    /// # Errors
    /// See [`ImportError`]; whatever the bytes are, nothing else happens.
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

    /// Whether there is a place for it here.
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
        Ok(())
    }

    /// The list of addresses, shared with the endpoint's own where they are the same.
    fn share_local(&self, listed: &[IpAddr]) -> Arc<[IpAddr]> {
        if **self.local.all() == *listed {
            self.local.all().clone()
        } else {
            listed.into()
        }
    }
}
