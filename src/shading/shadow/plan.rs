//! [`ShadowPlan`]: everything about a frame's shadows that is not in a map yet.
//!
//! Why it exists: two renderers whose matrices differ in the last digit draw maps that differ at every edge. So the numbers
//! are made once, in f64, rounded to f32, and handed to whoever draws: a pack has them, and so does the envelope.

use glam::{DMat4, DVec3, DVec4, Mat4, Vec4};

use super::{
    fit::{self, WIDEST},
    frustum::Frustum,
    settings::{ParseShadowsError, ShadowSettings},
};
use crate::{LightSource, Lighting};
use refrast_draw::Convention;
use refrast_range::Number;

/// A part of the camera's view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// View depth where it begins …
    pub near: f32,
    /// … and ends, in metres.
    pub far: f32,
    /// Its corners in world space: those of the near end, then those of the far end, each from the upper left one of clip space
    /// on, by its upper right and lower right one.
    pub corners: [[f32; 3]; 8],
}

/// The matrices of a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MapPlan {
    /// World → clip space of the frame's convention: what the map is drawn by.
    pub view_projection: Mat4,
    /// World → the map: u to the right and v down, both 0 to 1 inside, and depth as it is stored, all times w.
    pub lookup: Mat4,
}

/// A light that casts shadows.
#[derive(Clone, Debug, PartialEq)]
pub struct CastingLight {
    /// Its place among the lights.
    pub light: usize,
    /// Whether it has a map a split: a directional light. Else it is a spot, whose only map is looked up with a division by w.
    pub cascaded: bool,
    /// The maps.
    pub maps: Vec<MapPlan>,
}

/// The splits and matrices of a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowPlan {
    /// How shadows are made.
    pub settings: ShadowSettings,
    /// The parts of the camera's view, from the nearest; none where no light has cascades.
    pub splits: Vec<Split>,
    /// View depth is ((x·X + y·Y) + z·Z) + w of a point (X, Y, Z) of the world.
    pub depth_row: [f32; 4],
    /// Those that cast shadows, in the order of the lights.
    pub lights: Vec<CastingLight>,
}

/// Shadows can not be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ShadowPlanError {
    /// The settings mean nothing.
    #[error(transparent)]
    Settings(#[from] ParseShadowsError),
    /// The view has no corners.
    #[error(
        "shadows: the camera's view has no end that could be split: give --shadow-distance in metres, or a camera with a near and a \
         far plane"
    )]
    Unbounded,
    /// A cone that no map holds.
    #[error(
        "shadows: spot light {light} has an outer cone angle of {degrees:.0}°, and one map holds 84°: make the cone narrower, or leave \
         `spot` out of --shadows"
    )]
    WideSpot {
        /// Its place among the lights.
        light: usize,
        /// Half of the angle.
        degrees: f64,
    },
}

impl ShadowPlan {
    /// For a camera (`view` is world → view space, `projection` view → clip space of `convention`) and a scene in the box from
    /// `scene[0]` to `scene[1]`; `None` where nothing is drawn.
    ///
    /// # Errors
    ///
    /// [`ShadowPlanError`].
    pub fn new(
        settings: &ShadowSettings,
        lighting: &Lighting,
        (view, projection, convention): (Mat4, Mat4, Convention),
        scene: Option<[DVec3; 2]>,
    ) -> Result<Self, ShadowPlanError> {
        settings.check()?;
        let corners = scene.map(|[min, max]| {
            let pick =
                |bit: usize, axis: usize, number: usize| if number >> bit & 1 == 0 { min[axis] } else { max[axis] };
            std::array::from_fn(|number| DVec3::new(pick(0, 0, number), pick(1, 1, number), pick(2, 2, number)))
        });
        let scene: Option<&[DVec3; 8]> = corners.as_ref();
        let frustum = Frustum::new(view, projection, convention);
        let directional = lighting.lights.iter().any(|light| matches!(light.source, LightSource::Directional { .. }));
        let parts = match settings.casting.cascades {
            0 => Vec::new(),
            _ if !directional => Vec::new(),
            count => parts(settings, &frustum, usize::from(count), scene)?,
        };
        let mut lights = Vec::new();
        for (number, light) in lighting.lights.iter().enumerate() {
            let own: Option<Vec<DMat4>> = match light.source {
                LightSource::Directional { to_light } if !parts.is_empty() => {
                    let to_light = DVec3::from_array(to_light.map(f64::from)).normalize_or(DVec3::Y);
                    let map = |(_, corners): &Part| {
                        fit::directional(settings, to_light, (&frustum, corners), scene, convention)
                    };
                    Some(parts.iter().map(map).collect())
                }
                LightSource::Point { position, inverse_range_squared, cone: Some(cone) } if settings.casting.spots => {
                    let cosine = (-f64::from(cone.offset) / f64::from(cone.scale)).clamp(-1.0, 1.0);
                    let angle = libm::acos(cosine);
                    if angle > WIDEST {
                        return Err(ShadowPlanError::WideSpot { light: number, degrees: angle.to_degrees() });
                    }
                    let place = [position, cone.axis].map(|vector| DVec3::from_array(vector.map(f64::from)));
                    let range = 1.0 / f64::from(inverse_range_squared).sqrt();
                    Some(vec![fit::spot((place[0], place[1]), libm::tan(angle), range, scene, convention)])
                }
                LightSource::Directional { .. } | LightSource::Point { .. } => None,
            };
            if let Some(matrices) = own {
                let cascaded = matches!(light.source, LightSource::Directional { .. });
                let maps = matrices.iter().map(|matrix| MapPlan::new(matrix, convention)).collect();
                lights.push(CastingLight { light: number, cascaded, maps });
            }
        }
        let splits = parts.iter().map(|([near, far], corners)| Split {
            near: *near as f32,
            far: *far as f32,
            corners: corners.map(|corner| corner.as_vec3().to_array()),
        });
        let depth_row = view.row(2).to_array().map(|number| -number);
        Ok(Self { settings: *settings, splits: splits.collect(), depth_row, lights })
    }

    /// The shadows of a light, by its place among the lights.
    #[must_use]
    pub fn of_light(&self, light: usize) -> Option<(usize, &CastingLight)> {
        self.lights.iter().enumerate().find(|(_, casting)| casting.light == light)
    }
}

/// Where a split begins and ends, and its corners.
type Part = ([f64; 2], [DVec3; 8]);

/// The ranges of distance of each split, with their corners.
fn parts(
    settings: &ShadowSettings,
    frustum: &Frustum,
    count: usize,
    scene: Option<&[DVec3; 8]>,
) -> Result<Vec<Part>, ShadowPlanError> {
    let [near, far] = frustum.range();
    let end_of_scene = || {
        let depths = scene.iter().flat_map(|corners| corners.iter().map(|corner| -frustum.in_view(*corner).z));
        depths.fold(f64::NEG_INFINITY, f64::max)
    };
    let far = match settings.distance.map(f64::from) {
        Some(distance) => distance.min(far),
        None if far.is_finite() => far,
        None => end_of_scene(),
    };
    if !(near.is_finite() && far.is_finite() && near < far) {
        return Err(ShadowPlanError::Unbounded);
    }
    let distances = settings.splits.distances(count, near, far);
    let parts: Vec<_> =
        distances.windows(2).map(|ends| ([ends[0], ends[1]], frustum.corners(ends[0], ends[1]))).collect();
    let finite = parts.iter().flat_map(|(_, corners)| corners).all(|corner| corner.is_finite());
    if finite { Ok(parts) } else { Err(ShadowPlanError::Unbounded) }
}

impl MapPlan {
    /// The lookup is of the matrix as it is rounded, so that a fragment finds what was drawn.
    fn new(matrix: &DMat4, convention: Convention) -> Self {
        let view_projection = matrix.as_mat4();
        let down = if convention == Convention::Vulkan { 0.5 } else { -0.5 };
        let (scale, offset) = if convention == Convention::OpenGl { (0.5, 0.5) } else { (1.0, 0.0) };
        let to_map = DMat4::from_cols(
            DVec4::new(0.5, 0.0, 0.0, 0.0),
            DVec4::new(0.0, down, 0.0, 0.0),
            DVec4::new(0.0, 0.0, scale, 0.0),
            DVec4::new(0.5, 0.5, offset, 1.0),
        );
        Self { view_projection, lookup: (to_map * view_projection.as_dmat4()).as_mat4() }
    }
}

/// A row of a matrix times (position, 1): ((m₀·x + m₁·y) + m₂·z) + m₃.
#[inline(always)]
fn row<N: Number>(row: Vec4, [x, y, z]: [N; 3]) -> N {
    ((x.constant(row.x) * x + x.constant(row.y) * y) + x.constant(row.z) * z) + x.constant(row.w)
}

/// u, v and depth in a map of a point of the world; `divides` by w for the map of a spot, whose w the fourth number is.
#[inline(always)]
pub fn map_coordinates<N: Number>(lookup: &Mat4, position: [N; 3], divides: bool) -> [N; 4] {
    let (u, v, depth) = (row(lookup.row(0), position), row(lookup.row(1), position), row(lookup.row(2), position));
    if !divides {
        return [u, v, depth, u.constant(1.0)];
    }
    let w = row(lookup.row(3), position);
    [u.divided_by(w), v.divided_by(w), depth.divided_by(w), w]
}

/// The view depth of a point of the world.
#[inline(always)]
pub fn view_depth<N: Number>(depth_row: [f32; 4], position: [N; 3]) -> N {
    row(Vec4::from_array(depth_row), position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Cone, Eye, Light,
        shadow::{ShadowCasting, frustum::tests::perspective},
    };

    fn lighting() -> Lighting {
        let sun = Light { radiance: [1.0; 3], source: LightSource::Directional { to_light: [0.0, 1.0, 0.0] } };
        let cone = Some(Cone { axis: [0.0, -1.0, 0.0], scale: 10.0, offset: -8.0 });
        let spot = LightSource::Point { position: [0.0, 3.0, -4.0], inverse_range_squared: 0.0, cone };
        let lamp = LightSource::Point { position: [0.0, 3.0, -4.0], inverse_range_squared: 0.0, cone: None };
        let light = |source| Light { radiance: [1.0; 3], source };
        Lighting {
            ambient: [0.0; 3],
            lights: vec![light(lamp), light(spot), sun],
            eye: Eye::Point([0.0; 3]),
            shadowed: true,
        }
    }

    const SCENE: [DVec3; 2] = [DVec3::new(-5.0, -1.0, -9.0), DVec3::new(5.0, 1.0, -1.0)];

    fn plan(casting: &str, projection: Mat4) -> Result<ShadowPlan, ShadowPlanError> {
        let casting: ShadowCasting = casting.parse().expect("a word");
        let settings = ShadowSettings { casting, ..ShadowSettings::default() };
        ShadowPlan::new(&settings, &lighting(), (Mat4::IDENTITY, projection, Convention::D3d), Some(SCENE))
    }

    #[test]
    fn suns_have_a_map_a_split_and_spots_have_one() {
        let projection = perspective(0.5, Some(40.0), false, Convention::D3d);
        let both = plan("cascades:3,spot", projection).expect("it can be planned");
        let maps: Vec<_> = both.lights.iter().map(|light| (light.light, light.cascaded, light.maps.len())).collect();
        assert_eq!(maps, [(1, false, 1), (2, true, 3)]);
        assert_eq!((both.splits.len(), both.splits[0].near), (3, 0.5));
        assert!((both.splits[2].far - 40.0).abs() < 1e-3);
        assert!(both.splits.windows(2).all(|pair| pair[0].far == pair[1].near));
        assert!(plan("spot", projection).expect("it can be planned").splits.is_empty());
        // (1, 2, −3) is three metres before a camera at the origin.
        assert_eq!(view_depth(both.depth_row, [1.0f32, 2.0, -3.0]), 3.0);
    }

    #[test]
    fn an_infinite_view_ends_with_the_scene() {
        let plan = plan("cascades:2", perspective(0.5, None, false, Convention::D3d)).expect("it can be planned");
        assert!((plan.splits[1].far - 9.0).abs() < 1e-5, "{}", plan.splits[1].far);
    }

    #[test]
    fn what_is_looked_up_is_where_it_was_drawn() {
        let plan =
            plan("cascades:2,spot", perspective(0.5, Some(40.0), false, Convention::D3d)).expect("it can be planned");
        for casting in &plan.lights {
            for map in &casting.maps {
                let point = [0.25f32, -0.5, -4.5];
                let [u, v, depth, _] = map_coordinates(&map.lookup, point, !casting.cascaded);
                let clip = map.view_projection.as_dmat4().project_point3(DVec3::from_array(point.map(f64::from)));
                for (own, expected) in [(u, 0.5 + 0.5 * clip.x), (v, 0.5 - 0.5 * clip.y), (depth, clip.z)] {
                    assert!((f64::from(own) - expected).abs() < 1e-5, "{own} {expected}");
                }
            }
        }
    }
}
