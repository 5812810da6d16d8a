//! COOKIE ECHO behind AUTH (RFC 4895 §6.3).

use sheave_wire::{Auth, Chunk, ChunkType, CommonHeader, CookieEcho, Packet};

use super::Endpoint;
use crate::assoc::extensions::authentication::Authenticator;
use crate::assoc::{Incoming, Proof};
use crate::collision::CookieAction;
use crate::cookie::Cookie;

/// Evidence for judging a COOKIE ECHO.
pub(super) struct Judge<'a> {
    pub(super) cookie: &'a Cookie,
    /// The existing association, and the cookie's effect on it.
    pub(super) existing: Option<(usize, CookieAction)>,
}

/// The COOKIE ECHO at the start of a packet, and the AUTH chunk before it, if any.
pub(super) fn cookie_echo<'a>(packet: &Packet<'a>) -> Option<(Option<Auth<'a>>, CookieEcho<'a>)> {
    let mut chunks = packet.chunks();
    let auth = match chunks.next()?.ok()? {
        Chunk::CookieEcho(echo) => return Some((None, echo)),
        Chunk::Auth(auth) => auth,
        _ => return None,
    };
    match chunks.next()?.ok()? {
        Chunk::CookieEcho(echo) => Some((Some(auth), echo)),
        _ => None,
    }
}

impl Endpoint {
    /// Checks the authentication of a COOKIE ECHO; `None` means drop.
    pub(super) fn prove_cookie_echo(
        &mut self,
        incoming: &Incoming<'_>,
        auth: Option<&Auth<'_>>,
        judge: &Judge<'_>,
    ) -> Option<Proof> {
        let authenticator = self.authenticator_for(judge);
        let Some(mut authenticator) = authenticator else {
            // Without an agreement AUTH is an unknown chunk, and the chunks after it are ignored.
            return auth.is_none().then_some(Proof::None);
        };
        let Some(auth) = auth else {
            let asked = authenticator.asks_for(ChunkType::COOKIE_ECHO);
            return (!asked).then_some(Proof::None);
        };
        let bytes = incoming.packet.bytes();
        let tail = bytes.get(CommonHeader::LEN..).unwrap_or_default();
        let proved = authenticator.check(auth, tail).is_ok();
        proved.then_some(Proof::Given)
    }

    /// The authenticator that checks the AUTH chunk and signs the answer. A restart must be
    /// authenticated with the keys of the association that it replaces; otherwise the cookie's keys
    /// apply (RFC 4895 §6.3).
    pub(super) fn authenticator_for(&self, judge: &Judge<'_>) -> Option<Authenticator> {
        let vectors = judge.cookie.vectors.as_deref();
        let Some((index, action)) = judge.existing else {
            let cookie = judge.cookie;
            let listener = self.listeners.find(cookie.local_port, cookie.local)?;
            let options = listener.options.authentication.options()?;
            return Some(Authenticator::between(options, vectors?));
        };
        let tcb = self.registry.tcb(index);
        let own = tcb.extensions.authenticator.as_deref();
        let restarts = matches!(
            action,
            CookieAction::Restart | CookieAction::RefuseRestart | CookieAction::Discard
        );
        if let Some(own) = own
            && restarts
            && own.knows_peer()
        {
            return Some(own.clone());
        }
        let Some(own) = own else {
            // INITs exchanged through signalling have no keys; those of a restart do.
            let options = tcb.options.authentication.options()?;
            return Some(Authenticator::between(options, vectors?));
        };
        let mut by_cookie = own.clone();
        by_cookie.restart(vectors?.clone());
        Some(by_cookie)
    }
}
