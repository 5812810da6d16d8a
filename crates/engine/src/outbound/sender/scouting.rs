//! The scout of a path that takes over.

use super::Outbound;
use crate::flight::sent::ChunkState;
use crate::outbound::loss_detection::rack::tail::NewData;
use crate::outbound::scout::{Scout, Step};
use crate::value::ids::PathIndex;

impl Outbound {
    /// After a timeout for which `onto` takes over, sends the newest marked chunk ahead. If the
    /// last scout got no answer, new data goes ahead instead, if some `waits`. If the scout was
    /// answered but the peer did not keep it, the oldest chunk goes first: otherwise the peer would
    /// never get the chunk that closes its gap.
    // DEVIATION RFC 9260 §6.1 C: after a timeout one packet of new data may leave before chunks marked
    // for retransmission, all of which may have arrived.
    pub(crate) fn send_scout(&mut self, onto: PathIndex, waits: NewData) {
        // With go-back-N, the peer drops a chunk sent ahead.
        if self.goes_back_n() {
            return;
        }
        let newest = self.ring.last_marked_onto(onto);
        let before = self.extensions.scout.as_deref();
        let before = before.filter(|scout| scout.onto == onto);
        let step = match (before.map(|scout| scout.step), waits, newest) {
            (Some(Step::Refused), ..) => Step::Sent,
            (Some(_), NewData::Waits, _) => Step::New,
            (_, _, Some(seq)) => Step::Waits { seq },
            _ => return,
        };
        let scout = alloc::boxed::Box::new(Scout { onto, step });
        self.extensions
            .put(|extensions| &mut extensions.scout, Some(scout));
    }

    /// The path with this number was removed.
    pub(super) fn forget_scout(&mut self, gone: PathIndex) {
        let scout = self.extensions.get(|extensions| &extensions.scout);
        if scout.is_some_and(|scout| scout.onto == gone) {
            self.on_scout_answered();
        }
    }

    fn scout_step(&self) -> Option<Step> {
        self.extensions
            .get(|extensions| &extensions.scout)
            .map(|scout| scout.step)
    }

    /// Whether new data leaves before marked chunks.
    #[inline]
    pub(crate) fn scouts_with_new(&self) -> bool {
        self.scout_step() == Some(Step::New)
    }

    /// No new data can leave before the marked chunks: they go first again.
    pub(crate) fn recall_scout(&mut self) {
        self.on_new_passed();
    }

    /// The scout chunk, if it is to leave next and on the path.
    pub(super) fn scout_on(&self, path: PathIndex) -> Option<u64> {
        let Some(Step::Next { seq }) = self.scout_step() else {
            return None;
        };
        let chunk = self.ring.get(seq)?;
        let marked = matches!(chunk.state, ChunkState::Marked | ChunkState::MarkedFast);
        (marked && chunk.next_path == path).then_some(seq)
    }

    /// A marked chunk left on the path.
    pub(super) fn on_scout_passed(&mut self, left: u64, path: PathIndex) {
        if let Some(scout) = self.extensions.part(|extensions| &mut extensions.scout)
            && scout.onto == path
        {
            scout.step = match scout.step {
                Step::Waits { seq } if seq != left => Step::Next { seq },
                Step::Waits { .. } | Step::Next { .. } => Step::Sent,
                unmoved => unmoved,
            };
        }
    }

    /// New data left.
    #[inline]
    pub(super) fn on_new_passed(&mut self) {
        if let Some(scout) = self.extensions.part(|extensions| &mut extensions.scout)
            && scout.step == Step::New
        {
            scout.step = Step::Sent;
        }
    }

    /// A SACK without new information came.
    #[inline]
    pub(super) fn on_scout_refused(&mut self) {
        if let Some(scout) = self.extensions.part(|extensions| &mut extensions.scout)
            && scout.step == Step::Sent
        {
            scout.step = Step::Refused;
        }
    }

    /// A SACK with new information came: the scout is answered.
    #[inline]
    pub(super) fn on_scout_answered(&mut self) {
        if self
            .extensions
            .get(|extensions| &extensions.scout)
            .is_some()
        {
            self.extensions
                .put(|extensions| &mut extensions.scout, None);
        }
    }
}
