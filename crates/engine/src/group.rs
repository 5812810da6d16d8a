use alloc::boxed::Box;
use core::ops::Deref;

/// Parts that few associations have, behind one pointer: allocated with the first of them, given
/// back with the last. To be looked at, a group that does not exist is one without parts; to change
/// a part that is not there allocates nothing.
#[derive(Clone, Debug)]
pub(crate) struct Group<T>(Option<Box<T>>);

/// The set of parts that a group can have.
pub(crate) trait Parts: Default + 'static {
    /// None of them.
    const NONE: &'static Self;

    /// Whether none is there.
    fn is_empty(&self) -> bool;
}

impl<T: Parts> Group<T> {
    pub(crate) const NONE: Self = Self(None);

    /// The existing parts, to be changed.
    #[inline]
    pub(crate) fn existing(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// A part, if it is there: one comparison where the group is not.
    #[inline]
    pub(crate) fn get<P>(&self, of: impl FnOnce(&T) -> &Option<Box<P>>) -> Option<&P> {
        of(self.0.as_deref()?).as_deref()
    }

    /// A part, to be changed, if it is there.
    #[inline]
    pub(crate) fn part<P>(
        &mut self,
        of: impl FnOnce(&mut T) -> &mut Option<Box<P>>,
    ) -> Option<&mut P> {
        of(self.existing()?).as_deref_mut()
    }

    /// A part, to be changed; a new one if it was not there.
    pub(crate) fn part_or_else<P>(
        &mut self,
        of: impl FnOnce(&mut T) -> &mut Option<Box<P>>,
        make: impl FnOnce() -> P,
    ) -> &mut P {
        of(self.0.get_or_insert_default()).get_or_insert_with(|| Box::new(make()))
    }

    /// Puts a part in the place of another, or takes it away.
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

    /// Takes a part out.
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

    /// Bytes on the heap, the parts not counted.
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
