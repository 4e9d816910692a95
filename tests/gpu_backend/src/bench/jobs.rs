//! What is timed: scenes, what their fragments show, sizes and samples.

use std::f64::consts::TAU;

use refrast::{
    animation::Pose,
    raster::{Convention, SampleCount},
    render::{Bounds, Camera, Orbit, RenderSettings, Size},
    scene::{ChannelTarget, Material, Mesh, Node, Primitive, Scene},
    shading::{ShadingMode, ShadowCasting, ShadowSettings},
};

refrast::words::words! {
    /// Whose frames.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Subject: "subject" = Character {
        /// The built-in character, walking: 43,358 triangles on 98 joints, textured.
        Character = "character",
        /// A torus of 200,000 triangles, not skinned, of one colour.
        Torus = "torus",
    }
}

refrast::words::words! {
    /// What a frame shows.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Look: "look" = Lambert {
        /// The mode `unlit`.
        Unlit = "unlit",
        /// The mode `lambert`.
        Lambert = "lambert",
        /// The mode `lit`: the material of glTF.
        Lit = "lit",
        /// The mode `lit` with four cascades of 1024 texels a side.
        Shadows = "shadows",
    }
}

/// Frames of one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Job {
    pub(crate) subject: Subject,
    pub(crate) look: Look,
    pub(crate) samples: SampleCount,
    pub(crate) size: Size,
}

impl Job {
    /// As the reference draws them; the driver's settings follow from these.
    pub(crate) fn settings(&self) -> RenderSettings {
        let Size { width, height } = self.size;
        let shading = match self.look {
            Look::Unlit => ShadingMode::Unlit,
            Look::Lambert => ShadingMode::Lambert,
            Look::Lit | Look::Shadows => ShadingMode::Lit,
        };
        let cascades = if self.look == Look::Shadows { 4 } else { 0 };
        let casting = ShadowCasting { cascades, spots: false };
        let shadows = ShadowSettings { casting, side: 1024, ..ShadowSettings::default() };
        let convention = Convention::D3d;
        RenderSettings {
            width,
            height,
            samples: self.samples,
            shading,
            shadows,
            convention,
            ..RenderSettings::default()
        }
    }

    /// Whether plain shaders can draw it.
    pub(crate) fn is_plain(&self) -> bool {
        matches!(self.look, Look::Unlit | Look::Lambert)
    }

    /// `count` moments of the clip, from places that go round it.
    pub(crate) fn frames(
        &self,
        scene: &Scene,
        count: usize,
    ) -> Result<Vec<(Pose, Camera)>, Box<dyn std::error::Error>> {
        let settings = self.settings();
        let clip = (self.subject == Subject::Character).then(|| scene.find_animation("Walk")).transpose()?;
        let bounds = Bounds::of(scene, clip)?;
        let aspect_ratio = f64::from(settings.width) / f64::from(settings.height);
        let frame = |number: usize| {
            let part = number as f64 / count as f64;
            let orbit = Orbit { yaw: 360.0 * part, ..Orbit::default() };
            let pose = match clip {
                Some(clip) => Pose::sample(scene, clip, part as f32)?,
                None => Pose::rest(scene),
            };
            Ok((pose, Camera::orbit(&bounds, orbit, aspect_ratio, settings.convention)))
        };
        (0..count).map(frame).collect()
    }
}

impl Subject {
    pub(crate) fn scene(self) -> Result<Scene, Box<dyn std::error::Error>> {
        Ok(match self {
            Self::Character => {
                let mut scene = Scene::mannequin()?;
                leave_out_expressions(&mut scene);
                scene
            }
            Self::Torus => torus(500, 200),
        })
    }
}

/// Takes the morph targets away, which no frame here moves and a driver would read nevertheless.
fn leave_out_expressions(scene: &mut Scene) {
    for mesh in &mut scene.meshes {
        mesh.weights.clear();
        mesh.primitives.iter_mut().for_each(|primitive| primitive.targets.clear());
    }
    scene.nodes.iter_mut().for_each(|node| node.weights = None);
    for animation in &mut scene.animations {
        animation.channels.retain(|channel| channel.target != ChannelTarget::Weights);
    }
}

/// A torus around the y axis, `rings` times `segments` quads of two triangles each.
fn torus(rings: u32, segments: u32) -> Scene {
    const TUBE: f64 = 0.45;
    let (mut positions, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for ring in 0..rings {
        for segment in 0..segments {
            let [(sin_u, cos_u), (sin_v, cos_v)] = [(ring, rings), (segment, segments)]
                .map(|(number, count)| libm::sincos(TAU * f64::from(number) / f64::from(count)));
            let radius = 1.0 + TUBE * cos_v;
            positions.push([radius * sin_u, TUBE * sin_v, radius * cos_u].map(|component| component as f32));
            normals.push([cos_v * sin_u, sin_v, cos_v * cos_u].map(|component| component as f32));
            let vertex = |ring: u32, segment: u32| ring % rings * segments + segment % segments;
            let [a, b, c, d] = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, j)| vertex(ring + i, segment + j));
            indices.extend([a, b, d, a, d, c]);
        }
    }
    let count = positions.len();
    let primitive = Primitive {
        indices,
        source_vertices: (0..count as u32).collect(),
        source_vertex_count: count,
        positions,
        normals: Some(normals),
        ..Primitive::default()
    };
    Scene {
        nodes: vec![Node { mesh: Some(0), ..Node::default() }],
        parents_first: vec![0],
        drawn: vec![0],
        meshes: vec![Mesh { primitives: vec![primitive], ..Mesh::default() }],
        materials: vec![Material::default()],
        ..Scene::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The volume by the divergence theorem is positive where triangles turn outwards: 2π²·R·r² for a torus.
    #[test]
    fn the_torus_is_whole_and_its_triangles_face_outwards() {
        let scene = torus(500, 200);
        scene.validate().unwrap();
        let primitive = &scene.meshes[0].primitives[0];
        assert_eq!(primitive.indices.len(), 3 * 200_000);
        let corner = |index: u32| glam::DVec3::from(primitive.positions[index as usize].map(f64::from));
        let triangles = primitive.indices.as_chunks::<3>().0.iter();
        let volume: f64 = triangles.map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum();
        let exact = 0.5 * TAU * TAU * 0.45 * 0.45;
        assert!((volume / exact - 1.0).abs() < 1e-3, "{volume} instead of {exact}");
    }
}
