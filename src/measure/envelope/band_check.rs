//! [`BandChecker`]: a candidate held against a band as it lies in the file.
//!
//! Why it exists: making the boxes of eight million pixels only to look at each once costs more than decoding the
//! pictures. A code and the golden's pixel are a box, so the comparison is made in vectors straight from the codes, and
//! boxes are made for the few pixels that are not in their first one.

use bytemuck::cast_slice;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use refrast_simd::dispatch;

use super::{
    CheckOptions, Envelope, PixelBox,
    band::{BandParts, Codes},
    check::{RowCheck, RowVerdict},
    layout::Shape,
    row::others_of,
};

/// Pixels that are looked at together.
const BLOCK: usize = 16;

/// What all bands of a file share.
pub(super) struct BandChecker<'a> {
    envelope: &'a Envelope,
    options: &'a CheckOptions<'a>,
    shapes: Shapes,
}

/// The shapes by code.
struct Shapes {
    of_code: [Shape; 256],
    /// Codes from here on are not those of shapes.
    count: u8,
}

/// A pixel that is not in its first box.
struct Open {
    row: usize,
    column: u32,
    first: PixelBox,
}

impl<'a> BandChecker<'a> {
    /// Of a file with this header and these shapes, of which there are fewer than 256.
    pub(super) fn new(envelope: &'a Envelope, shapes: &[Shape], options: &'a CheckOptions<'a>) -> Self {
        let mut of_code = [0; 256];
        for (own, &shape) in of_code.iter_mut().zip(shapes) {
            *own = shape;
        }
        Self { envelope, options, shapes: Shapes { of_code, count: shapes.len() as u8 } }
    }

    /// The verdicts on the rows of a band, whose first row is `first_row` of the picture.
    pub(super) fn check(
        &self,
        band: &BandParts<'_>,
        codes: &mut Codes<'_>,
        first_row: u32,
        golden: &[[u8; 4]],
        candidate: &[[u8; 4]],
    ) -> Result<Vec<RowVerdict>, String> {
        let width = self.envelope.width as usize;
        let open = self.open(band, codes, golden, candidate)?;
        let mut open = open.iter().peekable();
        let mut others = band.others();
        let mut boxes = Vec::new();
        let rows = golden.chunks_exact(width).zip(candidate.chunks_exact(width)).zip(band.counts.chunks_exact(width));
        let mut verdicts = Vec::with_capacity(golden.len() / width);
        for (row, ((golden, candidate), counts)) in rows.enumerate() {
            boxes.clear();
            others.of_row(counts, golden, codes, &mut boxes)?;
            let mut check = RowCheck::new(first_row + row as u32, self.envelope, self.options);
            while let Some(pixel) = open.next_if(|pixel| pixel.row == row) {
                let first = Some(pixel.first).filter(|first| !first.is_empty());
                let others = others_of(&boxes, pixel.column).iter().map(|&(_, own)| own);
                check.pixel(pixel.column, candidate[pixel.column as usize], first.into_iter().chain(others));
            }
            verdicts.push(check.verdict);
        }
        codes.finish()?;
        Ok(verdicts)
    }

    /// The pixels that are not in their first box, in reading order.
    fn open(
        &self,
        band: &BandParts<'_>,
        codes: &mut Codes<'_>,
        golden: &[[u8; 4]],
        candidate: &[[u8; 4]],
    ) -> Result<Vec<Open>, String> {
        let width = self.envelope.width as usize;
        let (mut open, mut columns) = (Vec::new(), Vec::new());
        let rows = golden.chunks_exact(width).zip(candidate.chunks_exact(width)).zip(band.first.chunks_exact(width));
        for (row, ((golden, candidate), first)) in rows.enumerate() {
            columns.clear();
            let empty = dispatch!(self.options.level.token_or_base(), simd => not_in_first(
                simd, &self.shapes, first, cast_slice(golden), cast_slice(candidate), &mut columns
            ));
            if empty {
                // A sum that has passed 255 at one end only.
                return Err("a box ends before it begins".to_owned());
            }
            for &column in &columns {
                let place = column as usize;
                let first = codes.first_box(first[place], golden[place])?;
                if !first.contains(candidate[place]) {
                    open.push(Open { row, column, first });
                }
            }
        }
        Ok(open)
    }
}

/// Finds the columns of the pixels that are not in the box that a shape gives them, and of all whose code is not that of a
/// shape; those that do not fill a block are among them as well. Tells whether a box is empty.
#[simd]
fn not_in_first<S: Simd>(
    simd: S,
    shapes: &Shapes,
    codes: &[u8],
    golden: &[u8],
    candidate: &[u8],
    columns: &mut Vec<u32>,
) -> bool {
    let zero = S::u8s::splat(simd, 0);
    let ones = !zero;
    let no_pixel = S::u32s::splat(simd, 0);
    let mut empty = zero;
    let (blocks, rest) = codes.as_chunks::<BLOCK>();
    let golden_blocks = golden.as_chunks::<{ 4 * BLOCK }>().0;
    let candidate_blocks = candidate.as_chunks::<{ 4 * BLOCK }>().0;
    let mut column = 0;
    for ((codes, golden), candidate) in blocks.iter().zip(golden_blocks).zip(candidate_blocks) {
        let mut low = [0_u32; BLOCK];
        let mut high = [0_u32; BLOCK];
        let mut open = 0_u64;
        // Many alike are the rule.
        if u128::from_le_bytes(*codes) == u128::from(codes[0]) * (u128::MAX / 255) {
            let shape = shapes.of_code[usize::from(codes[0])];
            low = [shape as u32; BLOCK];
            high = [(shape >> 32) as u32; BLOCK];
            if codes[0] >= shapes.count {
                open = (1 << BLOCK) - 1;
            }
        } else {
            let mut place = 0;
            while place < BLOCK {
                let shape = shapes.of_code[usize::from(codes[place])];
                low[place] = shape as u32;
                high[place] = (shape >> 32) as u32;
                open |= u64::from(codes[place] >= shapes.count) << place;
                place += 1;
            }
        }
        let (low, high): (&[u8], &[u8]) = (cast_slice(&low), cast_slice(&high));
        let mut start = 0;
        while start < 4 * BLOCK {
            let part = start..start + S::u8s::LEN;
            let golden = S::u8s::from_slice(simd, &golden[part.clone()]);
            let candidate = S::u8s::from_slice(simd, &candidate[part.clone()]);
            let low = golden + S::u8s::from_slice(simd, &low[part.clone()]);
            let high = golden + S::u8s::from_slice(simd, &high[part]);
            empty |= low.simd_gt(high).select(ones, zero);
            let outside: S::u8s = (candidate.simd_lt(low) | candidate.simd_gt(high)).select(ones, zero);
            open |= outside.bitcast::<S::u32s>().simd_ne(no_pixel).to_bitmask() << (start / 4);
            start += S::u8s::LEN;
        }
        while open != 0 {
            columns.push(column + open.trailing_zeros());
            open &= open - 1;
        }
        column += BLOCK as u32;
    }
    let mut left = rest.len();
    while left > 0 {
        columns.push(column);
        column += 1;
        left -= 1;
    }
    empty.simd_ne(zero).any_true()
}
