use sheave_wire::StreamId;

use crate::per_stream::PerStream;

/// Streams in a row, of which any can be taken out at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    first: Option<StreamId>,
    last: Option<StreamId>,
}

/// The neighbours of each stream in the one [`Row`] that it stands in.
#[derive(Clone, Debug, Default)]
pub(super) struct Links(PerStream<Link>);

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Link {
    before: Option<StreamId>,
    after: Option<StreamId>,
    standing: Membership,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Membership {
    #[default]
    Out,
    In,
}

impl Row {
    pub(super) const fn first(&self) -> Option<StreamId> {
        self.first
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

impl Links {
    /// Whether the stream stands in a row.
    pub(super) fn has(&self, stream: StreamId) -> bool {
        self.0.get(stream).standing == Membership::In
    }

    /// Puts a stream that stands in no row at the end of one.
    pub(super) fn push(&mut self, row: &mut Row, stream: StreamId) {
        let link = Link {
            before: row.last,
            after: None,
            standing: Membership::In,
        };
        self.0.replace(stream, link);
        match row.last {
            Some(last) => self.change(last, |link| link.after = Some(stream)),
            None => row.first = Some(stream),
        }
        row.last = Some(stream);
    }

    /// Takes a stream out of the row that it stands in.
    pub(super) fn remove(&mut self, row: &mut Row, stream: StreamId) {
        let link = self.0.replace(stream, Link::default());
        if link.standing == Membership::Out {
            return;
        }
        match link.before {
            Some(before) => self.change(before, |other| other.after = link.after),
            None => row.first = link.after,
        }
        match link.after {
            Some(after) => self.change(after, |other| other.before = link.before),
            None => row.last = link.before,
        }
    }

    /// Moves a stream to the end of its row.
    pub(super) fn rotate(&mut self, row: &mut Row, stream: StreamId) {
        if row.last != Some(stream) {
            self.remove(row, stream);
            self.push(row, stream);
        }
    }

    /// Gives back the room that no stream stands in.
    pub(super) fn trim(&mut self) {
        self.0.trim();
    }

    fn change(&mut self, stream: StreamId, change: impl FnOnce(&mut Link)) {
        let mut link = self.0.get(stream);
        change(&mut link);
        self.0.replace(stream, link);
    }
}
