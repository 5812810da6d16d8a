//! The calls of the two users.

use core::time::Duration;

use sheave_engine::wire::StreamId;
use sheave_engine::{
    Acknowledgement, AssocId, Connect, KeyId, Message, PeerAddress, Reliability, SendOptions,
    SharedKey,
};

use super::choices::{options, scheduler};
use super::{LARGEST, PORT, Play, address};

impl Play<'_> {
    pub(super) fn connect(&mut self, node: usize) {
        let choice = self.script.byte();
        let remote = 1 - node;
        let to = Connect {
            local_port: (choice & 1 != 0).then_some(PORT),
            local: Vec::new(),
            remote_port: PORT,
            remote: vec![PeerAddress::native(address(remote, 1 + (choice >> 1 & 1)))],
            options: options(&mut self.script),
        };
        let _ = self.nodes[node].connect(self.now, to);
    }

    fn pick(&mut self, node: usize) -> Option<AssocId> {
        let ids: Vec<AssocId> = self.nodes[node].associations().collect();
        let at = usize::from(self.script.byte());
        ids.get(at % ids.len().max(1)).copied()
    }

    pub(super) fn send(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        let choice = self.script.byte();
        let len = usize::from(self.script.word()) % LARGEST;
        let mut message = Message::new(StreamId(u16::from(choice & 7)), vec![choice; len]);
        if choice & 8 != 0 {
            message = message.unordered();
        }
        let mut options = SendOptions {
            context: u64::from(choice),
            ..SendOptions::default()
        };
        if choice & 16 != 0 {
            options.acknowledgement = Acknowledgement::Immediate;
        }
        options.reliability = match choice >> 5 {
            1 => Reliability::Retransmissions(choice & 3),
            2 => Reliability::Timed(Duration::from_millis(u64::from(choice & 7) * 20)),
            3 => Reliability::Priority(u32::from(choice & 3)),
            _ => Reliability::Reliable,
        };
        if let Some(mut assoc) = self.nodes[node].assoc(id) {
            let _ = assoc.send(self.now, message, options);
        }
    }

    pub(super) fn read(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        if let Some(mut assoc) = self.nodes[node].assoc(id) {
            let _ = assoc.receive(self.now);
        }
    }

    pub(super) fn shut_down(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        if let Some(mut assoc) = self.nodes[node].assoc(id) {
            let _ = assoc.shutdown(self.now);
        }
    }

    pub(super) fn abort(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        let len = usize::from(self.script.byte());
        let reason = self.script.slice(len).to_vec();
        if let Some(assoc) = self.nodes[node].assoc(id) {
            assoc.abort(self.now, reason.into());
        }
    }

    pub(super) fn ask(&mut self, node: usize) {
        let Some(id) = self.pick(node) else { return };
        let choice = self.script.byte();
        if choice & 4 != 0 {
            return self.complain(node, choice);
        }
        if choice & 8 != 0 {
            return self.move_about(node, id, choice);
        }
        let remote = address(1 - node, 1 + (choice & 3));
        let Some(mut assoc) = self.nodes[node].assoc(id) else {
            return;
        };
        let _ = assoc.set_primary(remote);
        let _ = assoc.request_heartbeat(self.now, remote);
        let _ = (assoc.stats(), assoc.path_stats(), assoc.phase());
        if choice & 16 != 0 {
            let _ = assoc.set_stream_priority(self.now, StreamId(1), u16::from(choice));
            assoc.set_stream_scheduler(self.now, scheduler(choice >> 5));
        }
    }

    /// The user changes addresses and keys.
    fn move_about(&mut self, node: usize, id: AssocId, choice: u8) {
        let local = address(node, 1 + (choice & 3));
        self.nodes[node].add_local_address(local);
        let Some(mut assoc) = self.nodes[node].assoc(id) else {
            return;
        };
        let key = KeyId(u16::from(choice & 3));
        let now = self.now;
        let _ = match choice >> 4 {
            0..4 => assoc.add_address(now, local).is_ok(),
            4..8 => assoc.delete_address(now, local).is_ok(),
            8..10 => assoc.set_peer_primary(now, local).is_ok(),
            10..12 => assoc.insert_key(SharedKey::new(key, [choice])).is_ok(),
            12 | 13 => assoc.activate_key(key).is_ok(),
            14 => assoc.deactivate_key(now, key).is_ok(),
            _ => assoc.delete_key(key).is_ok(),
        };
    }

    pub(super) fn read_everything(&mut self) {
        for node in &mut self.nodes {
            let ids: Vec<AssocId> = node.associations().collect();
            for id in ids {
                while node
                    .assoc(id)
                    .is_some_and(|mut assoc| assoc.receive(self.now).is_some())
                {}
            }
        }
    }
}
