//! glTF from JSON and bytes. Numbers of the JSON stay f64 until a machine rounds them.

use std::path::Path;

use serde_json::Value;

use super::machine::Real;

pub(crate) struct File {
    pub(crate) json: Value,
    buffers: Vec<Vec<u8>>,
}

impl File {
    pub(crate) fn open(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap();
        if bytes.starts_with(b"glTF") {
            return Self::from_glb(&bytes);
        }
        let json: Value = serde_json::from_slice(&bytes).unwrap();
        let buffer = |buffer: &Value| {
            let uri = buffer["uri"].as_str().unwrap();
            match uri.split_once("base64,") {
                Some((_, text)) => base64(text),
                None => std::fs::read(path.with_file_name(uri)).unwrap(),
            }
        };
        let buffers = array(&json["buffers"]).map(buffer).collect();
        Self { json, buffers }
    }

    pub(crate) fn from_glb(bytes: &[u8]) -> Self {
        let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let end = 20 + length(12);
        let json = serde_json::from_slice(&bytes[20..end]).unwrap();
        let buffers = if end < bytes.len() { vec![bytes[end + 8..end + 8 + length(end)].to_vec()] } else { vec![] };
        Self { json, buffers }
    }

    /// The elements of an accessor, integers of normalised ones divided. Sparse ones are not among the scenes here.
    pub(crate) fn accessor<T: Real>(&self, index: usize, always_fractions: bool) -> Vec<Vec<T>> {
        let accessor = &self.json["accessors"][index];
        assert!(accessor.get("sparse").is_none());
        let whole = |value: &Value, key: &str| value[key].as_u64().unwrap_or(0) as usize;
        let components = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            other => panic!("{other}"),
        };
        let (width, one) = match whole(accessor, "componentType") {
            5120 => (1, 127.0),
            5121 => (1, 255.0),
            5122 => (2, 32767.0),
            5123 => (2, 65535.0),
            5125 | 5126 => (4, 1.0),
            other => panic!("{other}"),
        };
        let view = &self.json["bufferViews"][whole(accessor, "bufferView")];
        let bytes = &self.buffers[whole(view, "buffer")][whole(view, "byteOffset") + whole(accessor, "byteOffset")..];
        let stride = view["byteStride"].as_u64().map_or(components * width, |stride| stride as usize);
        let fractions = one > 1.0 && (always_fractions || accessor["normalized"].as_bool() == Some(true));
        let number = |bytes: &[u8]| {
            let number = match whole(accessor, "componentType") {
                5120 => f64::from(bytes[0] as i8),
                5121 => f64::from(bytes[0]),
                5122 => f64::from(i16::from_le_bytes([bytes[0], bytes[1]])),
                5123 => f64::from(u16::from_le_bytes([bytes[0], bytes[1]])),
                5125 => f64::from(u32::from_le_bytes(bytes[..4].try_into().unwrap())),
                _ => f64::from(f32::from_le_bytes(bytes[..4].try_into().unwrap())),
            };
            if fractions { (T::of(number) / T::of(one)).max(T::of(-1.0)) } else { T::of(number) }
        };
        (0..whole(accessor, "count"))
            .map(|element| (0..components).map(|i| number(&bytes[element * stride + i * width..])).collect())
            .collect()
    }

    pub(crate) fn nodes(&self) -> &[Value] {
        self.json["nodes"].as_array().map_or(&[], Vec::as_slice)
    }

    pub(crate) fn parents(&self) -> Vec<Option<usize>> {
        let mut parents = vec![None; self.nodes().len()];
        for (parent, node) in self.nodes().iter().enumerate() {
            indices(&node["children"]).for_each(|child| parents[child] = Some(parent));
        }
        parents
    }

    /// Nodes with a mesh that the scene reaches, by index.
    pub(crate) fn drawn(&self) -> Vec<usize> {
        let scene = self.json["scene"].as_u64().unwrap_or(0) as usize;
        let mut open: Vec<usize> = indices(&self.json["scenes"][scene]["nodes"]).collect();
        let mut drawn = Vec::new();
        while let Some(node) = open.pop() {
            open.extend(indices(&self.nodes()[node]["children"]));
            if self.nodes()[node]["mesh"].is_u64() {
                drawn.push(node);
            }
        }
        drawn.sort_unstable();
        drawn
    }
}

pub(crate) fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().map_or(&[][..], Vec::as_slice).iter()
}

pub(crate) fn indices(value: &Value) -> impl Iterator<Item = usize> + '_ {
    array(value).map(|index| index.as_u64().unwrap() as usize)
}

pub(crate) fn index(value: &Value) -> Option<usize> {
    value.as_u64().map(|index| index as usize)
}

fn base64(text: &str) -> Vec<u8> {
    let digits = text.bytes().filter_map(|byte| {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        alphabet.iter().position(|letter| *letter == byte)
    });
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for digit in digits {
        bits = bits << 6 | digit as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}
