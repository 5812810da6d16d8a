use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Number of threads that can run in parallel.
pub(crate) fn processors() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

/// Maps items on as many threads as there are processors, and passes the results to `take` in the
/// order of the items. At most two items per thread are in memory.
pub(crate) fn in_order<T: Send, R: Send, E>(
    items: impl Iterator<Item = T>,
    work: impl Fn(T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = processors().get();
    let (sender, receiver) = mpsc::sync_channel(threads);
    let receiver = Mutex::new(receiver);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work_through(&receiver, &work));
        }
        // Moved here so that the channel closes at the end of the scope and the threads exit.
        let sender = sender;
        let mut results = VecDeque::new();
        for item in items {
            if results.len() == 2 * threads {
                take_first(&mut results, &mut take)?;
            }
            let (done, result) = mpsc::sync_channel(1);
            results.push_back(result);
            if sender.send(Task { item, done }).is_err() {
                break;
            }
        }
        while !results.is_empty() {
            take_first(&mut results, &mut take)?;
        }
        Ok(())
    })
}

/// An item, and the channel for its result.
struct Task<T, R> {
    item: T,
    done: SyncSender<R>,
}

fn work_through<T, R>(tasks: &Mutex<Receiver<Task<T, R>>>, work: impl Fn(T) -> R) {
    loop {
        let task = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Task { item, done }) = task else {
            return;
        };
        // The receiver is gone if an earlier `take` failed.
        drop(done.send(work(item)));
    }
}

/// Takes the first result. A missing result means that its thread panicked, which ends the scope.
fn take_first<R, E>(
    results: &mut VecDeque<Receiver<R>>,
    take: &mut impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let first = results.pop_front().and_then(|result| result.recv().ok());
    first.map_or(Ok(()), take)
}

#[cfg(test)]
mod tests;
