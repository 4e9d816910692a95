//! Work over slices that nobody has to list: they are cut in two until one piece is left.
//!
//! Why it exists: what makes a frame asks for no memory once it is warm, so that it can not collect its pieces for
//! [`each`](crate::each). The halves are tasks of the scheduler's only copy.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use super::join;

/// Pieces that are cut in two between any two of them.
pub trait Cut: Send + Sized {
    /// What the work gets of a single piece.
    type Piece;

    /// How many pieces there are.
    fn pieces(&self) -> usize;

    /// The first `count` pieces, and the others.
    fn cut(self, count: usize) -> (Self, Self);

    /// The only piece that is left; `None` where there is none.
    fn piece(self) -> Option<Self::Piece>;
}

/// Pieces of so many values each; the last may have fewer.
pub struct Chunks<'a, T> {
    values: &'a mut [T],
    size: usize,
}

impl<'a, T> Chunks<'a, T> {
    /// `size` values a piece, or 1.
    pub fn new(values: &'a mut [T], size: usize) -> Self {
        Self { values, size: size.max(1) }
    }
}

impl<'a, T: Send> Cut for Chunks<'a, T> {
    type Piece = &'a mut [T];

    fn pieces(&self) -> usize {
        self.values.len().div_ceil(self.size)
    }

    fn cut(self, count: usize) -> (Self, Self) {
        let Self { values, size } = self;
        let middle = values.len().min(count.saturating_mul(size));
        let (left, right) = values.split_at_mut(middle);
        (Self { values: left, size }, Self { values: right, size })
    }

    fn piece(self) -> Option<Self::Piece> {
        (!self.values.is_empty()).then_some(self.values)
    }
}

/// Each value is a piece.
impl<'a, T: Send> Cut for &'a mut [T] {
    type Piece = &'a mut T;

    fn pieces(&self) -> usize {
        self.len()
    }

    fn cut(self, count: usize) -> (Self, Self) {
        let middle = self.len().min(count);
        self.split_at_mut(middle)
    }

    fn piece(self) -> Option<Self::Piece> {
        self.first_mut()
    }
}

/// Each value is a piece, to be read.
impl<'a, T: Sync> Cut for &'a [T] {
    type Piece = &'a T;

    fn pieces(&self) -> usize {
        self.len()
    }

    fn cut(self, count: usize) -> (Self, Self) {
        self.split_at(self.len().min(count))
    }

    fn piece(self) -> Option<Self::Piece> {
        self.first()
    }
}

/// Each number is a piece.
impl Cut for Range<usize> {
    type Piece = usize;

    fn pieces(&self) -> usize {
        self.len()
    }

    fn cut(self, count: usize) -> (Self, Self) {
        let middle = self.end.min(self.start + count);
        (self.start..middle, middle..self.end)
    }

    fn piece(mut self) -> Option<Self::Piece> {
        self.next()
    }
}

/// Side by side; as many as the shorter one has.
impl<A: Cut, B: Cut> Cut for (A, B) {
    type Piece = (A::Piece, B::Piece);

    fn pieces(&self) -> usize {
        self.0.pieces().min(self.1.pieces())
    }

    fn cut(self, count: usize) -> (Self, Self) {
        let ((a, b), (c, d)) = (self.0.cut(count), self.1.cut(count));
        ((a, c), (b, d))
    }

    fn piece(self) -> Option<Self::Piece> {
        self.0.piece().zip(self.1.piece())
    }
}

/// Does `work` for each piece, with its number from 0. Every piece can be taken by another thread.
pub fn over<C: Cut>(pieces: C, work: impl Fn(usize, C::Piece) + Sync) {
    halves(0, pieces, &work);
}

/// Does `work` for each piece, with its number from 0.
///
/// # Errors
///
/// That of the first piece with one. Whether pieces after it were worked on is left open.
pub fn try_over<C: Cut, E: Send>(pieces: C, work: impl Fn(usize, C::Piece) -> Result<(), E> + Sync) -> Result<(), E> {
    let first: Mutex<Option<(usize, E)>> = Mutex::new(None);
    over(pieces, |number, piece| {
        if let Err(error) = work(number, piece) {
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(earliest, _)| number < *earliest) {
                *first = Some((number, error));
            }
        }
    });
    let failed = first.into_inner().unwrap_or_else(PoisonError::into_inner);
    failed.map_or(Ok(()), |(_, error)| Err(error))
}

fn halves<C: Cut>(first: usize, pieces: C, work: &(dyn Fn(usize, C::Piece) + Sync)) {
    let count = pieces.pieces();
    if count <= 1 {
        // More than this many pieces are nobody's where another list is shorter.
        let (own, _) = pieces.cut(count);
        if let Some(piece) = own.piece() {
            work(first, piece);
        }
        return;
    }
    let middle = count / 2;
    let (left, right) = pieces.cut(middle);
    let (mut left, mut right) = (Some(left), Some(right));
    join(&mut || left.take().into_iter().for_each(|left| halves(first, left, work)), &mut || {
        right.take().into_iter().for_each(|right| halves(first + middle, right, work))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_is_handed_out_once_with_its_number() {
        for (length, size) in [(0, 3), (1, 3), (9, 3), (103, 10), (7, 1), (5, 9)] {
            let mut values = vec![0; length];
            over(Chunks::new(&mut values, size), |number, piece| {
                piece.iter_mut().for_each(|value| *value += number + 1);
            });
            let expected: Vec<usize> = (0..length).map(|place| place / size + 1).collect();
            assert_eq!(values, expected, "{length} by {size}");
        }
    }

    #[test]
    fn lists_go_side_by_side_and_the_shorter_one_decides() {
        let (mut tens, mut fives) = (vec![0; 100], vec![0; 35]);
        over((40..60, (Chunks::new(&mut tens, 10), Chunks::new(&mut fives, 5))), |number, (own, (tens, fives))| {
            assert_eq!(own, 40 + number);
            tens.fill(own);
            fives.fill(own);
        });
        let expected: Vec<usize> = (0..100).map(|place| if place < 70 { 40 + place / 10 } else { 0 }).collect();
        assert_eq!(tens, expected);
        assert_eq!(fives, (0..35).map(|place| 40 + place / 5).collect::<Vec<_>>());
    }

    #[test]
    fn the_first_error_is_told_whoever_is_done_first() {
        let mut values = [0; 50];
        let failed = try_over(&mut values[..], |number, value| {
            *value = 1;
            if number % 10 == 7 { Err(number) } else { Ok(()) }
        });
        assert_eq!(failed, Err(7));
        assert_eq!(try_over(0..5, |_, _| Ok::<(), ()>(())), Ok(()));
    }

    #[test]
    fn a_panic_goes_on() {
        assert!(std::panic::catch_unwind(|| over(0..10, |number, _| assert_ne!(number, 5))).is_err());
    }
}
