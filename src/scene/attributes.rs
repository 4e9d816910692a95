//! The attributes of a primitive, each with the types that the specification allows it.
//!
//! Why it exists: glTF 2.0 section 3.7.2 and KHR_mesh_quantization state the allowed types as tables. Here they are
//! tables too, in one place, and every attribute is checked against its row and the number of vertices.

use gltf::json::{
    Value,
    accessor::Type,
    mesh::{Primitive, Semantic},
    validation::Checked,
};

use super::{
    accessor::{Accessor, FLOAT, I8, I16, Number, SNORM8, SNORM16, U8, U16, UNORM8, UNORM16},
    document::Document,
    error::{Problem, Result, SceneError},
    model::MorphTarget,
    remark::{Remark, RemarkKind},
};

/// Number types that an attribute may have always, and with KHR_mesh_quantization besides.
struct Allowed {
    core: &'static [Number],
    quantized: &'static [Number],
}

const POSITION: Allowed = Allowed { core: &[FLOAT], quantized: &[I8, SNORM8, U8, UNORM8, I16, SNORM16, U16, UNORM16] };
const DIRECTION: Allowed = Allowed { core: &[FLOAT], quantized: &[SNORM8, SNORM16] };
const TEXCOORD: Allowed = Allowed { core: &[FLOAT, UNORM8, UNORM16], quantized: &[I8, SNORM8, U8, I16, SNORM16, U16] };
const COLOR: Allowed = Allowed { core: &[FLOAT, UNORM8, UNORM16], quantized: &[] };
const OCCLUSION_DISPLACEMENT: [Number; 5] = [FLOAT, SNORM8, SNORM16, UNORM8, UNORM16];
const POSITION_DISPLACEMENT: Allowed = Allowed { core: &[FLOAT], quantized: &[I8, SNORM8, I16, SNORM16] };
const SURFACE_DISPLACEMENT: Allowed = Allowed { core: &[FLOAT, SNORM8, SNORM16, UNORM8, UNORM16], quantized: &[] };

/// The part of the ambient light that arrives: an attribute of applications, by glTF's rule for their names.
const OCCLUSION: &str = "_OCCLUSION";

/// The attributes of one primitive that has positions.
pub(super) struct Attributes<'a> {
    document: &'a Document,
    primitive: &'a Primitive,
    /// JSON path of the primitive.
    place: &'a str,
    vertex_count: usize,
}

impl<'a> Attributes<'a> {
    /// `None` where the primitive has no positions; then it draws nothing.
    pub(super) fn new(document: &'a Document, primitive: &'a Primitive, place: &'a str) -> Result<Option<Self>> {
        let mut attributes = Self { document, primitive, place, vertex_count: 0 };
        let Some(positions) = attributes.optional(Semantic::Positions)? else { return Ok(None) };
        attributes.vertex_count = positions.count();
        if u32::try_from(attributes.vertex_count).is_err() {
            return Err(positions.error(Problem::TooLarge(format!("has {} vertices", attributes.vertex_count))));
        }
        Ok(Some(attributes))
    }

    /// The number of vertices.
    pub(super) fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// An error at the list of attributes.
    pub(super) fn error(&self, problem: Problem) -> SceneError {
        self.document.error(format!("{}.attributes", self.place), problem)
    }

    /// Remarks on an attribute, or on a displacement of it.
    pub(super) fn remark(&self, kind: RemarkKind, attribute: &str, detail: String, warns: bool) {
        let place = format!("{}.attributes.{attribute}", self.place);
        self.document.remarks.add(Remark { kind, place, detail, warns });
    }

    /// The positions.
    pub(super) fn positions(&self) -> Result<Vec<[f32; 3]>> {
        let accessor = self.required(Semantic::Positions)?;
        self.require(&accessor, &[Type::Vec3], &POSITION)?;
        accessor.vectors()
    }

    /// The normals, as they are stored.
    pub(super) fn normals(&self) -> Result<Option<Vec<[f32; 3]>>> {
        let Some(accessor) = self.optional(Semantic::Normals)? else { return Ok(None) };
        self.require(&accessor, &[Type::Vec3], &DIRECTION)?;
        accessor.vectors().map(Some)
    }

    /// The tangents; w is checked to be ±1.
    pub(super) fn tangents(&self) -> Result<Option<Vec<[f32; 4]>>> {
        let Some(accessor) = self.optional(Semantic::Tangents)? else { return Ok(None) };
        self.require(&accessor, &[Type::Vec4], &DIRECTION)?;
        let tangents = accessor.vectors::<4>()?;
        match tangents.iter().position(|tangent| tangent[3].abs() != 1.0) {
            None => Ok(Some(tangents)),
            Some(vertex) => {
                let reason = format!("the handedness of vertex {vertex} is {}, not 1 or -1", tangents[vertex][3]);
                Err(accessor.error(Problem::Value(reason)))
            }
        }
    }

    /// All sets of texture coordinates.
    pub(super) fn texcoords(&self) -> Result<Vec<Vec<[f32; 2]>>> {
        let read = |set| {
            let accessor = self.required(Semantic::TexCoords(set))?;
            self.require(&accessor, &[Type::Vec2], &TEXCOORD)?;
            accessor.vectors()
        };
        (0..self.sets("TEXCOORD", Semantic::TexCoords)? as u32).map(read).collect()
    }

    /// COLOR_0 with alpha 1 where it is RGB; further sets mean nothing to glTF's materials.
    pub(super) fn colors(&self) -> Result<Option<Vec<[f32; 4]>>> {
        let Some(accessor) = self.optional(Semantic::Colors(0))? else { return Ok(None) };
        self.require(&accessor, &[Type::Vec3, Type::Vec4], &COLOR)?;
        let colors = rgba(&accessor, 1.0)?;
        let outside = |color: &[f32; 4]| color.iter().any(|value| !(0.0..=1.0).contains(value));
        if let Some(first) = colors.iter().position(outside) {
            let detail = format!("vertex {first} has a colour outside of 0 to 1; it is taken as it is");
            self.remark(RemarkKind::ColorsOutside, "COLOR_0", detail, true);
        }
        Ok(Some(colors))
    }

    /// `_OCCLUSION`, of the primitive's raw `attributes`: the one attribute of an application that is read here. Whoever
    /// means something else by the name has other numbers in it, which are left alone.
    pub(super) fn occlusion(&self, raw: &Value) -> Result<Option<Vec<f32>>> {
        self.scalars(raw.get(OCCLUSION), COLOR.core, &format!("{}.attributes.{OCCLUSION}", self.place))
    }

    /// One number a vertex, of these types; `None` of anything else.
    fn scalars(&self, index: Option<&Value>, numbers: &[Number], place: &str) -> Result<Option<Vec<f32>>> {
        let index = index.and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let Some(index) = index else { return Ok(None) };
        let accessor = self.per_vertex(index, place)?;
        let is_read = accessor.shape() == Type::Scalar && numbers.contains(&accessor.number());
        is_read.then(|| accessor.floats()).transpose()
    }

    /// The number of sets that an indexed attribute has.
    ///
    /// # Errors
    /// Sets that are not numbered 0, 1, 2 …
    pub(super) fn sets(&self, name: &str, semantic: fn(u32) -> Semantic) -> Result<usize> {
        let attributes = &self.primitive.attributes;
        let is_set = |key: &&Checked<Semantic>| {
            // The set's number is what the variant carries; any number serves to compare the variants.
            matches!(key, Checked::Valid(found) if std::mem::discriminant(found) == std::mem::discriminant(&semantic(0)))
        };
        let count = attributes.keys().filter(is_set).count();
        match (0..count as u32).find(|set| !attributes.contains_key(&Checked::Valid(semantic(*set)))) {
            None => Ok(count),
            Some(missing) => {
                Err(self.error(Problem::Missing(format!("{name}_{missing} (the sets must be numbered 0, 1, 2 …)"))))
            }
        }
    }

    /// An attribute that must be there.
    pub(super) fn required(&self, semantic: Semantic) -> Result<Accessor<'a>> {
        let name = semantic.to_string();
        self.optional(semantic)?.ok_or_else(|| self.error(Problem::Missing(name)))
    }

    /// An attribute with one element a vertex.
    fn optional(&self, semantic: Semantic) -> Result<Option<Accessor<'a>>> {
        let name = semantic.to_string();
        match self.primitive.attributes.get(&Checked::Valid(semantic)) {
            None => Ok(None),
            Some(index) => self.per_vertex(index.value(), &format!("{}.attributes.{name}", self.place)).map(Some),
        }
    }

    /// Opens an accessor and checks that it has one element a vertex.
    fn per_vertex(&self, index: usize, place: &str) -> Result<Accessor<'a>> {
        let accessor = self.document.accessor(index, place)?;
        // The positions, which are opened first, set the number.
        if self.vertex_count > 0 {
            accessor.require_count("elements", self.vertex_count)?;
        }
        Ok(accessor)
    }

    /// Checks an attribute against its row of the tables.
    fn require(&self, accessor: &Accessor<'_>, shapes: &[Type], allowed: &Allowed) -> Result<()> {
        let mut numbers = allowed.core.to_vec();
        if self.document.uses("KHR_mesh_quantization") {
            numbers.extend(allowed.quantized);
        }
        accessor.require(shapes, &numbers)
    }

    /// One morph target. `json` is the raw object, because the `gltf` crate drops texture coordinates and colours.
    /// `sets` is the number of TEXCOORD sets of the primitive, `has_colors` whether it has COLOR_0.
    ///
    /// # Errors
    /// A displaced attribute that the primitive lacks (section 3.7.2.2), except normals and tangents, for which the
    /// specification says what to do.
    pub(super) fn morph_target(&self, json: &Value, place: &str, sets: usize, has_colors: bool) -> Result<MorphTarget> {
        let mut target = MorphTarget { texcoords: vec![None; sets], ..MorphTarget::default() };
        for (name, index) in json.as_object().into_iter().flatten() {
            if name == OCCLUSION {
                target.occlusion = self.scalars(Some(index), &OCCLUSION_DISPLACEMENT, &format!("{place}.{name}"))?;
            }
            if name.starts_with('_') {
                continue;
            }
            let place = format!("{place}.{name}");
            let Some(index) = index.as_u64().and_then(|index| usize::try_from(index).ok()) else {
                return Err(self.document.error(place, Problem::Json(format!("{index} is not an index"))));
            };
            let without_base = || {
                let reason = format!("displaces {name}, which the primitive does not have");
                self.document.error(&place, Problem::Value(reason))
            };
            let open = |shapes: &[Type], allowed| {
                let accessor = self.per_vertex(index, &place)?;
                self.require(&accessor, shapes, allowed)?;
                Ok::<_, SceneError>(accessor)
            };
            match name.split_once('_').unwrap_or((name, "")) {
                ("POSITION", "") => target.positions = Some(open(&[Type::Vec3], &POSITION_DISPLACEMENT)?.vectors()?),
                ("NORMAL", "") => target.normals = Some(open(&[Type::Vec3], &DIRECTION)?.vectors()?),
                ("TANGENT", "") => target.tangents = Some(open(&[Type::Vec3], &DIRECTION)?.vectors()?),
                ("TEXCOORD", set) => {
                    let set = set.parse().ok().and_then(|set: usize| target.texcoords.get_mut(set));
                    let values = open(&[Type::Vec2], &SURFACE_DISPLACEMENT)?.vectors()?;
                    *set.ok_or_else(without_base)? = Some(values);
                }
                ("COLOR", "0") if has_colors => {
                    let accessor = open(&[Type::Vec3, Type::Vec4], &SURFACE_DISPLACEMENT)?;
                    target.colors = Some(rgba(&accessor, 0.0)?);
                }
                ("COLOR", "0") => return Err(without_base()),
                // Further colours mean nothing to glTF's materials, and names that glTF does not know mean nothing.
                _ => {}
            }
        }
        Ok(target)
    }
}

/// Colours of three or four components as four.
fn rgba(accessor: &Accessor<'_>, alpha: f32) -> Result<Vec<[f32; 4]>> {
    if accessor.shape() == Type::Vec4 {
        return accessor.vectors();
    }
    Ok(accessor.vectors::<3>()?.into_iter().map(|[red, green, blue]| [red, green, blue, alpha]).collect())
}
