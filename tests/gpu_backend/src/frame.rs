//! What the shaders know of a picture or of a shadow map as a whole.

use bytemuck::Zeroable;
use glam::{Mat4, Vec3};
use refrast::{
    raster::Convention,
    render::Camera,
    shading::{ShadingMode, ToneMapping},
    verify::Fault,
};
use wgpu::BufferUsages;

use crate::{
    Backend, Faults, Settings,
    faults::is_srgb,
    layouts::{bind, filled},
    lights::{GpuLight, Lights},
    target::reversed_axes,
};

/// In the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuFrame {
    view_projection: [f32; 16],
    ambient: [f32; 4],
    mode: u32,
    light_count: u32,
    depth_scale: f32,
    depth_offset: f32,
    size: [f32; 2],
    is_srgb: u32,
    is_toned: u32,
    view: [f32; 16],
    /// Where the camera stands, or with w = 0 the direction to it.
    eye: [f32; 4],
    exposure: [f32; 4],
    bias: [f32; 4],
    map_step: [f32; 4],
}

/// What a shader needs that biases and rounds depths itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BiasByHand {
    /// Steps, slopes, and what it is clamped to.
    pub(crate) bias: [f32; 3],
    /// A step; 0 for that of a float.
    pub(crate) step: f32,
    /// Steps that depths are rounded to; 0 where the format does that.
    pub(crate) steps: f32,
}

/// From the clip space of a convention to WebGPU's: depth 0 to w, y up.
struct Clip {
    convention: Convention,
    /// Scale of z and of w.
    depth: [f32; 2],
}

impl Clip {
    /// `other_range`: the mistake of taking one range of depth for the other.
    fn new(convention: Convention, other_range: bool) -> Self {
        let symmetric = (convention == Convention::OpenGl) != other_range;
        Self { convention, depth: if symmetric { [0.5, 0.5] } else { [1.0, 0.0] } }
    }

    fn turned(&self, view_projection: &Mat4) -> Mat4 {
        let y = if self.convention == Convention::Vulkan { -1.0 } else { 1.0 };
        Mat4::from_scale(Vec3::new(1.0, y, 1.0)) * *view_projection
    }
}

impl Backend {
    /// Group 0 of a picture.
    pub(crate) fn frame(
        &self,
        camera: &Camera,
        lights: &Lights,
        settings: &Settings,
        faults: &Faults,
    ) -> wgpu::BindGroup {
        let mut turned = Vec3::ONE;
        if faults.has(Fault::YFlipped) {
            turned.y = -turned.y;
        }
        let [columns_reversed, rows_reversed] = reversed_axes(faults);
        turned.x *= if columns_reversed { -1.0 } else { 1.0 };
        turned.y *= if rows_reversed { -1.0 } else { 1.0 };
        if faults.has(Fault::AspectRatioInverted) {
            let aspect_ratio = settings.width as f32 / settings.height as f32;
            turned.x *= aspect_ratio * aspect_ratio;
        }
        let clip = Clip::new(camera.convention, faults.has(Fault::DepthRangeGl));
        let eye = if camera.projection.row(3).truncate() == Vec3::ZERO {
            camera.view.inverse().z_axis.truncate().normalize_or(Vec3::Z).extend(0.0)
        } else {
            camera.view.inverse().w_axis
        };
        let uniform = GpuFrame {
            view_projection: (Mat4::from_scale(turned) * clip.turned(&camera.view_projection())).to_cols_array(),
            ambient: [lights.ambient; 4],
            mode: mode_number(settings.shading),
            light_count: lights.lights.len() as u32,
            depth_scale: clip.depth[0],
            depth_offset: clip.depth[1],
            size: [settings.width as f32, settings.height as f32],
            is_srgb: u32::from(is_srgb(settings.shading)),
            is_toned: u32::from(settings.development.tone == ToneMapping::Neutral),
            view: camera.view.to_cols_array(),
            eye: eye.to_array(),
            exposure: [settings.development.exposure, 0.0, 0.0, 0.0],
            bias: [0.0; 4],
            map_step: [0.0; 4],
        };
        self.bind_frame(&uniform, &lights.lights)
    }

    /// Group 0 of a square shadow map.
    pub(crate) fn map_frame(
        &self,
        view_projection: &Mat4,
        convention: Convention,
        side: u32,
        by_hand: BiasByHand,
    ) -> wgpu::BindGroup {
        let BiasByHand { bias: [constant, slope, clamp], step, steps } = by_hand;
        let clip = Clip::new(convention, false);
        let uniform = GpuFrame {
            view_projection: clip.turned(view_projection).to_cols_array(),
            depth_scale: clip.depth[0],
            depth_offset: clip.depth[1],
            size: [side as f32; 2],
            bias: [constant, slope, clamp, 0.0],
            map_step: [step, steps, 0.0, 0.0],
            ..GpuFrame::zeroed()
        };
        self.bind_frame(&uniform, &[])
    }

    fn bind_frame(&self, uniform: &GpuFrame, lights: &[GpuLight]) -> wgpu::BindGroup {
        let uniform = filled(&self.device, BufferUsages::UNIFORM, &[*uniform]);
        let lights = filled(&self.device, BufferUsages::STORAGE, lights);
        bind(&self.device, &self.layouts.frame, &[uniform.as_entire_binding(), lights.as_entire_binding()])
    }
}

/// The modes as `bindings.wgsl` numbers them.
const fn mode_number(shading: ShadingMode) -> u32 {
    match shading {
        ShadingMode::Lambert => 0,
        ShadingMode::Unlit => 1,
        ShadingMode::Normals => 2,
        ShadingMode::Uv => 3,
        ShadingMode::Depth => 4,
        ShadingMode::Joints => 5,
        ShadingMode::Wireframe => 6,
        ShadingMode::Lit => 7,
        ShadingMode::ShadingNormals => 8,
        ShadingMode::Tangents => 9,
        ShadingMode::Bitangents => 10,
        ShadingMode::BaseColor => 11,
        ShadingMode::Metallic => 12,
        ShadingMode::Roughness => 13,
        ShadingMode::Occlusion => 14,
        ShadingMode::Emissive => 15,
        ShadingMode::Splits => 16,
    }
}
