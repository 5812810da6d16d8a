use alloc::boxed::Box;
use core::mem;

use sheave_wire::StreamId;

/// A value for each stream: the default, until one is set. As long as the highest stream that was
/// used, and up to twice that.
#[derive(Debug)]
pub(crate) struct PerStream<T>(Box<[T]>);

impl<T> Default for PerStream<T> {
    fn default() -> Self {
        Self(Box::default())
    }
}

impl<T: Copy + Default> PerStream<T> {
    /// The value of a stream.
    #[inline]
    pub(crate) fn get(&self, stream: StreamId) -> T {
        let value = self.0.get(usize::from(stream.0));
        value.copied().unwrap_or_default()
    }

    /// Sets the value of a stream, and returns the one before.
    #[inline]
    pub(crate) fn replace(&mut self, stream: StreamId, value: T) -> T {
        let index = usize::from(stream.0);
        if index >= self.0.len() {
            self.grow(index);
        }
        match self.0.get_mut(index) {
            Some(place) => mem::replace(place, value),
            None => T::default(),
        }
    }

    /// Sets these streams back to the default, or all if there are none.
    pub(crate) fn reset(&mut self, streams: &[StreamId]) {
        if streams.is_empty() {
            self.0.fill(T::default());
        }
        for stream in streams {
            if let Some(place) = self.0.get_mut(usize::from(stream.0)) {
                *place = T::default();
            }
        }
    }

    /// The streams whose value is not the first one, ascending.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (StreamId, T)> + '_
    where
        T: PartialEq,
    {
        let all = (0..=u16::MAX).map(StreamId).zip(self.0.iter().copied());
        all.filter(|(_, value)| *value != T::default())
    }

    /// Bytes on the heap.
    pub(crate) const fn footprint(&self) -> usize {
        self.0.len() * size_of::<T>()
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        let mut values = mem::take(&mut self.0).into_vec();
        values.resize((index + 1).next_power_of_two(), T::default());
        self.0 = values.into_boxed_slice();
    }
}

#[cfg(test)]
mod tests;
