use alloc::boxed::Box;
use alloc::collections::VecDeque;
use core::ops::{Deref, DerefMut};

/// A part of an association that only a busy one has: made by the first change, seen as a blank
/// one before, and given back when the association falls idle.
///
/// Of 100,000 associations few are busy at a time, and the rest should cost little.
#[derive(Clone, Debug)]
pub(crate) struct OnDemand<T>(Option<Box<T>>);

/// A type whose values can exist on demand.
pub(crate) trait Blank: Sized + 'static {
    /// A value that nothing has happened to, to be looked at.
    fn blank() -> &'static Self;

    /// A value that nothing has happened to, to be changed.
    fn fresh() -> Self;
}

impl<T> OnDemand<T> {
    pub(crate) const NONE: Self = Self(None);

    /// Whether it exists.
    #[inline]
    pub(crate) const fn exists(&self) -> bool {
        self.0.is_some()
    }

    /// The value, to be changed, if it exists.
    #[inline]
    pub(crate) fn existing(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Gives it back, and all that is in it.
    pub(crate) fn release(&mut self) {
        self.0 = None;
    }

    /// Bytes on the heap, those that it points to not counted.
    pub(crate) const fn footprint(&self) -> usize {
        if self.exists() { size_of::<T>() } else { 0 }
    }
}

impl<T: Blank> OnDemand<T> {
    /// Takes it out, or a fresh one.
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

/// A queue on demand.
pub(crate) type Queue<T> = OnDemand<VecDeque<T>>;

/// An element of a [`Queue`].
pub(crate) trait Element: Sized + 'static {
    /// The queue of none.
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
    /// Gives it back if nothing is in it.
    pub(crate) fn trim(&mut self) {
        if self.is_empty() {
            self.release();
        }
    }

    /// Bytes on the heap, those that entries point to not counted.
    pub(crate) fn room(&self) -> usize {
        self.footprint() + self.capacity() * size_of::<T>()
    }
}

#[cfg(test)]
mod tests;
