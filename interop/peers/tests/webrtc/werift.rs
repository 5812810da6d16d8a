//! Beside werift, a stack in TypeScript. Empty messages, options seen at the other end and low buffers are not
//! tested with it: `interop/README.md` says why.

use sheave_interop::webrtc::WebrtcProgram;

use crate::cases::{self, Peer, both, both_with};

const PEER: Peer = Peer {
    program: WebrtcProgram::werift,
    takes: 64 << 10,
    sends: 64 << 10,
    // It ends with the first chunk that it does not know, such as the padding of a probe.
    max_pmtu: 1280,
};

#[test]
fn werift_and_we_negotiate_a_channel_elsewhere() {
    both(&PEER, cases::a_negotiated_channel_needs_no_announcement);
}

#[test]
fn werift_and_we_exchange_large_messages() {
    let allow =
        |config: &mut sheave_webrtc::ConnectionConfig| config.channels.max_receive_size = 16 << 20;
    both_with(
        &PEER,
        allow,
        cases::large_messages_go_as_far_as_the_ends_allow,
    );
}

#[test]
fn werift_and_we_use_256_channels() {
    both(&PEER, cases::many_channels_work_at_a_time);
}

#[test]
fn werift_and_we_close_channels_and_use_their_ids_again() {
    both(&PEER, cases::closed_channels_give_their_ids_back);
}

#[test]
fn werift_and_we_repair_losses() {
    both(&PEER, cases::losses_are_repaired);
}

#[test]
fn werift_and_we_pass_a_tunnel_of_1280_bytes() {
    both(&PEER, cases::a_tunnel_of_1280_bytes_stalls_nothing);
}

#[test]
fn werift_skips_messages_that_we_do_not_repeat() {
    both(&PEER, cases::an_unreliable_channel_goes_on_after_losses);
}
