//! [`VaryingLayout`]: what the vertex stage hands to the fragments of a draw.
//!
//! Why it exists: rows of varyings are loaded four floats at a time, and every block that a draw does not need costs
//! bandwidth for each vertex and a transposed load for each fragment. The material, the shading mode and the lights
//! decide together; whoever fills the rows and whoever reads them ask the same layout.

use super::{light::Lighting, mode::ShadingMode};
use refrast_scene::{AlphaMode, Material, Primitive, TextureReference, Topology};

/// Four consecutive floats of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VaryingBlock {
    /// Deformed world-space normal x, y, z (unit length at the vertices; fragments normalise again), then 0.
    Normal,
    /// Deformed world-space tangent x, y, z (unit length at the vertices), and w, the handedness: the bitangent is
    /// cross(normal, tangent)·w.
    Tangent,
    /// Deformed world-space position x, y, z in metres, then 0.
    Position,
    /// u and v of two TEXCOORD_n sets, named by n: u₀, v₀, u₁, v₁; zeros for a set that is `None` or that the
    /// primitive lacks. As in the file (morphed, but before KHR_texture_transform).
    Texcoords([Option<usize>; 2]),
    /// COLOR_0: linear R, G, B and alpha.
    Color,
    /// `_OCCLUSION`, morphed, then zeros.
    Occlusion,
    /// The colour of the vertex's joints ([`influence_color`](super::influence_color)): linear R, G, B, then 1.
    JointColor,
}

/// What the vertices of a draw carry, once they are deformed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VertexAttributes {
    /// Normals, given or made; lines and points may have none, and are then not lit.
    pub normals: bool,
    /// Tangents, given or made.
    pub tangents: bool,
    /// COLOR_0.
    pub colors: bool,
    /// `_OCCLUSION`.
    pub occlusion: bool,
    /// JOINTS_n and WEIGHTS_n.
    pub influences: bool,
}

impl VertexAttributes {
    /// What the deformed vertices of a primitive carry: flat triangles get normals when they are deformed.
    #[must_use]
    pub fn of(primitive: &Primitive) -> Self {
        Self {
            normals: primitive.normals.is_some() || (primitive.flat && primitive.topology == Topology::Triangles),
            tangents: primitive.tangents.is_some(),
            colors: primitive.colors.is_some(),
            occlusion: primitive.occlusion.is_some(),
            influences: primitive.influences.is_some(),
        }
    }
}

/// The blocks of a row, and where each begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct VaryingLayout {
    blocks: Vec<VaryingBlock>,
}

impl VaryingLayout {
    /// The blocks that fragments of this material read in this mode under these lights.
    #[must_use]
    pub fn new(material: &Material, attributes: VertexAttributes, mode: ShadingMode, lighting: &Lighting) -> Self {
        let masked = matches!(material.alpha_mode, AlphaMode::Mask { .. });
        let reads = mode.reads(material);
        let colored = reads.base_color || masked;
        let normal = attributes.normals && mode.reads_normals(material);
        let position = match mode {
            ShadingMode::Lit => normal,
            ShadingMode::Lambert | ShadingMode::Wireframe | ShadingMode::Splits => normal && lighting.needs_position(),
            _ => false,
        };

        let set = |reference: Option<TextureReference>, read: bool| reference.filter(|_| read);
        let (coat, anisotropy) = (material.clearcoat.unwrap_or_default(), material.anisotropy.unwrap_or_default());
        let sheen = material.sheen.unwrap_or_default();
        let references = [
            set(material.base_color_texture, colored),
            set(material.emissive_texture, reads.emission),
            set(material.normal_texture, reads.normal_map && normal && attributes.tangents),
            set(material.metallic_roughness_texture, reads.measures),
            set(material.occlusion_texture, reads.measures),
            set(material.specular_texture, reads.specular),
            set(material.specular_color_texture, reads.specular),
            set(anisotropy.texture, reads.specular && normal && attributes.tangents),
            set(sheen.color_texture, reads.specular),
            set(sheen.roughness_texture, reads.specular),
            set(coat.texture, reads.specular),
            set(coat.roughness_texture, reads.specular),
            set(coat.normal_texture, reads.specular && normal && attributes.tangents),
        ];
        let shown_set = (mode == ShadingMode::Uv).then_some(SHOWN_TEXCOORD);
        let read_sets = references.into_iter().flatten().map(|reference| reference.texcoord);
        let mut sets: Vec<usize> = read_sets.chain(shown_set).collect();
        sets.sort_unstable();
        sets.dedup();

        let mut blocks = Vec::new();
        if normal {
            blocks.push(VaryingBlock::Normal);
        }
        if normal && attributes.tangents && mode.reads_tangents(material) {
            blocks.push(VaryingBlock::Tangent);
        }
        if position {
            blocks.push(VaryingBlock::Position);
        }
        blocks.extend(sets.chunks(2).map(|pair| VaryingBlock::Texcoords([Some(pair[0]), pair.get(1).copied()])));
        if attributes.colors && colored {
            blocks.push(VaryingBlock::Color);
        }
        if attributes.occlusion && reads.measures {
            blocks.push(VaryingBlock::Occlusion);
        }
        if attributes.influences && mode == ShadingMode::Joints {
            blocks.push(VaryingBlock::JointColor);
        }
        Self { blocks }
    }

    /// In row order: block i fills the floats 4i … 4i + 3.
    #[must_use]
    pub fn blocks(&self) -> &[VaryingBlock] {
        &self.blocks
    }

    /// Floats in a row: four a block.
    #[must_use]
    pub fn stride(&self) -> usize {
        4 * self.blocks.len()
    }

    /// Where a block begins in a row, or `None` where the row lacks it.
    #[must_use]
    pub fn offset(&self, block: VaryingBlock) -> Option<usize> {
        self.blocks.iter().position(|&other| other == block).map(|index| 4 * index)
    }

    /// Where the u of a TEXCOORD_n set lies in a row (its v follows): the block's first float, and the place 0 or 2
    /// in the block.
    #[must_use]
    pub fn texcoord(&self, set: usize) -> Option<(usize, usize)> {
        self.blocks.iter().enumerate().find_map(|(index, block)| match block {
            VaryingBlock::Texcoords([first, _]) if *first == Some(set) => Some((4 * index, 0)),
            VaryingBlock::Texcoords([_, second]) if *second == Some(set) => Some((4 * index, 2)),
            _ => None,
        })
    }
}

/// The texture coordinates that [`ShadingMode::Uv`] shows.
pub const SHOWN_TEXCOORD: usize = 0;

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::{Eye, Light, LightSource};
    use refrast_scene::TextureTransform;

    const ALL: VertexAttributes =
        VertexAttributes { normals: true, tangents: true, colors: true, occlusion: false, influences: true };

    fn reference(texcoord: usize) -> Option<TextureReference> {
        Some(TextureReference { texture: 0, texcoord, transform: TextureTransform::default() })
    }

    fn point_light() -> Lighting {
        let source = LightSource::Point { position: [0.0; 3], inverse_range_squared: 0.0, cone: None };
        Lighting {
            ambient: [0.0; 3],
            lights: vec![Light { radiance: [1.0; 3], source }],
            eye: Eye::Point([0.0; 3]),
            shadowed: false,
        }
    }

    #[test]
    fn a_lit_material_with_two_texture_sets_packs_them_into_one_block() {
        let material =
            Material { base_color_texture: reference(1), emissive_texture: reference(0), ..Material::default() };
        let layout = VaryingLayout::new(&material, ALL, ShadingMode::Lambert, &point_light());
        let texcoords = VaryingBlock::Texcoords([Some(0), Some(1)]);
        assert_eq!(layout.blocks(), [VaryingBlock::Normal, VaryingBlock::Position, texcoords, VaryingBlock::Color]);
        assert_eq!(layout.stride(), 16);
        assert_eq!(layout.texcoord(1), Some((8, 2)));
        assert_eq!(layout.texcoord(2), None);
        assert_eq!(layout.offset(VaryingBlock::Color), Some(12));
    }

    #[test]
    fn nothing_is_carried_that_no_fragment_reads() {
        let headlight = Lighting::headlight(Mat4::IDENTITY);
        let blocks = |material: &Material, attributes, mode| {
            VaryingLayout::new(material, attributes, mode, &headlight).blocks().to_vec()
        };
        let opaque = Material { base_color_texture: reference(0), ..Material::default() };
        let masked = Material { alpha_mode: AlphaMode::Mask { cutoff: 0.5 }, ..opaque.clone() };
        let unlit = Material { unlit: true, emissive_texture: reference(1), ..Material::default() };
        let texcoords = VaryingBlock::Texcoords([Some(0), None]);
        assert_eq!(blocks(&opaque, ALL, ShadingMode::Depth), []);
        assert_eq!(blocks(&masked, ALL, ShadingMode::Depth), [texcoords, VaryingBlock::Color]);
        assert_eq!(blocks(&opaque, ALL, ShadingMode::Uv), [texcoords]);
        assert_eq!(blocks(&unlit, ALL, ShadingMode::Lambert), [VaryingBlock::Color]);
        assert_eq!(blocks(&unlit, ALL, ShadingMode::Wireframe), [VaryingBlock::Normal]);
        assert_eq!(blocks(&opaque, ALL, ShadingMode::Joints), [VaryingBlock::JointColor]);
        assert_eq!(blocks(&opaque, VertexAttributes::default(), ShadingMode::Lambert), [texcoords]);
        assert_eq!(blocks(&opaque, ALL, ShadingMode::Metallic), []);
        assert_eq!(blocks(&unlit, ALL, ShadingMode::Lit), [VaryingBlock::Color]);
        assert_eq!(blocks(&opaque, ALL, ShadingMode::Tangents), [VaryingBlock::Normal, VaryingBlock::Tangent]);
    }

    #[test]
    fn occlusion_is_carried_to_modes_that_know_ambient_light_apart() {
        let headlight = Lighting::headlight(Mat4::IDENTITY);
        let attributes = VertexAttributes { occlusion: true, ..VertexAttributes::default() };
        let blocks = |mode| VaryingLayout::new(&Material::default(), attributes, mode, &headlight).blocks().to_vec();
        assert_eq!(blocks(ShadingMode::Lit), [VaryingBlock::Occlusion]);
        assert_eq!(blocks(ShadingMode::Occlusion), [VaryingBlock::Occlusion]);
        assert_eq!(blocks(ShadingMode::Lambert), []);
    }

    #[test]
    fn a_normal_map_brings_tangents_and_its_own_texture_coordinates() {
        let headlight = Lighting::headlight(Mat4::IDENTITY);
        let material =
            Material { normal_texture: reference(2), metallic_roughness_texture: reference(1), ..Material::default() };
        let blocks = |attributes, mode| VaryingLayout::new(&material, attributes, mode, &headlight).blocks().to_vec();
        let (normal, tangent, position) = (VaryingBlock::Normal, VaryingBlock::Tangent, VaryingBlock::Position);
        let both = VaryingBlock::Texcoords([Some(1), Some(2)]);
        assert_eq!(blocks(ALL, ShadingMode::Lit), [normal, tangent, position, both, VaryingBlock::Color]);
        let rough = VaryingBlock::Texcoords([Some(1), None]);
        let without = VertexAttributes { tangents: false, colors: false, ..ALL };
        assert_eq!(blocks(without, ShadingMode::Lit), [normal, position, rough]);
        assert_eq!(blocks(ALL, ShadingMode::Lambert), [normal, VaryingBlock::Color]);
        assert_eq!(blocks(ALL, ShadingMode::Roughness), [rough]);
    }
}
