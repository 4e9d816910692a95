//! Writes a binary glTF 2.0 file: one JSON chunk, one binary chunk.
//!
//! Written by hand rather than through a serialisation crate's glTF types, because every byte has to be the same on
//! every machine and in every version of the toolchain.

use serde_json::{Value, json};

/// glTF's names for component types.
pub(crate) const UNSIGNED_BYTE: u32 = 5121;
pub(crate) const UNSIGNED_SHORT: u32 = 5123;
pub(crate) const UNSIGNED_INT: u32 = 5125;
pub(crate) const FLOAT: u32 = 5126;

/// Collects binary data and the JSON arrays that refer to it.
#[derive(Default)]
pub(crate) struct Writer {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Writer {
    /// Appends bytes, aligned to four, and returns the new buffer view's index.
    pub(crate) fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        let mut view = json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.binary.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    fn push(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// An accessor over `rows` of numbers of one vertex attribute (or, without `vertices`, of any other use).
    pub(crate) fn rows<const N: usize, T: bytemuck::Pod>(
        &mut self,
        rows: &[[T; N]],
        component: u32,
        normalized: bool,
        vertices: bool,
    ) -> usize {
        let view = self.view(bytemuck::cast_slice(rows.as_flattened()), vertices.then_some(34962));
        let mut accessor =
            json!({ "bufferView": view, "componentType": component, "count": rows.len(), "type": kind(N) });
        if normalized {
            accessor["normalized"] = json!(true);
        }
        self.push(accessor)
    }

    /// Adds the bounds that glTF requires of positions and of animation times.
    pub(crate) fn bound<const N: usize>(&mut self, accessor: usize, rows: &[[f32; N]]) {
        let fold = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            (0..N).map(|i| rows.iter().map(|row| row[i]).reduce(pick).unwrap_or_default()).collect()
        };
        self.accessors[accessor]["min"] = json!(fold(f32::min));
        self.accessors[accessor]["max"] = json!(fold(f32::max));
    }

    /// Triangle indices, sixteen bits wide where that is enough.
    pub(crate) fn indices(&mut self, indices: &[u32], vertex_count: usize) -> usize {
        let narrow: Option<Vec<u16>> = indices.iter().map(|&index| u16::try_from(index).ok()).collect();
        let (view, component) = match narrow.filter(|_| vertex_count < usize::from(u16::MAX)) {
            Some(narrow) => (self.view(bytemuck::cast_slice(&narrow), Some(34963)), UNSIGNED_SHORT),
            None => (self.view(bytemuck::cast_slice(indices), Some(34963)), UNSIGNED_INT),
        };
        self.push(json!({ "bufferView": view, "componentType": component, "count": indices.len(), "type": "SCALAR" }))
    }

    /// Zeros, with other values at `indices`: only the sparse part is stored.
    ///
    /// Where nothing differs, one zero is stored all the same: glTF allows an accessor with neither a buffer view nor a
    /// sparse part, but not every reader does.
    pub(crate) fn sparse<const N: usize>(&mut self, count: usize, indices: &[u32], values: &[[f32; N]]) -> usize {
        let (indices, values): (&[u32], &[[f32; N]]) =
            if indices.is_empty() { (&[0], &[[0.0; N]]) } else { (indices, values) };
        let place_view = self.view(bytemuck::cast_slice(indices), None);
        let value_view = self.view(bytemuck::cast_slice(values.as_flattened()), None);
        let accessor = self.push(json!({
            "componentType": FLOAT,
            "count": count,
            "type": kind(N),
            "sparse": {
                "count": indices.len(),
                "indices": { "bufferView": place_view, "componentType": UNSIGNED_INT },
                "values": { "bufferView": value_view },
            },
        }));
        // The zeros of the vertices that stay count too.
        let all: Vec<[f32; N]> = values.iter().copied().chain([[0.0; N]]).collect();
        self.bound(accessor, &all);
        accessor
    }

    /// The file's bytes; `document` gets the buffers, views and accessors.
    pub(crate) fn finish(mut self, mut document: Value) -> Vec<u8> {
        self.binary.resize(self.binary.len().next_multiple_of(4), 0);
        document["accessors"] = Value::Array(self.accessors);
        document["bufferViews"] = Value::Array(self.views);
        document["buffers"] = json!([{ "byteLength": self.binary.len() }]);
        let mut text = document.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() + 8 + self.binary.len();
        let mut file = Vec::with_capacity(total);
        file.extend_from_slice(b"glTF");
        for word in [2, total as u32, text.len() as u32] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(b"JSON");
        file.extend_from_slice(&text);
        file.extend_from_slice(&(self.binary.len() as u32).to_le_bytes());
        file.extend_from_slice(b"BIN\0");
        file.extend_from_slice(&self.binary);
        file
    }
}

/// glTF's name for a row of `width` numbers.
fn kind(width: usize) -> &'static str {
    match width {
        1 => "SCALAR",
        2 => "VEC2",
        3 => "VEC3",
        4 => "VEC4",
        16 => "MAT4",
        _ => unreachable!("no attribute of ours is {width} numbers wide"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_aligned_and_lengths_add_up() {
        let mut writer = Writer::default();
        writer.view(&[1, 2, 3], None);
        writer.view(&[4], None);
        let file = writer.finish(json!({ "asset": { "version": "2.0" } }));
        let word = |at: usize| u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]]) as usize;
        assert_eq!(word(8), file.len());
        let json_length = word(12);
        assert_eq!(json_length % 4, 0);
        let binary = &file[20 + json_length + 8..];
        assert_eq!(binary, [1, 2, 3, 0, 4, 0, 0, 0]);
    }
}
