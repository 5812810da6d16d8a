use std::future::poll_fn;
use std::num::NonZero;
use std::pin::Pin;
use std::time::Duration;

use futures_core::Stream;

use sheave::config::PortSharing;
use sheave::error::{ReceiveError, SendError};
use sheave::tokio::{Association, Endpoint, Shards};
use sheave::{Config, Event, SendOptions, Target};

use crate::pair::{PORT, localhost, number_of, numbered, quick};

struct Pair {
    near: Association,
    far: Association,
    client: Endpoint,
    _server: Endpoint,
}

async fn pair() -> Pair {
    let client = Endpoint::bind(Config::udp([localhost(1)], 0)).unwrap();
    let server = Endpoint::bind(Config::udp([localhost(2)], 0)).unwrap();
    let listener = server.listen(PORT, quick()).unwrap();
    let port = server.udp_port().unwrap();
    let target = Target::over_udp([localhost(2)], port, PORT).with_options(quick());
    let (near, far) = tokio::join!(client.connect(target), listener.accept());
    Pair {
        near: near.unwrap(),
        far: far.unwrap(),
        client,
        _server: server,
    }
}

/// Runs a script, at most a minute.
pub(crate) fn run(script: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .build()
        .unwrap()
        .block_on(async {
            tokio::time::timeout(crate::pair::LONG, script)
                .await
                .expect("it hangs");
        });
}

#[test]
fn tasks_echo_messages() {
    run(async {
        let Pair {
            near,
            far,
            client: _client,
            _server,
        } = pair().await;
        let (sender, receiver) = (near.clone(), near);
        let echoing = tokio::spawn(async move {
            while let Some(received) = far.receive().await.unwrap() {
                far.send(received.message).await.unwrap();
            }
        });
        let sending = tokio::spawn(async move {
            for number in 0..500 {
                sender.send(numbered(0, number, 3000)).await.unwrap();
            }
            sender
        });
        for number in 0..500 {
            let echo = receiver.receive().await.unwrap().unwrap();
            assert_eq!(number_of(&echo.message.payload), number);
        }
        let sender = sending.await.unwrap();
        sender.shutdown().await.unwrap();
        echoing.await.unwrap();
    });
}

#[test]
fn messages_are_a_stream_that_ends_with_the_association() {
    run(async {
        let pair = pair().await;
        pair.near.send(numbered(0, 1, 100)).await.unwrap();
        pair.near.start_shutdown();
        let mut messages = pair.far.messages();
        let mut numbers = Vec::new();
        while let Some(received) =
            poll_fn(|context| Pin::new(&mut messages).poll_next(context)).await
        {
            numbers.push(number_of(&received.unwrap().message.payload));
        }
        assert_eq!(numbers, [1]);
    });
}

#[test]
fn tasks_connect_from_shards() {
    run(async {
        let two = NonZero::new(2).unwrap();
        let client = Shards::bind(Config::udp([localhost(1)], 0), two).unwrap();
        let server = Endpoint::bind(Config::udp([localhost(2)], 0)).unwrap();
        let listener = server.listen(PORT, quick()).unwrap();
        let port = server.udp_port().unwrap();
        let mut open = Vec::new();
        for number in 0..2 {
            let target = Target::over_udp([localhost(2)], port, PORT).with_options(quick());
            let near = client.connect(target).await.unwrap();
            let far = listener.accept().await.unwrap();
            near.send(numbered(0, number, 100)).await.unwrap();
            let received = far.receive().await.unwrap().unwrap();
            assert_eq!(number_of(&received.message.payload), number);
            // One that is dropped closes, and is counted no more.
            open.push((near, far));
        }
        let connected = client.endpoints().iter();
        let connected = connected.map(|endpoint| endpoint.stats().associations);
        assert_eq!(connected.collect::<Vec<_>>(), [1, 1]);
    });
}

#[test]
fn a_cancelled_receive_loses_nothing() {
    run(async {
        let pair = pair().await;
        let wait = Duration::from_millis(20);
        assert!(
            tokio::time::timeout(wait, pair.far.receive())
                .await
                .is_err()
        );
        assert_eq!(pair.far.try_receive(), Err(ReceiveError::NotYet));
        pair.near.send(numbered(0, 1, 100)).await.unwrap();
        let received = pair.far.receive().await.unwrap().unwrap();
        assert_eq!(number_of(&received.message.payload), 1);
    });
}

#[test]
fn a_full_buffer_holds_a_task_back() {
    run(async {
        let pair = pair().await;
        let mut sent = 0;
        // A task may wait because the threads in between are slow, too: it counts once the reader's
        // buffer is full.
        let is_full = || pair.far.stats().is_some_and(|stats| stats.rwnd < 1500);
        loop {
            let waiting = pair.near.send(numbered(0, sent, 50_000));
            match tokio::time::timeout(Duration::from_millis(100), waiting).await {
                Ok(outcome) => outcome.unwrap(),
                Err(_) if !is_full() => continue,
                Err(_) => {
                    let next = numbered(0, sent, 50_000);
                    match pair.near.try_send(next, SendOptions::default()) {
                        Err(SendError::Full(_)) => break,
                        // The last probe of the closed window has made room.
                        outcome => outcome.unwrap(),
                    }
                }
            }
            sent += 1;
            assert!(sent < 1000, "nothing holds the sender back");
        }
        for number in 0..sent {
            let received = pair.far.receive().await.unwrap().unwrap();
            assert_eq!(number_of(&received.message.payload), number);
        }
    });
}

#[test]
fn events_end_with_the_association() {
    run(async {
        let pair = pair().await;
        let events = pair.far.events();
        pair.near.shutdown().await.unwrap();
        let mut last = None;
        while let Some(event) = events.next().await {
            last = Some(event);
        }
        assert!(matches!(last, Some(Event::Closed { .. })));
        assert_eq!(pair.client.close(Duration::from_secs(5)).await, 0);
    });
}

#[test]
fn a_task_exports_an_association_and_another_imports_it() {
    run(async {
        let config = |port| Config {
            port_sharing: PortSharing::WithSuccessor,
            ..Config::udp([localhost(2)], port)
        };
        let client = Endpoint::bind(Config::udp([localhost(1)], 0)).unwrap();
        let server = Endpoint::bind(config(0)).unwrap();
        let listener = server.listen(PORT, quick()).unwrap();
        let port = server.udp_port().unwrap();
        let target = Target::over_udp([localhost(2)], port, PORT).with_options(quick());
        let (near, far) = tokio::join!(client.connect(target), listener.accept());
        let (near, far) = (near.unwrap(), far.unwrap());
        let exported = loop {
            match far.export() {
                Ok(exported) => break exported,
                Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        let exported = vec![(exported, quick())];
        let (_fresh, imported) = Endpoint::bind_and_import(config(port), exported).unwrap();
        server.close(Duration::from_secs(5)).await;
        drop((server, far, listener));
        near.send(numbered(0, 0, 1000)).await.unwrap();
        let far = imported.into_iter().next().unwrap().unwrap();
        let received = far.receive().await.unwrap().unwrap();
        assert_eq!(number_of(&received.message.payload), 0);
        far.send(numbered(0, 1, 1000)).await.unwrap();
        let received = near.receive().await.unwrap().unwrap();
        assert_eq!(number_of(&received.message.payload), 1);
    });
}
