//! Is the candidate in the envelope, and where is it not?
//!
//! Why it exists: this is the verdict of a whole test. A pixel is right or it is not, and where it is not, one word says
//! what happened: a surface is missing, there is one where there must be none, or its colour is wrong.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use refrast_simd::dispatch;
use serde::Serialize;

use super::{Envelope, EnvelopeError, EnvelopeRow, PixelBox};
use crate::{picture::Picture, rectangle::Rectangle};
use refrast_simd::SimdLevel;
use refrast_threads::each;
use refrast_words::names;

/// How many of the worst pixels are listed.
const WORST_PIXELS: usize = 10;

names! {
    /// What a candidate's pixel is.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum PixelClass: "class of pixels" = Right {
        /// In a box: a conformant backend may write it. Also where pixels are ignored.
        Right = "right",
        /// In no box, and neither of the two below: a surface has the wrong colour, or another surface is seen.
        Outside = "outside",
        /// In no box, and it is background: a surface that every conformant backend draws is not there.
        Missing = "missing",
        /// Only background is right, and it is something else.
        Unexpected = "unexpected",
        /// In a loose box and in no other: it may be right, the envelope does not know.
        Undecided = "undecided",
    }
}

impl PixelClass {
    /// Whether no conformant backend writes it.
    #[must_use]
    pub const fn is_wrong(self) -> bool {
        matches!(self, Self::Outside | Self::Missing | Self::Unexpected)
    }
}

/// A pixel that no conformant backend writes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WrongPixel {
    /// Column.
    pub x: u32,
    /// Row.
    pub y: u32,
    /// What is wrong.
    pub class: PixelClass,
    /// Steps of 1/255 from the nearest box, in the worst channel.
    pub distance: u8,
    /// The candidate's colour.
    pub candidate: [u8; 4],
    /// What would have been right.
    pub boxes: Vec<PixelBox>,
}

/// What became of a candidate.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EnvelopeVerdict {
    /// Pixels in a box, without the ignored ones.
    pub right: u64,
    /// Pixels of [`PixelClass::Outside`].
    pub outside: u64,
    /// Pixels of [`PixelClass::Missing`].
    pub missing: u64,
    /// Pixels of [`PixelClass::Unexpected`].
    pub unexpected: u64,
    /// Pixels of [`PixelClass::Undecided`].
    pub undecided: u64,
    /// The largest distance of a wrong pixel from its nearest box, in steps.
    pub farthest: u8,
    /// The wrong pixels that are farthest outside, farthest first, equal ones in reading order.
    pub worst: Vec<WrongPixel>,
    /// For each row the classes of its pixels; `None` where all of them are right.
    #[serde(skip)]
    pub classes: Vec<Option<Box<[PixelClass]>>>,
}

impl EnvelopeVerdict {
    /// Pixels that no conformant backend writes.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.outside + self.missing + self.unexpected
    }

    /// The class of a pixel; `None` outside of the picture.
    #[must_use]
    pub fn class(&self, x: u32, y: u32) -> Option<PixelClass> {
        match self.classes.get(y as usize)? {
            Some(row) => row.get(x as usize).copied(),
            None => Some(PixelClass::Right),
        }
    }
}

/// What to make of a candidate.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckOptions<'a> {
    /// How many steps outside of a box are still taken as inside; 0 is the envelope as it stands.
    pub tolerance: u8,
    /// Pixels that do not count.
    pub ignored: &'a [Rectangle],
    /// The instruction set; every one gives the same answer.
    pub level: SimdLevel,
}

impl Envelope {
    /// Holds a candidate against the envelope. Pictures of 16 bits are rounded to 8.
    ///
    /// # Errors
    /// [`EnvelopeError::Size`] where the candidate has another size.
    pub fn check(&self, candidate: &Picture, options: &CheckOptions<'_>) -> Result<EnvelopeVerdict, EnvelopeError> {
        self.fits(candidate)?;
        let samples = candidate.samples8();
        let candidate = samples.as_chunks::<4>().0;
        let width = self.width as usize;
        let rows: Vec<_> = self.rows.iter().zip(candidate.chunks(width)).collect();
        let rows = each(rows.len(), 8, |y| check_row(rows[y].0, y as u32, rows[y].1, self, options));
        Ok(EnvelopeVerdict::of_rows(rows))
    }
}

/// What one row gives.
#[derive(Default)]
pub(in super::super) struct RowVerdict {
    counts: [u64; 5],
    classes: Option<Box<[PixelClass]>>,
    pub(in super::super) worst: Vec<WrongPixel>,
}

impl EnvelopeVerdict {
    /// Rows are put together in reading order, so the result does not depend on who finished first.
    pub(in super::super) fn of_rows(rows: impl IntoIterator<Item = RowVerdict>) -> Self {
        let mut all = Self::default();
        for row in rows {
            let counts = [&mut all.right, &mut all.outside, &mut all.missing, &mut all.unexpected, &mut all.undecided];
            for (all, row) in counts.into_iter().zip(row.counts) {
                *all += row;
            }
            if !row.worst.is_empty() {
                all.worst.extend(row.worst);
                keep_worst(&mut all.worst);
            }
            all.classes.push(row.classes);
        }
        all.farthest = all.worst.first().map_or(0, |worst| worst.distance);
        all
    }
}

/// The sort is stable: equal distances stay in reading order.
fn keep_worst(worst: &mut Vec<WrongPixel>) {
    worst.sort_by_key(|pixel| u8::MAX - pixel.distance);
    worst.truncate(WORST_PIXELS);
}

/// A row that is being checked: all of its pixels are right until it is handed those that may not be.
pub(super) struct RowCheck<'a> {
    y: u32,
    envelope: &'a Envelope,
    tolerance: u8,
    /// Columns that do not count.
    ignored: Vec<Range<usize>>,
    pub(super) verdict: RowVerdict,
}

impl<'a> RowCheck<'a> {
    /// Of row `y`.
    pub(super) fn new(y: u32, envelope: &'a Envelope, options: &CheckOptions<'_>) -> Self {
        let rectangles = options.ignored.iter().filter(|own| own.rows(envelope.height).contains(&(y as usize)));
        let ignored: Vec<_> = rectangles.map(|own| own.columns(envelope.width)).collect();
        let mut check = Self { y, envelope, tolerance: options.tolerance, ignored, verdict: RowVerdict::default() };
        let width = envelope.width as usize;
        let counted = if check.ignored.is_empty() { width } else { (0..width).filter(|&x| !check.ignores(x)).count() };
        check.verdict.counts[PixelClass::Right as usize] = counted as u64;
        check
    }

    fn ignores(&self, x: usize) -> bool {
        self.ignored.iter().any(|columns| columns.contains(&x))
    }

    /// A pixel that may not be right, with its boxes.
    pub(super) fn pixel(&mut self, x: u32, color: [u8; 4], boxes: impl Iterator<Item = PixelBox> + Clone) {
        let (class, distance) = classify(boxes.clone(), color, &self.envelope.background, self.tolerance);
        if class == PixelClass::Right || self.ignores(x as usize) {
            return;
        }
        let verdict = &mut self.verdict;
        verdict.counts[PixelClass::Right as usize] -= 1;
        verdict.counts[class as usize] += 1;
        let width = self.envelope.width as usize;
        let classes = verdict.classes.get_or_insert_with(|| vec![PixelClass::Right; width].into_boxed_slice());
        classes[x as usize] = class;
        let least = if verdict.worst.len() < WORST_PIXELS { 0 } else { verdict.worst[WORST_PIXELS - 1].distance };
        if class.is_wrong() && distance > least {
            let boxes = boxes.collect();
            verdict.worst.push(WrongPixel { x, y: self.y, class, distance, candidate: color, boxes });
            keep_worst(&mut verdict.worst);
        }
    }
}

/// Holds row `y` of a candidate against its boxes.
fn check_row(
    row: &EnvelopeRow,
    y: u32,
    candidate: &[[u8; 4]],
    envelope: &Envelope,
    options: &CheckOptions<'_>,
) -> RowVerdict {
    let mut check = RowCheck::new(y, envelope, options);
    let mut not_in_first = Vec::new();
    let bytes = bytemuck::cast_slice::<[u8; 4], u8>;
    let (low, high) = (bytes(&row.low), bytes(&row.high));
    dispatch!(options.level.token_or_base(), simd => outside_first(simd, bytes(candidate), low, high, &mut not_in_first));
    for x in not_in_first {
        check.pixel(x, candidate[x as usize], row.boxes(x));
    }
    check.verdict
}

/// What a colour is that the boxes of a pixel are held against, and how far it is from the nearest.
fn classify(
    boxes: impl Iterator<Item = PixelBox>,
    color: [u8; 4],
    background: &PixelBox,
    tolerance: u8,
) -> (PixelClass, u8) {
    let (mut tight, mut loose, mut all_background) = (u8::MAX, u8::MAX, true);
    for own in boxes {
        let nearest = if own.loose { &mut loose } else { &mut tight };
        *nearest = own.distance(color).min(*nearest);
        all_background &= background.holds(&own);
    }
    let class = if tight <= tolerance {
        PixelClass::Right
    } else if loose <= tolerance {
        PixelClass::Undecided
    } else if background.contains(color) {
        PixelClass::Missing
    } else if all_background {
        PixelClass::Unexpected
    } else {
        PixelClass::Outside
    };
    (class, tight.min(loose))
}

/// The columns of the pixels that do not lie in their first box.
#[simd]
fn outside_first<S: Simd>(simd: S, candidate: &[u8], low: &[u8], high: &[u8], columns: &mut Vec<u32>) {
    let lanes = S::u8s::LEN;
    let ones = !S::u8s::splat(simd, 0);
    let no_pixel = S::u32s::splat(simd, 0);
    let mut column = 0;
    let whole = candidate.len() / lanes * lanes;
    let mut start = 0;
    while start < candidate.len() {
        let (candidate, low, high) = if start < whole {
            let part = start..start + lanes;
            let load = |bytes: &[u8]| S::u8s::from_slice(simd, bytes);
            (load(&candidate[part.clone()]), load(&low[part.clone()]), load(&high[part]))
        } else {
            // Equal padding lies in its box.
            let mut padded = [S::u8s::splat(simd, 0); 3];
            for (padded, bytes) in padded.iter_mut().zip([candidate, low, high]) {
                padded.as_mut_slice()[..bytes.len() - start].copy_from_slice(&bytes[start..]);
            }
            let [candidate, low, high] = padded;
            (candidate, low, high)
        };
        let outside = candidate.simd_lt(low) | candidate.simd_gt(high);
        let outside: S::u8s = outside.select(ones, S::u8s::splat(simd, 0));
        let mut pixels = outside.bitcast::<S::u32s>().simd_ne(no_pixel).to_bitmask();
        while pixels != 0 {
            columns.push(column + pixels.trailing_zeros());
            pixels &= pixels - 1;
        }
        column += S::u32s::LEN as u32;
        start += lanes;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BACKGROUND: [u8; 4] = [30, 30, 30, 255];

    fn envelope(width: u32, pixels: &[Vec<PixelBox>]) -> Envelope {
        let golden: Vec<[u8; 4]> = pixels.iter().map(|boxes| boxes[0].low).collect();
        let rows = golden.chunks(width as usize).zip(pixels.chunks(width as usize)).map(|(golden, pixels)| {
            let mut row = EnvelopeRow::with_capacity(golden.len());
            golden.iter().zip(pixels).for_each(|(&golden, boxes)| row.push(golden, &mut boxes.clone()));
            row
        });
        let height = pixels.len() as u32 / width;
        let golden = Picture::from_rgba8(width, height, golden.concat()).unwrap();
        Envelope::new(&golden, "d3d11", PixelBox::exact(BACKGROUND), rows.collect()).unwrap()
    }

    fn check(envelope: &Envelope, candidate: &[[u8; 4]], options: &CheckOptions<'_>) -> EnvelopeVerdict {
        let candidate = Picture::from_rgba8(envelope.width(), envelope.height(), candidate.concat()).unwrap();
        let scalar = envelope.check(&candidate, &CheckOptions { level: SimdLevel::Scalar, ..*options }).unwrap();
        for level in SimdLevel::available() {
            assert_eq!(envelope.check(&candidate, &CheckOptions { level, ..*options }).unwrap(), scalar, "{level}");
        }
        scalar
    }

    #[test]
    fn each_class_is_told_from_the_others() {
        let surface = PixelBox::new([100, 100, 100, 255], [104, 104, 104, 255]);
        let background = PixelBox::exact(BACKGROUND);
        let loose = PixelBox { loose: true, ..PixelBox::new([0, 0, 0, 255], [50, 50, 50, 255]) };
        let pixels = [
            vec![surface],
            vec![surface],
            vec![surface],
            vec![background],
            vec![surface, background],
            vec![surface, loose],
            vec![loose],
        ];
        let envelope = envelope(7, &pixels);
        let grey = |value: u8| [value, value, value, 255];
        let candidate = [grey(104), grey(107), BACKGROUND, grey(31), BACKGROUND, grey(40), grey(51)];
        let verdict = check(&envelope, &candidate, &CheckOptions::default());
        let classes: Vec<_> = (0..7).map(|x| verdict.class(x, 0).unwrap().name()).collect();
        assert_eq!(classes, ["right", "outside", "missing", "unexpected", "right", "undecided", "outside"]);
        assert_eq!(
            [verdict.right, verdict.outside, verdict.missing, verdict.unexpected, verdict.undecided],
            [2, 2, 1, 1, 1]
        );
        // Background is 70 below the surface.
        assert_eq!((verdict.farthest, verdict.worst[0].x, verdict.worst[0].class), (70, 2, PixelClass::Missing));
        assert_eq!(
            verdict.worst.iter().map(|pixel| (pixel.x, pixel.distance)).collect::<Vec<_>>(),
            [(2, 70), (1, 3), (3, 1), (6, 1)]
        );

        let ignored = [Rectangle { x: 1, y: 0, width: 2, height: 9 }];
        let verdict =
            check(&envelope, &candidate, &CheckOptions { tolerance: 1, ignored: &ignored, ..CheckOptions::default() });
        assert_eq!(
            (verdict.right, verdict.wrong(), verdict.undecided),
            (3, 0, 2),
            "one step is granted, two pixels ignored"
        );
    }

    #[test]
    fn a_candidate_of_another_size_is_refused() {
        let envelope = envelope(1, &[vec![PixelBox::exact([1; 4])]]);
        let candidate = Picture::from_rgba8(2, 1, vec![1; 8]).unwrap();
        let error = envelope.check(&candidate, &CheckOptions::default()).unwrap_err().to_string();
        assert!(error.contains("1x1") && error.contains("2x1"), "{error}");
    }

    proptest! {
        #[test]
        fn the_kernel_agrees_with_the_definition(
            width in 1_u32..40,
            colors in prop::collection::vec((prop::array::uniform4(0_u8..4), prop::array::uniform4(0_u8..2), prop::array::uniform4(0_u8..5)), 40..80),
        ) {
            let height = colors.len() as u32 / width;
            let colors = &colors[..(width * height) as usize];
            let boxes = |(low, size): ([u8; 4], [u8; 4])| vec![PixelBox::new(low, [0, 1, 2, 3].map(|c| low[c] + size[c]))];
            let pixels: Vec<_> = colors.iter().map(|&(low, size, _)| boxes((low, size))).collect();
            let candidate: Vec<_> = colors.iter().map(|&(_, _, candidate)| candidate).collect();
            let verdict = check(&envelope(width, &pixels), &candidate, &CheckOptions::default());
            for (index, (boxes, &candidate)) in pixels.iter().zip(&candidate).enumerate() {
                let class = verdict.class(index as u32 % width, index as u32 / width).unwrap();
                prop_assert_eq!(class == PixelClass::Right, boxes[0].contains(candidate));
            }
            prop_assert_eq!(verdict.right + verdict.wrong() + verdict.undecided, colors.len() as u64);
        }
    }
}
