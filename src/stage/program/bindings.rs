//! [`Bindings`]: which register gets what.

use std::{collections::BTreeMap, fmt};

use refrast_vertex_program::{ATTRIBUTES, Dialect, InputRegister, Program, UnknownRegister};
use refrast_words::words;

/// What fills an attribute register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttributeSource {
    /// The position at rest, w = 1.
    Position,
    /// The unit normal at rest, w = 1; zeros where there is none.
    Normal,
    /// The unit tangent at rest; w is the handedness.
    Tangent,
    /// cross(normal, tangent) · handedness, w = 1.
    Bitangent,
    /// The vertex colour, linear RGBA.
    Color,
    /// The base colour texture's coordinates, with its transform applied.
    Texcoord,
    /// The weights of up to four influences.
    Weights,
    /// For each influence the joint's place in the draw's palette times the registers a joint takes.
    Rows,
    /// For each influence the joint's place in the draw's palette.
    Joints,
    /// The position in the space of the joint of influence 0..=3, w = 1.
    JointPosition(u8),
    /// The normal in the space of the joint of influence 0..=3; w is its weight.
    JointNormal(u8),
    /// The displacement of the position by active morph target 0..=4.
    MorphPosition(u8),
    /// The displacement of the normal by active morph target 0..=4.
    MorphNormal(u8),
}

/// What fills a constant register.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstantSource {
    /// A row of the matrix from the palette's space to clip space, 0..=3.
    ModelViewProjection(u8),
    /// The unit vector to the light, in the palette's space.
    Light,
    /// The colour of the light times the base colour; w is the alpha of the base colour.
    Diffuse,
    /// The ambient light times the base colour.
    Ambient,
    /// The eye in the palette's space, w = 1; of an orthographic camera the unit vector to it, w = 0.
    Eye,
    /// The colour of the light times what the surface reflects of it in a highlight.
    Specular,
    /// The weights of active morph targets: 0 for the first four, 1 for the fifth (in x).
    MorphWeights(u8),
    /// These numbers.
    Value([f32; 4]),
}

words! {
    /// A table of bindings that fits a family of programs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Preset: "table of bindings" = BoneOffset {
        /// The vertex at rest, and joints times inverse bind matrices.
        BoneOffset = "bone-offset",
        /// The vertex once for each joint, in the joint's space, and the joints' world matrices.
        VertexOffset = "vertex-offset",
        /// As `bone-offset`, with the eye and the colour of highlights for programs that light in tangent space.
        BoneOffsetTangent = "bone-offset-tangent",
        /// Five active morph targets, and no palette.
        MorphTargets = "morph-targets",
    }
}

impl Preset {
    /// The preset that fits a program of the library, by the program's name.
    #[must_use]
    pub fn of_library_program(name: &str) -> Self {
        let families = [
            ("vertex_offset", Self::VertexOffset),
            ("morph_targets", Self::MorphTargets),
            ("bone_offset_tangent", Self::BoneOffsetTangent),
        ];
        families.iter().find(|(family, _)| name.starts_with(family)).map_or(Self::BoneOffset, |&(_, preset)| preset)
    }

    fn attributes(self) -> &'static [(u8, AttributeSource)] {
        use AttributeSource::{
            Bitangent, Color, JointNormal, JointPosition, MorphNormal, MorphPosition, Normal, Position, Rows, Tangent,
            Texcoord, Weights,
        };
        match self {
            Self::BoneOffset | Self::BoneOffsetTangent => &[
                (0, Position),
                (1, Weights),
                (2, Normal),
                (3, Color),
                (6, Rows),
                (8, Texcoord),
                (9, Tangent),
                (10, Bitangent),
            ],
            Self::VertexOffset => &[
                (0, Rows),
                (2, JointNormal(0)),
                (3, Color),
                (6, JointNormal(1)),
                (7, JointNormal(2)),
                (8, Texcoord),
                (11, JointNormal(3)),
                (12, JointPosition(0)),
                (13, JointPosition(1)),
                (14, JointPosition(2)),
                (15, JointPosition(3)),
            ],
            Self::MorphTargets => &[
                (0, Position),
                (1, MorphPosition(0)),
                (2, Normal),
                (3, MorphNormal(0)),
                (4, MorphPosition(1)),
                (5, MorphNormal(1)),
                (6, MorphPosition(2)),
                (7, MorphNormal(2)),
                (8, Texcoord),
                (9, MorphPosition(3)),
                (10, MorphNormal(3)),
                (11, MorphPosition(4)),
                (12, MorphNormal(4)),
            ],
        }
    }
}

/// Which register gets what: a [`Preset`] and what is different from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bindings {
    preset: Preset,
    attributes: BTreeMap<u8, Option<AttributeSource>>,
    constants: BTreeMap<u8, Option<ConstantSource>>,
}

/// The text is no binding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseBindingError {
    /// Not `REGISTER=SOURCE` nor a preset.
    #[error("`{0}` is no binding: write REGISTER=SOURCE, or one of {presets}", presets = Preset::ALL.map(Preset::name).join(", "))]
    Shape(String),
    /// There is no such register.
    #[error(transparent)]
    Register(#[from] UnknownRegister),
    /// There is no such source.
    #[error("`{name}` can not be bound to {register}; choose one of: {known}")]
    Source {
        /// What was asked for.
        name: String,
        /// Where it was to go.
        register: InputRegister,
        /// What there is.
        known: String,
    },
}

impl From<Preset> for Bindings {
    fn from(preset: Preset) -> Self {
        Self { preset, ..Self::default() }
    }
}

impl Bindings {
    /// Adds a binding as it is written on the command line: a preset (`vertex-offset`), or `REGISTER=SOURCE`
    /// (`v[9]=normal`, `c4=light`, `c20=0.5,0,0,1`, `v3=none`). Later bindings win over earlier ones.
    ///
    /// # Errors
    ///
    /// When there is no such preset, register or source.
    pub fn add(&mut self, text: &str) -> Result<(), ParseBindingError> {
        let Some((register, source)) = text.split_once('=') else {
            self.preset = text.trim().parse().map_err(|_| ParseBindingError::Shape(text.to_owned()))?;
            return Ok(());
        };
        let (register, source) = (register.trim().parse::<InputRegister>()?, source.trim());
        let unknown = |known: String| ParseBindingError::Source { name: source.to_owned(), register, known };
        match register {
            InputRegister::Attribute(index) => {
                let found = parse_attribute(source).ok_or_else(|| unknown(attribute_names()))?;
                self.attributes.insert(index, found);
            }
            InputRegister::Constant(index) => {
                let found = parse_constant(source).ok_or_else(|| unknown(CONSTANT_NAMES.to_owned()))?;
                self.constants.insert(index, found);
            }
        }
        Ok(())
    }

    /// The source of each attribute register of a program.
    #[must_use]
    pub fn attributes(&self, program: &Program) -> [Option<AttributeSource>; ATTRIBUTES] {
        let mut table = [None; ATTRIBUTES];
        for &(register, source) in self.preset.attributes() {
            table[usize::from(register)] = Some(source);
        }
        if program.dialect == Dialect::Vs11 && !program.declarations.is_empty() {
            let by_number = table;
            table = [None; ATTRIBUTES];
            for declaration in &program.declarations {
                let slot = usage_slot(&declaration.usage, declaration.index);
                let source = slot.and_then(|slot| by_number[usize::from(slot)]);
                table[usize::from(declaration.register)] = source;
            }
        }
        for (&register, &source) in &self.attributes {
            table[usize::from(register)] = source;
        }
        table
    }

    /// The constant registers with a source, in ascending order.
    pub fn constants(&self) -> impl Iterator<Item = (u8, ConstantSource)> {
        use ConstantSource::{Ambient, Diffuse, Eye, Light, ModelViewProjection, MorphWeights, Specular, Value};
        let mut table: BTreeMap<u8, Option<ConstantSource>> =
            (0..4).map(|row| (row, Some(ModelViewProjection(row)))).collect();
        table.extend([
            (4, Some(Light)),
            (5, Some(Diffuse)),
            (6, Some(Ambient)),
            (7, Some(Value([0.0, 1.0, 0.5, 2.0]))),
        ]);
        match self.preset {
            Preset::BoneOffset | Preset::VertexOffset => {}
            Preset::BoneOffsetTangent => table.extend([(8, Some(Eye)), (9, Some(Specular))]),
            Preset::MorphTargets => table.extend([(8, Some(MorphWeights(0))), (9, Some(MorphWeights(1)))]),
        }
        table.extend(&self.constants);
        table.into_iter().filter_map(|(register, source)| Some((register, source?)))
    }
}

/// The conventional number of a Direct3D usage: that of the NV attribute which it aliases.
fn usage_slot(usage: &str, index: u8) -> Option<u8> {
    match (usage, index) {
        ("position", 0) => Some(0),
        ("blendweight", 0) => Some(1),
        ("normal", 0) => Some(2),
        ("color", 0 | 1) => Some(3 + index),
        ("fog", 0) => Some(5),
        ("blendindices", 0) => Some(6),
        ("psize", 0) => Some(7),
        ("texcoord", 0..=7) => Some(8 + index),
        ("tangent", 0) => Some(9),
        ("binormal", 0) => Some(10),
        _ => None,
    }
}

/// Names without a number behind them.
const ATTRIBUTE_NAMES: [(&str, AttributeSource); 9] = [
    ("position", AttributeSource::Position),
    ("normal", AttributeSource::Normal),
    ("tangent", AttributeSource::Tangent),
    ("bitangent", AttributeSource::Bitangent),
    ("color", AttributeSource::Color),
    ("texcoord", AttributeSource::Texcoord),
    ("weights", AttributeSource::Weights),
    ("rows", AttributeSource::Rows),
    ("joints", AttributeSource::Joints),
];

const CONSTANT_NAMES: &str = "mvp0 to mvp3, light, diffuse, ambient, eye, specular, morph-weights0, morph-weights1, none, or one to four numbers (0.5,0,0,1)";

fn attribute_names() -> String {
    let plain = ATTRIBUTE_NAMES.map(|(name, _)| name).join(", ");
    format!("{plain}, joint-position0 to 3, joint-normal0 to 3, morph-position0 to 4, morph-normal0 to 4, none")
}

/// `none` is `Some(None)`.
fn parse_attribute(name: &str) -> Option<Option<AttributeSource>> {
    if name == "none" {
        return Some(None);
    }
    let plain = ATTRIBUTE_NAMES.iter().find(|(known, _)| *known == name).map(|&(_, source)| source);
    let numbered =
        |prefix: &str, count: u8| name.strip_prefix(prefix)?.parse().ok().filter(|&number: &u8| number < count);
    plain
        .or_else(|| numbered("joint-position", 4).map(AttributeSource::JointPosition))
        .or_else(|| numbered("joint-normal", 4).map(AttributeSource::JointNormal))
        .or_else(|| numbered("morph-position", 5).map(AttributeSource::MorphPosition))
        .or_else(|| numbered("morph-normal", 5).map(AttributeSource::MorphNormal))
        .map(Some)
}

/// `none` is `Some(None)`.
fn parse_constant(name: &str) -> Option<Option<ConstantSource>> {
    use ConstantSource::{Ambient, Diffuse, Eye, Light, ModelViewProjection, MorphWeights, Specular, Value};
    let source = match name {
        "none" => return Some(None),
        "mvp0" => ModelViewProjection(0),
        "mvp1" => ModelViewProjection(1),
        "mvp2" => ModelViewProjection(2),
        "mvp3" => ModelViewProjection(3),
        "light" => Light,
        "diffuse" => Diffuse,
        "ambient" => Ambient,
        "eye" => Eye,
        "specular" => Specular,
        "morph-weights0" => MorphWeights(0),
        "morph-weights1" => MorphWeights(1),
        numbers => {
            let numbers: Option<Vec<f32>> = numbers.split(',').map(|number| number.trim().parse().ok()).collect();
            let numbers = numbers.filter(|numbers| numbers.len() <= 4)?;
            let mut value = [0.0, 0.0, 0.0, 1.0];
            value[..numbers.len()].copy_from_slice(&numbers);
            Value(value)
        }
    };
    Some(Some(source))
}

/// The name that [`Bindings::add`] takes.
impl fmt::Display for AttributeSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, number) = match *self {
            Self::JointPosition(number) => ("joint-position", number),
            Self::JointNormal(number) => ("joint-normal", number),
            Self::MorphPosition(number) => ("morph-position", number),
            Self::MorphNormal(number) => ("morph-normal", number),
            plain => {
                let known = ATTRIBUTE_NAMES.iter().find(|(_, source)| *source == plain);
                return formatter.write_str(known.map_or("", |(name, _)| name));
            }
        };
        write!(formatter, "{kind}{number}")
    }
}

/// The name or the numbers that [`Bindings::add`] takes.
impl fmt::Display for ConstantSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ModelViewProjection(row) => write!(formatter, "mvp{row}"),
            Self::Light => formatter.write_str("light"),
            Self::Diffuse => formatter.write_str("diffuse"),
            Self::Ambient => formatter.write_str("ambient"),
            Self::Eye => formatter.write_str("eye"),
            Self::Specular => formatter.write_str("specular"),
            Self::MorphWeights(number) => write!(formatter, "morph-weights{number}"),
            Self::Value([x, y, z, w]) => write!(formatter, "{x},{y},{z},{w}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refrast_vertex_program::assemble;

    fn bound(texts: &[&str]) -> Result<Bindings, ParseBindingError> {
        let mut bindings = Bindings::default();
        texts.iter().try_for_each(|text| bindings.add(text)).map(|()| bindings)
    }

    fn program(text: &str) -> Program {
        assemble(text).unwrap_or_else(|error| panic!("{error}")).program
    }

    #[test]
    fn later_bindings_win_and_none_takes_away() {
        let texts = ["v[OPOS]=normal", "v0=joint-position3", "c4=none", "c[20]=0.5,2", "v3 = none"];
        let bindings = bound(&texts).unwrap();
        let attributes = bindings.attributes(&program("!!VP1.0\nMOV o[HPOS], v[0];\nEND"));
        assert_eq!(attributes[0], Some(AttributeSource::JointPosition(3)));
        assert_eq!((attributes[3], attributes[6]), (None, Some(AttributeSource::Rows)));
        let constants: BTreeMap<u8, ConstantSource> = bindings.constants().collect();
        assert_eq!(constants.get(&4), None);
        assert_eq!(constants[&20], ConstantSource::Value([0.5, 2.0, 0.0, 1.0]));
        assert_eq!(constants[&3], ConstantSource::ModelViewProjection(3));
    }

    #[test]
    fn a_preset_keeps_what_was_bound_beside_it() {
        let bindings = bound(&["c6=light", "vertex-offset"]).unwrap();
        let attributes = bindings.attributes(&program("!!VP1.0\nMOV o[HPOS], v[0];\nEND"));
        assert_eq!(attributes[0], Some(AttributeSource::Rows));
        assert!(bindings.constants().any(|constant| constant == (6, ConstantSource::Light)));
    }

    #[test]
    fn declarations_decide_the_register_in_direct3d_programs() {
        let declared = program("vs_1_1\ndcl_position v5\ndcl_blendindices v0\ndcl_binormal v1\nmov oPos, v5");
        let attributes = Bindings::default().attributes(&declared);
        let expected = [(5, AttributeSource::Position), (0, AttributeSource::Rows), (1, AttributeSource::Bitangent)];
        for (register, source) in expected {
            assert_eq!(attributes[register], Some(source));
        }
        assert_eq!(attributes.iter().flatten().count(), 3);
        // Direct3D 8 programs declare nothing.
        let undeclared = Bindings::default().attributes(&program("vs.1.1\nmov oPos, v0"));
        assert_eq!(undeclared[0], Some(AttributeSource::Position));
    }

    #[test]
    fn sources_are_written_as_they_are_read() {
        for name in ATTRIBUTE_NAMES.map(|(name, _)| name).into_iter().chain(["joint-position3", "morph-normal4"]) {
            assert_eq!(parse_attribute(name).flatten().map(|source| source.to_string()).as_deref(), Some(name));
        }
        let plain = ["mvp0", "mvp3", "light", "diffuse", "ambient", "eye", "specular"];
        for name in plain.into_iter().chain(["morph-weights0", "morph-weights1", "0.5,0,-1,inf"]) {
            assert_eq!(parse_constant(name).flatten().map(|source| source.to_string()).as_deref(), Some(name));
        }
    }

    #[test]
    fn unknown_names_are_answered_with_the_known_ones() {
        for (text, part) in [
            ("tangents", "vertex-offset"),
            ("v16=normal", "v0 to v15"),
            ("v0=light", "bitangent"),
            ("c0=normal", "ambient"),
            ("v0=joint-normal4", "joint-normal0 to 3"),
            ("c0=1,2,3,4,5", "numbers"),
        ] {
            let error = bound(&[text]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
