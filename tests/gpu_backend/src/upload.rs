//! [`UploadedScene`]: what of a scene no pose changes, on the device.

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use refrast::{
    animation::Pose,
    scene::{AlphaMode, Influences, Material, Primitive, Scene, Topology},
    shading::{ShadingMode, TextureSet},
    verify::Fault,
};
use wgpu::BufferUsages;

use crate::{
    Backend, BackendError, Faults, Settings,
    influences::uploaded_influences,
    layouts::{bind, filled},
    material::{self, GpuMaterial, KINDS, TEXTURES, TextureKind},
    mesh::{self, Mesh},
    palette::{Palette, Poses},
    texture,
};

/// A scene on the device, ready to be drawn in any pose.
pub struct UploadedScene<'scene> {
    pub(crate) scene: &'scene Scene,
    pub(crate) settings: Settings,
    pub(crate) faults: Faults,
    pub(crate) draws: Vec<Draw<'scene>>,
    /// The pose of the last frame, which only mistakes look at.
    before: Mutex<Option<Pose>>,
}

/// A primitive of a drawn node.
pub(crate) struct Draw<'scene> {
    pub(crate) node: usize,
    /// Within the node's mesh.
    pub(crate) index: usize,
    pub(crate) primitive: &'scene Primitive,
    pub(crate) vertex_count: usize,
    pub(crate) index_count: u32,
    pub(crate) indices: wgpu::Buffer,
    pub(crate) material: wgpu::BindGroup,
    pub(crate) blended: bool,
    pub(crate) double_sided: bool,
    /// Whether it casts shadows: lines, points and what lets light through cast none.
    pub(crate) casts: bool,
    /// Whether parts of it are cut out.
    pub(crate) masked: bool,
    /// What the palette's joints carry, where the palette is made here.
    followed: Option<Cow<'scene, Influences>>,
    influences_per_vertex: usize,
    moves_color: Vec<bool>,
    vertices: wgpu::Buffer,
    influences: wgpu::Buffer,
    displacements: wgpu::Buffer,
}

/// In the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuDraw {
    vertex_count: u32,
    influences: u32,
    targets: u32,
    method: u32,
    is_flat: u32,
    side: f32,
    padding: [u32; 2],
}

/// A morph target's weight in the shader's layout.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
struct GpuMorphWeight {
    weight: f32,
    moves_color: u32,
}

/// A draw in a pose.
#[derive(Clone)]
pub(crate) struct PosedDraw {
    pub(crate) bindings: wgpu::BindGroup,
    pub(crate) mirrored: bool,
}

/// A texture of the device with its sampler.
pub(crate) type BoundTexture<'a> = (&'a wgpu::TextureView, &'a wgpu::Sampler);

/// The textures of a scene on the device.
struct Bound {
    /// By what their bytes are: one image may be colours here and numbers there.
    views: HashMap<(usize, TextureKind), wgpu::TextureView>,
    samplers: Vec<wgpu::Sampler>,
    blank: (wgpu::TextureView, wgpu::Sampler),
}

impl Bound {
    fn new(backend: &Backend, scene: &Scene, prepared: &TextureSet, faults: &Faults) -> Self {
        let (device, queue) = (&backend.device, &backend.queue);
        let mut views = HashMap::new();
        for number in 0..scene.textures.len() {
            let data = prepared.data(number);
            for (kind, own) in [
                (TextureKind::Color, prepared.color(number)),
                (TextureKind::Numbers, data),
                (TextureKind::Normals, data),
            ] {
                if let Some(own) = own {
                    views.insert((number, kind), texture::texture(device, queue, own, kind, faults));
                }
            }
        }
        let sampler = |own| material::sampler(device, own);
        let samplers = scene.textures.iter().map(|texture| sampler(texture.sampler)).collect();
        let blank = (texture::blank(device, queue), sampler(refrast::scene::Sampler::default()));
        Self { views, samplers, blank }
    }

    /// Those of a material, by their numbers.
    fn of(&self, material: &Material, shading: ShadingMode) -> [BoundTexture<'_>; TEXTURES] {
        let used = material::textures(material, shading);
        std::array::from_fn(|number| {
            let found = used[number].and_then(|reference| {
                Some((self.views.get(&(reference.texture, KINDS[number]))?, &self.samplers[reference.texture]))
            });
            found.unwrap_or((&self.blank.0, &self.blank.1))
        })
    }
}

/// The sets of texture coordinates that a draw carries.
pub(crate) fn texcoord_sets(material: &Material, shading: ShadingMode) -> Result<[usize; 4], BackendError> {
    material::texcoord_sets(material, shading).ok_or_else(|| BackendError::TexcoordSets {
        material: material.name.clone().unwrap_or_else(|| "without a name".to_owned()),
    })
}

impl<'scene> UploadedScene<'scene> {
    pub(crate) fn new(
        backend: &Backend,
        scene: &'scene Scene,
        settings: Settings,
        faults: Faults,
    ) -> Result<Self, BackendError> {
        let bound = Bound::new(backend, scene, &TextureSet::new(scene, settings.shading)?, &faults);
        let mut draws = Vec::new();
        for &node in &scene.drawn {
            let Some(mesh) = scene.nodes[node].mesh else { continue };
            let primitives = &scene.meshes[mesh].primitives;
            let joints = scene.nodes[node].skin.map(|skin| scene.skins[skin].joints.len());
            let followed: Vec<Option<Cow<'scene, Influences>>> = (primitives.iter())
                .map(|primitive| joints.and_then(|joints| uploaded_influences(primitive, joints, &faults)))
                .collect();
            let taken_apart = settings.shading == ShadingMode::Wireframe || faults.need_corners();
            let mesh = |(primitive, influences): (&Primitive, &Option<Cow<'_, Influences>>)| {
                let sets = texcoord_sets(&scene.materials[primitive.material], settings.shading)?;
                Ok(Mesh::new(primitive, sets, influences.as_deref(), taken_apart))
            };
            let mut meshes = primitives.iter().zip(&followed).map(mesh).collect::<Result<Vec<_>, BackendError>>()?;
            if faults.has(Fault::BaseVertexIgnored) {
                mesh::ignore_base_vertices(&mut meshes);
            }
            let drawn = primitives.iter().zip(meshes).zip(followed).enumerate();
            for (index, ((primitive, mesh), followed)) in drawn {
                if primitive.indices.is_empty() {
                    continue;
                }
                let material = &scene.materials[primitive.material];
                let textures = bound.of(material, settings.shading);
                let draw = Draw::new(backend, primitive, material, mesh, textures, settings.shading)?;
                draws.push(Draw { node, index, followed, ..draw });
            }
        }
        Ok(Self { scene, settings, faults, draws, before: Mutex::default() })
    }

    /// The pose of the last frame, where a mistake draws with it.
    pub(crate) fn before(&self) -> Option<Pose> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps a pose for the frame after it, where a mistake draws with it.
    pub(crate) fn remember(&self, pose: &Pose) {
        if self.faults.has_any(&[Fault::JointPaletteStale, Fault::CascadeMatrixStale]) {
            *self.before.lock().unwrap_or_else(PoisonError::into_inner) = Some(pose.clone());
        }
    }
}

impl<'scene> Draw<'scene> {
    /// Uploads a primitive with its material. The textures are by their numbers.
    pub(crate) fn new(
        backend: &Backend,
        primitive: &'scene Primitive,
        material: &Material,
        mesh: Mesh,
        textures: [BoundTexture<'_>; TEXTURES],
        shading: ShadingMode,
    ) -> Result<Self, BackendError> {
        let device = &backend.device;
        let uniform = GpuMaterial::new(material, primitive, shading, texcoord_sets(material, shading)?);
        let uniform = filled(device, BufferUsages::UNIFORM, &[uniform]);
        let mut resources = vec![uniform.as_entire_binding()];
        for (view, sampler) in textures {
            resources.push(wgpu::BindingResource::TextureView(view));
            resources.push(wgpu::BindingResource::Sampler(sampler));
        }
        let bindings = bind(device, &backend.layouts.material, &resources);
        Ok(Self {
            node: 0,
            index: 0,
            primitive,
            vertex_count: mesh.vertices.len(),
            index_count: mesh.indices.len() as u32,
            indices: filled(device, BufferUsages::INDEX, &mesh.indices),
            material: bindings,
            blended: material.alpha_mode == AlphaMode::Blend && shading.blends(),
            double_sided: material.double_sided,
            followed: None,
            influences_per_vertex: mesh.influences_per_vertex,
            vertices: filled(device, BufferUsages::STORAGE, &mesh.vertices),
            influences: filled(device, BufferUsages::STORAGE, &mesh.influences),
            displacements: filled(device, BufferUsages::STORAGE, &mesh.displacements),
            moves_color: mesh.moves_color,
            casts: primitive.topology == Topology::Triangles && material.alpha_mode != AlphaMode::Blend,
            masked: matches!(material.alpha_mode, AlphaMode::Mask { .. }),
        })
    }

    pub(crate) fn topology(&self) -> wgpu::PrimitiveTopology {
        match self.primitive.topology {
            Topology::Points => wgpu::PrimitiveTopology::PointList,
            Topology::Lines => wgpu::PrimitiveTopology::LineList,
            Topology::Triangles => wgpu::PrimitiveTopology::TriangleList,
        }
    }

    /// Uploads what the pose decides: the palette and the morph weights.
    pub(crate) fn pose(
        &self,
        backend: &Backend,
        uploaded: &UploadedScene<'_>,
        pose: &Pose,
    ) -> Result<PosedDraw, BackendError> {
        let UploadedScene { scene, settings, faults, .. } = uploaded;
        let before = uploaded.before();
        let poses = Poses { now: pose, before: before.as_ref().unwrap_or(pose) };
        let palette = Palette::new(scene, poses, self.node, self.followed.as_deref(), settings, faults)?;
        let mirrored = palette.mirrored && !faults.has(Fault::WindingNotFlipped);
        Ok(PosedDraw { mirrored, ..self.posed(backend, &palette, &pose.weights[self.node]) })
    }

    /// The same for a palette that is there already.
    pub(crate) fn posed(&self, backend: &Backend, palette: &Palette, weights: &[f32]) -> PosedDraw {
        let device = &backend.device;
        let weights: Vec<_> = (weights.iter().zip(&self.moves_color))
            .map(|(&weight, &moves_color)| GpuMorphWeight { weight, moves_color: u32::from(moves_color) })
            .collect();
        let uniform = GpuDraw {
            vertex_count: self.vertex_count as u32,
            influences: self.influences_per_vertex as u32,
            targets: weights.len() as u32,
            method: palette.method as u32,
            is_flat: u32::from(self.primitive.flat && self.primitive.topology == Topology::Triangles),
            side: if palette.mirrored { -1.0 } else { 1.0 },
            padding: [0; 2],
        };
        let (uniform, rows, weights) = (
            filled(device, BufferUsages::UNIFORM, &[uniform]),
            filled(device, BufferUsages::STORAGE, &palette.rows),
            filled(device, BufferUsages::STORAGE, &weights),
        );
        let buffers = [&uniform, &self.vertices, &self.influences, &rows, &self.displacements, &weights];
        let bindings = bind(device, &backend.layouts.draw, &buffers.map(wgpu::Buffer::as_entire_binding));
        PosedDraw { bindings, mirrored: palette.mirrored }
    }
}
