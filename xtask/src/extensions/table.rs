//! The extensions, in the order of the page.

use super::Extension;

pub(super) const EXTENSIONS: &[Extension] = &[
    Extension {
        name: "Partial reliability",
        source: "RFC 3758, RFC 7496",
        default: "off",
        tests: &[
            "a_message_is_not_sent_again_when_its_time_is_up",
            "a_message_is_sent_again_as_often_as_it_may",
            "a_more_important_message_pushes_less_important_ones_out_of_a_full_buffer",
            "the_kernel_skips_what_we_give_up",
            "messages_that_the_peer_gives_up_after_a_time_are_skipped",
            "the_peer_skips_messages_given_up",
            "messages_with_a_lifetime_are_given_up_and_the_others_arrive",
        ],
    },
    Extension {
        name: "Interleaving (I-DATA)",
        source: "RFC 8260 §2",
        default: "off",
        tests: &[
            "a_small_message_overtakes_a_large_one_in_the_middle",
            "messages_are_interleaved_both_ways",
            "a_short_message_does_not_wait_for_a_long_one_whatever_the_scheduler",
            "the_kernel_and_we_send_i_data_and_we_call",
        ],
    },
    Extension {
        name: "Stream schedulers",
        source: "RFC 8260 §3",
        default: "first come",
        tests: &[
            "weighted_fair_queueing_gives_streams_shares_by_weight",
            "streams_get_the_shares_that_the_scheduler_says",
            "queued_messages_survive_a_change_of_the_scheduler_in_order",
        ],
    },
    Extension {
        name: "A scheduler of your own",
        source: "ours",
        default: "off",
        tests: &[
            "a_scheduler_of_the_users_own_is_asked",
            "a_stream_of_the_first_priority_leaves_the_others_nothing",
        ],
    },
    Extension {
        name: "A congestion control of your own",
        source: "ours",
        default: "off",
        tests: &[
            "a_congestion_control_of_the_users_own_sets_the_window",
            "a_congestion_control_of_the_users_own_hears_of_losses",
            "a_congestion_control_that_asks_for_delivery_rates_is_told_of_them",
            "a_scenario_names_policies_of_the_users_own",
        ],
    },
    Extension {
        name: "An acknowledgement policy of your own",
        source: "ours",
        default: "off",
        tests: &[
            "an_acknowledgement_policy_of_the_users_own_counts_packets",
            "an_acknowledgement_policy_of_the_users_own_sets_the_delay",
            "no_acknowledgement_policy_delays_for_more_than_500_ms",
        ],
    },
    Extension {
        name: "Stream reset, TSN reset, added streams",
        source: "RFC 6525",
        default: "off",
        tests: &[
            "the_peer_resets_its_streams_when_asked",
            "a_tsn_reset_changes_all_numbers_and_loses_nothing",
            "added_streams_can_be_used",
            "all_numbers_change_when_we_reset_the_association",
            "the_kernel_and_we_reset_and_add_streams_and_we_called",
            "streams_that_we_reset_begin_anew",
            "a_stream_that_we_reset_begins_anew_both_ways",
        ],
    },
    Extension {
        name: "Authentication",
        source: "RFC 4895",
        default: "off",
        tests: &[
            "every_chunk_that_was_asked_for_is_authenticated",
            "both_authenticate_and_we_call",
            "keys_are_changed_at_both_ends_while_a_link_dies",
            "the_key_changes_at_the_kernel_and_here_while_data_flows",
        ],
    },
    Extension {
        name: "Address changes, adaptation indication",
        source: "RFC 5061",
        default: "off",
        tests: &[
            "an_end_moves_to_another_address_while_data_flows",
            "the_adaptation_of_the_peers_user_is_told",
            "the_kernel_and_we_change_addresses_while_data_flows_and_we_called",
            "we_move_to_another_address_while_the_peer_echoes",
            "the_peer_moves_to_the_other_link",
        ],
    },
    Extension {
        name: "Potentially failed paths",
        source: "RFC 7829",
        default: "on",
        tests: &[
            "a_potentially_failed_path_is_probed_once_an_rto_until_it_is_down",
            "our_bulk_to_the_kernel_goes_on_within_the_goal",
            "our_bulk_to_the_peer_goes_on_within_the_goal_of_modern",
        ],
    },
    Extension {
        name: "Path MTU discovery by probes",
        source: "RFC 8899",
        default: "on",
        tests: &[
            "the_longest_packets_that_get_through_are_found",
            "a_black_hole_in_mid_transfer_is_passed_after_two_timeouts",
            "a_black_hole_is_found_and_passed_over_ipv6",
        ],
    },
    Extension {
        name: "Zero checksum",
        source: "RFC 9653",
        default: "off",
        tests: &[
            "all_but_the_handshake_goes_without_a_checksum_once_both_want_it",
            "both_do_without_checksums_within_dtls",
            "both_do_without_checksums",
        ],
    },
    Extension {
        name: "UDP encapsulation",
        source: "RFC 6951",
        default: "on; raw IP by choice",
        tests: &[
            "each_path_keeps_an_encapsulation_of_its_own",
            "an_init_for_an_association_must_come_through_its_port",
            "the_kernel_echoes_over_udp",
            "we_echo_on_many_streams",
        ],
    },
    Extension {
        name: "ECN",
        source: "RFC 3168, RFC 4960 Appendix A",
        default: "off",
        tests: &[
            "a_mark_cuts_the_window_without_a_retransmission",
            "the_kernel_and_we_hear_of_marks_and_lose_nothing",
        ],
    },
    Extension {
        name: "Non-renegable acknowledgements (NR-SACK)",
        source: "draft-natarajan-tsvwg-sctp-nrsack",
        default: "off",
        tests: &[
            "data_behind_a_loss_is_not_held_by_the_sender",
            "nr_sacks_acknowledge_in_both_directions",
        ],
    },
    Extension {
        name: "RACK-TLP",
        source: "RFC 8985, for SCTP",
        default: "on",
        tests: &[
            "goodput_under_random_loss_keeps_near_the_square_root_law",
            "a_round_trip_that_became_longer_is_learned_in_spite_of_probes",
        ],
    },
    Extension {
        name: "CUBIC, HighSpeed, DCTCP, pacing",
        source: "RFC 9438, RFC 3649, RFC 8257",
        default: "CUBIC",
        tests: &[
            "cubic_and_the_cubic_of_tcp_share_a_bottleneck",
            "dctcp_keeps_the_queue_at_the_marking_threshold_and_the_link_full",
            "a_window_leaves_spread_over_the_round_trip",
        ],
    },
    Extension {
        name: "BBR",
        source: "draft-ietf-ccwg-bbr",
        default: "off: [it harms TCP beside it](congestion-control.md#is-it-worth-it)",
        tests: &[
            "it_fills_a_link_with_a_queue_of_one_bdp",
            "one_loss_in_a_hundred_costs_it_little",
            "turns_of_four_milliseconds_cost_little_of_the_rate",
        ],
    },
    Extension {
        name: "Several paths at a time",
        source: "[Several paths at a time](multipath.md)",
        default: "off",
        tests: &[
            "two_equal_paths_carry_nearly_twice_what_one_does",
            "the_kernel_gets_everything_from_both_links_at_a_time_over_udp",
        ],
    },
    Extension {
        name: "Packet drop reports",
        source: "draft-stewart-sctp-pktdrprep",
        default: "off",
        tests: &[
            "a_damaged_packet_is_reported_and_sent_again_without_a_cut_of_the_window",
            "we_repeat_at_once_what_the_peer_reports_as_damaged",
        ],
    },
    Extension {
        name: "Chunk checksum",
        source: "[Chunk checksum](chunk-checksum.md)",
        default: "off",
        tests: &[
            "a_damaged_chunk_is_sent_again_without_a_cut_of_the_window",
            "a_peer_that_does_not_want_it_sees_plain_sctp",
        ],
    },
    Extension {
        name: "Buffers that follow the path",
        source: "ours",
        default: "off",
        tests: &["buffers_that_follow_the_path_fill_it_where_fixed_ones_cannot"],
    },
    Extension {
        name: "Handover between processes",
        source: "[The handover format](handover.md)",
        default: "by a call",
        tests: &[
            "a_server_is_replaced_and_the_client_does_not_notice",
            "an_association_goes_on_elsewhere_with_every_extension",
            "a_server_is_replaced_and_no_answer_is_missed",
        ],
    },
    Extension {
        name: "A first window of early data",
        source: "[ours](options.md#early_data)",
        default: "on",
        tests: &[
            "a_first_window_saves_a_transfer_of_some_packets_a_round_trip",
            "any_packet_of_the_first_window_sets_the_association_up",
            "a_peer_that_does_not_say_that_it_takes_it_gets_one_packet",
            "messages_are_taken_before_the_association_is_up",
        ],
    },
    Extension {
        name: "Immediate acknowledgements (I bit)",
        source: "RFC 7053, RFC 9260 §3.3.1",
        default: "by a flag of the message",
        tests: &["the_i_bit_brings_a_sack_at_once"],
    },
    Extension {
        name: "DTLS",
        source: "RFC 8261",
        default: "off",
        tests: &[
            "messages_of_any_size_go_both_ways_over_dtls_1_2",
            "messages_of_any_size_go_both_ways_over_dtls_1_3",
            "messages_of_any_size_go_both_ways_with_a_pre_shared_key",
            "peers_behind_one_address_are_told_apart_by_their_udp_ports",
            "messages_of_64_kib_and_a_megabyte_go_both_ways",
        ],
    },
];
