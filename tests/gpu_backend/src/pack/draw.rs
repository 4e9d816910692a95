//! A case of a pack on the device: what is uploaded, the picture and the vertices.

use refrast::{
    golden::{Attribute, Picture, VertexBuffer, VertexId},
    shading::ShadingMode,
};

use super::{
    PackedCase,
    read::{PackedDraw, PackedTexture},
};
use crate::{
    Backend, BackendError, Faults, Skinning,
    lights::Lights,
    material::{KINDS, TextureKind, sampler, textures},
    mesh::Mesh,
    palette::{Method, Palette, dual_quaternion, rows},
    texture::{self, Level},
    upload::{Draw, PosedDraw, texcoord_sets},
};

/// A texture of the device with its sampler.
type Bound = (wgpu::TextureView, wgpu::Sampler);

impl Backend {
    /// Draws a case of a pack.
    ///
    /// # Errors
    ///
    /// When the driver can not draw such a picture.
    pub fn draw_packed(&self, case: &PackedCase) -> Result<Picture, BackendError> {
        self.checked(|| {
            let draws = self.packed_draws(case, case.settings.shading)?;
            let draws: Vec<_> = draws.iter().map(|(draw, posed)| (draw, posed.clone())).collect();
            let lights = case.lights.iter().map(|(light, world)| (light, world));
            let lights = Lights::of(lights, case.settings.ambient, &case.camera.view, &Faults::NONE);
            let plans = case.shadows.as_ref().map(|plan| (plan, plan));
            self.submit(&case.camera, (lights, plans), &draws, &case.settings, &Faults::NONE)
        })
    }

    /// The vertices of a case as the vertex stage deforms them: one row a vertex, draw by draw. The number of the draw
    /// stands where a scene's file would have the node.
    ///
    /// # Errors
    ///
    /// When the API refuses something, or gives nothing back.
    pub fn packed_vertices(&self, case: &PackedCase) -> Result<VertexBuffer, BackendError> {
        let captured = self.checked(|| {
            // The wireframe takes vertices apart; the vertex stage is the same in all views.
            let draws = self.packed_draws(case, ShadingMode::Lambert)?;
            let draws: Vec<_> = draws.iter().map(|(draw, posed)| (draw, posed.clone())).collect();
            self.capture(&draws, &Faults::NONE)
        })?;
        let (mut ids, mut positions, mut normals, mut tangents) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for ((number, captured), draw) in (0..).zip(captured).zip(&case.draws) {
            let has_normals = draw.primitive.normals.is_some() || draw.primitive.flat;
            let has_tangents = draw.primitive.tangents.is_some() && !draw.primitive.flat;
            for (vertex, captured) in (0..).zip(captured) {
                let [position, normal] = captured.wide();
                ids.push(VertexId { node: number, primitive: 0, vertex });
                positions.push(position);
                normals.push(if has_normals { normal } else { [f64::NAN; 3] });
                tangents.push(if has_tangents { captured.tangent() } else { [f64::NAN; 4] });
            }
        }
        Ok(VertexBuffer {
            ids: Some(ids),
            position: Attribute::without_bounds(positions),
            normal: Some(Attribute::without_bounds(normals)),
            tangent: Some(Attribute::without_bounds(tangents)),
            ..VertexBuffer::default()
        })
    }

    /// Textures, and last a white one for what has none.
    fn textures(&self, textures: &[Option<PackedTexture>]) -> Vec<Bound> {
        let (device, queue) = (&self.device, &self.queue);
        let bound = |own: &Option<PackedTexture>| {
            let Some(PackedTexture { levels, srgb, sampler: own }) = own else {
                return (texture::blank(device, queue), sampler(device, refrast::scene::Sampler::default()));
            };
            let levels: Vec<Level> = (levels.iter())
                .map(|level| Level { width: level.size[0], height: level.size[1], texels: level.texels.clone() })
                .collect();
            let format = if *srgb { wgpu::TextureFormat::Rgba8UnormSrgb } else { wgpu::TextureFormat::Rgba8Unorm };
            (texture::upload(device, queue, &levels, format), sampler(device, *own))
        };
        textures.iter().chain([&None]).map(bound).collect()
    }

    fn packed_draws<'case>(
        &self,
        case: &'case PackedCase,
        shading: ShadingMode,
    ) -> Result<Vec<(Draw<'case>, PosedDraw)>, BackendError> {
        let [colors, numbers] = [&case.textures, &case.data_textures].map(|textures| self.textures(textures));
        let upload = |draw: &'case PackedDraw| {
            let PackedDraw { primitive, material, .. } = draw;
            let taken_apart = shading == ShadingMode::Wireframe;
            let sets = texcoord_sets(material, shading)?;
            let mesh = Mesh::new(primitive, sets, primitive.influences.as_ref(), taken_apart);
            let used = textures(material, shading);
            let bound = std::array::from_fn(|number| {
                let textures = if KINDS[number] == TextureKind::Color { &colors } else { &numbers };
                let last = textures.len() - 1;
                let (view, sampler) = &textures[used[number].map_or(last, |used| used.texture.min(last))];
                (view, sampler)
            });
            let uploaded = Draw::new(self, primitive, material, mesh, bound, shading)?;
            let posed = uploaded.posed(self, &palette(draw, case.settings.skinning)?, &draw.morph_weights);
            Ok((uploaded, posed))
        };
        case.draws.iter().map(upload).collect()
    }
}

/// The palette of a draw as the shader reads it.
fn palette(draw: &PackedDraw, skinning: Skinning) -> Result<Palette, BackendError> {
    let PackedDraw { palette, mirrored, .. } = draw;
    let influences = draw.primitive.influences.as_ref().filter(|_| skinning == Skinning::DualQuaternion);
    let Some(influences) = influences else {
        let rows = palette.iter().flat_map(rows).collect();
        return Ok(Palette { rows, method: Method::Matrices, mirrored: *mirrored });
    };
    // A joint that nothing follows may be what no rotation is.
    let mut followed = vec![false; palette.len()];
    for (&joint, &weight) in influences.joints.iter().zip(&influences.weights) {
        followed[usize::from(joint)] |= weight != 0.0;
    }
    let motions = palette.iter().zip(followed).enumerate().map(|(joint, (matrix, followed))| match followed {
        true => dual_quaternion(matrix).ok_or(BackendError::NoRotation { joint }),
        false => Ok([[0.0; 4]; 5]),
    });
    let rows = motions.collect::<Result<Vec<_>, _>>()?.concat();
    Ok(Palette { rows, method: Method::DualQuaternions, mirrored: *mirrored })
}
