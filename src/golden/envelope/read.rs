//! [`EnvelopeFile`]: an envelope on disk, unpacked band by band.
//!
//! Why it exists: the bytes may be anybody's, so sizes are checked before anything is allocated and every length is held
//! against what the format allows. And a comparison needs each row only once: a band is unpacked, checked and forgotten
//! by one thread while the others do the same.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    CheckOptions, Envelope, EnvelopeError, EnvelopeRow, EnvelopeVerdict, MOST_BOXES, PixelBox,
    check::check_row,
    is_profile,
    layout::{
        BACKGROUND, DEFLATE_LARGEST_RATIO, ESCAPE, FIXED_BYTES, MOST_BYTES_OF_A_PIXEL, MOST_SHAPES, NONE,
        PROFILE_BYTES, SIGNATURE, Shape, VERSION, add_bytes, low_high, twice,
    },
};
use crate::golden::{hash::xxh64, picture::Picture};

/// An envelope's file with its header read and its bands still packed.
#[derive(Debug)]
pub struct EnvelopeFile {
    path: PathBuf,
    bytes: Vec<u8>,
    /// All but the rows.
    header: Envelope,
    shapes: Vec<Shape>,
    band_rows: usize,
    bands: Vec<Band>,
}

/// Where a band's compressed bytes are and how many they unpack to.
#[derive(Debug)]
struct Band {
    packed: Range<usize>,
    unpacked: usize,
}

impl EnvelopeFile {
    /// The file that belongs to a golden: `NAME.envelope` beside `NAME.png`.
    #[must_use]
    pub fn path_of(golden: &Path) -> PathBuf {
        golden.with_extension("envelope")
    }

    /// Reads a file and checks its header.
    ///
    /// # Errors
    /// [`EnvelopeError::Read`] and [`EnvelopeError::Broken`].
    pub fn open(path: &Path) -> Result<Self, EnvelopeError> {
        let bytes = fs::read(path).map_err(|source| EnvelopeError::Read { path: path.to_owned(), source })?;
        Self::from_bytes(bytes, path)
    }

    /// As [`open`](Self::open), from bytes in memory. `name` stands in the errors.
    ///
    /// # Errors
    /// [`EnvelopeError::Broken`].
    pub fn from_bytes(bytes: Vec<u8>, name: &Path) -> Result<Self, EnvelopeError> {
        let path = name.to_owned();
        match parse(&bytes) {
            Ok((header, shapes, band_rows, bands)) => Ok(Self { path, bytes, header, shapes, band_rows, bands }),
            Err(reason) => Err(EnvelopeError::Broken { path, reason }),
        }
    }

    /// Width and height in pixels.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        (self.header.width, self.header.height)
    }

    /// The name of the freedoms that were granted.
    #[must_use]
    pub fn profile(&self) -> &str {
        &self.header.profile
    }

    /// The length of the file in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Unpacks the whole.
    ///
    /// # Errors
    /// [`EnvelopeError::OtherGolden`] where it is not of this golden, and [`EnvelopeError::Broken`].
    pub fn unpack(&self, golden: &Picture) -> Result<Envelope, EnvelopeError> {
        let rows = self.each_band(golden, |_, rows| rows)?;
        Ok(Envelope { rows: rows.into_iter().flatten().collect(), ..self.header.clone() })
    }

    /// As [`Envelope::check`], without holding the whole envelope in memory.
    ///
    /// # Errors
    /// As [`unpack`](Self::unpack) and [`Envelope::check`].
    pub fn check(
        &self,
        golden: &Picture,
        candidate: &Picture,
        options: &CheckOptions<'_>,
    ) -> Result<EnvelopeVerdict, EnvelopeError> {
        self.check_size(golden)?;
        self.header.fits(candidate)?;
        let samples = candidate.samples8();
        let candidate = samples.as_chunks::<4>().0;
        let width = self.header.width as usize;
        let of_band = |band: usize, rows: Vec<EnvelopeRow>| -> Vec<_> {
            let first = band * self.band_rows;
            let candidate = candidate.chunks(width).skip(first);
            let rows = rows.iter().zip(candidate).enumerate();
            rows.map(|(y, (row, candidate))| check_row(row, (first + y) as u32, candidate, &self.header, options))
                .collect()
        };
        Ok(EnvelopeVerdict::of_rows(self.each_band(golden, of_band)?.into_iter().flatten()))
    }

    /// Unpacks the bands on all threads, and hands each with its number to `work`.
    fn each_band<T: Send>(
        &self,
        golden: &Picture,
        work: impl Fn(usize, Vec<EnvelopeRow>) -> T + Sync,
    ) -> Result<Vec<T>, EnvelopeError> {
        self.check_size(golden)?;
        let broken = |reason| EnvelopeError::Broken { path: self.path.clone(), reason };
        let samples = golden.samples8();
        let pixels = samples.as_chunks::<4>().0;
        let band_pixels = self.band_rows * self.header.width as usize;
        let unpack = |(index, (band, golden)): (usize, (&Band, &[[u8; 4]]))| match self.unpack_band(band, golden) {
            Ok(rows) => Ok(work(index, rows)),
            Err(reason) => Err(broken(format!("band {index}: {reason}"))),
        };
        let (hash, results) = rayon::join(
            || golden.content_hash(),
            || self.bands.par_iter().zip(pixels.par_chunks(band_pixels)).enumerate().map(unpack).collect(),
        );
        if hash != self.header.golden_hash {
            return Err(self.other_golden(hash));
        }
        results
    }

    fn check_size(&self, golden: &Picture) -> Result<(), EnvelopeError> {
        if golden.size() == self.size() { Ok(()) } else { Err(self.other_golden(golden.content_hash())) }
    }

    fn other_golden(&self, found: u64) -> EnvelopeError {
        EnvelopeError::OtherGolden { path: self.path.clone(), expected: self.header.golden_hash, found }
    }

    fn unpack_band(&self, band: &Band, golden: &[[u8; 4]]) -> Result<Vec<EnvelopeRow>, String> {
        let bytes = inflate(&self.bytes[band.packed.clone()], band.unpacked)?;
        let pixels = golden.len();
        let too_short = || "its boxes are cut off".to_owned();
        let (first, rest) = bytes.split_at_checked(pixels).ok_or_else(too_short)?;
        let (counts, rest) = rest.split_at_checked(pixels).ok_or_else(too_short)?;
        if let Some(count) = counts.iter().find(|count| usize::from(**count) > MOST_BOXES) {
            return Err(format!("a pixel has {count} further boxes, at most {MOST_BOXES} are allowed"));
        }
        if first.iter().zip(counts).any(|(&first, &count)| first == NONE && count == 0) {
            return Err("a pixel has no box".to_owned());
        }
        let others: usize = counts.iter().map(|&count| usize::from(count)).sum();
        let (other_codes, rest) = rest.split_at_checked(others).ok_or_else(too_short)?;
        let (loose, escapes) = rest.split_at_checked(others).ok_or_else(too_short)?;
        let mut codes = Codes { shapes: &self.shapes, background: self.header.background, escapes, next: 0 };
        let width = self.header.width as usize;

        let mut rows: Vec<EnvelopeRow> = Vec::with_capacity(pixels / width);
        for (first, golden) in first.chunks_exact(width).zip(golden.chunks_exact(width)) {
            rows.push(codes.first_boxes(first, golden)?);
        }
        let mut others = other_codes.iter().zip(loose);
        for (row, (counts, golden)) in rows.iter_mut().zip(counts.chunks_exact(width).zip(golden.chunks_exact(width))) {
            if counts.iter().all(|count| *count == 0) {
                continue;
            }
            for (column, (&count, &golden)) in (0..).zip(counts.iter().zip(golden)) {
                for (&code, &loose) in others.by_ref().take(count.into()) {
                    let own = codes.box_of(code, golden)?;
                    row.others.push((column, PixelBox { loose: loose != 0, ..own }));
                }
            }
        }
        if codes.next * 8 == escapes.len() {
            Ok(rows)
        } else {
            Err(format!("{} boxes are written out, {} are used", escapes.len() / 8, codes.next))
        }
    }
}

/// Makes boxes of codes.
struct Codes<'a> {
    shapes: &'a [Shape],
    background: PixelBox,
    /// Eight planes.
    escapes: &'a [u8],
    next: usize,
}

impl Codes<'_> {
    fn first_boxes(&mut self, codes: &[u8], golden: &[[u8; 4]]) -> Result<EnvelopeRow, String> {
        let mut row =
            EnvelopeRow { low: vec![[0; 4]; codes.len()], high: vec![[0; 4]; codes.len()], others: Vec::new() };
        let ends = row.low.chunks_mut(ALIKE).zip(row.high.chunks_mut(ALIKE));
        for ((codes, golden), (low, high)) in codes.chunks(ALIKE).zip(golden.chunks(ALIKE)).zip(ends) {
            // Many alike are the rule, and then the shape is a constant of two loops without branches.
            let shape = self.shapes.get(usize::from(codes[0]));
            match (shape, codes.iter().all(|code| *code == codes[0])) {
                (Some(&shape), true) => {
                    let (least, greatest) = low_high(shape);
                    offset(golden, least, low);
                    offset(golden, greatest, high);
                    // As in `box_of`: a sum that has passed 255 at one end only.
                    let bytes = low.as_flattened().iter().zip(high.as_flattened());
                    if bytes.fold(false, |empty, (low, high)| empty | (low > high)) {
                        return Err("a box ends before it begins".to_owned());
                    }
                }
                _ => {
                    let ends = low.iter_mut().zip(high);
                    for ((&code, &golden), (low, high)) in codes.iter().zip(golden).zip(ends) {
                        let own = if code == NONE { PixelBox::NONE } else { self.box_of(code, golden)? };
                        (*low, *high) = (own.low, own.high);
                    }
                }
            }
        }
        Ok(row)
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
}

/// Pixels that are looked at together.
const ALIKE: usize = 16;

/// Adds the same four bytes to each pixel, modulo 256.
fn offset(golden: &[[u8; 4]], by: [u8; 4], sums: &mut [[u8; 4]]) {
    for (sum, &[red, green, blue, alpha]) in sums.iter_mut().zip(golden) {
        let [by_red, by_green, by_blue, by_alpha] = by;
        *sum = [
            red.wrapping_add(by_red),
            green.wrapping_add(by_green),
            blue.wrapping_add(by_blue),
            alpha.wrapping_add(by_alpha),
        ];
    }
}

fn inflate(packed: &[u8], unpacked: usize) -> Result<Vec<u8>, String> {
    // The decoder needs a little more room than the data to see that nothing follows.
    let mut bytes = vec![0; unpacked + 64];
    let mut decoder = fdeflate::Decompressor::new();
    let (mut consumed, mut produced) = (0, 0);
    while !decoder.is_done() {
        let (read, wrote) = decoder
            .read(&packed[consumed..], &mut bytes, produced, true)
            .map_err(|error| format!("its compressed data is damaged or cut off ({error:?})"))?;
        (consumed, produced) = (consumed + read, produced + wrote);
        if produced > unpacked {
            break;
        }
    }
    if produced != unpacked || consumed != packed.len() {
        return Err(format!("{unpacked} bytes are promised, and its compressed data holds another number"));
    }
    bytes.truncate(unpacked);
    Ok(bytes)
}

/// Reads numbers one after another.
struct Header<'a>(&'a [u8]);

impl Header<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (bytes, rest) = self.0.split_first_chunk::<N>().ok_or("the header is cut off")?;
        self.0 = rest;
        Ok(*bytes)
    }

    fn number(&mut self) -> Result<u32, String> {
        self.bytes().map(u32::from_le_bytes)
    }
}

type Parsed = (Envelope, Vec<Shape>, usize, Vec<Band>);

fn parse(bytes: &[u8]) -> Result<Parsed, String> {
    if bytes.is_empty() {
        return Err("the file is empty (0 bytes)".to_owned());
    }
    let mut header = Header(bytes);
    if !bytes.starts_with(&SIGNATURE[..SIGNATURE.len().min(bytes.len())]) {
        return Err("its first bytes are not an envelope's".to_owned());
    }
    header.bytes::<8>()?;
    let version = header.number()?;
    if version != VERSION {
        return Err(format!("it has version {version}, and this program reads version {VERSION}"));
    }
    let [width, height, band_rows] = [header.number()?, header.number()?, header.number()?];
    let golden_hash = u64::from_le_bytes(header.bytes()?);
    let [low, high] = [header.bytes()?, header.bytes()?];
    let profile = header.bytes::<PROFILE_BYTES>()?;
    let [shape_count, band_count] = [header.number()?, header.number()?];
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels > Picture::MAXIMUM_PIXELS {
        let limit = Picture::MAXIMUM_PIXELS;
        return Err(format!("it promises {width}x{height} pixels, which is not 1 to {limit} pixels"));
    }
    if band_rows == 0 || band_count != height.div_ceil(band_rows) {
        return Err(format!("{band_count} bands of {band_rows} rows are not the {height} rows of the picture"));
    }
    if shape_count as usize > MOST_SHAPES {
        return Err(format!("it has {shape_count} shapes, more than {MOST_SHAPES}"));
    }
    let length = FIXED_BYTES + 8 * (shape_count as usize + band_count as usize);
    let head = bytes.get(..length).ok_or("the header is cut off")?;
    let shapes = (0..shape_count).map(|_| header.bytes().map(u64::from_le_bytes)).collect::<Result<_, _>>()?;
    let mut bands = Vec::with_capacity(band_count as usize);
    let mut start = length + 8;
    for index in 0..band_count {
        let (packed, unpacked) = (header.number()? as usize, header.number()?);
        let rows = band_rows.min(height - index * band_rows);
        let pixels = u64::from(width) * u64::from(rows);
        let (unpacked, most) = (u64::from(unpacked), pixels * MOST_BYTES_OF_A_PIXEL);
        if !(2 * pixels..=most).contains(&unpacked) || unpacked / DEFLATE_LARGEST_RATIO > packed as u64 {
            return Err(format!("band {index} can not hold {unpacked} bytes in {packed}"));
        }
        bands.push(Band { packed: start..start + packed, unpacked: unpacked as usize });
        start += packed;
    }
    if u64::from_le_bytes(header.bytes()?) != xxh64(head, 0) {
        return Err("the header is damaged (its checksum is wrong)".to_owned());
    }
    if start != bytes.len() {
        let found = bytes.len();
        return Err(format!("the file should have {start} bytes and has {found}: it is cut off, or something follows"));
    }
    let name = profile.split(|byte| *byte == 0).next().unwrap_or_default();
    let profile = String::from_utf8_lossy(name).into_owned();
    if !is_profile(&profile) {
        return Err(format!("`{profile}` is not the name of a profile"));
    }
    let background = PixelBox::new(low, high);
    if background.is_empty() {
        return Err(format!("the box of its background ends before it begins: {low:?} to {high:?}"));
    }
    Ok((
        Envelope { width, height, profile, background, golden_hash, rows: Vec::new() },
        shapes,
        band_rows as usize,
        bands,
    ))
}
