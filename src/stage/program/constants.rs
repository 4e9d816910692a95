//! What goes into the constant registers of a draw.

use glam::{Mat4, Vec3};

use super::{ConstantSource, ProgramSettings, ProgramStageError};
use crate::Camera;
use refrast_scene::Material;
use refrast_shading::{Eye, LightSource, Lighting, ShadingMode};
use refrast_vertex_program::{CONSTANTS, ConstantBudget, ConstantFile, ParameterInputs};

/// What all draws of a frame share.
pub(crate) struct DrawSpace {
    view: Mat4,
    projection: Mat4,
    view_projection: Mat4,
    /// World-space unit vector to the light.
    to_light: Vec3,
    radiance: [f32; 3],
    ambient: [f32; 3],
    eye: Eye,
    shading: ShadingMode,
}

impl DrawSpace {
    /// The first directional light of the scene is the program's; where there is none, the headlight.
    pub(crate) fn new(camera: &Camera, lighting: &Lighting, shading: ShadingMode) -> Self {
        let directional = |lighting: &Lighting| {
            lighting.lights.iter().find_map(|light| match light.source {
                LightSource::Directional { to_light } => Some((Vec3::from(to_light), light.radiance)),
                LightSource::Point { .. } => None,
            })
        };
        let headlight = || directional(&Lighting::headlight(camera.view));
        let (to_light, radiance) = directional(lighting).or_else(headlight).unwrap_or((Vec3::Z, [0.0; 3]));
        Self {
            view: camera.view,
            projection: camera.projection,
            view_projection: camera.view_projection(),
            to_light,
            radiance,
            ambient: lighting.ambient,
            eye: Eye::of(camera.view, camera.projection),
            shading,
        }
    }
}

/// The inputs of one primitive's constants.
pub(super) struct DrawConstants<'a> {
    pub(super) space: &'a DrawSpace,
    pub(super) material: &'a Material,
    /// The node's world transform where the program reads no palette: its space is then the mesh's own.
    pub(super) object_to_world: Option<Mat4>,
    /// The weights of the morph targets that the program blends.
    pub(super) morph_weights: [f32; 5],
}

impl DrawConstants<'_> {
    /// Rows of the matrix from the palette's space to clip space.
    pub(super) fn modelview_projection(&self) -> [[f32; 4]; 4] {
        rows(&self.in_space(self.space.view_projection))
    }

    /// The constant file without a palette.
    pub(super) fn file(&self, settings: &ProgramSettings) -> Result<ConstantFile, ProgramStageError> {
        let mut constants = [[0.0; 4]; CONSTANTS];
        for (register, source) in settings.bindings.constants() {
            constants[usize::from(register)] = self.value(source);
        }
        let locals = [[0.0; 4]; CONSTANTS];
        let inputs = ParameterInputs { constants: &constants, locals: &locals, state: &|name| self.state(name) };
        Ok(settings.program.constant_file(&inputs)?)
    }

    fn value(&self, source: ConstantSource) -> [f32; 4] {
        let [red, green, blue, alpha] = self.material.base_color_factor;
        match source {
            ConstantSource::ModelViewProjection(row) => self.modelview_projection()[usize::from(row)],
            ConstantSource::Light => self.light().extend(0.0).to_array(),
            ConstantSource::Diffuse => {
                let [red, green, blue] =
                    if self.is_unlit() { [0.0; 3] } else { product([red, green, blue], self.space.radiance) };
                [red, green, blue, alpha]
            }
            ConstantSource::Ambient => {
                let [red, green, blue] = self.ambient();
                [red, green, blue, 0.0]
            }
            ConstantSource::Eye => self.eye(),
            ConstantSource::Specular => {
                let [red, green, blue] = if self.is_unlit() { [0.0; 3] } else { self.highlight() };
                [red, green, blue, 0.0]
            }
            ConstantSource::MorphWeights(0) => {
                let [first, second, third, fourth, _] = self.morph_weights;
                [first, second, third, fourth]
            }
            ConstantSource::MorphWeights(_) => [self.morph_weights[4], 0.0, 0.0, 0.0],
            ConstantSource::Value(value) => value,
        }
    }

    fn is_unlit(&self) -> bool {
        self.material.unlit || self.space.shading == ShadingMode::Unlit
    }

    /// Ambient light × base colour; the base colour itself where nothing is lit.
    pub(super) fn ambient(&self) -> [f32; 3] {
        let [red, green, blue, _] = self.material.base_color_factor;
        if self.is_unlit() { [red, green, blue] } else { product([red, green, blue], self.space.ambient) }
    }

    /// The colour in which the middle of a highlight shines: Blinn's (N·H)ⁿ with n = 16 sends back as much as its reflectance
    /// says where it is (n + 8)/8 times as bright as a Lambert surface (Akenine-Möller, Haines, Hoffman, *Real-Time Rendering*, 3rd edition, 7.5.3).
    fn highlight(&self) -> [f32; 3] {
        let reflectance = self.material.reflectance().map(|one| one.min(1.0) * self.material.specular_factor);
        product(self.space.radiance, reflectance).map(|one| one * ((16.0 + 8.0) / 8.0))
    }

    /// The eye in the palette's space.
    fn eye(&self) -> [f32; 4] {
        let from_world = self.object_to_world.map(|world| world.inverse());
        match self.space.eye {
            Eye::Point(point) => {
                let point = Vec3::from(point);
                from_world.map_or(point, |from_world| from_world.transform_point3(point)).extend(1.0).to_array()
            }
            Eye::Direction(direction) => {
                let direction = Vec3::from(direction);
                let turned = from_world.map_or(direction, |from_world| from_world.transform_vector3(direction));
                turned.try_normalize().unwrap_or(direction).extend(0.0).to_array()
            }
        }
    }

    /// OpenGL state by the names that ARB programs use.
    fn state(&self, name: &str) -> Option<[f32; 4]> {
        let name = name.strip_prefix("state.matrix.")?;
        let (matrix, row) = name.strip_suffix(']')?.split_once(".row[")?;
        let matrix = match matrix {
            "mvp" => self.in_space(self.space.view_projection),
            "modelview[0]" => self.in_space(self.space.view),
            "projection" => self.space.projection,
            _ => return None,
        };
        rows(&matrix).get(row.parse::<usize>().ok()?).copied()
    }

    fn in_space(&self, from_world: Mat4) -> Mat4 {
        self.object_to_world.map_or(from_world, |world| from_world * world)
    }

    /// For a normal n of the mesh, (W·n)·l = n·(Wᵀ·l).
    fn light(&self) -> Vec3 {
        let to_light = self.space.to_light;
        self.object_to_world.map_or(to_light, |world| {
            let turned = Vec3::new(
                world.x_axis.truncate().dot(to_light),
                world.y_axis.truncate().dot(to_light),
                world.z_axis.truncate().dot(to_light),
            );
            turned.try_normalize().unwrap_or(to_light)
        })
    }
}

fn product(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// Writes a joint's matrix into its registers of the file; `None` where two registers can not hold it.
pub(super) fn write_joint(file: &mut ConstantFile, budget: &ConstantBudget, place: usize, matrix: &Mat4) -> Option<()> {
    let first = usize::from(budget.first) + place * usize::from(budget.rows_per_joint);
    let registers = &mut file[first..first + usize::from(budget.rows_per_joint)];
    match registers.len() {
        2 => registers.copy_from_slice(&refrast_skinning::unit_dual_quaternion(matrix)?),
        count => registers.copy_from_slice(&rows(matrix)[..count]),
    }
    Some(())
}

fn rows(matrix: &Mat4) -> [[f32; 4]; 4] {
    [0, 1, 2, 3].map(|row| matrix.row(row).to_array())
}
