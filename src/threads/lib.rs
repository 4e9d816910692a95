//! Work for all threads of the caller's rayon pool: [`each`] of some numbers or values ([`of`]), of some ranges ([`ranges`]) or pieces
//! ([`each_piece`], [`filled`]), [`both`] of two; and without asking for memory, [`over`] what can be cut in two.
//!
//! Why it exists: rayon's iterators are generic over what they do, so that each use is one more copy of the scheduler: how work is
//! split, stolen, waited for and unwound, 5 KB of code and a tenth of a second to compile. What takes microseconds and more,
//! a row or a band of a picture, loses nothing by one indirect call. So it goes through here, where the scheduler is
//! compiled once.
//!
//! Results come in the order of what they are of, whoever has finished first, and of several errors it is the first one's.

mod cut;

use std::{
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rayon::prelude::*;

pub use cut::{Chunks, Cut, over, try_over};

/// What `work` gives for each of the numbers below `count`, in their order; at least `least` of them, one after the other, are a
/// thread's share.
pub fn each<R: Send>(count: usize, least: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let results: Vec<Mutex<Option<R>>> = (0..count).map(|_| Mutex::new(None)).collect();
    run(count, least, &|number| *locked(&results[number]) = Some(work(number)));
    results.into_iter().filter_map(|result| result.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// As [`each`], where `work` also gets what `ready` makes: one a thread, which goes from one number to another that comes after it.
pub fn each_with<S: Send, R: Send>(
    count: usize,
    ready: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let idle: Mutex<Vec<S>> = Mutex::new(Vec::new());
    each(count, 1, |number| {
        let kept = locked(&idle).pop();
        let mut own = kept.unwrap_or_else(&ready);
        let result = work(&mut own, number);
        locked(&idle).push(own);
        result
    })
}

/// What `work` gives for each of the values, in their order; each is a thread's share.
pub fn of<'a, T: Sync, R: Send>(values: &'a [T], work: impl Fn(&'a T) -> R + Sync) -> Vec<R> {
    each(values.len(), 1, |number| work(&values[number]))
}

/// What `work` gives for those of the values for which it gives something, in their order; each is a thread's share.
pub fn some_of<'a, T: Sync, R: Send>(values: &'a [T], work: impl Fn(&'a T) -> Option<R> + Sync) -> Vec<R> {
    of(values, work).into_iter().flatten().collect()
}

/// What `work` gives for each range of `size` of the numbers below `count`, of which the last may have fewer; in their order.
///
/// # Panics
///
/// When `size` is 0.
pub fn ranges<R: Send>(count: usize, size: usize, work: impl Fn(Range<usize>) -> R + Sync) -> Vec<R> {
    each(count.div_ceil(size), 1, |number| work(number * size..count.min((number + 1) * size)))
}

/// What `work` gives for each piece of `size` values, of which the last may have fewer, with its number from 0; in their order.
///
/// # Panics
///
/// When `size` is 0.
pub fn each_piece<T: Send, R: Send>(
    values: &mut [T],
    size: usize,
    work: impl Fn(usize, &mut [T]) -> R + Sync,
) -> Vec<R> {
    let pieces: Vec<Mutex<&mut [T]>> = values.chunks_mut(size).map(Mutex::new).collect();
    each(pieces.len(), 1, |number| work(number, &mut locked(&pieces[number])))
}

/// The values that `value` gives for the numbers below `count`, of which a thread takes `size` at once: for what takes nanoseconds.
///
/// # Panics
///
/// When `size` is 0.
pub fn filled<T: Clone + Default + Send>(count: usize, size: usize, value: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut values = vec![T::default(); count];
    each_piece(&mut values, size, |number, piece| {
        (number * size..).zip(piece).for_each(|(place, own)| *own = value(place));
    });
    values
}

/// What `one` and `other` give, which may run at the same time.
///
/// # Panics
///
/// When one of them does.
pub fn both<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    let (mut one, mut other) = (Some(one), Some(other));
    let (mut a, mut b) = (None, None);
    join(&mut || a = one.take().map(|one| one()), &mut || b = other.take().map(|other| other()));
    let run = "each of two closures runs once, or its panic goes on";
    (a.expect(run), b.expect(run))
}

/// How many threads the caller's pool has.
#[must_use]
pub fn count() -> usize {
    rayon::current_num_threads()
}

/// The number of the thread that asks, below [`count`]; `None` outside of a pool.
#[must_use]
pub fn own() -> Option<usize> {
    rayon::current_thread_index()
}

/// The one copy for lists.
#[inline(never)]
fn run(count: usize, least: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().with_min_len(least.max(1)).for_each(work);
}

/// The one copy for pairs.
#[inline(never)]
fn join(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}

/// No two threads want the same lock, and a panic ends all of the work.
fn locked<T>(place: &Mutex<T>) -> MutexGuard<'_, T> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn results_come_in_order() {
        assert_eq!(
            each(1000, 7, |number| number * number),
            (0..1000).map(|number| number * number).collect::<Vec<_>>()
        );
        assert_eq!(each(0, 0, |number| number), []);
    }

    #[test]
    fn what_was_made_ready_is_used_again() {
        let made = AtomicUsize::new(0);
        let ready = || made.fetch_add(1, Ordering::Relaxed);
        assert_eq!(each_with(500, ready, |_, number| number), (0..500).collect::<Vec<_>>());
        // Somebody who waits for another's work may take up some more meanwhile.
        assert!((1..=500 / 2).contains(&made.into_inner()));
    }

    #[test]
    fn values_and_ranges_come_in_order() {
        assert_eq!(of(&[3, 1, 2], |value| value * 2), [6, 2, 4]);
        assert_eq!(some_of(&[3, 1, 2], |value| (*value > 1).then_some(value * 2)), [6, 4]);
        assert_eq!(ranges(23, 10, |range| range), [0..10, 10..20, 20..23]);
        assert_eq!(ranges(20, 10, |range| range.len()), [10, 10]);
        assert!(ranges(0, 10, |range| range).is_empty());
    }

    #[test]
    fn each_piece_is_handed_out_once_with_its_number() {
        let mut values = vec![0_usize; 103];
        let lengths = each_piece(&mut values, 10, |number, piece| {
            piece.iter_mut().for_each(|value| *value += number + 1);
            piece.len()
        });
        assert_eq!(lengths, [vec![10; 10], vec![3]].concat());
        assert!(values.iter().enumerate().all(|(place, value)| *value == place / 10 + 1));
    }

    #[test]
    fn each_place_has_its_own_value() {
        assert_eq!(filled(1001, 16, |place| place as u32), (0..1001).collect::<Vec<u32>>());
    }

    #[test]
    fn two_may_borrow_what_each_of_them_changes() {
        let (mut left, mut right) = (vec![1], vec![2]);
        let (one, other) = both(
            || {
                left.push(3);
                left.len()
            },
            || right.pop(),
        );
        assert_eq!((one, other, left, right.len()), (2, Some(2), vec![1, 3], 0));
    }

    #[test]
    fn a_panic_goes_on() {
        assert!(std::panic::catch_unwind(|| each(10, 1, |number| assert_ne!(number, 5))).is_err());
        assert!(std::panic::catch_unwind(|| both(|| (), || panic!("as it should"))).is_err());
    }
}
