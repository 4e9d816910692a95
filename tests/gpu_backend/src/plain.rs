//! [`PlainScene`]: scenes drawn by the shortest shaders that draw them rightly.
//!
//! Why it exists: the backend's own shaders can do everything and are asked again for each vertex and fragment what they are to do,
//! and so are not what a driver should be timed with. These read vertex buffers and know at compile time what they draw. They are
//! for few scenes: opaque triangles, four influences, no morph targets, one directional light.

use glam::Vec4;
use refrast::{
    animation::Pose,
    raster::Convention,
    render::Camera,
    scene::{AlphaMode, Primitive, Scene, TextureTransform, Topology},
    shading::{ShadingMode, TextureSet},
};
use wgpu::BufferUsages;

use crate::{
    Backend, BackendError, Faults, Settings,
    layouts::{bind, filled},
    lights::Lights,
    material::{self, TextureKind},
    palette::{Palette, Poses},
    target::{Target, depth_state},
    texture,
};

const SHADER: &str = include_str!("shader/plain.wgsl");
/// As many as the shader has room for.
const MOST_JOINTS: usize = 256;

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuPlainVertex {
    position: [f32; 3],
    normal: [f32; 3],
    texcoords: [f32; 2],
    joints: [u16; 4],
    weights: [f32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuPlainFrame {
    view_projection: [f32; 16],
    to_light: [f32; 4],
    radiance: [f32; 4],
    ambient: [f32; 4],
}

struct PlainDraw {
    node: usize,
    mesh: usize,
    primitive: usize,
    index_count: u32,
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    material: wgpu::BindGroup,
    pipeline: wgpu::RenderPipeline,
}

/// A scene on the device that plain shaders can draw.
pub struct PlainScene<'scene> {
    scene: &'scene Scene,
    settings: Settings,
    draws: Vec<PlainDraw>,
}

/// A moment of it on the device: frame and palette for each draw.
pub(crate) struct PlainFrame(Vec<[wgpu::BindGroup; 2]>);

impl Backend {
    /// Brings a scene to the device for plain shaders: the modes `unlit` and `lambert`.
    ///
    /// # Errors
    ///
    /// When it needs what they have not, or the API refuses something.
    pub fn upload_plain<'scene>(
        &self,
        scene: &'scene Scene,
        settings: Settings,
    ) -> Result<PlainScene<'scene>, BackendError> {
        self.checked(|| PlainScene::new(self, scene, settings))
    }
}

impl<'scene> PlainScene<'scene> {
    fn new(backend: &Backend, scene: &'scene Scene, settings: Settings) -> Result<Self, BackendError> {
        let is_lit = match settings.shading {
            ShadingMode::Unlit => false,
            ShadingMode::Lambert if !settings.shadows.are_cast() => true,
            _ => return Err(BackendError::NotPlain("light other than lambert's, or shadows")),
        };
        let device = &backend.device;
        let prepared = TextureSet::new(scene, settings.shading)?;
        let blank = texture::blank(device, &backend.queue);
        let mut draws = Vec::new();
        for &node in &scene.drawn {
            let Some(mesh) = scene.nodes[node].mesh else { continue };
            let skin = scene.nodes[node].skin;
            if skin.is_some_and(|skin| scene.skins[skin].joints.len() > MOST_JOINTS) {
                return Err(BackendError::NotPlain("more than 256 joints"));
            }
            for (index, primitive) in scene.meshes[mesh].primitives.iter().enumerate() {
                let own = &scene.materials[primitive.material];
                if own.alpha_mode != AlphaMode::Opaque || own.double_sided {
                    return Err(BackendError::NotPlain("surfaces that are cut out, blended or double-sided"));
                }
                let is_skinned = skin.is_some() && primitive.influences.is_some();
                let pipeline = pipeline(backend, &settings, [is_skinned, is_lit]);
                let (view, sampler) = match &own.base_color_texture {
                    Some(used) if used.transform == TextureTransform::default() && used.texcoord == 0 => (
                        prepared.color(used.texture).map(|color| {
                            texture::texture(device, &backend.queue, color, TextureKind::Color, &Faults::NONE)
                        }),
                        scene.textures[used.texture].sampler,
                    ),
                    Some(_) => return Err(BackendError::NotPlain("texture coordinates that are moved")),
                    None => (None, refrast::scene::Sampler::default()),
                };
                let factor = filled(device, BufferUsages::UNIFORM, &[own.base_color_factor]);
                let resources = [
                    factor.as_entire_binding(),
                    wgpu::BindingResource::TextureView(view.as_ref().unwrap_or(&blank)),
                    wgpu::BindingResource::Sampler(&material::sampler(device, sampler)),
                ];
                draws.push(PlainDraw {
                    node,
                    mesh,
                    primitive: index,
                    index_count: primitive.indices.len() as u32,
                    vertices: filled(device, BufferUsages::VERTEX, &vertices(primitive)?),
                    indices: filled(device, BufferUsages::INDEX, &primitive.indices),
                    material: bind(device, &pipeline.get_bind_group_layout(2), &resources),
                    pipeline,
                });
            }
        }
        Ok(Self { scene, settings, draws })
    }

    /// What is drawn into.
    pub(crate) fn target(&self, backend: &Backend) -> Result<Target, BackendError> {
        backend.target(&self.settings, &Faults::NONE)
    }

    /// Brings a moment to the device.
    pub(crate) fn frame(&self, backend: &Backend, pose: &Pose, camera: &Camera) -> Result<PlainFrame, BackendError> {
        let device = &backend.device;
        let lights = Lights::new(self.scene, pose, self.settings.ambient, &camera.view, &Faults::NONE);
        let [light] = lights.lights[..] else { return Err(BackendError::NotPlain("several lights")) };
        if light.kind[0] != 0.0 {
            return Err(BackendError::NotPlain("lamps"));
        }
        if camera.convention != Convention::D3d {
            return Err(BackendError::NotPlain("clip space other than Direct3D's"));
        }
        let uniform = GpuPlainFrame {
            view_projection: camera.view_projection().to_cols_array(),
            to_light: light.direction,
            radiance: light.radiance,
            ambient: [lights.ambient; 4],
        };
        let uniform = filled(device, BufferUsages::UNIFORM, &[uniform]);
        let bound = self.draws.iter().map(|draw| {
            let followed = self.scene.meshes[draw.mesh].primitives[draw.primitive].influences.as_ref();
            let followed = followed.filter(|_| self.scene.nodes[draw.node].skin.is_some());
            let poses = Poses { now: pose, before: pose };
            let palette = Palette::new(self.scene, poses, draw.node, followed, &self.settings, &Faults::NONE)?;
            let mut rows = palette.rows;
            rows.resize(3 * MOST_JOINTS, Vec4::ZERO.to_array());
            let rows = filled(device, BufferUsages::UNIFORM, &rows);
            let bound = |group, buffer: &wgpu::Buffer| {
                bind(device, &draw.pipeline.get_bind_group_layout(group), &[buffer.as_entire_binding()])
            };
            Ok([bound(0, &uniform), bound(1, &rows)])
        });
        Ok(PlainFrame(bound.collect::<Result<_, BackendError>>()?))
    }

    /// Records a picture.
    pub(crate) fn record(&self, encoder: &mut wgpu::CommandEncoder, target: &Target, frame: &PlainFrame) {
        let mut pass = target.begin(encoder, &self.settings, &Faults::NONE);
        for (draw, [frame, palette]) in self.draws.iter().zip(&frame.0) {
            pass.set_pipeline(&draw.pipeline);
            pass.set_bind_group(0, frame, &[]);
            pass.set_bind_group(1, palette, &[]);
            pass.set_bind_group(2, &draw.material, &[]);
            pass.set_vertex_buffer(0, draw.vertices.slice(..));
            pass.set_index_buffer(draw.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..draw.index_count, 0, 0..1);
        }
    }
}

fn vertices(primitive: &Primitive) -> Result<Vec<GpuPlainVertex>, BackendError> {
    let Some(normals) = &primitive.normals else { return Err(BackendError::NotPlain("surfaces without normals")) };
    if primitive.topology != Topology::Triangles || !primitive.targets.is_empty() || primitive.colors.is_some() {
        return Err(BackendError::NotPlain("lines, points, morph targets or vertex colours"));
    }
    let followed = primitive.influences.as_ref();
    if followed.is_some_and(|influences| influences.per_vertex != 4) {
        return Err(BackendError::NotPlain("more than four influences"));
    }
    let texcoords = primitive.texcoords.first();
    Ok((primitive.positions.iter().zip(normals).enumerate())
        .map(|(vertex, (&position, &normal))| GpuPlainVertex {
            position,
            normal,
            texcoords: texcoords.map_or([0.0; 2], |texcoords| texcoords[vertex]),
            joints: followed.map_or([0; 4], |influences| influences.joints.as_chunks::<4>().0[vertex]),
            weights: followed.map_or([0.0; 4], |influences| influences.weights.as_chunks::<4>().0[vertex]),
        })
        .collect())
}

fn pipeline(backend: &Backend, settings: &Settings, [is_skinned, is_lit]: [bool; 2]) -> wgpu::RenderPipeline {
    let module = &backend.module(SHADER.to_owned());
    let constants = [("is_skinned", f64::from(u8::from(is_skinned))), ("is_lit", f64::from(u8::from(is_lit)))];
    let options =
        || wgpu::PipelineCompilationOptions { constants: &constants, ..wgpu::PipelineCompilationOptions::default() };
    let attributes =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Uint16x4, 4 => Float32x4];
    backend.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: None,
        vertex: wgpu::VertexState {
            module,
            entry_point: Some("vertex_stage"),
            compilation_options: options(),
            buffers: &[Some(wgpu::VertexBufferLayout {
                array_stride: size_of::<GpuPlainVertex>() as u64,
                step_mode: wgpu::VertexStepMode::Vertex,
                attributes: &attributes,
            })],
        },
        primitive: wgpu::PrimitiveState { cull_mode: Some(wgpu::Face::Back), ..wgpu::PrimitiveState::default() },
        depth_stencil: Some(depth_state(false, &Faults::NONE)),
        multisample: wgpu::MultisampleState {
            count: settings.samples.count() as u32,
            ..wgpu::MultisampleState::default()
        },
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("fragment_stage"),
            compilation_options: options(),
            targets: &[Some(wgpu::ColorTargetState {
                format: Faults::NONE.target_format(settings),
                blend: None,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}
