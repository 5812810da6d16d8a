use core::num::NonZeroU32;

use crate::outbound::Refusal;

/// The messages that found no room since the user was last told of room: of each way into the
/// buffer the one that is first to get in. Sizes beyond 32 bits count as the largest there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusals {
    /// The least charge that waits for room in the buffer.
    buffer: Option<NonZeroU32>,
    /// The least room that a message waits for in the reserve.
    reserve: Option<NonZeroU32>,
}

impl Refusals {
    pub(super) const NONE: Self = Self {
        buffer: None,
        reserve: None,
    };

    /// Adds a message that was refused.
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

    /// Whether `opens` holds for one of them.
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
