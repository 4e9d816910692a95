//! [`ParametricFault`]: mistakes with a number in them.
//!
//! Why it exists: the [list](super::Fault) has a level of detail that is one too high and a clock of 24 Hz. Engines are wrong by
//! a half, and tick at 15. A list can not have them all, so that these are families: a number is fitted to what a backend
//! drew, and what comes out is played like every other mistake.

use std::fmt;

use super::{Fault, Part};

/// Which of the frames around a moment is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FrameRounding {
    /// The one before.
    Down,
    /// The nearest.
    Nearest,
}

/// How a backend that has room for a few influences takes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfluenceChoice {
    /// Those that come first in the file, as they are.
    First,
    /// Those that come first in the file, brought to a sum of 1.
    FirstRescaled,
    /// The heaviest, as they are.
    Heaviest,
}

/// A depth test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthFunction {
    /// Nothing passes.
    Never,
    /// The same depth passes.
    Equal,
    /// Another depth passes.
    NotEqual,
    /// What is farther or as far passes.
    GreaterEqual,
}

/// A family of mistakes with the numbers that say which of them it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParametricFault {
    /// Times are rounded to frames.
    TimeRounded {
        /// Frames a second.
        rate: f32,
        /// Which frame.
        rounding: FrameRounding,
    },
    /// Clips are sampled anew at a rate, and what is between two samples is on a straight line.
    ClipResampled {
        /// Samples a second.
        rate: f32,
    },
    /// Texture coordinates are scaled and then moved.
    TexcoordsMoved {
        /// Of u and v; negative where they run the other way.
        scale: [f32; 2],
        /// Of u and v.
        offset: [f32; 2],
        /// Whether u and v are exchanged first.
        swapped: bool,
    },
    /// Only some influences are read.
    InfluencesKept {
        /// How many.
        count: u8,
        /// Which.
        choice: InfluenceChoice,
    },
    /// Weights are stored as whole numbers of few bits.
    WeightBits {
        /// Bits of a weight, 2 to 15.
        bits: u8,
        /// Whether what rounding took away is given to the heaviest.
        corrected: bool,
    },
    /// Joints are looked up so many places further.
    JointsShifted {
        /// Places.
        by: i16,
    },
    /// Two joints are taken for each other.
    JointsSwapped {
        /// Both, as places in the palette.
        joints: [u16; 2],
    },
    /// The vertices of a joint are moved by another one, whose own stay where they are.
    JointTakenFor {
        /// Its place in the palette.
        joint: u16,
        /// The place that is looked up.
        other: u16,
    },
    /// What hangs on a joint is turned about it: its inverse bind matrix is wrong.
    JointTurned {
        /// Its place in the palette.
        joint: u16,
        /// The axis, in the joint's space, times the angle in degrees.
        by: [f32; 3],
    },
    /// The key frames of a node are not played.
    NodeStill {
        /// Which, by its place in the file.
        node: u32,
    },
    /// Morph weights go to the targets so many places further.
    MorphTargetsShifted {
        /// Places.
        by: i8,
    },
    /// A morph target is left out.
    MorphTargetMissing {
        /// Its place.
        target: u16,
    },
    /// The transform of a node that draws an unskinned mesh is applied more than once.
    NodeTransformRepeated {
        /// How often.
        times: u8,
    },
    /// A node's mesh is not drawn.
    NodeMissing {
        /// Which, by its place in the file.
        node: u32,
    },
    /// A node's mesh is scaled about its middle, and moved.
    NodeMoved {
        /// Which, by its place in the file.
        node: u32,
        /// In the mesh's space, by parts of its bounding box's diagonal.
        by: [f32; 3],
        /// The factor.
        scale: f32,
    },
    /// Triangles of a node are wound the other way round: what should be their front faces is culled.
    InsideOut {
        /// Which node, by its place in the file.
        node: u32,
        /// Which primitive of its mesh; all of them where there is none.
        primitive: Option<u16>,
    },
    /// Normals of a node point the other way.
    NormalsReversed {
        /// Which node, by its place in the file.
        node: u32,
        /// Which primitive of its mesh; all of them where there is none.
        primitive: Option<u16>,
    },
    /// The picture is moved on the target.
    WindowOffset {
        /// Pixels to the right.
        x: f32,
        /// Pixels down.
        y: f32,
    },
    /// Vertices snap to a coarse grid.
    GridBits {
        /// Fraction bits, fewer than 4.
        bits: u8,
    },
    /// The level of detail is moved.
    MipBias {
        /// Levels; positive is blurred.
        levels: f32,
    },
    /// Colours are encoded by a power instead of sRGB's curve.
    Gamma {
        /// The reciprocal of the power.
        gamma: f32,
        /// Whether a shader does it, and the background is cleared to its right bytes.
        in_shader: bool,
    },
    /// Light is too strong, or too weak.
    Exposure {
        /// What colours are multiplied with.
        factor: f32,
    },
    /// Channels of the picture are exchanged.
    Channels {
        /// Which of red (0), green (1) and blue (2) is stored as red, green and blue.
        order: [u8; 3],
    },
    /// Another depth test than "less".
    DepthTest {
        /// Which.
        function: DepthFunction,
    },
    /// Depth is cleared to something else than the farthest value.
    DepthClear {
        /// To what.
        depth: f32,
    },
    /// Steep surfaces are pushed back, as for shadow maps.
    DepthSlopeBias {
        /// What the larger change of depth from pixel to pixel is multiplied with.
        factor: f32,
    },
}

impl ParametricFault {
    /// The family, in the words in which faults of the list are named.
    #[must_use]
    pub fn family(&self) -> &'static str {
        match self {
            Self::TimeRounded { .. } => "time-rounded",
            Self::ClipResampled { .. } => "clip-resampled",
            Self::TexcoordsMoved { .. } => "texcoords-moved",
            Self::InfluencesKept { .. } => "influences-kept",
            Self::WeightBits { .. } => "weight-bits",
            Self::JointsShifted { .. } => "joints-shifted",
            Self::JointsSwapped { .. } => "joints-swapped",
            Self::JointTakenFor { .. } => "joint-taken-for",
            Self::JointTurned { .. } => "joint-turned",
            Self::NodeStill { .. } => "node-still",
            Self::MorphTargetsShifted { .. } => "morph-targets-shifted",
            Self::MorphTargetMissing { .. } => "morph-target-missing",
            Self::NodeTransformRepeated { .. } => "node-transform-repeated",
            Self::NodeMissing { .. } => "node-missing",
            Self::NodeMoved { .. } => "node-moved",
            Self::InsideOut { .. } => "inside-out",
            Self::NormalsReversed { .. } => "normals-reversed",
            Self::WindowOffset { .. } => "window-offset",
            Self::GridBits { .. } => "grid-bits",
            Self::MipBias { .. } => "mip-bias-of",
            Self::Gamma { .. } => "gamma-of",
            Self::Exposure { .. } => "exposure",
            Self::Channels { .. } => "channels",
            Self::DepthTest { .. } => "depth-test",
            Self::DepthClear { .. } => "depth-clear",
            Self::DepthSlopeBias { .. } => "depth-slope-bias",
        }
    }

    /// The members of the family that the list of faults has.
    #[must_use]
    pub fn listed(&self) -> &'static [Fault] {
        match self {
            Self::TimeRounded { .. } => &[Fault::TimeRoundedToFrames],
            Self::TexcoordsMoved { .. } => &[Fault::TextureFlipped],
            Self::InfluencesKept { .. } => {
                &[Fault::Joints1Ignored, Fault::HeaviestInfluenceOnly, Fault::InfluencesTruncatedUnscaled]
            }
            Self::WeightBits { .. } => &[Fault::WeightsInBytesUnfixed],
            Self::JointsShifted { .. } => &[Fault::JointIndexOffByOne],
            Self::JointTakenFor { .. } => &[Fault::JointBoundByName],
            Self::NodeStill { .. } => &[Fault::AnimationsIgnored],
            Self::MorphTargetMissing { .. } => &[Fault::MorphTargetsLimited],
            Self::InsideOut { .. } => &[Fault::WindingNotFlipped],
            Self::WindowOffset { .. } => &[Fault::ViewportHalfPixel, Fault::ViewportOffByOneRow],
            Self::GridBits { .. } => &[Fault::SnapToPixels, Fault::SnapToQuarters],
            Self::MipBias { .. } => &[Fault::MipBias, Fault::MipNone],
            Self::Gamma { .. } => &[Fault::GammaEncode22, Fault::SrgbEncodeMissing],
            Self::Exposure { .. } => &[Fault::LambertPiMissing],
            Self::Channels { .. } => &[Fault::OutputChannelsSwapped],
            Self::DepthClear { .. } => &[Fault::DepthClearedToZero],
            Self::ClipResampled { .. }
            | Self::JointsSwapped { .. }
            | Self::MorphTargetsShifted { .. }
            | Self::NodeTransformRepeated { .. }
            | Self::JointTurned { .. }
            | Self::NodeMissing { .. }
            | Self::NodeMoved { .. }
            | Self::NormalsReversed { .. }
            | Self::DepthTest { .. }
            | Self::DepthSlopeBias { .. } => &[],
        }
    }

    /// What the backend does, in a sentence.
    #[must_use]
    pub fn description(&self) -> String {
        match *self {
            Self::TimeRounded { rate, rounding: FrameRounding::Down } => {
                format!("Times are cut off to whole frames of {rate} Hz.")
            }
            Self::TimeRounded { rate, rounding: FrameRounding::Nearest } => {
                format!("Times are rounded to the nearest frame of {rate} Hz.")
            }
            Self::ClipResampled { rate } => {
                format!("Clips are sampled {rate} times a second, with straight lines between the samples.")
            }
            Self::TexcoordsMoved { scale, offset, swapped } => {
                let [u, v] = if swapped { ["v", "u"] } else { ["u", "v"] };
                let [su, sv] = scale;
                let [ou, ov] = offset;
                format!("Texture coordinates are ({su} · {u} + {ou}, {sv} · {v} + {ov}).")
            }
            Self::InfluencesKept { count, choice: InfluenceChoice::First } => {
                format!("Only the first {count} influences of the file are read, and keep their weights.")
            }
            Self::InfluencesKept { count, choice: InfluenceChoice::FirstRescaled } => {
                format!("Only the first {count} influences of the file are read, whatever they weigh.")
            }
            Self::InfluencesKept { count, choice: InfluenceChoice::Heaviest } => {
                format!("Only the {count} heaviest influences are kept, and keep their weights.")
            }
            Self::WeightBits { bits, corrected: true } => {
                format!("Weights have {bits} bits, and the heaviest takes what rounding left.")
            }
            Self::WeightBits { bits, corrected: false } => {
                format!("Weights have {bits} bits, and their sum is not brought back to 1.")
            }
            Self::JointsShifted { by } => format!("Joints are looked up {by} places further in the palette."),
            Self::JointsSwapped { joints: [one, other] } => {
                format!("The joints at {one} and {other} of the palette are taken for each other.")
            }
            Self::JointTakenFor { joint, other } => {
                format!("The vertices of the joint at {joint} of the palette are moved by the one at {other}.")
            }
            Self::JointTurned { joint, by: [x, y, z] } => format!(
                "What hangs on the joint at {joint} of the palette is turned by ({x}, {y}, {z}) degrees in the joint's space."
            ),
            Self::NodeStill { node } => format!("The key frames of node {node} are not played."),
            Self::MorphTargetsShifted { by } => format!("Morph weights go to the target {by} places further."),
            Self::MorphTargetMissing { target } => format!("Morph target {target} is left out."),
            Self::NodeTransformRepeated { times } => {
                format!("The transform of a node with an unskinned mesh is applied {times} times.")
            }
            Self::NodeMissing { node } => format!("The mesh of node {node} is not drawn."),
            Self::NodeMoved { node, by: [x, y, z], scale } => {
                format!(
                    "The mesh of node {node} is moved by ({x}, {y}, {z}) of its size, and {scale} times as large, as far as one picture tells."
                )
            }
            Self::InsideOut { node, primitive } => {
                let of = part_of(node, primitive);
                format!("The triangles of {of} are wound the other way round: their backs are seen.")
            }
            Self::NormalsReversed { node, primitive } => {
                format!("The normals of {} point the other way.", part_of(node, primitive))
            }
            Self::WindowOffset { x, y } => format!("The picture is {x} pixels too far right and {y} too low."),
            Self::GridBits { bits } => format!("Vertices snap to a grid of 1/{} of a pixel.", 1u32 << bits),
            Self::MipBias { levels } => format!("The level of detail is off by {levels}."),
            Self::Gamma { gamma, in_shader: false } => format!("Colours are encoded by a power of 1/{gamma}."),
            Self::Gamma { gamma, in_shader: true } => {
                format!("Shaders encode colours by a power of 1/{gamma}; the background has its right bytes.")
            }
            Self::Exposure { factor } => format!("Light is multiplied by {factor}."),
            Self::Channels { order } => {
                let name = |channel: u8| ["red", "green", "blue"].get(usize::from(channel)).copied().unwrap_or("red");
                let [red, green, blue] = order.map(name);
                format!("Red, green and blue are stored from {red}, {green} and {blue}.")
            }
            Self::DepthTest { function } => match function {
                DepthFunction::Never => "No depth passes the test.".to_owned(),
                DepthFunction::Equal => "Only an equal depth passes the test.".to_owned(),
                DepthFunction::NotEqual => "Every other depth passes the test.".to_owned(),
                DepthFunction::GreaterEqual => "What is farther, or as far, passes the depth test.".to_owned(),
            },
            Self::DepthClear { depth } => format!("Depth is cleared to {depth}."),
            Self::DepthSlopeBias { factor } => {
                format!("Depth is pushed back by {factor} times its change from pixel to pixel.")
            }
        }
    }

    /// The part of the simulator that makes it.
    pub(crate) const fn part(&self) -> Part {
        match self {
            Self::TexcoordsMoved { .. }
            | Self::InfluencesKept { .. }
            | Self::WeightBits { .. }
            | Self::MorphTargetsShifted { .. }
            | Self::MorphTargetMissing { .. }
            | Self::NodeMissing { .. }
            | Self::JointTurned { .. }
            | Self::NodeMoved { .. }
            | Self::InsideOut { .. }
            | Self::NormalsReversed { .. } => Part::Reading,
            Self::TimeRounded { .. } | Self::ClipResampled { .. } | Self::NodeStill { .. } => Part::Posing,
            Self::JointsShifted { .. }
            | Self::JointsSwapped { .. }
            | Self::JointTakenFor { .. }
            | Self::NodeTransformRepeated { .. } => Part::Skinning,
            Self::WindowOffset { .. } | Self::GridBits { .. } => Part::Assembly,
            Self::DepthTest { .. } | Self::DepthClear { .. } | Self::DepthSlopeBias { .. } => Part::Visibility,
            Self::MipBias { .. } | Self::Gamma { .. } | Self::Exposure { .. } | Self::Channels { .. } => Part::Drawing,
        }
    }
}

/// A node, or one primitive of it, in words.
fn part_of(node: u32, primitive: Option<u16>) -> String {
    let of = primitive.map_or(String::new(), |primitive| format!("primitive {primitive} of "));
    format!("{of}node {node}")
}

/// The family and its numbers: `mip-bias-of 0.5`.
impl fmt::Display for ParametricFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = self.family();
        match *self {
            Self::TimeRounded { rate, rounding } => {
                let way = if rounding == FrameRounding::Down { "down" } else { "to nearest" };
                write!(formatter, "{family} {rate} Hz, {way}")
            }
            Self::ClipResampled { rate } => write!(formatter, "{family} {rate} Hz"),
            Self::TexcoordsMoved { scale: [su, sv], offset: [u, v], swapped } => {
                write!(formatter, "{family} scale {su},{sv} offset {u},{v}")?;
                if swapped { formatter.write_str(" swapped") } else { Ok(()) }
            }
            Self::InfluencesKept { count, choice } => {
                let which = match choice {
                    InfluenceChoice::First => "first",
                    InfluenceChoice::FirstRescaled => "first, rescaled",
                    InfluenceChoice::Heaviest => "heaviest, not rescaled",
                };
                write!(formatter, "{family} {count}, {which}")
            }
            Self::WeightBits { bits, corrected } => {
                let how = if corrected { ", corrected" } else { "" };
                write!(formatter, "{family} {bits}{how}")
            }
            Self::JointsShifted { by } => write!(formatter, "{family} {by:+}"),
            Self::JointsSwapped { joints: [one, other] } => write!(formatter, "{family} {one} and {other}"),
            Self::JointTakenFor { joint, other } => write!(formatter, "{family} {joint}, {other}"),
            Self::JointTurned { joint, by: [x, y, z] } => write!(formatter, "{family} {joint} by {x},{y},{z}"),
            Self::NodeStill { node } => write!(formatter, "{family} {node}"),
            Self::MorphTargetsShifted { by } => write!(formatter, "{family} {by:+}"),
            Self::MorphTargetMissing { target } => write!(formatter, "{family} {target}"),
            Self::NodeTransformRepeated { times } => write!(formatter, "{family} {times}"),
            Self::NodeMissing { node } => write!(formatter, "{family} {node}"),
            Self::NodeMoved { node, by: [x, y, z], scale } => {
                write!(formatter, "{family} {node} by {x},{y},{z} scale {scale}")
            }
            Self::InsideOut { node, primitive } | Self::NormalsReversed { node, primitive } => {
                write!(formatter, "{family} node {node}")?;
                primitive.map_or(Ok(()), |primitive| write!(formatter, ", primitive {primitive}"))
            }
            Self::WindowOffset { x, y } => write!(formatter, "{family} {x},{y}"),
            Self::GridBits { bits } => write!(formatter, "{family} {bits}"),
            Self::MipBias { levels } => write!(formatter, "{family} {levels}"),
            Self::Gamma { gamma, in_shader } => {
                let whose = if in_shader { ", in shaders" } else { "" };
                write!(formatter, "{family} {gamma}{whose}")
            }
            Self::Exposure { factor } => write!(formatter, "{family} {factor}"),
            Self::Channels { order } => {
                let letters = order.map(|channel| ['r', 'g', 'b'].get(usize::from(channel)).copied().unwrap_or('r'));
                write!(formatter, "{family} {}", letters.iter().collect::<String>())
            }
            Self::DepthTest { function } => {
                let name = match function {
                    DepthFunction::Never => "never",
                    DepthFunction::Equal => "equal",
                    DepthFunction::NotEqual => "not-equal",
                    DepthFunction::GreaterEqual => "greater-equal",
                };
                write!(formatter, "{family} {name}")
            }
            Self::DepthClear { depth } => write!(formatter, "{family} {depth}"),
            Self::DepthSlopeBias { factor } => write!(formatter, "{family} {factor}"),
        }
    }
}
