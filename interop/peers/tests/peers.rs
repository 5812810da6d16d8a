//! The peers among themselves: what fails here is not our stack's fault.

use sheave_interop::scenario::{self, LARGE, LONG, MIXED, SMALL, exchange_called_by};
use sheave_interop::scripted::ScriptedPeer;
use sheave_interop::{Dcsctp, Impairment, Program, SctpProto, Side, packets_to_pcap, skip, tshark};

fn different() -> (Dcsctp, SctpProto) {
    (Dcsctp::new(), SctpProto::new())
}

#[test]
fn they_exchange_messages_without_impairments() {
    for caller in Side::BOTH {
        for traffic in [SMALL, MIXED, LARGE] {
            exchange_called_by(caller, different, Impairment::CLEAN, [&traffic; 2], 0..1);
        }
    }
}

#[test]
fn they_survive_impaired_links() {
    for caller in Side::BOTH {
        exchange_called_by(caller, different, Impairment::IMPAIRED, [&LONG; 2], 0..3);
    }
}

#[test]
fn they_shut_down() {
    scenario::everything_sent_arrives_before_the_end(different, Side::Left, Side::Left);
    scenario::shut_down_together(different, Side::Left);
}

#[test]
fn an_abort_is_heard() {
    scenario::abort(different, Side::Left, Side::Left);
    scenario::abort(|| (Dcsctp::new(), Dcsctp::new()), Side::Left, Side::Right);
}

#[test]
fn their_calls_may_cross() {
    scenario::call_each_other(|| (Dcsctp::new(), Dcsctp::new()), Side::Right);
}

#[test]
fn usrsctp_understands_the_scripted_peer() {
    let Ok(peer) = Program::usrsctp().map_err(skip) else {
        return;
    };
    let _server = peer.serve("echo", "");
    let mut script = ScriptedPeer::new(5000, peer.udp_port, Program::PORT);
    script.establish();
    assert!(script.is_alive());
    let data = script.data(0, b"hello");
    script.send(&[data]);
    let heard = script.hear_chunks();
    assert!(
        heard
            .iter()
            .any(|chunk| chunk.kind == 0 && chunk.value.ends_with(b"hello"))
    );
    let file = packets_to_pcap(script.received.iter().map(Vec::as_slice));
    if let Some((seen, wrong)) = tshark(&file) {
        assert_eq!((seen, wrong), (script.received.len(), Vec::new()));
    }
    std::fs::remove_file(file).expect("the file was ours");
}
