//! Export of an association to another endpoint, and its import.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use super::accounting::Birthplace;
use super::handshake::inbound;
use super::tcb::{Context, Tcb, TcbParts, Wish};
use crate::assoc::extensions::authentication::Authenticator;
use crate::assoc::extensions::reconfiguration::Dialogue;
use crate::cookie::TieTags;
use crate::handover::{AddressSerials, State};
use crate::outbound::Outbound;
use crate::path::Path;
use crate::paths::Paths;
use crate::value::extension::ExtensionSet;
use crate::value::ids::PathIndex;
use crate::{AssocId, Obstacle, Options, Phase};

impl Tcb {
    /// The obstacles to an export now.
    pub(crate) fn obstacles(&self) -> Vec<Obstacle> {
        let shutting_down = self.phase > Phase::Established || self.wish == Wish::Closed;
        let dialogue = self.extensions.dialogue.as_deref();
        let reconfiguring = dialogue.is_some_and(|dialogue| !dialogue.is_idle());
        let changing = self
            .extensions
            .address_changes
            .as_deref()
            .is_some_and(|dialogue| dialogue.outstanding.is_some() || !dialogue.waiting.is_empty());
        let unacknowledged = self.outbound.has_outstanding()
            || self.outbound.owes_skip()
            || self.outbound.awaits_skip();
        let all = [
            (Obstacle::NotEstablished, self.phase < Phase::Established),
            (Obstacle::ShuttingDown, shutting_down),
            (Obstacle::Unsent, self.outbound.has_unsent()),
            (Obstacle::Unacknowledged, unacknowledged),
            (Obstacle::Unread, self.inbound.is_readable()),
            (Obstacle::Gap, self.inbound.has_gaps()),
            (Obstacle::Incomplete, self.inbound.is_incomplete()),
            (
                Obstacle::Reconfiguration,
                reconfiguring || self.outbound.is_gated(),
            ),
            (Obstacle::AddressChange, changing),
            (Obstacle::Control, !self.control.is_empty()),
            (Obstacle::Protected, self.extensions.shield.is_some()),
        ];
        let in_the_way = all.into_iter().filter(|(_, holds)| *holds);
        in_the_way.map(|(obstacle, _)| obstacle).collect()
    }

    /// The state to export; there must be no obstacles.
    pub(crate) fn standing(&self) -> State {
        let kept = || self.paths.numbered().filter(|(_, path)| !path.is_deleted());
        let place = kept().position(|(index, _)| index == self.paths.primary());
        let address_serials =
            self.extensions
                .address_changes
                .as_deref()
                .map(|dialogue| AddressSerials {
                    next: dialogue.next_serial,
                    due: dialogue.due,
                    answer: dialogue.answer.clone(),
                });
        let authenticator = self.extensions.authenticator.as_deref();
        State {
            ports: (self.local_port, self.remote_port),
            tags: (self.local_tag, self.header().vtag),
            // Extensions of the handshake alone end with it.
            extensions: self.agreed.without(ExtensionSet::EARLY_WINDOW),
            announced: self.announced,
            sending: self.outbound.standing(),
            receiving: self.inbound.standing(self.inbound_streams),
            local: self.local.to_vec(),
            paths: kept().map(|(_, path)| path.standing()).collect(),
            primary: PathIndex(
                place
                    .and_then(|place| u8::try_from(place).ok())
                    .unwrap_or(0),
            ),
            requests: self.extensions.dialogue.as_deref().map(Dialogue::standing),
            address_serials,
            credentials: authenticator.and_then(Authenticator::credentials),
            echo: self
                .extensions
                .marks
                .as_ref()
                .and_then(|marks| marks.echo()),
        }
    }

    /// Resumes an association exported by another endpoint.
    pub(crate) fn resume(
        cx: &mut Context<'_>,
        id: AssocId,
        state: &State,
        local: Arc<[IpAddr]>,
        options: Arc<Options>,
    ) -> Self {
        let paths = state.paths.iter();
        let paths = paths.map(|path| Path::resume(cx.now, path, &options));
        let (sending, receiving) = (&state.sending, &state.receiving);
        let first_awaited = receiving.cumulative_tsn.next();
        let mut tcb = Self::assemble(TcbParts {
            id,
            phase: Phase::BY_COOKIE,
            ports: state.ports,
            tags: (state.tags.0, Some(state.tags.1)),
            tie_tags: TieTags::fresh(cx.rng),
            local,
            paths: Paths::resume(paths.collect(), state.primary),
            outbound: Outbound::new(sending.next_tsn, sending.streams, &options),
            inbound: inbound(first_awaited, receiving.streams, &options),
            inbound_streams: receiving.streams,
            handshake: None,
            options,
        });
        tcb.accounting.birthplace = Birthplace::Elsewhere;
        tcb.announced = state.announced;
        tcb.resume_extensions(state);
        tcb.outbound.resume(sending);
        tcb.inbound.resume(receiving);
        tcb.acknowledger.request_now();
        tcb.start_probing(cx);
        tcb
    }

    fn resume_extensions(&mut self, state: &State) {
        if let Some(options) = self.options.authentication.options() {
            let credentials = state.credentials.as_ref();
            let resumed = credentials
                .map(|credentials| Box::new(Authenticator::resume(options, credentials)));
            self.extensions
                .put(|extensions| &mut extensions.authenticator, resumed);
        }
        self.adopt(state.extensions);
        if let (Some(dialogue), Some(requests)) = (self.extensions.dialogue(), &state.requests) {
            dialogue.resume(requests);
            self.outbound.expect_earlier_tsns();
        }
        let dialogue = self
            .extensions
            .part(|extensions| &mut extensions.address_changes);
        if let (Some(dialogue), Some(serials)) = (dialogue, &state.address_serials) {
            dialogue.next_serial = serials.next;
            dialogue.due = serials.due;
            dialogue.answer.clone_from(&serials.answer);
        }
        let marks = self.extensions.part(|extensions| &mut extensions.marks);
        if let (Some(marks), Some(echo)) = (marks, state.echo) {
            marks.resume(echo);
        }
    }
}
