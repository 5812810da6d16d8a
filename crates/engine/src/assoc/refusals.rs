use core::num::NonZeroUsize;

use crate::outbound::Refusal;

/// The messages that found no room since the user was last told of room: of each way into the
/// buffer the one that is first to get in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Refusals {
    /// The least charge that waits for room in the buffer.
    buffer: Option<NonZeroUsize>,
    /// The charge that waits for the least room in the reserve, and that room.
    reserve: Option<(NonZeroUsize, usize)>,
}

impl Refusals {
    pub(super) const NONE: Self = Self {
        buffer: None,
        reserve: None,
    };

    /// Adds a message that was refused.
    #[cold]
    pub(super) fn add(&mut self, refusal: Refusal) {
        let charge = NonZeroUsize::new(refusal.charge()).unwrap_or(NonZeroUsize::MIN);
        match refusal {
            Refusal::Buffer { .. } => {
                self.buffer = Some(self.buffer.map_or(charge, |least| least.min(charge)));
            }
            Refusal::Reserve { free, .. } => {
                if self.reserve.is_none_or(|(_, least)| free < least) {
                    self.reserve = Some((charge, free));
                }
            }
        }
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.buffer.is_none() && self.reserve.is_none()
    }

    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = Refusal> {
        let buffer = self.buffer.map(|charge| Refusal::Buffer {
            charge: charge.get(),
        });
        let reserve = self.reserve.map(|(charge, free)| Refusal::Reserve {
            charge: charge.get(),
            free,
        });
        buffer.into_iter().chain(reserve)
    }
}
