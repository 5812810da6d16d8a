use alloc::boxed::Box;
use core::ops::Deref;

/// Rarely used parts of a structure behind one pointer, allocated with the first part and freed
/// with the last. Reading an absent group yields one without parts, and changing an absent part
/// allocates nothing.
#[derive(Clone, Debug)]
pub(crate) struct Group<T>(Option<Box<T>>);

/// The set of parts of a group.
pub(crate) trait Parts: Default + 'static {
    /// An instance without parts.
    const NONE: &'static Self;

    /// Whether all parts are absent.
    fn is_empty(&self) -> bool;
}

impl<T: Parts> Group<T> {
    pub(crate) const NONE: Self = Self(None);

    /// The group, mutably, if allocated.
    #[inline]
    pub(crate) fn existing(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// A part, if present; a single comparison if the group is absent.
    #[inline]
    pub(crate) fn get<P>(&self, of: impl FnOnce(&T) -> &Option<Box<P>>) -> Option<&P> {
        of(self.0.as_deref()?).as_deref()
    }

    /// A part, mutably, if present.
    #[inline]
    pub(crate) fn part<P>(
        &mut self,
        of: impl FnOnce(&mut T) -> &mut Option<Box<P>>,
    ) -> Option<&mut P> {
        of(self.existing()?).as_deref_mut()
    }

    /// A part, mutably; created if absent.
    pub(crate) fn part_or_else<P>(
        &mut self,
        of: impl FnOnce(&mut T) -> &mut Option<Box<P>>,
        make: impl FnOnce() -> P,
    ) -> &mut P {
        of(self.0.get_or_insert_default()).get_or_insert_with(|| Box::new(make()))
    }

    /// Sets or removes a part.
    pub(crate) fn put<P>(
        &mut self,
        of: impl FnOnce(&mut T) -> &mut Option<Box<P>>,
        part: Option<Box<P>>,
    ) {
        if part.is_some() {
            *of(self.0.get_or_insert_default()) = part;
        } else {
            self.take(of);
        }
    }

    /// Removes and returns a part.
    pub(crate) fn take<P>(
        &mut self,
        of: impl FnOnce(&mut T) -> &mut Option<Box<P>>,
    ) -> Option<Box<P>> {
        let parts = self.0.as_deref_mut()?;
        let part = of(parts).take();
        if parts.is_empty() {
            self.0 = None;
        }
        part
    }

    /// Bytes on the heap, excluding the parts.
    pub(crate) const fn footprint(&self) -> usize {
        if self.0.is_some() { size_of::<T>() } else { 0 }
    }
}

impl<T: Parts> Deref for Group<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match &self.0 {
            Some(parts) => parts,
            None => T::NONE,
        }
    }
}

#[cfg(test)]
mod tests;
