//! The sending half of an association, from the user's message to its final acknowledgement.
//!
//! Messages wait in a [`SendQueue`](queue::SendQueue). The message at its head is cut into DATA
//! chunks as packets have room; each chunk is a slice of the message. Chunks stay in a
//! [`Ring`](ring::Ring) until the Cumulative TSN Ack Point passes them.

mod acked;
mod buffer_room;
mod concurrent;
mod copies;
mod corrupted;
mod fast_recovery;
mod interleaved;
mod loss_detection;
mod message_keys;
mod messages;
mod partial;
mod preferences;
mod probe;
mod queue;
mod ring;
mod sack_outcome;
mod scout;
mod sender;
mod sender_parts;
mod slot;
mod stream_buffers;

pub(crate) use self::buffer_room::{BufferRoom, Refusal};
pub(crate) use self::corrupted::Detour;
pub(crate) use self::loss_detection::{MaxAckDelay, NewData};
pub(crate) use self::partial::{Abandoned, Skip, Telling, Terms};
pub(crate) use self::queue::Outgoing;
pub(crate) use self::sack_outcome::SackOutcome;
pub(crate) use self::sender::Outbound;
pub(crate) use self::sender::recall::Complete;
pub(crate) use self::slot::{Overlong, Piece, Slot};
