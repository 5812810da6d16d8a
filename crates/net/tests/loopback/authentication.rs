use sheave::authentication::{ChunkSet, KeyId, SharedKey};
use sheave::events::AuthenticationChange;
use sheave::options::Authentication;
use sheave::{Event, Message, Options, StreamId};

use crate::pair::{LONG, Pair, next, quick, within};

fn authenticating() -> Options {
    Options {
        authentication: Authentication::with_key("open sesame", ChunkSet::all()),
        ..quick()
    }
}

#[test]
fn authenticated_messages_pass_while_the_key_changes() {
    let pair = Pair::new(authenticating());
    let events = pair.far.events();
    for end in [&pair.near, &pair.far] {
        end.insert_key(SharedKey::new(KeyId(2), "another")).unwrap();
    }
    pair.near.send(Message::new(StreamId(1), "old")).unwrap();
    assert_eq!(next(&pair.far).message.payload, "old");
    pair.near.activate_key(KeyId(2)).unwrap();
    pair.near.deactivate_key(KeyId(1)).unwrap();
    pair.near.send(Message::new(StreamId(1), "new")).unwrap();
    assert_eq!(next(&pair.far).message.payload, "new");
    let expected = Event::Authentication(AuthenticationChange::NewKey(KeyId(2)));
    within(
        LONG,
        move || while events.next() != Some(expected.clone()) {},
    );
    assert_eq!(pair.far.stats().unwrap().failed_authentications, 0);
}
