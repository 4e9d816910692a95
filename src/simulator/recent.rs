//! [`Recent`]: what was made last, kept for whoever asks for it again.
//!
//! Why it exists: a diagnosis plays hundreds of mistakes in one pose, and most of them lie behind something that is the same for all:
//! the vertices, or the triangles that are made of them.

use std::sync::{Arc, Mutex, PoisonError};

/// Entries are looked through from the first to the last. What is so small that thousands fit is sooner made again than found.
const MOST_ENTRIES: usize = 256;

/// Values by what they follow from, the one that was asked for last at the end; as many as fit into so many bytes.
pub(super) struct Recent<Key, Value> {
    entries: Mutex<Vec<Arc<Entry<Key, Value>>>>,
    most_bytes: usize,
}

struct Entry<Key, Value> {
    key: Key,
    value: Arc<Value>,
    bytes: usize,
}

impl<Key: PartialEq, Value> Recent<Key, Value> {
    pub(super) const fn within(most_bytes: usize) -> Self {
        Self { entries: Mutex::new(Vec::new()), most_bytes }
    }

    /// The value of a key, as it is known or as it is made now; `bytes` says what it takes to keep it.
    pub(super) fn of<Failure>(
        &self,
        key: Key,
        make: impl FnOnce() -> Result<Value, Failure>,
        bytes: impl FnOnce(&Value) -> usize,
    ) -> Result<Arc<Value>, Failure> {
        if let Some(known) = self.known(&key) {
            return Ok(known);
        }
        // Not under the lock: whoever waits in a pool of threads may be given work that needs it.
        let value = Arc::new(make()?);
        let bytes = bytes(&value);
        if bytes <= self.most_bytes {
            let entry = Arc::new(Entry { key, value: Arc::clone(&value), bytes });
            let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
            entries.retain(|own| own.key != entry.key);
            let mut kept = entries.iter().map(|own| own.bytes).sum::<usize>();
            let too_old = entries.iter().take_while(|own| {
                let is_too_much = kept + bytes > self.most_bytes;
                kept -= if is_too_much { own.bytes } else { 0 };
                is_too_much
            });
            let too_old = too_old.count().max((entries.len() + 1).saturating_sub(MOST_ENTRIES));
            entries.drain(..too_old);
            entries.push(entry);
        }
        Ok(value)
    }

    fn known(&self, key: &Key) -> Option<Arc<Value>> {
        // Whoever panicked had nothing half done in here.
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let place = entries.iter().position(|own| own.key == *key)?;
        entries[place..].rotate_left(1);
        entries.last().map(|entry| Arc::clone(&entry.value))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{cell::Cell, convert::Infallible};

    #[test]
    fn the_longest_unasked_makes_room_and_what_is_too_large_is_not_kept() {
        let recent = Recent::within(10);
        let made = Cell::new(0);
        let ask = |key: u32, bytes: usize| {
            let make = || {
                made.set(made.get() + 1);
                Ok::<_, Infallible>(10 * key)
            };
            *recent.of(key, make, |_| bytes).unwrap()
        };
        assert_eq!([(1, 4), (2, 4), (1, 4)].map(|(key, bytes)| ask(key, bytes)), [10, 20, 10]);
        assert_eq!(made.get(), 2);
        // The second is the one that nobody asked for again.
        assert_eq!(ask(3, 4), 30);
        assert_eq!((ask(1, 4), made.get(), recent.len()), (10, 3, 2));
        assert_eq!((ask(2, 4), made.get(), recent.len()), (20, 4, 2));
        assert_eq!((ask(4, 11), ask(4, 11), made.get(), recent.len()), (40, 40, 6, 2));
        assert_eq!((ask(5, 10), made.get(), recent.len()), (50, 7, 1));
    }

    #[test]
    fn of_small_ones_no_more_are_kept_than_are_soon_looked_through() {
        let recent = Recent::within(usize::MAX);
        let mut made = Vec::new();
        for key in (0..MOST_ENTRIES + 2).chain([MOST_ENTRIES + 1, 0]) {
            let make = || {
                made.push(key);
                Ok::<_, Infallible>(())
            };
            recent.of(key, make, |()| 1).unwrap();
        }
        // The first one is made again, the last one was there.
        assert_eq!((recent.len(), made.len(), made.last()), (MOST_ENTRIES, MOST_ENTRIES + 3, Some(&0)));
    }
}
