//! [`Passes`]: an interlaced PNG from top to bottom.
//!
//! Why it exists: a row of an interlaced file is complete with its last pass, which is the file's second half. Unpacked as a
//! whole, two megabytes of file take two gigabytes. So each pass is read by a decoder of its own, which has run ahead to it:
//! the compressed data are unpacked about twice (a pass is as long as all before it together), and a few rows are held.

use png::DecodingError;

/// A decoder of the whole file.
pub(super) type Decoder<'a> = png::Reader<std::io::Cursor<&'a [u8]>>;

/// Where the pixels of Adam7's passes lie, `(x, y)`: the first one, and the steps to the next ones. PNG specification, third
/// edition, section 8.2.
const ADAM7: [([usize; 2], [usize; 2]); 7] = [
    ([0, 0], [8, 8]),
    ([4, 0], [8, 8]),
    ([0, 4], [4, 8]),
    ([2, 0], [4, 4]),
    ([0, 2], [2, 4]),
    ([1, 0], [2, 2]),
    ([0, 1], [1, 2]),
];

/// A pass, and a decoder whose next row is the pass's.
struct Pass<'a> {
    decoder: Decoder<'a>,
    first: [usize; 2],
    step: [usize; 2],
}

/// The passes that have pixels, in the order of the file.
pub(super) struct Passes<'a>(Vec<Pass<'a>>);

impl<'a> Passes<'a> {
    /// Decoders for the passes of a picture of `size` pixels; `decoder` makes one that stands before the first row.
    pub(super) fn open<E: From<DecodingError>>(
        size: (u32, u32),
        mut decoder: impl FnMut() -> Result<Decoder<'a>, E>,
    ) -> Result<Self, E> {
        let size = [size.0 as usize, size.1 as usize];
        let mut passes = Vec::with_capacity(ADAM7.len());
        let mut rows_before = 0;
        for (first, step) in ADAM7 {
            let [columns, rows] = [0, 1].map(|axis| size[axis].saturating_sub(first[axis]).div_ceil(step[axis]));
            if columns == 0 || rows == 0 {
                continue;
            }
            let mut decoder = decoder()?;
            for _ in 0..rows_before {
                decoder.next_interlaced_row()?;
            }
            passes.push(Pass { decoder, first, step });
            rows_before += rows;
        }
        Ok(Self(passes))
    }

    /// Row `y`, whose pixels have as many bytes as a pixel of the decoders' rows. Rows are asked for once, from the top.
    pub(super) fn read_row(&mut self, y: usize, row: &mut [u8], pixel_bytes: usize) -> Result<(), DecodingError> {
        for Pass { decoder, first, step } in &mut self.0 {
            if y < first[1] || !(y - first[1]).is_multiple_of(step[1]) {
                continue;
            }
            let Some(part) = decoder.next_interlaced_row()? else { continue };
            let pixels = row.chunks_exact_mut(pixel_bytes).skip(first[0]).step_by(step[0]);
            pixels.zip(part.data().chunks_exact(pixel_bytes)).for_each(|(pixel, part)| pixel.copy_from_slice(part));
        }
        Ok(())
    }

    /// The decoder of the last pass, with which the file ends.
    pub(super) fn into_last(mut self) -> Option<Decoder<'a>> {
        self.0.pop().map(|pass| pass.decoder)
    }
}
