//! Peers that are refused, with the reason.

use sheave_interop::skip;
use sheave_interop::table::Table;
use sheave_interop::webrtc::{DataPair, Offerer, WebrtcProgram};
use sheave_webrtc::ConnectionEvent;

/// webrtcbin as it comes: its certificate has an RSA key.
#[test]
fn an_rsa_certificate_is_named_as_the_reason() {
    let table = Table::read();
    let channels = table.stack("gstreamer").channels.as_ref().unwrap();
    let Ok(program) = WebrtcProgram::of(channels, "rsa").map_err(skip) else {
        return;
    };
    for offerer in [Offerer::Here, Offerer::Peer] {
        let mut pair = DataPair::agree(&program, offerer, |_| {});
        let is_end = |event: &ConnectionEvent| matches!(event, ConnectionEvent::Ended(_));
        let ConnectionEvent::Ended(reason) = pair.event("end", is_end) else {
            unreachable!("it was one");
        };
        assert!(reason.to_string().contains("RSA"), "{offerer:?}: {reason}");
    }
}
