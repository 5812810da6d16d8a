use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::mem;

use sheave_wire::StreamId;

/// A value per stream, with a default until set.
///
/// Streams are usually numbered from 0; these use a table, at most twice the needed length. Streams
/// far beyond it are stored individually, so that memory is proportional to the streams in use,
/// whichever a peer chooses (A48).
#[derive(Clone, Debug)]
pub(crate) struct PerStream<T>(Option<Box<Values<T>>>);

/// The values, allocated once one is set.
#[derive(Clone, Debug)]
struct Values<T> {
    near: Box<[T]>,
    far: Far<T>,
}

/// Values set for streams beyond the table.
type Far<T> = Option<Box<BTreeMap<u16, T>>>;

/// The table always grows to hold a stream below this.
const NEAR: usize = 256;

/// The table grows to hold a stream number below this multiple of the streams in use beyond it.
const SPARSENESS: usize = 16;

impl<T> Default for PerStream<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Copy + Default + PartialEq> PerStream<T> {
    /// The value of a stream.
    #[inline]
    pub(crate) fn get(&self, stream: StreamId) -> T {
        let values = self.0.as_deref();
        values.map_or_else(T::default, |values| values.get(stream))
    }

    /// Sets the value of a stream and returns the previous one.
    #[inline]
    pub(crate) fn replace(&mut self, stream: StreamId, value: T) -> T {
        match &mut self.0 {
            Some(values) => values.replace(stream, value),
            None if value == T::default() => value,
            none => none.insert(Box::default()).replace(stream, value),
        }
    }

    /// Resets these streams to the default; an empty list means all streams.
    pub(crate) fn reset(&mut self, streams: &[StreamId]) {
        if streams.is_empty() {
            *self = Self::default();
        }
        for stream in streams {
            if let Some(values) = &mut self.0 {
                values.clear(*stream);
            }
        }
    }

    /// The streams with a non-default value, in ascending order.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (StreamId, T)> + '_ {
        let all = self.0.iter().flat_map(|values| values.entries());
        all.filter(|(_, value)| *value != T::default())
    }

    /// Shrinks the storage if fewer than half of the table's values are set.
    pub(crate) fn trim(&mut self) {
        let room = self.0.as_deref().map_or(0, |values| values.near.len());
        if self.entries().count() * 2 < room.max(1) {
            let before = mem::take(self);
            for (stream, value) in before.entries() {
                self.replace(stream, value);
            }
        }
    }

    /// Approximate bytes on the heap.
    pub(crate) fn footprint(&self) -> usize {
        let values = self.0.as_deref();
        values.map_or(0, |values| size_of::<Values<T>>() + values.footprint())
    }
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self {
            near: Box::default(),
            far: None,
        }
    }
}

impl<T: Copy + Default + PartialEq> Values<T> {
    #[inline]
    fn get(&self, stream: StreamId) -> T {
        match self.near.get(usize::from(stream.0)) {
            Some(value) => *value,
            None => self.get_far(stream),
        }
    }

    #[inline]
    fn replace(&mut self, stream: StreamId, value: T) -> T {
        match self.near.get_mut(usize::from(stream.0)) {
            Some(place) => mem::replace(place, value),
            None => self.replace_far(stream, value),
        }
    }

    fn entries(&self) -> impl Iterator<Item = (StreamId, T)> + '_ {
        let near = (0..=u16::MAX).zip(self.near.iter().copied());
        let far = self.far.iter().flat_map(|far| far.iter());
        let all = near.chain(far.map(|(stream, value)| (*stream, *value)));
        all.map(|(stream, value)| (StreamId(stream), value))
    }

    fn footprint(&self) -> usize {
        let far = self.far.as_ref().map_or(0, |far| far.len());
        size_of_val(&*self.near) + far * size_of::<(u16, T)>()
    }

    fn clear(&mut self, stream: StreamId) {
        if let Some(place) = self.near.get_mut(usize::from(stream.0)) {
            *place = T::default();
        } else if let Some(far) = &mut self.far {
            far.remove(&stream.0);
        }
    }

    #[cold]
    fn get_far(&self, stream: StreamId) -> T {
        let value = self.far.as_ref().and_then(|far| far.get(&stream.0));
        value.copied().unwrap_or_default()
    }

    #[cold]
    fn replace_far(&mut self, stream: StreamId, value: T) -> T {
        let known = self.far.as_mut().and_then(|far| far.get_mut(&stream.0));
        if let Some(place) = known {
            return mem::replace(place, value);
        }
        if value == T::default() {
            return value;
        }
        let index = usize::from(stream.0);
        let used = self.far.as_ref().map_or(0, |far| far.len()) + 1;
        let enough = NEAR.max(SPARSENESS * used);
        if index >= enough {
            self.far.get_or_insert_default().insert(stream.0, value);
            return T::default();
        }
        self.grow(index);
        match self.near.get_mut(index) {
            Some(place) => mem::replace(place, value),
            None => T::default(),
        }
    }

    /// Grows the table to include a stream, and moves stored values into it.
    fn grow(&mut self, index: usize) {
        let mut values = mem::take(&mut self.near).into_vec();
        values.resize((index + 1).next_power_of_two(), T::default());
        self.near = values.into_boxed_slice();
        let Some(mut far) = self.far.take() else {
            return;
        };
        let Ok(len) = u16::try_from(self.near.len()) else {
            return self.fill(&far);
        };
        let beyond = far.split_off(&len);
        self.fill(&far);
        if !beyond.is_empty() {
            self.far = Some(Box::new(beyond));
        }
    }

    fn fill(&mut self, from: &BTreeMap<u16, T>) {
        for (stream, value) in from {
            if let Some(place) = self.near.get_mut(usize::from(*stream)) {
                *place = *value;
            }
        }
    }
}

#[cfg(test)]
mod tests;
