use core::num::NonZeroU32;

use crate::outbound::Refusal;

/// Messages refused since the user was last notified of room; for each kind of refusal, the one to
/// be admitted first. Sizes beyond 32 bits are capped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusals {
    /// Smallest charge waiting for room in the buffer.
    buffer: Option<NonZeroU32>,
    /// Smallest free reserve that a message waits for.
    reserve: Option<NonZeroU32>,
}

impl Refusals {
    pub(super) const NONE: Self = Self {
        buffer: None,
        reserve: None,
    };

    /// Adds a refused message.
    #[cold]
    pub(super) fn add(&mut self, refusal: Refusal) {
        let (way, room) = match refusal {
            Refusal::Buffer { charge } => (&mut self.buffer, charge),
            Refusal::Reserve { free } => (&mut self.reserve, free),
        };
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let room = NonZeroU32::new(room).unwrap_or(NonZeroU32::MIN);
        *way = Some(way.map_or(room, |least| least.min(room)));
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.buffer.is_none() && self.reserve.is_none()
    }

    /// Whether `opens` is true for either refusal.
    #[inline] // Asked after each packet and message while a writer waits.
    pub(super) fn any(&self, opens: impl Fn(Refusal) -> bool) -> bool {
        let wide = |room: NonZeroU32| usize::try_from(room.get()).unwrap_or(usize::MAX);
        let buffer = |charge| Refusal::Buffer {
            charge: wide(charge),
        };
        let reserve = |free| Refusal::Reserve { free: wide(free) };
        self.buffer.is_some_and(|charge| opens(buffer(charge)))
            || self.reserve.is_some_and(|free| opens(reserve(free)))
    }
}
