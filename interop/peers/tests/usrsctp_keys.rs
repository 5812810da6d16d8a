//! Sheave and usrsctp change keys while data flows and one of two links goes dead (RFC 4895); messages have
//! keys of their own (RFC 6458 §5.3.8).

use sheave::authentication::{HmacAlgorithm, KeyId, SharedKey};
use sheave::events::AuthenticationChange;
use sheave::{Event, Options};
use sheave_interop::session::{self, Load, PATIENCE};
use sheave_interop::{Caller, Cut, Death, Linked, Links, Part, Program, Told, on_two_links};

/// Both ends go on to the next key, and let go of the one before.
fn change_keys(linked: &mut Linked<'_>, told: &mut Told, new: u16) {
    let old = new - 1;
    let secret = format!("open{new}");
    linked.tell(&format!("key {new} {secret}"));
    let association = &linked.association;
    let key = SharedKey::new(KeyId(new), secret);
    association.insert_key(key).expect("it is new");
    association.activate_key(KeyId(new)).expect("it is there");
    association
        .deactivate_key(KeyId(old))
        .expect("it is not active");
    let _ = linked.peer.line(&format!("event key {new} new"), PATIENCE);
    linked.tell(&format!("active {new}"));
    linked.tell(&format!("deactivate {old}"));
    let changed = |change| Event::Authentication(change);
    told.wait_for(&changed(AuthenticationChange::NewKey(KeyId(new))));
    told.wait_for(&changed(AuthenticationChange::FreeKey(KeyId(old))));
}

/// The first link goes dead one way and then the other way, too.
const DEATHS: [&Death; 2] = [&[Cut::There, Cut::Back], &[Cut::Back, Cut::There]];

/// Keys change after each cut and once more when the link works again.
fn change_keys_while_a_link_dies(links: &Links, caller: Caller, death: &Death) {
    let ours = Options {
        authentication: session::authentication("sesame", HmacAlgorithm::Sha256),
        // A machine that is busy may stop the peer for longer than `Telecom` waits for its answer.
        association_max_retrans: 50,
        ..session::options()
    };
    let mut linked = Linked::new(links, caller, Part::Echo, ours, "key=sesame");
    let association = linked.association.clone();
    let mut told = Told::of(&association);
    session::while_pinging(&association, || {
        for (new, cut) in (2..).zip(death) {
            linked.links.cut(0, *cut);
            change_keys(&mut linked, &mut told, new);
        }
        linked.links.mend(0);
        change_keys(&mut linked, &mut told, 4);
    });
    let stats = association.stats().expect("it is open");
    let refused = (stats.unauthenticated, stats.failed_authentications);
    assert_eq!(refused, (0, 0));
    let end = linked.shut_down();
    assert!(end.ends_with("wrong 0 end shutdown"), "{end}");
}

#[test]
fn keys_are_changed_at_both_ends_while_a_link_dies() {
    on_two_links(Program::usrsctp, |links| {
        for caller in Caller::BOTH {
            for death in DEATHS {
                change_keys_while_a_link_dies(links, caller, death);
            }
        }
    });
}

#[test]
fn messages_with_keys_of_their_own_reach_usrsctp() {
    on_two_links(Program::usrsctp, |links| {
        for caller in Caller::BOTH {
            let ours = Options {
                authentication: session::authentication("sesame", HmacAlgorithm::Sha256),
                ..session::options()
            };
            let mut linked = Linked::new(links, caller, Part::Echo, ours, "key=sesame");
            linked.tell("key 2 open2");
            let association = linked.association.clone();
            let key = SharedKey::new(KeyId(2), "open2");
            association.insert_key(key).expect("it is new");
            let load = Load::new(700, 40, 5).with_even_key(KeyId(2));
            session::ping(&association, &load);
            // usrsctp, too, tells of each change of the key that it hears.
            for key in [2, 1, 2] {
                let _ = linked.peer.line(&format!("event key {key} new"), PATIENCE);
            }
            let end = linked.shut_down();
            assert!(end.ends_with("wrong 0 end shutdown"), "{end}");
        }
    });
}
