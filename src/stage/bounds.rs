//! [`Bounds`]: the box around what is drawn, from which cameras find their distance.

use glam::DVec3;

use super::RenderError;
use refrast_animation::Pose;
use refrast_scene::Scene;
use refrast_simd::SimdLevel;
use refrast_skinning::{
    Deformation, DeformedVertices, NormalMode, Palette, Placement, PreparedPrimitive, SkinningMethod,
};

/// How many moments of a clip [`Bounds::of`] looks at.
const MOMENTS: u32 = 8;

/// An axis-aligned box in world space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: DVec3,
    /// The largest coordinates.
    pub max: DVec3,
}

impl Bounds {
    /// The box around nothing: `min` is larger than `max`.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// The box that an automatic camera holds in view: around all vertices by linear skinning with all influences, at
    /// moments of a clip (both ends and six between), or at rest without one.
    ///
    /// Whatever else is chosen for a picture (method, influences, time, size) is no concern of it, so that two pictures
    /// that were asked for with the same words about the camera have the same camera, and one that holds the whole clip
    /// stands still while it plays.
    ///
    /// # Errors
    ///
    /// When the scene contradicts itself, there is no such clip, or its vertices are nowhere.
    pub fn of(scene: &Scene, clip: Option<usize>) -> Result<Self, RenderError> {
        scene.validate()?;
        let mut pose = Pose::rest(scene);
        let mut moving = Moving::of(scene);
        let mut bounds = Self::EMPTY;
        let Some(clip) = clip else {
            moving.extend(scene, &pose, &mut bounds)?;
            return Ok(bounds);
        };
        let duration = scene.animations.get(clip).map_or(0.0, |animation| animation.duration);
        for moment in 0..MOMENTS {
            pose.sample_into(scene, clip, moment as f32 / (MOMENTS - 1) as f32 * duration)?;
            moving.extend(scene, &pose, &mut bounds)?;
        }
        Ok(bounds)
    }

    /// Whether the box holds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.min.x > self.max.x
    }

    /// Grows the box so that it holds a point given by planes of coordinates; points that are not finite are passed
    /// over.
    pub fn extend(&mut self, x: &[f32], y: &[f32], z: &[f32]) {
        for ((&x, &y), &z) in x.iter().zip(y).zip(z) {
            let point = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            if point.is_finite() {
                self.min = self.min.min(point);
                self.max = self.max.max(point);
            }
        }
    }

    /// The middle; the origin for an empty box.
    #[must_use]
    pub fn center(&self) -> DVec3 {
        if self.is_empty() { DVec3::ZERO } else { (self.min + self.max) * 0.5 }
    }

    /// Radius and half the height of the upright cylinder around the box; 1 and 1 for an empty box.
    #[must_use]
    pub fn cylinder(&self) -> [f64; 2] {
        if self.is_empty() {
            return [1.0; 2];
        }
        let half = (self.max - self.min) * 0.5;
        [(half.x * half.x + half.z * half.z).sqrt(), half.y]
    }

    /// Half the diagonal: the radius of the sphere around the box; 1 for an empty box.
    #[must_use]
    pub fn radius(&self) -> f64 {
        if self.is_empty() { 1.0 } else { (self.max - self.min).length() * 0.5 }
    }
}

/// What a scene draws, prepared for linear skinning, with memory for one primitive's vertices.
struct Moving {
    primitives: Vec<(usize, Option<usize>, PreparedPrimitive)>,
    palette: Palette,
    deformed: DeformedVertices,
}

impl Moving {
    fn of(scene: &Scene) -> Self {
        let mut primitives = Vec::new();
        for &node in &scene.drawn {
            let Some(mesh) = scene.nodes[node].mesh.map(|mesh| &scene.meshes[mesh]) else { continue };
            for primitive in mesh.primitives.iter().filter(|primitive| !primitive.indices.is_empty()) {
                // A mesh without joints under a node with a skin is placed by the node.
                let skin = scene.nodes[node].skin.filter(|_| primitive.influences.is_some());
                primitives.push((node, skin, PreparedPrimitive::new(primitive)));
            }
        }
        Self { primitives, palette: Palette::default(), deformed: DeformedVertices::default() }
    }

    fn extend(&mut self, scene: &Scene, pose: &Pose, bounds: &mut Bounds) -> Result<(), RenderError> {
        let Self { primitives, palette, deformed } = self;
        for (node, skin, primitive) in primitives {
            let placement = match *skin {
                Some(skin) => {
                    palette.set_skin(&scene.skins[skin], pose);
                    Placement::Skin(palette)
                }
                None => Placement::Node(pose.worlds[*node]),
            };
            let deformation = Deformation {
                primitive,
                placement,
                morph_weights: &pose.weights[*node],
                method: SkinningMethod::Linear,
                normals: NormalMode::default(),
                level: SimdLevel::default(),
            };
            deformation.run(deformed).map_err(|error| RenderError::skinning(scene, *node, error))?;
            let count = deformed.len();
            let [x, y, z] = deformed.positions().map(|plane| &plane[..count]);
            bounds.extend(x, y, z);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_all_finite_points() {
        let mut bounds = Bounds::EMPTY;
        bounds.extend(&[1.0, -3.0, f32::NAN], &[2.0, 0.0, 9.0], &[-1.0, 5.0, 9.0]);
        assert_eq!(bounds.min, DVec3::new(-3.0, 0.0, -1.0));
        assert_eq!(bounds.max, DVec3::new(1.0, 2.0, 5.0));
        // Half of √(4² + 2² + 6²).
        assert!((bounds.radius() - 56f64.sqrt() / 2.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_box_still_frames_something() {
        assert_eq!(Bounds::EMPTY.center(), DVec3::ZERO);
        assert!((Bounds::EMPTY.radius() - 1.0).abs() < f64::EPSILON);
    }
}
