//! A parsed file with its buffers, before anything in it is trusted.
//!
//! Why it exists: the parts of the room share one place that knows the file's name for messages, resolves indices and
//! cuts buffer views out of buffers, each with its check.

use std::{cell::Cell, collections::HashMap};

use gltf::json::{self, Root, Value};

use super::{
    accessor::{self, Filler},
    compressed::Decompressed,
    error::{Problem, Result, SceneError},
    glb,
    load::LoadOptions,
    remark::{Remark, RemarkKind, Remarks},
    schema,
    schema::Schema,
    uri::{self, Surroundings},
};

/// Bytes of a number of an accessor.
const NUMBER_BYTES: u64 = 4;

/// What people name in place of a scene, by its first bytes.
const OTHER_FILES: [(&[u8], &str); 6] = [
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x93NUMPY", "a file of numbers"),
    (b"Kaydara FBX", "an FBX scene"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"BLENDER", "a Blender file"),
];

/// The file's JSON and its buffers.
#[derive(Debug)]
pub(super) struct Document {
    /// For messages.
    pub(super) file: String,
    /// The schema types of the `gltf` crate.
    pub(super) root: Root,
    /// The same JSON as plain values.
    pub(super) raw: Value,
    /// Accessors that an extension is to fill, and from what.
    pub(super) fillers: HashMap<usize, Filler>,
    /// What the extensions gave.
    #[cfg_attr(
        not(any(feature = "meshopt", feature = "draco")),
        expect(dead_code, reason = "this build decompresses nothing")
    )]
    pub(super) decompressed: Decompressed,
    /// What is noticed on the way.
    pub(super) remarks: Remarks,
    /// Whether images are decoded.
    pub(super) wants_pixels: bool,
    /// Whether what is not drawn is refused.
    pub(super) is_strict: bool,
    /// Where its URIs lead.
    surroundings: Surroundings,
    /// The content of each buffer, exactly `byteLength` bytes; `None` where the file has none for it, which is no error
    /// as long as nothing needs it.
    buffers: Vec<Option<Vec<u8>>>,
    /// Bytes that the scene may take.
    memory: u64,
    /// How many of them are left. Without a limit a file of some kilobytes that names one large or view-less accessor many
    /// times fills any memory.
    memory_left: Cell<u64>,
}

/// A buffer view's bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    /// Exactly `byteLength` bytes.
    pub(super) bytes: &'a [u8],
    /// `byteStride`; `None` is tightly packed.
    pub(super) stride: Option<usize>,
}

impl Document {
    /// Parses a .gltf or .glb (told apart by content) and fetches its buffers.
    pub(super) fn open(bytes: &[u8], file: &str, surroundings: Surroundings, options: LoadOptions) -> Result<Self> {
        let fail = |place: String, problem| SceneError { file: file.to_owned(), place, problem };
        let (json, binary) = if bytes.starts_with(glb::MAGIC) {
            let chunks = glb::split(bytes).map_err(|problem| fail(String::new(), problem))?;
            (chunks.json, chunks.binary)
        } else {
            if let Some(kind) = OTHER_FILES.iter().find_map(|(magic, kind)| bytes.starts_with(magic).then_some(*kind)) {
                return Err(fail(String::new(), Problem::NoScene(kind)));
            }
            (bytes, None)
        };
        let left = options.memory.checked_sub(schema::memory(json));
        let left = left.ok_or_else(|| fail(String::new(), Problem::Memory(options.memory)))?;
        let Schema { root, raw } = schema::parse(json).map_err(|(place, problem)| fail(place, problem))?;
        let mut document = Self {
            file: file.to_owned(),
            fillers: accessor::fillers(&raw),
            decompressed: Decompressed::new(&root),
            root,
            raw,
            remarks: Remarks::default(),
            wants_pixels: options.pixels,
            is_strict: options.strict,
            surroundings,
            buffers: Vec::new(),
            memory: options.memory,
            memory_left: Cell::new(left),
        };
        document.buffers = document.load_buffers(binary)?;
        Ok(document)
    }

    /// An error at a JSON path of this file.
    pub(super) fn error(&self, place: impl Into<String>, problem: Problem) -> SceneError {
        SceneError { file: self.file.clone(), place: place.into(), problem }
    }

    /// Remarks something that everybody is told.
    pub(super) fn warn(&self, kind: RemarkKind, place: impl Into<String>, detail: impl Into<String>) {
        self.remarks.add(Remark { kind, place: place.into(), detail: detail.into(), warns: true });
    }

    /// Remarks something that only who asks is told.
    pub(super) fn note(&self, kind: RemarkKind, place: impl Into<String>, detail: impl Into<String>) {
        self.remarks.add(Remark { kind, place: place.into(), detail: detail.into(), warns: false });
    }

    /// The bytes behind a URI, of a file at most the first `most`.
    pub(super) fn fetch(&self, uri: &str, place: &str, most: u64) -> Result<Vec<u8>> {
        uri::fetch(uri, &self.surroundings, most).map_err(|problem| self.error(place, problem))
    }

    /// As [`fetch`](Self::fetch), out of the scene's budget: no more is read than is left of it.
    pub(super) fn fetch_counted(&self, uri: &str, place: &str, most: u64) -> Result<Vec<u8>> {
        let bytes = self.fetch(uri, place, most.min(self.memory_left.get().saturating_add(1)))?;
        self.reserve(bytes.len() as u64, place)?;
        Ok(bytes)
    }

    /// Checks an index against the length of its list and returns it.
    pub(super) fn check_index(&self, what: &'static str, index: usize, count: usize, place: &str) -> Result<usize> {
        if index < count { Ok(index) } else { Err(self.error(place, Problem::Index { what, index, count })) }
    }

    /// Takes an enumeration's value out of the schema's wrapper.
    pub(super) fn valid<T: Copy>(&self, value: &json::validation::Checked<T>, place: &str) -> Result<T> {
        match value {
            json::validation::Checked::Valid(value) => Ok(*value),
            json::validation::Checked::Invalid => {
                Err(self.error(place, Problem::Value("is none of the values that glTF defines".to_owned())))
            }
        }
    }

    /// Checks that all numbers are finite (JSON such as `1e999` overflows) and returns them.
    pub(super) fn finite<const N: usize>(&self, numbers: [f32; N], place: &str) -> Result<[f32; N]> {
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(element) => Err(self.error(place, Problem::NotFinite { element, value: numbers[element] })),
        }
    }

    /// Whether the file says that it uses an extension.
    pub(super) fn uses(&self, extension: &str) -> bool {
        self.root.extensions_used.iter().chain(&self.root.extensions_required).any(|name| name == extension)
    }

    /// Takes `count` numbers out of the scene's budget; called before they are allocated.
    pub(super) fn reserve_numbers(&self, count: u64, place: &str) -> Result<()> {
        self.reserve(count.saturating_mul(NUMBER_BYTES), place)
    }

    /// As [`reserve_numbers`](Self::reserve_numbers), in bytes.
    pub(super) fn reserve(&self, bytes: u64, place: &str) -> Result<()> {
        match self.memory_left.get().checked_sub(bytes) {
            Some(left) => {
                self.memory_left.set(left);
                Ok(())
            }
            None => Err(self.error(place, Problem::Memory(self.memory))),
        }
    }

    /// The bytes and stride of a buffer view.
    pub(super) fn view(&self, index: usize, place: &str) -> Result<View<'_>> {
        let index = self.check_index("bufferView", index, self.root.buffer_views.len(), place)?;
        let view = &self.root.buffer_views[index];
        let place = format!("bufferViews[{index}]");
        let buffer_place = format!("{place}.buffer");
        let number = self.check_index("buffer", view.buffer.value(), self.buffers.len(), &buffer_place)?;
        let decompressed = if self.buffers[number].is_none() { self.decompressed_view(index)? } else { None };
        let bytes = match decompressed {
            Some(bytes) => bytes,
            None => {
                let own = self.raw["bufferViews"][index]["extensions"].as_object();
                if let Some(extension) =
                    own.and_then(|own| own.keys().next()).filter(|_| self.buffers[number].is_none())
                {
                    return Err(self.error(place, Problem::Compressed(extension.clone())));
                }
                self.buffer_range(number, view.byte_offset.map_or(0, |offset| offset.0), view.byte_length.0, &place)?
            }
        };
        // Exporters write 0 for "tightly packed".
        let stated = view.byte_stride.map(|stride| stride.0);
        let stride = stated.filter(|stride| *stride != 0);
        if let Some(stated) = stated.filter(|own| !(4..=252).contains(own) || !own.is_multiple_of(4)) {
            let taken = if stated == 0 { "taken for tightly packed" } else { "taken as it is" };
            let detail = format!("is {stated}, but must be a multiple of 4 from 4 to 252; it is {taken}");
            self.warn(RemarkKind::StrideNotAllowed, format!("{place}.byteStride"), detail);
        }
        Ok(View { bytes, stride })
    }

    /// `length` bytes of a buffer from `start` on; `place` is the JSON path of what asks for them.
    pub(super) fn buffer_range(&self, index: usize, start: u64, length: u64, place: &str) -> Result<&[u8]> {
        let index = self.check_index("buffer", index, self.buffers.len(), &format!("{place}.buffer"))?;
        let Some(buffer) = &self.buffers[index] else {
            let what = if index == 0 { "its uri (or the GLB's binary chunk)" } else { "its uri" };
            return Err(self.error(format!("buffers[{index}]"), Problem::Missing(what.to_owned())));
        };
        let end = start.saturating_add(length);
        let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
        range.and_then(|(start, end)| buffer.get(start..end)).ok_or_else(|| {
            let what = format!("the view of buffer {index}");
            self.error(place, Problem::Short { what, needed: end, available: buffer.len() as u64 })
        })
    }

    /// Fetches every buffer and cuts it to its stated length (a file or chunk may be padded).
    fn load_buffers(&self, binary: Option<&[u8]>) -> Result<Vec<Option<Vec<u8>>>> {
        let load = |(index, buffer): (usize, &json::Buffer)| {
            let place = format!("buffers[{index}]");
            let needed = buffer.byte_length.0;
            let mut bytes = match (&buffer.uri, binary) {
                (Some(uri), _) => self.fetch_counted(uri, &format!("{place}.uri"), needed)?,
                (None, Some(binary)) if index == 0 => {
                    self.reserve(binary.len() as u64, &place)?;
                    binary.to_vec()
                }
                (None, _) => return Ok(None),
            };
            let available = bytes.len() as u64;
            if available < needed {
                return Err(self.error(place, Problem::Short { what: "the buffer".to_owned(), needed, available }));
            }
            // At most the length of a Vec, by the line above.
            bytes.truncate(needed as usize);
            Ok(Some(bytes))
        };
        self.root.buffers.iter().enumerate().map(load).collect()
    }
}
