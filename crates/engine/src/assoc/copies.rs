//! Copies of messages on every active path: filling packets with them.

use super::extensions::authentication::PacketKey;
use super::output::{Load, PacketAssembly, Supplied, account_new_data};
use super::tcb::Tcb;

/// Adds copies for the packet's path, alone or after retransmissions. For the path's window and
/// timers, they count as new data.
pub(super) fn supply_copies(tcb: &mut Tcb, assembly: &mut PacketAssembly<'_, '_>) -> Supplied {
    let index = assembly.plan.path;
    // Copies use the active key: messages with another key are never copied.
    let takes_copies = assembly.plan.takes_data() && assembly.key == PacketKey::Active;
    if !takes_copies || !tcb.outbound.has_copy_for(index) {
        return Supplied::Open;
    }
    // The packet may be for a retransmission that ignores the window and does not fit behind a SACK.
    let path = tcb.paths.get(index);
    let Some(path) = path.filter(|path| path.may_send()) else {
        return Supplied::Open;
    };
    let before = path.flow.flight();
    let format = tcb.data_format();
    loop {
        let slot = tcb.slot(assembly, format);
        let Some(piece) = tcb.outbound.next_copy(slot, tcb.paths.as_mut_slice()) else {
            break;
        };
        format.push(&mut assembly.packet, &piece);
    }
    if account_new_data(tcb, assembly, before).is_none() {
        return Supplied::Open;
    }
    // A mark would be attributed to the path of the original chunk.
    assembly.load = Load::Repeated;
    Supplied::Closed
}
