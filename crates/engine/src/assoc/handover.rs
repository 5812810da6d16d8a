//! Leaving for another endpoint, and going on there.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::IpAddr;

use super::tcb::{Context, Parts, Tcb, Wish};
use crate::authentication::Authenticator;
use crate::cookie::TieTags;
use crate::handover::{AddressSerials, State};
use crate::inbound::Inbound;
use crate::outbound::Outbound;
use crate::path::{Path, PathIndex};
use crate::reconfiguration::Dialogue;
use crate::{AssocId, Obstacle, Options, Phase};

impl Tcb {
    /// All that stands in the way of leaving now.
    pub(crate) fn obstacles(&self) -> Vec<Obstacle> {
        let shutting_down = self.phase > Phase::Established || self.wish == Wish::Closed;
        let dialogue = self.rare.dialogue.as_deref();
        let reconfiguring = dialogue.is_some_and(|dialogue| !dialogue.is_at_rest());
        let changing = self
            .rare
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
        ];
        let in_the_way = all.into_iter().filter(|(_, holds)| *holds);
        in_the_way.map(|(obstacle, _)| obstacle).collect()
    }

    /// What it knows; nothing must stand in the way.
    pub(crate) fn standing(&self) -> State {
        let there = || (0..).map(PathIndex).zip(&self.paths);
        let kept = || there().filter(|(_, path)| !path.is_deleted());
        let place = kept().position(|(index, _)| index == self.primary);
        let address_serials = self
            .rare
            .address_changes
            .as_deref()
            .map(|dialogue| AddressSerials {
                next: dialogue.next_serial,
                due: dialogue.due,
                answer: dialogue.answer.clone(),
            });
        let authenticator = self.rare.authenticator.as_deref();
        State {
            ports: (self.local_port, self.remote_port),
            tags: (self.local_tag, self.peer_tag),
            extensions: self.extensions,
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
            requests: self.rare.dialogue.as_deref().map(Dialogue::standing),
            address_serials,
            credentials: authenticator.and_then(Authenticator::credentials),
            echo: self.rare.marks.as_ref().and_then(|marks| marks.echo()),
        }
    }

    /// Goes on where another endpoint left off.
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
        let mut tcb = Self::assemble(Parts {
            id,
            phase: Phase::BY_COOKIE,
            ports: state.ports,
            tags: state.tags,
            tie_tags: TieTags::fresh(cx.rng),
            local,
            paths: paths.collect(),
            outbound: Outbound::new(sending.next_tsn, sending.streams, &options),
            inbound: Inbound::new(
                first_awaited,
                receiving.streams,
                options.receive_buffer,
                options.partial_delivery_point,
            ),
            inbound_streams: receiving.streams,
            opening: None,
            options,
        });
        tcb.primary = state.primary;
        tcb.current = state.primary;
        tcb.sack_path = state.primary;
        tcb.choose_current();
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
            self.rare.put(|rare| &mut rare.authenticator, resumed);
        }
        self.adopt(state.extensions);
        if let (Some(dialogue), Some(requests)) = (self.rare.dialogue(), &state.requests) {
            dialogue.resume(requests);
        }
        let dialogue = self.rare.part(|rare| &mut rare.address_changes);
        if let (Some(dialogue), Some(serials)) = (dialogue, &state.address_serials) {
            dialogue.next_serial = serials.next;
            dialogue.due = serials.due;
            dialogue.answer.clone_from(&serials.answer);
        }
        let marks = self.rare.part(|rare| &mut rare.marks);
        if let (Some(marks), Some(echo)) = (marks, state.echo) {
            marks.resume(echo);
        }
    }
}
