//! Stacks that are programs beside us, over UDP encapsulation or DTLS on 127.0.0.1.

use std::time::Duration;

use sheave::authentication::ChunkType;
use sheave::error::{ConnectError, ReceiveError};
use sheave::options::PartialReliability;
use sheave::stats::Policy;
use sheave::{CloseReason, Delivery, Options, Reliability};
use sheave_engine::wire::DataFlags;
use sheave_interop::session::{self, Load, PATIENCE, giving_up, interleaving, offering, options};
use sheave_interop::table::{Plain, Reach};
use sheave_interop::{Fragment, Impairment, Neighbours, Program, Side, Tape, skip};

use crate::{PROFILES, for_several_paths, without_checksums};

/// Messages that need no fragmentation.
const SHORT: Load = Load::new(1000, 500, 20);
/// Messages of several packets.
const LONG: Load = Load::new(5000, 200, 10);
const UNORDERED: Load = Load::new(3000, 200, 3).unordered();

/// Tries a feature with a stack, where the machine has it.
pub(crate) fn run(peer: &Plain, feature: &str, caller: Side) {
    let [made, folder] = [&peer.made, &peer.folder].map(|word| word.as_deref());
    let program = Program::made(
        made.expect("a program is made"),
        folder.expect("a program has sources"),
    );
    if let Ok(program) = program.map_err(skip) {
        case(feature)(&Talk {
            peer,
            program,
            caller,
        });
    }
}

fn case(feature: &str) -> fn(&Talk<'_>) {
    match feature {
        "messages" => messages,
        "unordered" => |talk| talk.exchange(&UNORDERED, options(), ""),
        "large" => large,
        "loss" => |talk| drop(talk.exchange_with_loss(&LONG, options(), "")),
        "shutdown" => shutdown,
        "abort" => abort,
        "refused" => refused,
        "offers" => |talk| talk.exchange(&SHORT, offering(), ""),
        "profiles" => profiles,
        "several_paths" => |talk| talk.exchange(&SHORT, for_several_paths(options()), ""),
        "zero_checksum" => {
            |talk| talk.exchange(&SHORT, without_checksums(options()), "zero-checksum")
        }
        "interleaving" => {
            |talk| talk.exchange(&Load::new(100_000, 50, 5), interleaving(), "interleaving")
        }
        "interleaving_with_loss" => interleaving_with_loss,
        "interleaving_alone" => interleaving_alone,
        "giving_up" => give_up,
        "giving_up_interleaved" => give_up_interleaved,
        "giving_up_nothing" => |talk| talk.exchange(&SHORT, giving_up(), "retransmissions=3"),
        other => panic!("no case for {other}"),
    }
}

/// Talks of our end and a stack's program, in one role.
struct Talk<'a> {
    peer: &'a Plain,
    program: Program,
    caller: Side,
}

impl Talk<'_> {
    /// Both, side by side.
    fn beside(&self) -> Neighbours {
        let program = Ok(self.program.clone());
        let near = match self.peer.reached {
            Reach::Dtls => Neighbours::over_dtls(program),
            _ => Neighbours::beside(program),
        };
        near.expect("the machine has it")
    }

    /// Both, with every impairment between them.
    fn through(&self) -> Neighbours {
        let near = Neighbours::through(Impairment::IMPAIRED, 5, Ok(self.program.clone()));
        near.expect("the machine has it")
    }

    /// The words for the peer's program where it meets that load.
    fn words(&self, load: &Load, words: &str) -> String {
        let carrier = match self.peer.reached {
            Reach::Dtls => "dtls",
            _ => "",
        };
        let order = match load.delivery {
            Delivery::Ordered => "",
            Delivery::Unordered => "unordered",
        };
        format!("{words} {carrier} {order}")
    }

    /// Has the load sent by the end that calls, and sent back by the other one.
    fn exchange(&self, load: &Load, ours: Options, theirs: &str) {
        self.exchange_between(&self.beside(), load, ours, theirs);
    }

    /// Does the same with every impairment; the packets of both.
    fn exchange_with_loss(&self, load: &Load, ours: Options, theirs: &str) -> Tape {
        let near = self.through();
        self.exchange_between(&near, load, ours, theirs);
        let tape = near.tape();
        tape.assert_well_formed();
        tape
    }

    fn exchange_between(&self, near: &Neighbours, load: &Load, ours: Options, theirs: &str) {
        let words = self.words(load, theirs);
        match self.caller {
            Side::Left => near.ping(load, ours, &words),
            Side::Right => near.be_pinged(load, ours, &words),
        }
    }
}

fn messages(talk: &Talk<'_>) {
    talk.exchange(&SHORT, options(), "");
    let streams = Load::new(1, 1000, talk.peer.streams);
    talk.exchange(&streams, options(), "");
}

fn large(talk: &Talk<'_>) {
    talk.exchange(&Load::new(65_536, 40, 4), options(), "");
    talk.exchange(&Load::new(1 << 20, 5, 2), options(), "");
}

fn profiles(talk: &Talk<'_>) {
    for profile in PROFILES {
        talk.exchange(&Load::new(1000, 100, 10), profile.options(), "");
    }
}

/// The end that calls sends, and shuts down at once.
fn shutdown(talk: &Talk<'_>) {
    let (near, load) = (talk.beside(), Load::new(10_000, 300, 7));
    let words = talk.words(&load, "");
    let (bytes, count) = (load.bytes(), load.count as usize);
    if talk.caller == Side::Left {
        let mut server = near.peer.serve("sink", &words);
        let association = near.call(options());
        session::send(&association, &load);
        assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
        let end = server.line("sink bytes", PATIENCE);
        let expected = format!("sink bytes {bytes} messages {count} wrong 0 end ");
        assert!(end.starts_with(&expected), "{end}");
        assert!(Neighbours::is_graceful(&end), "{end}");
    } else {
        let words = format!("{} {words}", load.words());
        let (association, mut client) = near.be_called(options(), "send", &words);
        let tally = session::receive(&association, u32::MAX);
        let seen = (tally.bytes, tally.messages, tally.wrong);
        assert_eq!(seen, (bytes, count, 0));
        let end = client.line("send bytes", PATIENCE);
        assert!(end.ends_with("end shutdown"), "{end}");
    }
}

/// The end that calls aborts after an exchange.
fn abort(talk: &Talk<'_>) {
    let (near, load) = (talk.beside(), Load::new(100, 10, 1));
    if talk.caller == Side::Left {
        let mut server = near.peer.serve("echo", &talk.words(&load, ""));
        let association = near.call(options());
        session::ping(&association, &load);
        association.abort("enough");
        assert_eq!(
            server.line("echo bytes", PATIENCE),
            "echo bytes 1000 messages 10 wrong 0 end Connection reset by peer"
        );
    } else {
        let words = format!("{} end=abort {}", load.words(), talk.words(&load, ""));
        let (association, mut client) = near.be_called(options(), "ping", &words);
        let end = session::echo(&association).expect_err("the peer aborts");
        assert!(
            matches!(end, ReceiveError::Closed(CloseReason::AbortedByPeer { .. })),
            "{end:?}"
        );
        assert_eq!(
            client.line("ping bytes", PATIENCE),
            "ping bytes 1000 messages 10 wrong 0 end abort"
        );
    }
}

/// Nobody listens where the end that calls would like it.
fn refused(talk: &Talk<'_>) {
    let near = talk.beside();
    if talk.caller == Side::Left {
        let _server = near.peer.serve("echo", "");
        let refused = near.try_call(77, options());
        let refused = refused.expect_err("the port is not listened on");
        assert!(
            matches!(
                refused,
                ConnectError::Failed(CloseReason::AbortedByPeer { .. })
            ),
            "{refused:?}"
        );
    } else {
        let mut client = near.start_client("ping", "1 1");
        let said = client.line("failed ", PATIENCE);
        assert_eq!(said, "failed connect: Connection refused");
    }
}

/// Number of fragments that follow one of another stream whose message was not over.
fn alternations(fragments: &[Fragment]) -> usize {
    let pairs = fragments.windows(2);
    let within = |pair: &&[Fragment]| {
        !pair[0].flags.contains(DataFlags::ENDING) && pair[0].stream != pair[1].stream
    };
    pairs.filter(within).count()
}

fn interleaving_with_loss(talk: &Talk<'_>) {
    let load = Load::new(100_000, 15, 5);
    for load in [load, load.unordered()] {
        let tape = talk.exchange_with_loss(&load, interleaving(), "interleaving");
        for from in Side::BOTH {
            assert_eq!(tape.count(from, ChunkType::DATA), 0, "from {from:?}");
            let alternations = alternations(&tape.fragments(from));
            let takes_turns = from == Side::Left || talk.peer.takes_turns;
            assert!(alternations > 0 || !takes_turns, "from {from:?}, {load:?}");
        }
    }
}

fn interleaving_alone(talk: &Talk<'_>) {
    let load = Load::new(10_000, 50, 5);
    for (ours, theirs) in [(interleaving(), ""), (options(), "interleaving")] {
        let tape = talk.exchange_with_loss(&load, ours, theirs);
        for from in Side::BOTH {
            assert_eq!(tape.count(from, ChunkType::I_DATA), 0, "from {from:?}");
        }
    }
}

/// Messages whose even ones may be given up.
const PARTLY: Load = Load::new(5000, 300, 4);

/// The same messages, given up instead of a retransmission.
const ONCE: Load = PARTLY.giving_up(Reliability::Retransmissions(0));

/// Messages with time enough, unless they are lost on the way; so few at a time that none waits for
/// the congestion window, however slow the machine: what expires before it has TSNs needs no FORWARD TSN.
const TIMED: Load = Load::new(2000, 300, 4)
    .giving_up(Reliability::Timed(Duration::from_millis(15)))
    .with_gap(Duration::from_millis(10));

/// Messages that are given up for want of room, and never leave.
const UNIMPORTANT: Load = PARTLY.giving_up(Reliability::Priority(7));

/// Messages of one chunk: of longer ones that are interleaved usrsctp gives up fragments of others, too, reliable or
/// not (see `interop/README.md`).
const CHUNKS: Load = Load::new(1000, 600, 4);

fn give_up(talk: &Talk<'_>) {
    const SKIP: ChunkType = ChunkType::FORWARD_TSN;
    let called = [TIMED.unordered(), ONCE.unordered(), UNIMPORTANT];
    let more = match talk.caller {
        Side::Left => called.as_slice(),
        Side::Right => &[],
    };
    for load in [TIMED, ONCE].iter().chain(more) {
        we_give_up(talk, load, giving_up(), "", SKIP);
    }
    for words in &talk.peer.gives_up {
        if talk.caller == Side::Right {
            it_gives_up(
                talk,
                [PARTLY, PARTLY.unordered()],
                &giving_up(),
                words,
                SKIP,
            );
            continue;
        }
        let near = talk.through();
        let server = near.peer.serve("echo", words);
        near.get_back_in_part(&PARTLY, giving_up(), server);
        assert!(near.tape().count(Side::Right, SKIP) > 0);
    }
}

/// We give up if we call, otherwise the peer does.
fn give_up_interleaved(talk: &Talk<'_>) {
    const SKIP: ChunkType = ChunkType::I_FORWARD_TSN;
    let options = || Options {
        partial_reliability: PartialReliability::On,
        ..interleaving()
    };
    if talk.caller == Side::Left {
        for load in [TIMED, TIMED.unordered(), ONCE, ONCE.unordered()] {
            we_give_up(talk, &load, options(), "interleaving", SKIP);
        }
        return;
    }
    for words in &talk.peer.gives_up {
        let words = format!("interleaving {words}");
        it_gives_up(talk, [CHUNKS, CHUNKS.unordered()], &options(), &words, SKIP);
    }
}

/// The number that follows a word.
fn number_after(word: &str, line: &str) -> Option<u64> {
    let mut words = line.split(' ').skip_while(|found| *found != word).skip(1);
    words.next()?.parse().ok()
}

/// We send, give up what may be, and shut down; the peer has all others, and nothing wrong.
fn we_give_up(talk: &Talk<'_>, load: &Load, options: Options, theirs: &str, skip: ChunkType) {
    let near = talk.through();
    let options = match load.even {
        // Room for less than a tenth of all messages.
        Reliability::Priority(_) => Options {
            send_buffer: 100_000,
            ..options
        },
        _ => options,
    };
    let words = talk.words(load, theirs);
    let (association, role, mut peer) = near.meet(talk.caller, ["sink", "take"], options, &words);
    session::send(&association, load);
    let stats = session::until_acknowledged(&association);
    let counted = Policy::ALL.map(|policy| association.abandonments(policy).total());
    assert_eq!(association.shutdown_timeout(PATIENCE), Ok(()));
    let account = peer.line(&format!("{role} odd"), PATIENCE);
    let end = peer.line(&format!("{role} bytes"), PATIENCE);
    let (abandoned, all) = (stats.messages_abandoned, u64::from(load.count));
    assert!(abandoned > 0, "{stats:?}");
    assert_eq!(counted.iter().sum::<u64>(), abandoned);
    let odd = number_after("odd", &account);
    assert_eq!(odd, Some(all / 2), "{load:?}: {end}");
    let messages = number_after("messages", &end).expect("it counts them");
    assert!(
        messages < all && messages + abandoned >= all,
        "{load:?}: {end}"
    );
    assert_eq!(number_after("wrong", &end), Some(0), "{load:?}: {end}");
    assert!(Neighbours::is_graceful(&end), "{load:?}: {end}");
    if !matches!(load.even, Reliability::Priority(_)) {
        assert!(near.tape().count(Side::Left, skip) > 0, "of {load:?}");
    }
}

/// The peer calls, sends each load, gives up what may be, and shuts down; we have all others, and nothing wrong.
fn it_gives_up(talk: &Talk<'_>, loads: [Load; 2], options: &Options, words: &str, skip: ChunkType) {
    for load in loads {
        let near = talk.through();
        let words = format!("{} {words}", load.words());
        let (association, mut client) = near.be_called(options.clone(), "send", &words);
        let tally = session::receive(&association, load.count);
        let account = client.line("send odd", PATIENCE);
        let end = client.line("send bytes", PATIENCE);
        assert!(end.ends_with("end shutdown"), "{words}: {end}");
        // Not every program counts them.
        let abandoned = number_after("abandoned", &account);
        assert!(abandoned != Some(0), "{words}: {account}");
        let all = load.count as usize;
        assert_eq!((tally.odd, tally.wrong), (all / 2, 0), "{words}");
        assert!(tally.messages < all, "{words}");
        assert!(near.tape().count(Side::Right, skip) > 0, "of {words}");
    }
}
