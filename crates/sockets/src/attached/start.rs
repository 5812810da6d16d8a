//! Established and restarted associations (RFC 6458 §6.1.1).

use sheave_engine::{Authentication, Extension, PROTECTION_OVERHEAD, PathChange, Time};
use sheave_wire::{Data, IData};

use super::Attached;
use crate::ConnectState;
use crate::abi::System;
use crate::association::{Side, Stage};
use crate::notification::{AssocState, ChangeDetail};
use crate::settings::EventType;
use crate::socket::Fate;

impl Attached<'_> {
    pub(super) fn on_established(&mut self, now: Time, streams: (u16, u16)) {
        let association = &mut *self.association;
        association.stage = Stage::Up;
        association.used_at = now;
        (association.outbound_streams, association.inbound_streams) = streams;
        if let Some(mut assoc) = self.transport.endpoint.assoc(association.engine) {
            association.data_header = match assoc.agrees_on(Extension::Interleaving) {
                true => IData::HEADER_LEN,
                false => Data::HEADER_LEN,
            };
            if assoc.protection().is_some() {
                association.data_header += PROTECTION_OVERHEAD;
            }
        }
        association.tune_paths(now, &mut self.transport.endpoint);
        if let Some(socket) = &mut self.socket {
            if socket.connect == ConnectState::InProgress {
                socket.connect = ConnectState::Established;
            }
            socket.fate = Fate::Alive;
            socket.soft_error = None;
            // Ignores the result: these options are always in range.
            let _ = association.retune(now, &socket.own, self.transport);
        }
        self.refresh_peer();
        self.notify_start(AssocState::Up, streams);
        // On FreeBSD, the passive end reports the peer's verified address.
        if self.system() == System::FreeBsd && self.association.begun_by == Side::Peers {
            let ip = self.association.peer.ip();
            self.on_path(now, ip, PathChange::Confirmed);
        }
    }

    pub(super) fn on_restarted(&mut self) {
        self.return_open();
        let streams = self.refresh_streams();
        self.notify_start(AssocState::Restarted, streams);
    }

    fn notify_start(&mut self, state: AssocState, streams: (u16, u16)) {
        let supports = self.supports();
        self.notify(EventType::AssocChange, |notice| {
            notice.assoc_change(state, streams, ChangeDetail::Supports(&supports))
        });
    }

    /// Numbers of the extensions that both ends support, on systems that report them.
    fn supports(&mut self) -> Vec<u8> {
        let known = self.profile.abi.notifications().supports.iter();
        let Some(assoc) = self.engine() else {
            return Vec::new();
        };
        known
            .filter(|(extension, _)| extension.is_none_or(|one| assoc.agrees_on(one)))
            .map(|(_, number)| *number)
            .collect()
    }

    /// Whether to report missing authentication here: the engine reports it only if this end has
    /// authentication, if only for address changes (RFC 6458 §6.1.8).
    pub(super) fn lacks_authentication(&mut self) -> bool {
        let lacks = self.association.settings.auth_supported == 0;
        let is_told = self.engine().is_some_and(|assoc| {
            assoc.options().authentication != Authentication::Off
                && !assoc.agrees_on(Extension::Authentication)
        });
        lacks && !is_told
    }
}
