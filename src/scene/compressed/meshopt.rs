//! Views that EXT_meshopt_compression holds.
//!
//! Why it exists: the codec is meshoptimizer's own; what the extension demands of a view, and how large its data may be, is
//! checked here first, because the codec trusts the sizes that it is given.

use gltf::json::Value;

use super::{
    super::{
        document::Document,
        error::{Problem, Result},
    },
    MESHOPT,
    meshopt_filter::Filter,
};

/// How elements are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Elements of any kind.
    Attributes,
    /// The corners of triangles.
    Triangles,
    /// Any other indices.
    Indices,
}

impl Document {
    /// The bytes of a view that the extension holds; `None` where it holds none.
    ///
    /// # Errors
    /// What the extension says of the view breaks its rules, its compressed bytes are not there or broken, or the result takes
    /// more than the scene's budget has left.
    pub(in super::super) fn decompressed_view(&self, index: usize) -> Result<Option<&[u8]>> {
        if !self.raw["bufferViews"][index]["extensions"][MESHOPT].is_object() {
            return Ok(None);
        }
        let cell = &self.decompressed.views[index];
        if cell.get().is_none() {
            let _ = cell.set(decode_view(self, index)?);
        }
        Ok(cell.get().map(Vec::as_slice))
    }
}

/// The data of view `index`, as if it were uncompressed: `byteStride` times `count` bytes.
fn decode_view(document: &Document, index: usize) -> Result<Vec<u8>> {
    let place = format!("bufferViews[{index}].extensions.{MESHOPT}");
    let own = &document.raw["bufferViews"][index]["extensions"][MESHOPT];
    let wrong = |name: &str, reason: String| Err(document.error(format!("{place}.{name}"), Problem::Value(reason)));
    let number = |name: &str| match own[name].as_u64().and_then(|number| usize::try_from(number).ok()) {
        Some(number) => Ok(number),
        None => Err(document.error(format!("{place}.{name}"), Problem::Missing("it, as a whole number,".to_owned()))),
    };
    let (stride, count) = (number("byteStride")?, number("count")?);
    let mode = match own["mode"].as_str() {
        Some("ATTRIBUTES") => Mode::Attributes,
        Some("TRIANGLES") => Mode::Triangles,
        Some("INDICES") => Mode::Indices,
        _ => return wrong("mode", format!("is {}, but must be ATTRIBUTES, TRIANGLES or INDICES", own["mode"])),
    };
    let filter = match &own["filter"] {
        Value::Null => Some(Filter::None),
        name => name.as_str().and_then(Filter::of),
    };
    let Some(filter) = filter else {
        let reason = format!("is {}, but must be NONE, OCTAHEDRAL, QUATERNION or EXPONENTIAL", own["filter"]);
        return wrong("filter", reason);
    };
    let fits = match mode {
        Mode::Attributes => (4..=256).contains(&stride) && stride.is_multiple_of(4) && filter.takes(stride),
        Mode::Triangles | Mode::Indices => (stride == 2 || stride == 4) && filter == Filter::None,
    };
    if !fits {
        return wrong("byteStride", format!("is {stride}, which mode and filter do not allow"));
    }
    if mode == Mode::Triangles && !count.is_multiple_of(3) {
        return wrong("count", format!("is {count}, which is no whole number of triangles"));
    }
    let length = document.root.buffer_views[index].byte_length.0;
    if (stride as u64).checked_mul(count as u64) != Some(length) {
        return wrong("count", format!("{count} times byteStride {stride} is not the view's byteLength {length}"));
    }
    let start = own["byteOffset"].as_u64().unwrap_or(0);
    let encoded = document.buffer_range(number("buffer")?, start, number("byteLength")? as u64, &place)?;
    // The codec would read versions that the extension does not have.
    let header = match mode {
        Mode::Attributes => 0xa0,
        Mode::Triangles => 0xe1,
        Mode::Indices => 0xd1,
    };
    if encoded.first().is_none_or(|first| *first != header) {
        let reason = format!("the compressed data does not begin with {header:#x}");
        return Err(document.error(place, Problem::Undecodable(reason)));
    }
    // Once as the codec gives it, and once as bytes.
    document.reserve(length.saturating_mul(2), &place)?;

    let decoded = match mode {
        Mode::Attributes => decode_elements(encoded, stride, count),
        Mode::Triangles if stride == 2 => meshopt::decode_index_buffer::<u16>(encoded, count).ok().map(bytes_of_shorts),
        Mode::Triangles => meshopt::decode_index_buffer::<u32>(encoded, count).ok().map(bytes_of_words),
        Mode::Indices if stride == 2 => meshopt::decode_index_sequence::<u16>(encoded, count).ok().map(bytes_of_shorts),
        Mode::Indices => meshopt::decode_index_sequence::<u32>(encoded, count).ok().map(bytes_of_words),
    };
    let Some(mut decoded) = decoded else {
        let reason = format!("the compressed data is damaged, or not of {count} elements of {stride} bytes");
        return Err(document.error(place, Problem::Undecodable(reason)));
    };
    filter.apply(&mut decoded, stride);
    Ok(decoded)
}

fn bytes_of_shorts(indices: Vec<u16>) -> Vec<u8> {
    indices.into_iter().flat_map(u16::to_le_bytes).collect()
}

fn bytes_of_words(indices: Vec<u32>) -> Vec<u8> {
    indices.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// An element of `4 · WORDS` bytes: the codec takes its size from the type.
#[derive(Clone, Copy)]
struct Element<const WORDS: usize>([[u8; 4]; WORDS]);

impl<const WORDS: usize> Default for Element<WORDS> {
    fn default() -> Self {
        Self([[0; 4]; WORDS])
    }
}

/// Decodes elements of `stride` bytes, a multiple of 4 up to 256; `None` where the data is damaged.
fn decode_elements(encoded: &[u8], stride: usize, count: usize) -> Option<Vec<u8>> {
    fn of_words<const WORDS: usize>(encoded: &[u8], count: usize) -> Option<Vec<u8>> {
        let elements = meshopt::decode_vertex_buffer::<Element<WORDS>>(encoded, count).ok()?;
        Some(elements.iter().flat_map(|element| element.0.as_flattened()).copied().collect())
    }
    macro_rules! by_words {
        ($($words:literal)*) => {
            match stride / 4 {
                $($words => of_words::<$words>(encoded, count),)*
                _ => None,
            }
        };
    }
    by_words!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32
        33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64)
}
