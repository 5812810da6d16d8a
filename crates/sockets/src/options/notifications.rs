//! Options that select notifications (RFC 6458 §6.2).

use super::{Change, Query};
use crate::abi::{Field, Record, Struct, System, View};
use crate::lookup::{ALL, CURRENT};
use crate::settings::{EVENT_TYPES, EventType};
use crate::socket::Kind;
use crate::{AssocId32, Errno};

/// Number of notification types in FreeBSD's `sctp_event_subscribe`.
const OLD_EVENT_TYPES: usize = 11;

impl Change<'_> {
    /// RFC 6458 §6.2.1: the struct may be shorter, as in older programs.
    pub(super) fn set_events(&mut self, value: &[u8]) -> Result<(), Errno> {
        // FreeBSD's struct has only these types.
        let value = match self.abi.system() {
            System::Linux if value.len() > EVENT_TYPES => return Err(Errno::EINVAL),
            System::Linux => value,
            System::FreeBsd => value.get(..OLD_EVENT_TYPES).ok_or(Errno::EINVAL)?,
        };
        let numbers: Vec<AssocId32> = self.socket.assocs.iter().copied().collect();
        let before = self.socket.defaults.events;
        let mut events = before;
        for (bit, on) in value.iter().enumerate() {
            events = events & !(1 << bit) | u32::from(*on != 0) << bit;
        }
        self.socket.defaults.events = events;
        for number in &numbers {
            if let Some(association) = self.associations.get_mut(*number) {
                association.settings.events = events;
            }
        }
        let dry = 1 << EventType::SenderDry as u32;
        if events & dry != 0 && before & dry == 0 {
            self.tell_dry(&numbers);
        }
        Ok(())
    }

    /// RFC 6458 §6.2.2, §8.1.28
    pub(super) fn set_event(&mut self, value: &[u8]) -> Result<(), Errno> {
        // Linux also accepts a longer struct.
        let view = View::new(self.abi, Struct::Event, value)?;
        let meant = self.lookup().reach(view.assoc());
        if meant == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
        let event = self.abi.event_type(view.u16(Field::Type));
        let event = event.ok_or(Errno::EINVAL)?;
        let bit = event as u32;
        let on = view.get(Field::On) != 0;
        let (_, numbers) = meant?;
        let is_of_many = self.socket.kind == Kind::OneToMany;
        if self.abi.system() == System::FreeBsd
            && is_of_many
            && event == EventType::SenderDry
            && matches!(view.assoc(), CURRENT | ALL)
        {
            return Err(Errno::EOPNOTSUPP);
        }
        self.change(view.assoc(), |settings| {
            settings.events = settings.events & !(1 << bit) | u32::from(on) << bit;
        })?;
        if on && event == EventType::SenderDry {
            self.tell_dry(&numbers);
        }
        Ok(())
    }

    /// Sends `SCTP_SENDER_DRY_EVENT` at once if a new subscriber has no data in flight (RFC 6458
    /// §6.1.9).
    fn tell_dry(&mut self, numbers: &[AssocId32]) {
        for number in numbers {
            let Ok(mut attached) = self.attached(*number) else {
                continue;
            };
            let assoc = attached.engine();
            let dry = assoc.is_some_and(|assoc| assoc.stats().send_buffered == 0);
            if dry && attached.association.is_up() {
                attached.notify_plainly(EventType::SenderDry);
                attached.touch();
            }
        }
    }
}

impl Query<'_> {
    pub(super) fn events(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let (least, types) = self
            .abi
            .system()
            .pick((1, EVENT_TYPES), (OLD_EVENT_TYPES, OLD_EVENT_TYPES));
        if given.len() < least {
            return Err(Errno::EINVAL);
        }
        let events = self.lookup().settings_of(0)?.events;
        Ok((0..types)
            .map(|bit| u8::from(events & (1 << bit) != 0))
            .collect())
    }

    pub(super) fn event(&self, given: &[u8]) -> Result<Vec<u8>, Errno> {
        let view = View::new(self.abi, Struct::Event, given)?;
        if self.lookup().one_assoc(view.assoc()) == Err(Errno::ENOENT) {
            return Err(Errno::ENOENT);
        }
        let event = self.abi.event_type(view.u16(Field::Type));
        let event = event.ok_or(Errno::EINVAL)?;
        let wants = self.lookup().settings_of(view.assoc())?.wants(event);
        Ok(Record::of(self.abi, Struct::Event, view.assoc())
            .set(Field::Type, view.u16(Field::Type))
            .set(Field::On, u64::from(wants))
            .into_bytes())
    }
}
