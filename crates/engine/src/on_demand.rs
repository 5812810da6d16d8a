use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::ops::{Deref, DerefMut};

/// State that only a busy association needs: allocated on the first change, read as blank before,
/// and freed when the association becomes idle.
///
/// Few of 100,000 associations are busy at a time, so idle ones should use little memory.
#[derive(Clone, Debug)]
pub(crate) struct OnDemand<T>(Option<Box<T>>);

/// A type that can be allocated on demand.
pub(crate) trait Blank: Sized + 'static {
    /// A shared blank value, for reading.
    fn blank() -> &'static Self;

    /// A new blank value, for changing.
    fn fresh() -> Self;
}

impl<T> OnDemand<T> {
    pub(crate) const NONE: Self = Self(None);

    /// Whether the value is allocated.
    #[inline]
    pub(crate) const fn exists(&self) -> bool {
        self.0.is_some()
    }

    /// The value, mutably, if allocated.
    #[inline]
    pub(crate) fn existing(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Frees the value.
    pub(crate) fn release(&mut self) {
        self.0 = None;
    }

    /// Bytes on the heap, excluding memory that the value points to.
    pub(crate) const fn footprint(&self) -> usize {
        if self.exists() { size_of::<T>() } else { 0 }
    }
}

impl<T: Blank> OnDemand<T> {
    /// Takes the value out; a fresh one if not allocated.
    pub(crate) fn take(&mut self) -> T {
        self.0.take().map_or_else(T::fresh, |part| *part)
    }
}

impl<T> Default for OnDemand<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T: Blank> Deref for OnDemand<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.0 {
            Some(part) => part,
            None => T::blank(),
        }
    }
}

impl<T: Blank> DerefMut for OnDemand<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.0 {
            Some(part) => part,
            none => make(none),
        }
    }
}

#[cold]
#[inline(never)]
fn make<T: Blank>(none: &mut Option<Box<T>>) -> &mut T {
    none.insert(Box::new(T::fresh()))
}

/// A queue allocated on demand.
pub(crate) type Queue<T> = OnDemand<VecDeque<T>>;

/// An element of a [`Queue`].
pub(crate) trait Element: Sized + 'static {
    /// An empty queue.
    const NONE: &'static VecDeque<Self>;
}

impl<T: Element> Blank for VecDeque<T> {
    #[inline]
    fn blank() -> &'static Self {
        T::NONE
    }

    fn fresh() -> Self {
        Self::new()
    }
}

impl<T: Element> OnDemand<VecDeque<T>> {
    /// Frees the queue if empty.
    pub(crate) fn trim(&mut self) {
        if self.is_empty() {
            self.release();
        }
    }

    /// Bytes on the heap, excluding memory that entries point to.
    pub(crate) fn room(&self) -> usize {
        self.footprint() + self.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests;
