//! A primitive's vertices in the shader's layout.
//!
//! Why storage buffers and not vertex buffers: a flat face needs all three corners at once, any number of influences
//! has to fit, and the pass that writes vertices to a file reads the same numbers as the one that draws them.

use refrast::scene::{Influences, Primitive, Topology};

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct GpuVertex {
    pub(crate) position: [f32; 4],
    /// w is what arrives of ambient light.
    pub(crate) normal: [f32; 4],
    /// Direction and handedness.
    pub(crate) tangent: [f32; 4],
    /// Of the sets that the draw reads, two by two.
    pub(crate) texcoords: [[f32; 4]; 2],
    pub(crate) color: [f32; 4],
    /// The vertices of its triangle, where the primitive is flat.
    pub(crate) corners: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct GpuDisplacement {
    pub(crate) position: [f32; 4],
    pub(crate) normal: [f32; 4],
    pub(crate) tangent: [f32; 4],
    pub(crate) texcoords: [[f32; 4]; 2],
    pub(crate) color: [f32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct GpuInfluence {
    pub(crate) joint: u32,
    pub(crate) weight: f32,
}

/// What a draw reads of its vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<GpuVertex>,
    pub(crate) indices: Vec<u32>,
    /// `influences_per_vertex` a vertex.
    pub(crate) influences: Vec<GpuInfluence>,
    pub(crate) influences_per_vertex: usize,
    /// All vertices of the first target, then those of the next.
    pub(crate) displacements: Vec<GpuDisplacement>,
    /// For each target whether it moves colours.
    pub(crate) moves_color: Vec<bool>,
}

impl Mesh {
    /// Follows `influences`, if any. Where triangles are taken apart each gets corners of its own, which know by their
    /// number which corner they are.
    pub(crate) fn new(
        primitive: &Primitive,
        sets: [usize; 4],
        influences: Option<&Influences>,
        taken_apart: bool,
    ) -> Self {
        let corners = if primitive.flat { corners(primitive) } else { Vec::new() };
        let base = Vertices { primitive, sets, corners };
        let separate = taken_apart && primitive.topology == Topology::Triangles;
        let order: Vec<u32> =
            if separate { primitive.indices.clone() } else { (0..primitive.positions.len() as u32).collect() };
        let mut mesh = Self {
            vertices: order.iter().map(|&vertex| base.vertex(vertex as usize)).collect(),
            indices: if separate { (0..order.len() as u32).collect() } else { primitive.indices.clone() },
            moves_color: primitive.targets.iter().map(|target| target.colors.is_some()).collect(),
            ..Self::default()
        };
        for target in 0..primitive.targets.len() {
            mesh.displacements.extend(order.iter().map(|&vertex| base.displacement(target, vertex as usize)));
        }
        if let Some(influences) = influences {
            let count = influences.per_vertex;
            mesh.influences_per_vertex = count;
            mesh.influences.extend(order.iter().flat_map(|&vertex| {
                let own = vertex as usize * count..(vertex as usize + 1) * count;
                let pairs = influences.joints[own.clone()].iter().zip(&influences.weights[own]);
                pairs.map(|(&joint, &weight)| GpuInfluence { joint: u32::from(joint), weight })
            }));
        }
        mesh
    }
}

/// The mistake of reading all primitives of a mesh from the beginning of the buffer that they share.
pub(crate) fn ignore_base_vertices(meshes: &mut [Mesh]) {
    let shared: Vec<GpuVertex> = meshes.iter().flat_map(|mesh| mesh.vertices.iter().copied()).collect();
    let influences: Vec<GpuInfluence> = meshes.iter().flat_map(|mesh| mesh.influences.iter().copied()).collect();
    let targets = meshes.iter().map(|mesh| mesh.moves_color.len()).max().unwrap_or_default();
    let of_target = |target: usize| {
        let own = |mesh: &Mesh| {
            let (count, all) = (mesh.vertices.len(), &mesh.displacements);
            all.iter().skip(target * count).take(count).copied().collect::<Vec<_>>()
        };
        meshes.iter().flat_map(own).collect()
    };
    let displacements: Vec<Vec<GpuDisplacement>> = (0..targets).map(of_target).collect();
    for mesh in meshes {
        let (vertices, slots) = (mesh.vertices.len(), mesh.influences.len());
        mesh.vertices.copy_from_slice(&shared[..vertices]);
        mesh.influences.copy_from_slice(&influences[..slots]);
        for (own, shared) in mesh.displacements.chunks_exact_mut(vertices.max(1)).zip(&displacements) {
            own.copy_from_slice(&shared[..vertices]);
        }
    }
}

/// For each vertex those of its triangle.
fn corners(primitive: &Primitive) -> Vec<[u32; 4]> {
    let mut corners = vec![[0; 4]; primitive.positions.len()];
    for &[a, b, c] in primitive.indices.as_chunks().0 {
        for vertex in [a, b, c] {
            corners[vertex as usize] = [a, b, c, 0];
        }
    }
    corners
}

/// The attributes of a primitive by vertex.
struct Vertices<'a> {
    primitive: &'a Primitive,
    sets: [usize; 4],
    corners: Vec<[u32; 4]>,
}

impl Vertices<'_> {
    fn vertex(&self, vertex: usize) -> GpuVertex {
        let primitive = self.primitive;
        let set = |set: usize| primitive.texcoords.get(set).map_or([0.0; 2], |values| values[vertex]);
        GpuVertex {
            position: wide(primitive.positions[vertex], 1.0),
            normal: wide(
                primitive.normals.as_ref().map_or([0.0; 3], |values| values[vertex]),
                primitive.occlusion.as_ref().map_or(1.0, |values| values[vertex]),
            ),
            tangent: primitive.tangents.as_ref().map_or([0.0; 4], |values| values[vertex]),
            texcoords: in_pairs(self.sets.map(set)),
            color: primitive.colors.as_ref().map_or([1.0; 4], |values| values[vertex]),
            corners: self.corners.get(vertex).copied().unwrap_or_default(),
        }
    }

    fn displacement(&self, target: usize, vertex: usize) -> GpuDisplacement {
        let target = &self.primitive.targets[target];
        let vector =
            |values: &Option<Vec<[f32; 3]>>| values.as_ref().map_or([0.0; 4], |values| wide(values[vertex], 0.0));
        let set = |set: usize| {
            let values = target.texcoords.get(set).and_then(Option::as_ref);
            values.map_or([0.0; 2], |values| values[vertex])
        };
        GpuDisplacement {
            position: vector(&target.positions),
            normal: wide(
                target.normals.as_ref().map_or([0.0; 3], |values| values[vertex]),
                target.occlusion.as_ref().map_or(0.0, |values| values[vertex]),
            ),
            tangent: vector(&target.tangents),
            texcoords: in_pairs(self.sets.map(set)),
            color: target.colors.as_ref().map_or([0.0; 4], |values| values[vertex]),
        }
    }
}

fn wide([x, y, z]: [f32; 3], w: f32) -> [f32; 4] {
    [x, y, z, w]
}

fn in_pairs([a, b, c, d]: [[f32; 2]; 4]) -> [[f32; 4]; 2] {
    [[a, b], [c, d]].map(|[[u0, v0], [u1, v1]]| [u0, v0, u1, v1])
}
