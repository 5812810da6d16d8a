use sheave_wire::StreamId;

use crate::per_stream::PerStream;

/// Doubly linked rows of streams; removing a stream takes constant time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row {
    first: Option<StreamId>,
    last: Option<StreamId>,
}

/// Neighbours of each stream in its [`Row`]; a stream is in at most one row.
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
    /// Whether the stream is in a row.
    pub(super) fn has(&self, stream: StreamId) -> bool {
        self.0.get(stream).standing == Membership::In
    }

    /// Appends a stream that is in no row to the end of one.
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

    /// Removes a stream from its row.
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

    /// Frees memory that no stream uses.
    pub(super) fn trim(&mut self) {
        self.0.trim();
    }

    fn change(&mut self, stream: StreamId, change: impl FnOnce(&mut Link)) {
        let mut link = self.0.get(stream);
        change(&mut link);
        self.0.replace(stream, link);
    }
}
