//! What renderers are known to do.
//!
//! Each line was seen: in the code of the release that is named, in the thread of the tracker that is named, or by drawing
//! cases of ours with it.

use serde::Serialize;

use super::rule::Rule;

/// What a renderer, or a kind of renderer, does with a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Behaviour {
    /// Who, with its version or the thread of its tracker where that matters.
    pub renderer: &'static str,
    /// What is drawn.
    pub does: &'static str,
}

/// What is known of a rule, refrast first.
pub(super) fn known(rule: Rule) -> Vec<Behaviour> {
    lines(rule).iter().map(|&(renderer, does)| Behaviour { renderer, does }).collect()
}

fn lines(rule: Rule) -> &'static [(&'static str, &'static str)] {
    match rule {
        Rule::RotationNotUnit => &[
            ("refrast", "uses node rotations and keys as the file has them, so that they scale a little"),
            ("three.js", "composes matrices from quaternions as they are"),
            ("engines that store rotations in few bits", "bring them to unit length"),
        ],
        Rule::WeightsOffOne => &[
            ("refrast", "rescales the weights by their sum"),
            (
                "three.js",
                "rescales them by the sum of their absolute values (SkinnedMesh.normalizeSkinWeights, #15319)",
            ),
            ("FBX2glTF (#176)", "rescaled them by their length"),
            ("shaders that take the last weight as 1 - sum", "give it what is missing"),
            ("shaders without any rescaling", "draw the vertex nearer to the origin"),
        ],
        Rule::WeightsAllZero => &[
            ("refrast", "follows joint 0 of the skin"),
            ("three.js", "follows the vertex's first joint (SkinnedMesh.normalizeSkinWeights)"),
            ("shaders without a case for it", "draw the vertex at the origin"),
        ],
        Rule::InfluenceTwice => &[
            ("refrast", "adds both"),
            ("renderers that keep the heaviest few", "may keep other joints than they would of the sum"),
        ],
        Rule::MatrixLastRow => &[
            ("refrast", "takes the row for 0, 0, 0, 1"),
            ("renderers with 3x4 palettes", "never read the row"),
            ("renderers with 4x4 palettes", "multiply with it"),
        ],
        Rule::MatrixSheared => &[
            ("refrast", "uses the matrix"),
            ("three.js", "decomposes it (Object3D.applyMatrix4) and loses the shear"),
            ("engines whose nodes have translation, rotation and scale only", "lose the shear"),
        ],
        Rule::StrideNotAllowed => &[
            ("refrast", "takes 0 for tightly packed, and any other number as it is"),
            ("WebGL", "refuses strides above 255 and those that are no multiple of the component's size"),
            ("Metal and WebGPU", "refuse strides that are no multiple of 4"),
        ],
        Rule::NormalizedFloat => &[("refrast", "ignores the word"), ("glVertexAttribPointer", "ignores it too")],
        Rule::NormalsNotUnit => &[
            ("refrast", "normalises after skinning and again in each pixel"),
            ("renderers that normalise in the pixel alone", "let the longer of a triangle's normals weigh more"),
        ],
        Rule::JointsWithoutCommonRoot => &[
            ("refrast", "takes each joint's own world matrix"),
            ("importers that build one armature a skin", "refuse the file, or put a root above them"),
        ],
        Rule::JointsOutsideScene => &[
            ("refrast", "moves the mesh by the joints all the same"),
            ("renderers that update only the nodes of the scene", "draw the bind pose, or joints at the origin"),
        ],
        Rule::MorphWithoutBase => &[
            ("refrast", "ignores the displacement"),
            ("renderers that make up for what is missing", "displace normals or tangents of their own"),
        ],
        Rule::SceneNodeNotRoot => &[
            ("refrast", "draws the node once, where its parents place it"),
            ("renderers that walk the list", "draw it twice, once without its parents"),
            ("three.js", "moves it from its parent to the scene (Object3D.add)"),
        ],
        Rule::LightTypeUnknown => &[("refrast", "leaves the light out"), ("validating importers", "refuse the file")],
        Rule::ColorsOutside => {
            &[("refrast", "takes the colours as they are"), ("renderers that pack colours into bytes", "clamp them")]
        }
        Rule::TextureWithoutImage => &[
            ("refrast", "draws the material without the texture"),
            ("renderers with a default texture", "draw white, black or a pattern"),
        ],
        Rule::InfluencesOverFour => &[
            ("refrast", "uses all"),
            ("three.js", "reads the first four of each vertex (JOINTS_0)"),
            ("bevy (#22235)", "read the first four, without rescaling them"),
            ("Godot (#61912)", "read the first four before 4.0"),
            ("Babylon.js", "reads eight"),
        ],
        Rule::TangentsMissing => &[
            ("refrast", "makes them by MikkTSpace, for the mesh at rest"),
            ("bevy", "makes them by MikkTSpace"),
            ("three.js and Babylon.js", "derive them in each pixel from derivatives of the texture coordinates"),
            ("glTF-Sample-Viewer (#466)", "derived them in each pixel"),
        ],
        Rule::TexcoordsDegenerate => &[
            ("refrast", "takes MikkTSpace's answer, (1, 0, 0) where it has none"),
            ("renderers with derivatives in the pixel", "divide by zero: black, or noise"),
        ],
        Rule::SamplerUnspecified => &[
            ("refrast", "filters trilinearly"),
            ("three.js, Babylon.js", "filter trilinearly, Babylon.js with anisotropy 4"),
            ("Galacean", "picks one mip level"),
            ("renderers that make no mip levels", "filter bilinearly"),
        ],
        Rule::TextureWithTwoImages => &[
            ("refrast", "draws the WebP of EXT_texture_webp, and of any other extension the PNG or JPEG"),
            ("renderers that know the extension", "draw its image"),
            ("renderers that do not", "draw the PNG or JPEG"),
        ],
        Rule::ImageLossy => &[
            ("refrast", "decodes with integers, the same on every machine"),
            ("decoders", "differ by up to three steps, by more where they upsample colour otherwise; --jpeg grants it"),
        ],
        Rule::ExtensionIgnored => {
            &[("refrast", "draws as if it were not there"), ("renderers that know it", "draw another picture")]
        }
        Rule::LightRange => &[
            (
                "refrast",
                "lets light fall off by max(1 − (distance ÷ range)⁴, 0) ÷ distance², as the extension recommends",
            ),
            ("Khronos' sample viewer", "does the same"),
            ("three.js, Babylon.js, PlayCanvas, bevy", "square what becomes 0 at the range"),
            ("Galacean", "lets light fall off toward the range alone, and not by the square of the distance"),
            ("Godot 3.2", "lets light fall off by 1 − distance ÷ range, to the power of range ÷ intensity"),
            ("panda3d-simplepbr", "knows no range, and lets light fall off by distance² + 1"),
        ],
        Rule::LightCone => &[
            ("refrast", "fades by the square of how far inside a cosine is, as the extension recommends"),
            ("Khronos' sample viewer, Babylon.js, bevy", "do the same"),
            ("three.js, Galacean", "fade by smoothstep"),
            ("PlayCanvas", "fades by smoothstep, between cosines of eleven bits"),
            ("Godot 3.2", "fades by a power of the cosine that it guesses from both angles"),
            ("panda3d-simplepbr", "ends it sharply at the outer angle"),
        ],
        Rule::NormalsMissing => &[
            ("refrast", "draws flat triangles, as glTF says"),
            ("three.js (#11857)", "draws flat triangles"),
            ("bevy 0.19, panda3d-gltf 1.3", "make those of the triangles at rest, which then move with the joints"),
            ("Godot 3.2", "makes none: it is black under lights"),
            ("PlayCanvas before #9193, glTFast (#340), Filament (#6358)", "made smooth normals"),
        ],
        Rule::InfluencesUnsorted => &[
            ("refrast", "uses all, and the heaviest where --max-influences limits them"),
            ("renderers that keep the first few", "lose the heaviest"),
        ],
        Rule::JointScaleUneven => &[
            ("refrast", "turns normals by the inverse transpose of the blended matrix"),
            ("three.js", "turns normals by the blended matrix itself (skinnormal_vertex)"),
            ("ozz-animation's skinning job", "blends the inverse transposes of the joints"),
            ("Filament (#374), Godot (#51989)", "turned normals by the matrix itself"),
            ("dual quaternions", "have no scale at all"),
        ],
        Rule::JointMirrored => &[
            ("refrast", "keeps normals outward, and turns no winding of a skinned mesh"),
            ("Babylon.js (#7103)", "turned the normals inward"),
            ("dual quaternions", "can not mirror"),
        ],
        Rule::SkinnedNodePlaced => &[
            ("refrast", "ignores the node's own place, as glTF says"),
            ("three.js before #13897, glTF-Sample-Viewer (#609)", "moved the mesh by it too"),
        ],
        Rule::JointNameTwice => &[
            ("refrast", "goes by index"),
            ("PlayCanvas", "finds joints by name (SkinInstance): a mesh with a joint's name takes its place"),
            ("engines that bind clips by name or path", "move the first node of the name"),
        ],
        Rule::NodeCalledRoot => &[
            ("refrast", "goes by index"),
            ("three.js up to 0.110", "takes the name for the root of the scene (PropertyBinding), and moves that"),
        ],
        Rule::KeysOffGrid => &[
            ("refrast", "samples at the moment that is asked for"),
            ("raylib", "resamples clips to 60 Hz"),
            ("Godot 3", "bakes clips at 15 Hz"),
        ],
        Rule::SplineOvershoots => &[
            ("refrast", "evaluates the spline"),
            ("Godot 3", "bakes clips at 15 Hz to linear keys, which cuts peaks off"),
            ("raylib before 5.0", "knows linear keys only"),
        ],
        Rule::TextureNotPowerOfTwo => &[
            ("refrast", "makes levels of exactly half the size, each texel's share counted"),
            ("three.js on WebGL 1", "resizes the image to powers of two first"),
            ("drivers that make the levels", "leave out the last row or column of odd sizes, or not"),
        ],
        Rule::LightColored => &[
            ("refrast", "takes colours of lights as linear, as the extension says"),
            ("three.js, Babylon.js, Galacean, Godot 3.2, Khronos' sample viewer", "do the same"),
            ("PlayCanvas 2.23, bevy 0.19", "take them for encoded ones"),
        ],
        Rule::LightIntensity => &[
            ("refrast", "takes lux of directional lights and candela of others, as the extension says"),
            ("three.js, Babylon.js, Khronos' sample viewer", "do the same"),
            ("Galacean 1.6", "draws all lights π times as bright"),
            (
                "Godot 3.2",
                "draws directional lights π times as bright, and makes an exponent of other lights' intensities",
            ),
            ("panda3d-gltf 1.3", "multiplies directional lights by 1 ÷ 683 and others by 4π ÷ 683"),
            ("panda3d-simplepbr", "leaves out lights that are then darker than 0.03"),
            ("PlayCanvas 2.23", "does not divide diffuse light by π"),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_known_of_refrast_first_and_of_somebody_else() {
        for rule in Rule::ALL {
            let lines = known(rule);
            assert_eq!(lines[0].renderer, "refrast", "{rule}");
            assert!(lines.len() > 1, "{rule}");
        }
    }
}
