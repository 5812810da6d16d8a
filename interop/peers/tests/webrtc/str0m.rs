//! Beside str0m over the SCTP that it comes with, sctp-proto. Empty messages come from us alone: `interop/README.md` says why.

use sheave_interop::webrtc::WebrtcProgram;

use crate::cases::{self, Peer, both, both_with};

const PEER: Peer = Peer {
    program: WebrtcProgram::str0m,
    takes: 16 << 20,
    sends: 16 << 20,
    max_pmtu: 1500,
};

#[test]
fn str0m_and_we_open_channels_both_ways() {
    both(&PEER, cases::all_but_empty_messages_come_back);
}

#[test]
fn str0m_and_we_see_each_others_options() {
    both(&PEER, cases::options_are_seen_at_the_other_end);
}

#[test]
fn str0m_and_we_negotiate_a_channel_elsewhere() {
    both(&PEER, cases::a_negotiated_channel_needs_no_announcement);
}

#[test]
fn str0m_and_we_exchange_large_messages() {
    let allow =
        |config: &mut sheave_webrtc::ConnectionConfig| config.channels.max_receive_size = 16 << 20;
    both_with(
        &PEER,
        allow,
        cases::large_messages_go_as_far_as_the_ends_allow,
    );
}

#[test]
fn str0m_and_we_use_256_channels() {
    both(&PEER, cases::many_channels_work_at_a_time);
}

#[test]
fn str0m_and_we_close_channels_and_use_their_ids_again() {
    both(&PEER, cases::closed_channels_give_their_ids_back);
}

#[test]
fn str0m_and_we_tell_when_buffers_are_low() {
    both(&PEER, cases::buffered_bytes_are_told_at_both_ends);
}

#[test]
fn str0m_and_we_repair_losses() {
    both(&PEER, cases::losses_are_repaired);
}

#[test]
fn str0m_and_we_pass_a_tunnel_of_1280_bytes() {
    both(&PEER, cases::a_tunnel_of_1280_bytes_stalls_nothing);
}

#[test]
fn str0m_skips_messages_that_we_do_not_repeat() {
    both(&PEER, cases::an_unreliable_channel_goes_on_after_losses);
}

#[test]
fn str0m_and_we_need_no_handshake() {
    let peer = Peer {
        program: WebrtcProgram::str0m_with_init,
        ..PEER
    };
    both(
        &peer,
        cases::all_but_empty_messages_come_back_without_a_handshake,
    );
}
