#!/usr/bin/env escript
%% Three clients talk to one server in turn; a match fails where something is not as it was sent.
-mode(compile).
-include_lib("kernel/include/inet_sctp.hrl").

main([]) ->
    {ok, Server} = open([{ip, {127,0,0,1}}, {ip, {127,0,0,2}}, {port, 5000}]),
    ok = gen_sctp:listen(Server, true),
    Answers = [talk(Server, Type) || Type <- [seqpacket, seqpacket, stream]],
    ok = gen_sctp:close(Server),
    io:format("answered ~p~n", [lists:sum(Answers)]).

open(Options) ->
    Events = #sctp_event_subscribe{association_event = true, shutdown_event = true,
                                   address_event = false},
    %% Five reads that bring only parts of a message are a timeout to Erlang's driver.
    gen_sctp:open([binary, {recbuf, 1 bsl 20}, {sctp_events, Events} | Options]).

%% How many messages were answered.
talk(Server, Type) ->
    {ok, Client} = open([{type, Type}]),
    Streams = {sctp_initmsg, #sctp_initmsg{num_ostreams = 5, max_instreams = 4}},
    {ok, Association} = gen_sctp:connect(Client, {127,0,0,1}, 5000, [Streams], 60000),
    #sctp_assoc_change{state = comm_up, outbound_streams = 5, assoc_id = Ours} = Association,
    {[], #sctp_assoc_change{state = comm_up, outbound_streams = 4, assoc_id = Its}} = recv(Server),
    {ok, Names} = inet:peernames(Client, Association),
    [{{127,0,0,1}, 5000}, {{127,0,0,2}, 5000}] = lists:sort(Names),
    Streamed = [echo({Client, Ours}, {Server, Its}, Stream) || Stream <- [0, 1, 2, 3]],
    %% From here on the server has a socket for this association alone.
    {ok, Peeled} = gen_sctp:peeloff(Server, Its),
    {ok, [{sctp_status, #sctp_status{assoc_id = Same}}]} =
        inet:getopts(Peeled, [{sctp_status, #sctp_status{assoc_id = 0}}]),
    Alone = echo({Client, Ours}, {Peeled, Same}, 3),
    ok = gen_sctp:eof(Peeled, #sctp_assoc_change{assoc_id = Same}),
    {_, #sctp_shutdown_event{assoc_id = Ours}} = recv(Client),
    {_, #sctp_assoc_change{state = shutdown_comp}} = recv(Client),
    {_, #sctp_assoc_change{state = shutdown_comp}} = recv(Peeled),
    [ok = gen_sctp:close(Socket) || Socket <- [Client, Peeled]],
    lists:sum([Alone | Streamed]).

%% Sends to and fro on a stream.
echo({Client, Ours}, {Server, Its}, Stream) ->
    Text = binary:copy(<<"hello">>, 1 + 5000 * Stream),
    ok = gen_sctp:send(Client, #sctp_sndrcvinfo{assoc_id = Ours, stream = Stream, ppid = 46}, Text),
    {[#sctp_sndrcvinfo{stream = Stream, ppid = 46, assoc_id = Its}], Text} = recv(Server),
    Back = #sctp_sndrcvinfo{assoc_id = Its, stream = Stream, ppid = 47, flags = [unordered]},
    ok = gen_sctp:send(Server, Back, <<"back: ", Text/binary>>),
    {[#sctp_sndrcvinfo{stream = Stream, ppid = 47}], <<"back: ", Text/binary>>} = recv(Client),
    1.

recv(Socket) ->
    {ok, {_, _, About, Message}} = gen_sctp:recv(Socket, 60000),
    {About, Message}.
