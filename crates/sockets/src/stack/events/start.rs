//! Established and restarted associations (RFC 6458 §6.1.1).

use sheave_engine::{Authentication, Extension, PROTECTION_OVERHEAD, PathChange, Time};
use sheave_wire::{Data, IData};

use crate::abi::System;
use crate::notification::{self, AssocState, ChangeDetail};
use crate::settings::EventType;
use crate::socket::{Fate, Side, Stage};
use crate::stack::Stack;
use crate::{AssocId32, ConnectState};

impl Stack {
    pub(super) fn on_established(&mut self, now: Time, number: AssocId32, streams: (u16, u16)) {
        let Some(association) = self.assocs.get_mut(&number) else {
            return;
        };
        association.stage = Stage::Up;
        self.tally.came_up(association.begun_by);
        association.used_at = now;
        (association.outbound_streams, association.inbound_streams) = streams;
        if let Some(mut assoc) = self.endpoint.assoc(association.engine) {
            association.data_header = match assoc.agrees_on(Extension::Interleaving) {
                true => IData::HEADER_LEN,
                false => Data::HEADER_LEN,
            };
            if assoc.protection().is_some() {
                association.data_header += PROTECTION_OVERHEAD;
            }
        }
        if let Some(socket) = self.owner_of(number) {
            if socket.connect == ConnectState::InProgress {
                socket.connect = ConnectState::Established;
            }
            socket.fate = Fate::Alive;
            socket.soft_error = None;
        }
        self.begin_as_set(now, number);
        self.refresh_peer(number);
        self.notify_start(number, AssocState::Up, streams);
        self.confirm_peer(now, number);
    }

    pub(super) fn on_restarted(&mut self, number: AssocId32) {
        self.return_open(number);
        let streams = self.refresh_streams(number);
        self.notify_start(number, AssocState::Restarted, streams);
    }

    fn notify_start(&mut self, number: AssocId32, state: AssocState, streams: (u16, u16)) {
        let supports = self.supports(number);
        self.notify(number, EventType::AssocChange, |abi| {
            let detail = ChangeDetail::Supports(&supports);
            notification::assoc_change(abi, number, state, streams, detail)
        });
    }

    /// Numbers of the extensions that both ends support, on systems that report them.
    fn supports(&mut self, number: AssocId32) -> Vec<u8> {
        let known = self.abi.notifications().supports.iter();
        let Some(assoc) = self.engine_assoc(number) else {
            return Vec::new();
        };
        known
            .filter(|(extension, _)| extension.is_none_or(|one| assoc.agrees_on(one)))
            .map(|(_, number)| *number)
            .collect()
    }

    /// Applies the settings of paths and messages after the handshake.
    fn begin_as_set(&mut self, now: Time, number: AssocId32) {
        self.tune_paths(now, number);
        let owner = self.assocs.get(&number).and_then(|found| found.owner);
        if let Some(owner) = owner {
            // Ignores the result: these options are always in range.
            let _ = self.retune(now, owner, number);
        }
    }

    /// On FreeBSD, the passive end reports the peer's verified address.
    fn confirm_peer(&mut self, now: Time, number: AssocId32) {
        let Some(association) = self.assocs.get(&number) else {
            return;
        };
        if self.abi.system() == System::FreeBsd && association.begun_by == Side::Peers {
            let ip = association.peer.ip();
            self.on_path(now, number, ip, PathChange::Confirmed);
        }
    }

    /// Whether to report missing authentication here: the engine reports it only if this end has
    /// authentication, if only for address changes (RFC 6458 §6.1.8).
    pub(super) fn lacks_authentication(&mut self, number: AssocId32) -> bool {
        let association = self.assocs.get(&number);
        let lacks = association.is_some_and(|found| found.settings.auth_supported == 0);
        let is_told = self.engine_assoc(number).is_some_and(|assoc| {
            assoc.options().authentication != Authentication::Off
                && !assoc.agrees_on(Extension::Authentication)
        });
        lacks && !is_told
    }
}
