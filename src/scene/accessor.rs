//! Reads accessors.
//!
//! Why it exists: an accessor has seven shapes, six number types, an optional normalisation, a stride that belongs to
//! its view, sparse replacements, and may have no data at all. Everything is checked against the buffer before the
//! first number is read or allocated (glTF 2.0 specification, sections 3.6.2 and 3.11).
//!
//! Misaligned data is read all the same: bytes are assembled one by one, so that its meaning is never in doubt. The
//! `min` and `max` properties are not needed and not looked at. `normalized` means nothing for FLOAT and UNSIGNED_INT,
//! where the specification forbids it, and is ignored there with a remark.

use std::collections::HashMap;

use gltf::json::{
    Value,
    accessor::{ComponentType, Type},
};

use super::{
    document::{Document, View},
    error::{Problem, Result, SceneError},
    remark::RemarkKind,
};

/// A component type and whether its integers stand for fractions.
pub(super) type Number = (ComponentType, bool);

/// f32, the type that glTF always allows.
pub(super) const FLOAT: Number = (ComponentType::F32, false);
/// c ÷ 255.
pub(super) const UNORM8: Number = (ComponentType::U8, true);
/// c ÷ 65535.
pub(super) const UNORM16: Number = (ComponentType::U16, true);
/// max(c ÷ 127, −1).
pub(super) const SNORM8: Number = (ComponentType::I8, true);
/// max(c ÷ 32767, −1).
pub(super) const SNORM16: Number = (ComponentType::I16, true);
/// Plain unsigned bytes.
pub(super) const U8: Number = (ComponentType::U8, false);
/// Plain unsigned shorts.
pub(super) const U16: Number = (ComponentType::U16, false);
/// Plain unsigned words.
pub(super) const U32: Number = (ComponentType::U32, false);
/// Plain signed bytes.
pub(super) const I8: Number = (ComponentType::I8, false);
/// Plain signed shorts.
pub(super) const I16: Number = (ComponentType::I16, false);

/// A checked accessor: reading it can only fail for numbers that are not finite.
pub(super) struct Accessor<'a> {
    document: &'a Document,
    place: String,
    shape: Type,
    number: Number,
    count: usize,
    /// `None` is all zeros.
    elements: Option<Elements<'a>>,
    sparse: Option<Sparse<'a>>,
}

/// Bytes that hold all elements, `stride` apart.
struct Elements<'a> {
    bytes: &'a [u8],
    stride: usize,
}

/// Replacements: element `indices[k]` is the k-th of `values`.
struct Sparse<'a> {
    indices: Vec<usize>,
    values: Elements<'a>,
}

impl Document {
    /// Checks an accessor; `place` is the JSON path of the property that names it.
    pub(super) fn accessor(&self, index: usize, place: &str) -> Result<Accessor<'_>> {
        let index = self.check_index("accessor", index, self.root.accessors.len(), place)?;
        let accessor = &self.root.accessors[index];
        let place = format!("{place} (accessors[{index}])");
        let shape = self.valid(&accessor.type_, &format!("accessors[{index}].type"))?;
        let component = self.valid(&accessor.component_type, &format!("accessors[{index}].componentType"))?.0;
        let normalized = accessor.normalized && !matches!(component, ComponentType::F32 | ComponentType::U32);
        let number = (component, normalized);
        if accessor.normalized && !normalized {
            let detail = format!("{} has no normalised form; its numbers are taken as they are", number_name(number));
            self.warn(RemarkKind::NormalizedFloat, format!("accessors[{index}].normalized"), detail);
        }
        let too_large = || self.error(&place, Problem::TooLarge(format!("has {} elements", accessor.count.0)));
        let count = usize::try_from(accessor.count.0).map_err(|_| too_large())?;
        if count == 0 {
            return Err(self.error(&place, Problem::Value("count must be at least 1".to_owned())));
        }
        let elements = match accessor.buffer_view {
            Some(view) => {
                let view = self.view(view.value(), &format!("accessors[{index}].bufferView"))?;
                let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
                Some(self.elements(view, offset, count, element_size(shape, component), &place)?)
            }
            None => match self.decompressed_accessor(index)? {
                Some(bytes) => Some(Elements { bytes, stride: element_size(shape, component) }),
                None => {
                    self.check_filled(index, accessor.sparse.is_some(), &place)?;
                    None
                }
            },
        };
        let sparse = match &accessor.sparse {
            Some(sparse) => Some(self.sparse(sparse, count, element_size(shape, component), index)?),
            None => None,
        };
        Ok(Accessor { document: self, place, shape, number, count, elements, sparse })
    }

    /// An accessor without data holds zeros, unless an extension was to fill it: then the zeros are nothing that anybody
    /// has modelled, and a picture of them would be a lie.
    fn check_filled(&self, index: usize, is_sparse: bool, place: &str) -> Result<()> {
        if is_sparse {
            return Ok(());
        }
        let filler = self.fillers.get(&index).map(|filler| &filler.extension);
        match filler.or_else(|| first_key(&self.raw["accessors"][index]["extensions"])) {
            None => Ok(()),
            Some(extension) => Err(self.error(place, Problem::Compressed(extension.clone()))),
        }
    }

    /// Cuts `count` elements of `size` bytes out of a view.
    fn elements<'a>(
        &self,
        view: View<'a>,
        offset: u64,
        count: usize,
        size: usize,
        place: &str,
    ) -> Result<Elements<'a>> {
        let stride = view.stride.unwrap_or(size);
        if stride < size {
            let reason = format!("elements of {size} bytes overlap, as byteStride is {stride}");
            return Err(self.error(place, Problem::Value(reason)));
        }
        // The specification's formula: the last element need not be followed by a whole stride.
        let length = (count as u64 - 1).saturating_mul(stride as u64).saturating_add(size as u64);
        let needed = offset.saturating_add(length);
        let available = view.bytes.len() as u64;
        if needed > available {
            let what = format!("accessor of {count} elements");
            return Err(self.error(place, Problem::Short { what, needed, available }));
        }
        Ok(Elements { bytes: &view.bytes[offset as usize..needed as usize], stride })
    }

    /// Checks the sparse part of accessor `index`: strictly increasing indices below `count`, and a value for each.
    fn sparse(
        &self,
        sparse: &gltf::json::accessor::sparse::Sparse,
        count: usize,
        size: usize,
        index: usize,
    ) -> Result<Sparse<'_>> {
        let place = format!("accessors[{index}].sparse");
        let replaced = usize::try_from(sparse.count.0).unwrap_or(usize::MAX);
        if replaced == 0 || replaced > count {
            let reason = format!("count is {}, but must be between 1 and the accessor's {count}", sparse.count.0);
            return Err(self.error(place, Problem::Value(reason)));
        }
        let indices_place = format!("{place}.indices");
        let component = self.valid(&sparse.indices.component_type, &format!("{indices_place}.componentType"))?.0;
        let view = self.view(sparse.indices.buffer_view.value(), &format!("{indices_place}.bufferView"))?;
        let offset = sparse.indices.byte_offset.0;
        let elements = self.elements(view, offset, replaced, component.size(), &indices_place)?;
        let mut indices: Vec<usize> = Vec::with_capacity(replaced);
        for bytes in elements.bytes.chunks(elements.stride) {
            let next = integer(bytes, component) as usize;
            if indices.last().is_some_and(|last| next <= *last) {
                let reason = format!("index {next} does not follow its predecessor: they must strictly increase");
                return Err(self.error(indices_place, Problem::Value(reason)));
            }
            indices.push(self.check_index("element", next, count, &indices_place)?);
        }

        let values_place = format!("{place}.values");
        let view = self.view(sparse.values.buffer_view.value(), &format!("{values_place}.bufferView"))?;
        let values = self.elements(view, sparse.values.byte_offset.0, replaced, size, &values_place)?;
        Ok(Sparse { indices, values })
    }
}

/// An extension that has the data of an accessor, and the primitive in which it has it.
#[derive(Clone, Debug)]
pub(super) struct Filler {
    /// Its name.
    pub(super) extension: String,
    /// Index of the mesh.
    #[cfg_attr(not(feature = "draco"), expect(dead_code, reason = "for who decompresses it"))]
    pub(super) mesh: usize,
    /// Index of the primitive in the mesh.
    #[cfg_attr(not(feature = "draco"), expect(dead_code, reason = "for who decompresses it"))]
    pub(super) primitive: usize,
}

/// The accessors that primitives name beside an extension with data of its own, with that extension: glTF's pattern for
/// compressed geometry, as in KHR_draco_mesh_compression.
pub(super) fn fillers(raw: &Value) -> HashMap<usize, Filler> {
    let list = |value: &Value| value.as_array().map_or(&[][..], Vec::as_slice).to_vec();
    let mut fillers = HashMap::new();
    for (mesh, primitives) in list(&raw["meshes"]).iter().map(|mesh| list(&mesh["primitives"])).enumerate() {
        for (number, primitive) in primitives.iter().enumerate() {
            let mut extensions = primitive["extensions"].as_object().into_iter().flatten();
            let Some((name, own)) = extensions.find(|(_, own)| own.get("bufferView").is_some()) else { continue };
            // An extension need not hold all attributes.
            let held = |name: &String| own.get("attributes").is_none_or(|held| held.get(name).is_some());
            let attributes = primitive["attributes"].as_object().into_iter().flatten();
            let attributes = attributes.filter(|(name, _)| held(name)).map(|(_, index)| index);
            for index in attributes.chain(primitive.get("indices")).filter_map(Value::as_u64) {
                let filler = Filler { extension: name.clone(), mesh, primitive: number };
                fillers.entry(index as usize).or_insert(filler);
            }
        }
    }
    fillers
}

fn first_key(object: &Value) -> Option<&String> {
    object.as_object()?.keys().next()
}

impl Accessor<'_> {
    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The shape of an element.
    pub(super) fn shape(&self) -> Type {
        self.shape
    }

    /// The number type of the components.
    pub(super) fn number(&self) -> Number {
        self.number
    }

    /// The JSON path of the property that names it, and its own.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// An error at the property that names this accessor.
    pub(super) fn error(&self, problem: Problem) -> SceneError {
        self.document.error(&self.place, problem)
    }

    /// Checks that the elements are of one of the shapes and number types that the specification allows here.
    pub(super) fn require(&self, shapes: &[Type], numbers: &[Number]) -> Result<()> {
        if shapes.contains(&self.shape) && numbers.contains(&self.number) {
            return Ok(());
        }
        let shapes: Vec<_> = shapes.iter().map(|shape| shape_name(*shape)).collect();
        let numbers: Vec<_> = numbers.iter().map(|number| number_name(*number)).collect();
        let found = format!("{} of {}", shape_name(self.shape), number_name(self.number));
        let expected = format!("{} of {}", shapes.join(" or "), numbers.join(", "));
        Err(self.error(Problem::Type { found, expected }))
    }

    /// Checks the number of elements.
    pub(super) fn require_count(&self, what: &'static str, expected: usize) -> Result<()> {
        if self.count == expected {
            Ok(())
        } else {
            Err(self.error(Problem::Count { what, found: self.count, expected }))
        }
    }

    /// All numbers as f32, element by element, matrices by column and without their padding.
    ///
    /// # Errors
    /// A number that is not finite.
    pub(super) fn floats(&self) -> Result<Vec<f32>> {
        let (component, normalized) = self.number;
        let floats = self.read(|bytes| float(bytes, component, normalized))?;
        match floats.iter().position(|value| !value.is_finite()) {
            None => Ok(floats),
            Some(at) => {
                Err(self.error(Problem::NotFinite { element: at / self.shape.multiplicity(), value: floats[at] }))
            }
        }
    }

    /// All elements as arrays of `N` numbers; the shape must have been required before.
    pub(super) fn vectors<const N: usize>(&self) -> Result<Vec<[f32; N]>> {
        Ok(self.floats()?.as_chunks::<N>().0.to_vec())
    }

    /// All numbers of an unsigned accessor as they are stored.
    pub(super) fn integers(&self) -> Result<Vec<u32>> {
        self.read(|bytes| integer(bytes, self.number.0))
    }

    /// Decodes all components.
    fn read<T: Copy + Default>(&self, decode: impl Fn(&[u8]) -> T) -> Result<Vec<T>> {
        let (rows, columns) = rows_and_columns(self.shape);
        let per_element = rows * columns;
        let total = (self.count as u64).saturating_mul(per_element as u64);
        self.document.reserve_numbers(total, &self.place)?;
        let size = self.number.0.size();
        let column_stride = column_stride(self.shape, self.number.0);
        let decode_element = |bytes: &[u8], output: &mut [T]| {
            for (column, numbers) in output.chunks_mut(rows).enumerate() {
                for (row, number) in numbers.iter_mut().enumerate() {
                    *number = decode(&bytes[column * column_stride + row * size..]);
                }
            }
        };

        let mut output = vec![T::default(); total as usize];
        if let Some(elements) = &self.elements {
            for (bytes, output) in elements.bytes.chunks(elements.stride).zip(output.chunks_mut(per_element)) {
                decode_element(bytes, output);
            }
        }
        if let Some(sparse) = &self.sparse {
            for (index, bytes) in sparse.indices.iter().zip(sparse.values.bytes.chunks(sparse.values.stride)) {
                decode_element(bytes, &mut output[index * per_element..(index + 1) * per_element]);
            }
        }
        Ok(output)
    }
}

/// Rows and columns of a shape; a vector is one column.
pub(super) fn rows_and_columns(shape: Type) -> (usize, usize) {
    match shape {
        Type::Scalar => (1, 1),
        Type::Vec2 => (2, 1),
        Type::Vec3 => (3, 1),
        Type::Vec4 => (4, 1),
        Type::Mat2 => (2, 2),
        Type::Mat3 => (3, 3),
        Type::Mat4 => (4, 4),
    }
}

/// Bytes from one column to the next: a matrix's columns start at multiples of four bytes (section 3.6.2.4).
fn column_stride(shape: Type, component: ComponentType) -> usize {
    let (rows, columns) = rows_and_columns(shape);
    let size = rows * component.size();
    if columns == 1 { size } else { size.next_multiple_of(4) }
}

/// Bytes of an element, with the padding of its columns.
fn element_size(shape: Type, component: ComponentType) -> usize {
    rows_and_columns(shape).1 * column_stride(shape, component)
}

/// The first component in `bytes`, by the conversions of section 3.11.
fn float(bytes: &[u8], component: ComponentType, normalized: bool) -> f32 {
    let (value, one) = match component {
        ComponentType::I8 => (f32::from(bytes[0] as i8), 127.0),
        ComponentType::U8 => (f32::from(bytes[0]), 255.0),
        ComponentType::I16 => (f32::from(i16::from_le_bytes([bytes[0], bytes[1]])), 32767.0),
        ComponentType::U16 => (f32::from(u16::from_le_bytes([bytes[0], bytes[1]])), 65535.0),
        ComponentType::U32 => (u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as f32, 1.0),
        ComponentType::F32 => (f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), 1.0),
    };
    if normalized { (value / one).max(-1.0) } else { value }
}

/// The first unsigned component in `bytes`.
fn integer(bytes: &[u8], component: ComponentType) -> u32 {
    match component.size() {
        1 => u32::from(bytes[0]),
        2 => u32::from(u16::from_le_bytes([bytes[0], bytes[1]])),
        _ => u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
    }
}

/// The name in the file.
fn shape_name(shape: Type) -> &'static str {
    match shape {
        Type::Scalar => "SCALAR",
        Type::Vec2 => "VEC2",
        Type::Vec3 => "VEC3",
        Type::Vec4 => "VEC4",
        Type::Mat2 => "MAT2",
        Type::Mat3 => "MAT3",
        Type::Mat4 => "MAT4",
    }
}

/// The specification's name.
pub(super) fn number_name((component, normalized): Number) -> String {
    let name = match component {
        ComponentType::I8 => "BYTE",
        ComponentType::U8 => "UNSIGNED_BYTE",
        ComponentType::I16 => "SHORT",
        ComponentType::U16 => "UNSIGNED_SHORT",
        ComponentType::U32 => "UNSIGNED_INT",
        ComponentType::F32 => "FLOAT",
    };
    if normalized { format!("{name} normalized") } else { name.to_owned() }
}
