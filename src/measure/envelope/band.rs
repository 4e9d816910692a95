//! [`BandParts`]: a band of an envelope file, inflated.
//!
//! Why it exists: a band may be anybody's bytes. Here its parts are told apart and counted once, so that whoever goes
//! through them, to make rows or to hold a candidate against them, finds as many codes as there are boxes.

use super::{
    EnvelopeRow, MOST_BOXES, PixelBox,
    layout::{BACKGROUND, ESCAPE, NONE, Shape, add_bytes, low_high, twice},
};

/// The parts of a band in the order of the file.
pub(super) struct BandParts<'a> {
    /// Code of the first box of each pixel.
    pub(super) first: &'a [u8],
    /// Number of further boxes of each pixel.
    pub(super) counts: &'a [u8],
    /// Codes of the further boxes.
    other_codes: &'a [u8],
    /// For each of them 1 where it is loose.
    loose: &'a [u8],
    /// Eight planes of the boxes that are written out.
    escapes: &'a [u8],
}

impl<'a> BandParts<'a> {
    /// The parts of a band of so many pixels.
    pub(super) fn split(bytes: &'a [u8], pixels: usize) -> Result<Self, String> {
        let too_short = || "its boxes are cut off".to_owned();
        let (first, rest) = bytes.split_at_checked(pixels).ok_or_else(too_short)?;
        let (counts, rest) = rest.split_at_checked(pixels).ok_or_else(too_short)?;
        // Folds over everything: the compiler makes vectors of them, which it does not of a search.
        let most = counts.iter().fold(0, |most, &count| count.max(most));
        if usize::from(most) > MOST_BOXES {
            return Err(format!("a pixel has {most} further boxes, at most {MOST_BOXES} are allowed"));
        }
        let has_none = |found: bool, (&first, &count): (&u8, &u8)| found | ((first == NONE) & (count == 0));
        if first.iter().zip(counts).fold(false, has_none) {
            return Err("a pixel has no box".to_owned());
        }
        let others: usize = counts.iter().map(|&count| usize::from(count)).sum();
        let (other_codes, rest) = rest.split_at_checked(others).ok_or_else(too_short)?;
        let (loose, escapes) = rest.split_at_checked(others).ok_or_else(too_short)?;
        Ok(Self { first, counts, other_codes, loose, escapes })
    }

    /// The boxes of all pixels, row by row.
    pub(super) fn rows(
        &self,
        codes: &mut Codes<'_>,
        golden: &[[u8; 4]],
        width: usize,
    ) -> Result<Vec<EnvelopeRow>, String> {
        let mut rows: Vec<EnvelopeRow> = Vec::with_capacity(golden.len() / width);
        for (first, golden) in self.first.chunks_exact(width).zip(golden.chunks_exact(width)) {
            let mut row = EnvelopeRow::with_capacity(width);
            for (&code, &golden) in first.iter().zip(golden) {
                let own = codes.first_box(code, golden)?;
                row.low.push(own.low);
                row.high.push(own.high);
            }
            rows.push(row);
        }
        let mut others = self.others();
        for (row, (counts, golden)) in
            rows.iter_mut().zip(self.counts.chunks_exact(width).zip(golden.chunks_exact(width)))
        {
            others.of_row(counts, golden, codes, &mut row.others)?;
        }
        codes.finish()?;
        Ok(rows)
    }

    /// The further boxes, of which nothing has been read yet.
    pub(super) fn others(&self) -> Others<'a> {
        Others { codes: self.other_codes, loose: self.loose }
    }
}

/// Pixels that are passed over together where none of them has a further box.
const SKIP: usize = 32;

/// Reads the further boxes row by row.
pub(super) struct Others<'a> {
    codes: &'a [u8],
    loose: &'a [u8],
}

impl Others<'_> {
    /// Appends the further boxes of the next row with their columns.
    pub(super) fn of_row(
        &mut self,
        counts: &[u8],
        golden: &[[u8; 4]],
        codes: &mut Codes<'_>,
        boxes: &mut Vec<(u32, PixelBox)>,
    ) -> Result<(), String> {
        // Most pixels have no further box, so they are passed over many at a time.
        for (start, (counts, golden)) in (0..).step_by(SKIP).zip(counts.chunks(SKIP).zip(golden.chunks(SKIP))) {
            if counts.iter().fold(0, |any, count| any | count) == 0 {
                continue;
            }
            for (column, (&count, &golden)) in (start..).zip(counts.iter().zip(golden)) {
                let count = usize::from(count).min(self.codes.len());
                let (own_codes, rest_of_codes) = self.codes.split_at(count);
                let (own_loose, rest_of_loose) = self.loose.split_at(count);
                (self.codes, self.loose) = (rest_of_codes, rest_of_loose);
                for (&code, &loose) in own_codes.iter().zip(own_loose) {
                    boxes.push((column, PixelBox { loose: loose != 0, ..codes.box_of(code, golden)? }));
                }
            }
        }
        Ok(())
    }
}

/// Makes boxes of codes, in the order of the file: first boxes of the whole band, then the further ones.
pub(super) struct Codes<'a> {
    shapes: &'a [Shape],
    background: PixelBox,
    /// Eight planes.
    escapes: &'a [u8],
    next: usize,
}

impl<'a> Codes<'a> {
    /// For one band.
    pub(super) fn new(shapes: &'a [Shape], background: PixelBox, band: &BandParts<'a>) -> Self {
        Self { shapes, background, escapes: band.escapes, next: 0 }
    }

    /// The box of a code that is a pixel's first.
    pub(super) fn first_box(&mut self, code: u8, golden: [u8; 4]) -> Result<PixelBox, String> {
        if code == NONE { Ok(PixelBox::NONE) } else { self.box_of(code, golden) }
    }

    fn box_of(&mut self, code: u8, golden: [u8; 4]) -> Result<PixelBox, String> {
        let shape = match (self.shapes.get(usize::from(code)), code) {
            (Some(&shape), _) => shape,
            (None, BACKGROUND) => return Ok(self.background),
            (None, ESCAPE) => self.escaped()?,
            (None, _) => return Err(format!("there is no box with the code {code}")),
        };
        let (low, high) = low_high(add_bytes(shape, twice(golden)));
        let own = PixelBox::new(low, high);
        // A box without colours would make a pixel that nothing satisfies.
        if own.is_empty() { Err(format!("a box ends before it begins: {low:?} to {high:?}")) } else { Ok(own) }
    }

    fn escaped(&mut self) -> Result<Shape, String> {
        let plane = self.escapes.len() / 8;
        if self.next >= plane {
            return Err("its boxes are cut off".to_owned());
        }
        let mut shape = [0; 8];
        for (byte, plane) in shape.iter_mut().zip(self.escapes.chunks_exact(plane)) {
            *byte = plane[self.next];
        }
        self.next += 1;
        Ok(Shape::from_le_bytes(shape))
    }

    /// To be called after the last box: nothing may be left.
    pub(super) fn finish(&self) -> Result<(), String> {
        if self.next * 8 == self.escapes.len() {
            Ok(())
        } else {
            Err(format!("{} boxes are written out, {} are used", self.escapes.len() / 8, self.next))
        }
    }
}

/// Unpacks a band into `room`, which is kept from band to band, and gives back that part of it which is the band.
pub(super) fn inflate<'a>(packed: &[u8], unpacked: usize, room: &'a mut Vec<u8>) -> Result<&'a [u8], String> {
    // The decoder needs a little more room than the data to see that nothing follows.
    let least = unpacked + 64;
    if room.len() < least {
        room.resize(least, 0);
    }
    let mut decoder = fdeflate::Decompressor::new();
    let (mut consumed, mut produced) = (0, 0);
    while !decoder.is_done() {
        let (read, wrote) = decoder
            .read(&packed[consumed..], &mut room[..least], produced, true)
            .map_err(|error| format!("its compressed data is damaged or cut off ({error:?})"))?;
        (consumed, produced) = (consumed + read, produced + wrote);
        if produced > unpacked {
            break;
        }
    }
    if produced != unpacked || consumed != packed.len() {
        return Err(format!("{unpacked} bytes are promised, and its compressed data holds another number"));
    }
    Ok(&room[..unpacked])
}
