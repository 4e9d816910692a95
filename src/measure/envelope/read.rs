//! [`EnvelopeFile`]: an envelope on disk, unpacked band by band.
//!
//! Why it exists: the bytes may be anybody's, so sizes are checked before anything is allocated and every length is held
//! against what the format allows. And a comparison needs each row only once: a band is unpacked, checked and forgotten
//! by one thread while the others do the same.

use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    CheckOptions, Envelope, EnvelopeError, EnvelopeVerdict, PixelBox,
    band::{BandParts, Codes, inflate},
    band_check::BandChecker,
    check::RowVerdict,
    is_profile,
    layout::{
        DEFLATE_LARGEST_RATIO, FIXED_BYTES, MOST_BYTES_OF_A_PIXEL, MOST_SHAPES, PROFILE_BYTES, SIGNATURE, Shape,
        VERSION,
    },
};
use crate::{
    files::{LARGEST_FILE, read_file},
    hash::xxh64,
    picture::Picture,
};
use refrast_threads::{both, each};

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
    /// [`EnvelopeError::Missing`], [`EnvelopeError::Read`] and [`EnvelopeError::Broken`].
    pub fn open(path: &Path) -> Result<Self, EnvelopeError> {
        let bytes = read_file(path, LARGEST_FILE).map_err(|source| match source.kind() {
            io::ErrorKind::NotFound => EnvelopeError::Missing { path: path.to_owned() },
            _ => EnvelopeError::Read { path: path.to_owned(), source },
        })?;
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
        let width = self.header.width as usize;
        self.check_size(golden)?;
        let samples = golden.samples8();
        let (hash, rows) = both(
            || golden.content_hash(),
            || {
                self.each_band(0, samples.as_chunks::<4>().0, |_, parts, golden| {
                    parts.rows(&mut self.codes(parts), golden, width)
                })
            },
        );
        self.check_hash(hash)?;
        let rows = rows?;
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
        let (golden_samples, candidate_samples) = (golden.samples8(), candidate.samples8());
        let pixels = |samples| bytemuck::cast_slice::<u8, [u8; 4]>(samples);
        let (hash, rows) = both(
            || golden.content_hash(),
            || self.check_bands(0, pixels(&golden_samples), pixels(&candidate_samples), options),
        );
        self.check_hash(hash)?;
        Ok(EnvelopeVerdict::of_rows(rows?))
    }

    /// The verdicts on the rows of some bands, the first of which is `band`. The pictures' parts are as large as the
    /// bands, and the candidate has the envelope's size. Whose golden it is remains to be checked.
    pub(in super::super) fn check_bands(
        &self,
        band: usize,
        golden: &[[u8; 4]],
        candidate: &[[u8; 4]],
        options: &CheckOptions<'_>,
    ) -> Result<Vec<RowVerdict>, EnvelopeError> {
        let checker = BandChecker::new(&self.header, &self.shapes, options);
        let bands = self.each_band(band, golden, |number, parts, golden| {
            let first_pixel = (number - band) * self.band_pixels();
            let candidate = &candidate[first_pixel..][..golden.len()];
            checker.check(parts, &mut self.codes(parts), (number * self.band_rows) as u32, golden, candidate)
        })?;
        Ok(bands.into_iter().flatten().collect())
    }

    /// Pixels of a band; the last one may have fewer.
    pub(in super::super) fn band_pixels(&self) -> usize {
        self.band_rows * self.header.width as usize
    }

    fn codes<'a>(&'a self, band: &BandParts<'a>) -> Codes<'a> {
        Codes::new(&self.shapes, self.header.background, band)
    }

    /// Unpacks the bands from number `band` on, as far as the pixels of the golden go, on all threads, and hands each to
    /// `work` with its number and its part of the golden.
    fn each_band<T: Send>(
        &self,
        band: usize,
        golden: &[[u8; 4]],
        work: impl Fn(usize, &BandParts<'_>, &[[u8; 4]]) -> Result<T, String> + Sync,
    ) -> Result<Vec<T>, EnvelopeError> {
        let bands: Vec<_> = self.bands.iter().skip(band).zip(golden.chunks(self.band_pixels())).collect();
        let of_band = |index: usize| {
            let (number, (packed, golden)) = (band + index, bands[index]);
            inflate(&self.bytes[packed.packed.clone()], packed.unpacked, &mut Vec::new())
                .and_then(|bytes| BandParts::split(bytes, golden.len()))
                .and_then(|parts| work(number, &parts, golden))
                .map_err(|reason| {
                    let reason = format!("band {number}: {reason}");
                    EnvelopeError::Broken { path: self.path.clone(), reason }
                })
        };
        each(bands.len(), 1, of_band).into_iter().collect()
    }

    /// Whether a golden with this content hash is the envelope's.
    ///
    /// # Errors
    /// [`EnvelopeError::OtherGolden`].
    pub fn check_hash(&self, hash: u64) -> Result<(), EnvelopeError> {
        if hash == self.header.golden_hash { Ok(()) } else { Err(self.other_golden(hash)) }
    }

    fn check_size(&self, golden: &Picture) -> Result<(), EnvelopeError> {
        if golden.size() == self.size() { Ok(()) } else { Err(self.other_golden(golden.content_hash())) }
    }

    fn other_golden(&self, found: u64) -> EnvelopeError {
        EnvelopeError::OtherGolden { path: self.path.clone(), expected: self.header.golden_hash, found }
    }
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
