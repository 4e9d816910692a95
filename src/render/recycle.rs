//! Lists of borrowed things whose memory outlives the borrows.
//!
//! Why it exists: a frame's draws borrow what was made for that frame, so a list of them can not be kept. Its memory can.

/// The memory of a list, for a list of another type; what was in it is dropped.
///
/// Collecting a vector's own iterator keeps the vector's memory where both types have one layout, as two that differ
/// in a lifetime alone do. That is a habit of the standard library and no promise: what depends on it is speed.
pub(super) fn recycled<From, To>(list: Vec<From>) -> Vec<To> {
    list.into_iter().filter_map(|_| None).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_stays() {
        let mut kept: Vec<&'static [u32]> = Vec::new();
        let mut capacity = 0;
        for frame in 0..3_u32 {
            let numbers = [frame; 7];
            let mut list: Vec<&[u32]> = recycled(kept);
            assert!(list.is_empty() && list.capacity() >= capacity);
            list.extend(numbers.chunks(2));
            assert_eq!(list.len(), 4);
            capacity = list.capacity();
            kept = recycled(list);
            assert_eq!(kept.capacity(), capacity);
        }
    }
}
