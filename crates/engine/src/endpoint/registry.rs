use alloc::boxed::Box;
use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::fmt;
use core::net::IpAddr;

use hashbrown::HashMap;
use sheave_wire::Vtag;

use super::peers::{Peers, Place};
use crate::AssocId;
use crate::assoc::Tcb;

/// Most addresses remembered after peers left them; a late INIT may still come from one.
const LEFT: usize = 64;

/// The associations of an endpoint, indexed by id, by our verification tag, and by ports plus peer
/// address.
#[derive(Clone, Default)]
pub(crate) struct Registry {
    slots: Vec<TcbSlot>,
    free: Vec<usize>,
    tags: HashMap<Vtag, u32>,
    /// The result of the last lookup by tag; the next packet often has the same tag.
    recent: usize,
    peers: Peers,
    /// Addresses that peers left recently, with the association.
    left: VecDeque<(Place, u32)>,
    /// Number of associations per local port.
    ports: BTreeMap<u16, usize>,
    occupied: usize,
}

#[derive(Clone, Debug, Default)]
struct TcbSlot {
    generation: u32,
    tcb: Option<Box<Tcb>>,
}

impl Registry {
    pub(crate) const fn len(&self) -> usize {
        self.occupied
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Tcb> {
        self.slots.iter().filter_map(|slot| slot.tcb.as_deref())
    }

    /// A free index; the next [`insert`](Self::insert) must use it.
    pub(crate) fn vacancy(&mut self) -> usize {
        if let Some(index) = self.free.last() {
            return *index;
        }
        self.slots.push(TcbSlot::default());
        self.free.push(self.slots.len() - 1);
        self.slots.len() - 1
    }

    /// The id of the association at `index`, or of the next one there.
    pub(crate) fn id(&self, index: usize) -> AssocId {
        AssocId {
            index: seat_number(index),
            generation: self.slots.get(index).map_or(0, |slot| slot.generation),
        }
    }

    pub(crate) fn insert(&mut self, index: usize, tcb: Box<Tcb>) {
        // Usually the free index handed out last, which is at the end.
        if self.free.last() == Some(&index) {
            self.free.pop();
        } else {
            self.free.retain(|free| *free != index);
        }
        self.occupied += 1;
        *self.ports.entry(tcb.local_port).or_default() += 1;
        if let Some(slot) = self.slots.get_mut(index) {
            slot.tcb = Some(tcb);
        }
        self.route(index);
    }

    pub(crate) fn remove(&mut self, index: usize) -> Option<Box<Tcb>> {
        self.unroute(index);
        let slot = self.slots.get_mut(index)?;
        let tcb = slot.tcb.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(index);
        self.occupied -= 1;
        if let Some(count) = self.ports.get_mut(&tcb.local_port) {
            *count -= 1;
            if *count == 0 {
                self.ports.remove(&tcb.local_port);
            }
        }
        Some(tcb)
    }

    /// Indexes an association by its tag and all its peer addresses.
    pub(crate) fn route(&mut self, index: usize) {
        let Some(tcb) = self
            .slots
            .get_mut(index)
            .and_then(|slot| slot.tcb.as_deref_mut())
        else {
            return;
        };
        if tcb.is_routed() {
            return;
        }
        let index = seat_number(index);
        self.tags.insert(tcb.local_tag, index);
        let fresh = tcb.paths.iter().skip(usize::from(tcb.accounting.routed));
        for path in fresh.filter(|path| !path.is_deleted()) {
            let place = (tcb.local_port, tcb.remote_port, path.remote.ip);
            self.peers.join(place, index);
        }
        tcb.accounting.routed = u8::try_from(tcb.paths.len()).unwrap_or(u8::MAX);
    }

    /// Removes a peer address of an association from the index.
    pub(crate) fn forget(&mut self, index: usize, remote: IpAddr) {
        let Some(tcb) = self.slots.get(index).and_then(|slot| slot.tcb.as_deref()) else {
            return;
        };
        let place = (tcb.local_port, tcb.remote_port, remote);
        self.peers.leave(place, seat_number(index));
        if self.left.len() == LEFT {
            self.left.pop_front();
        }
        self.left.push_back((place, seat_number(index)));
    }

    /// Whether an association whose peer has that tag recently left that address.
    pub(crate) fn has_left(&self, place: Place, tag: Vtag) -> bool {
        let mut left = self.left.iter().filter(|(other, _)| *other == place);
        left.any(|(_, index)| {
            let slot = self.slots.get(*index as usize);
            let tcb = slot.and_then(|slot| slot.tcb.as_deref());
            tcb.is_some_and(|tcb| tcb.peer_tag == Some(tag))
        })
    }

    /// Undoes [`route`](Self::route); call it before tag or addresses change.
    pub(crate) fn unroute(&mut self, index: usize) {
        let Some(tcb) = self
            .slots
            .get_mut(index)
            .and_then(|slot| slot.tcb.as_deref_mut())
        else {
            return;
        };
        self.tags.remove(&tcb.local_tag);
        for path in tcb.paths.iter() {
            let place = (tcb.local_port, tcb.remote_port, path.remote.ip);
            self.peers.leave(place, seat_number(index));
        }
        tcb.accounting.routed = 0;
    }

    pub(crate) fn find(&self, id: AssocId) -> Option<usize> {
        let index = id.index as usize;
        let slot = self.slots.get(index)?;
        (slot.generation == id.generation && slot.tcb.is_some()).then_some(index)
    }

    /// The association with that tag; checks the result of the last lookup first.
    #[inline]
    pub(crate) fn recall_by_tag(&mut self, tag: Vtag) -> Option<usize> {
        let recent = self.slots.get(self.recent)?.tcb.as_deref();
        if recent.is_none_or(|tcb| tcb.local_tag != tag) {
            self.recent = self.by_tag(tag)?;
        }
        Some(self.recent)
    }

    pub(crate) fn by_tag(&self, tag: Vtag) -> Option<usize> {
        self.tags.get(&tag).map(|index| *index as usize)
    }

    /// The first association with that key for which `is_it` holds; associations that share a key
    /// have different local addresses.
    pub(crate) fn by_peer(&self, place: Place, is_it: impl Fn(&Tcb) -> bool) -> Option<usize> {
        let mut all = self.with_peer(place);
        all.find_map(|(index, tcb)| is_it(tcb).then_some(index))
    }

    /// The associations with that key, and their indices.
    pub(crate) fn with_peer(&self, place: Place) -> impl Iterator<Item = (usize, &Tcb)> {
        let all = self.peers.of(place).map(|index| index as usize);
        all.filter_map(|index| Some((index, self.slots.get(index)?.tcb.as_deref()?)))
    }

    pub(crate) fn uses_port(&self, port: u16) -> bool {
        self.ports.contains_key(&port)
    }

    pub(crate) fn ports(&self) -> impl Iterator<Item = u16> + '_ {
        self.ports.keys().copied()
    }

    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut Tcb> {
        self.slots.get_mut(index)?.tcb.as_deref_mut()
    }

    /// The association at an index obtained from this registry and not removed since.
    pub(crate) fn tcb(&self, index: usize) -> &Tcb {
        match self.slots.get(index).and_then(|slot| slot.tcb.as_deref()) {
            Some(tcb) => tcb,
            None => unreachable!("an index outlived its association"),
        }
    }

    /// Like [`tcb`](Self::tcb), with mutable access.
    pub(crate) fn tcb_mut(&mut self, index: usize) -> &mut Tcb {
        match self.get_mut(index) {
            Some(tcb) => tcb,
            None => unreachable!("an index outlived its association"),
        }
    }
}

/// Prints the tables in key order, so that equal registries print equally.
impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags: BTreeMap<_, _> = self.tags.iter().collect();
        f.debug_struct("Registry")
            .field("slots", &self.slots)
            .field("free", &self.free)
            .field("tags", &tags)
            .field("peers", &self.peers)
            .finish_non_exhaustive()
    }
}

/// The index as stored in the tables; memory cannot hold 2^32 associations.
fn seat_number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
