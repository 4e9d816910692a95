//! Deformed vertices read back from the device, as a vertex file has them.

use std::sync::PoisonError;

use refrast::{
    animation::Pose,
    golden::{Attribute, VertexBuffer, VertexId},
};
use wgpu::BufferUsages;

use crate::{
    Backend, BackendError, Faults, UploadedScene,
    layouts::bind,
    target::ReadBack,
    upload::{Draw, PosedDraw},
};

/// The text of the shader that writes vertices.
pub(crate) const CAPTURE_SHADER: &str =
    concat!(include_str!("shader/deform.wgsl"), include_str!("shader/capture.wgsl"));
/// Vertices that a workgroup deforms.
const WORKGROUP: usize = 64;

/// A vertex as the shader writes it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Captured {
    position: [f32; 4],
    normal: [f32; 4],
    tangent: [f32; 4],
}

impl Captured {
    /// Position and normal.
    pub(crate) fn wide(&self) -> [[f64; 3]; 2] {
        [self.position, self.normal].map(|[x, y, z, _]| [x, y, z].map(f64::from))
    }

    /// Direction and handedness.
    pub(crate) fn tangent(&self) -> [f64; 4] {
        self.tangent.map(f64::from)
    }
}

impl Backend {
    /// The vertices of a pose as the vertex stage deforms them: one row a vertex of the file, by node, primitive and
    /// vertex. A normal or tangent that belongs to a face and not to a vertex is NaN.
    ///
    /// The scene must not be uploaded for the wireframe, nor with a mistake, that takes triangles apart.
    ///
    /// # Errors
    ///
    /// When the API refuses something, or gives nothing back.
    pub fn vertices(&self, uploaded: &UploadedScene<'_>, pose: &Pose) -> Result<VertexBuffer, BackendError> {
        let captured = self.checked(|| {
            let posed = uploaded.draws.iter().map(|draw| Ok((draw, draw.pose(self, uploaded, pose)?)));
            self.capture(&posed.collect::<Result<Vec<_>, BackendError>>()?, &uploaded.faults)
        })?;
        let mut draws: Vec<_> = uploaded.draws.iter().zip(&captured).collect();
        draws.sort_by_key(|(draw, _)| (draw.node, draw.index));
        let mut rows = Rows::default();
        for (draw, captured) in draws {
            rows.append(draw, captured);
        }
        uploaded.remember(pose);
        Ok(VertexBuffer {
            ids: Some(rows.ids),
            position: Attribute::without_bounds(rows.positions),
            normal: Some(Attribute::without_bounds(rows.normals)),
            tangent: Some(Attribute::without_bounds(rows.tangents)),
            ..VertexBuffer::default()
        })
    }

    /// The vertices of each draw.
    pub(crate) fn capture(
        &self,
        draws: &[(&Draw<'_>, PosedDraw)],
        faults: &Faults,
    ) -> Result<Vec<Vec<Captured>>, BackendError> {
        let device = &self.device;
        let pipeline = self.capture_pipeline(faults);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut read_backs = Vec::new();
        for (draw, posed) in draws {
            let size = (draw.vertex_count * size_of::<Captured>()) as u64;
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let output = bind(device, &self.layouts.captured, &[buffer.as_entire_binding()]);
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &output, &[]);
            pass.set_bind_group(1, &posed.bindings, &[]);
            pass.dispatch_workgroups(draw.vertex_count.div_ceil(WORKGROUP) as u32, 1, 1);
            drop(pass);
            let read_back = ReadBack::new(device, size);
            encoder.copy_buffer_to_buffer(&buffer, 0, &read_back.0, 0, size);
            read_backs.push(read_back);
        }
        self.queue.submit([encoder.finish()]);
        read_backs.iter().map(|read_back| Ok(bytemuck::pod_collect_to_vec(&read_back.bytes(device)?))).collect()
    }

    fn capture_pipeline(&self, faults: &Faults) -> wgpu::ComputePipeline {
        let faults = faults.in_text(CAPTURE_SHADER);
        let mut captures = self.captures.lock().unwrap_or_else(PoisonError::into_inner);
        captures.entry(faults.clone()).or_insert_with(|| self.new_capture_pipeline(&faults)).clone()
    }

    fn new_capture_pipeline(&self, faults: &Faults) -> wgpu::ComputePipeline {
        let device = &self.device;
        let module = self.module(CAPTURE_SHADER.to_owned());
        let constants = faults.constants(CAPTURE_SHADER);
        let constants: Vec<_> = constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&self.layouts.captured), Some(&self.layouts.draw)],
            immediate_size: 0,
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: Some(&layout),
            module: &module,
            entry_point: Some("capture"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            cache: None,
        })
    }
}

/// The columns of a vertex file.
#[derive(Default)]
struct Rows {
    ids: Vec<VertexId>,
    positions: Vec<[f64; 3]>,
    normals: Vec<[f64; 3]>,
    tangents: Vec<[f64; 4]>,
}

impl Rows {
    /// Appends the rows of a draw: for each vertex of the file the first of ours that came from it.
    fn append(&mut self, draw: &Draw<'_>, captured: &[Captured]) {
        let primitive = draw.primitive;
        let has_normals = primitive.normals.is_some() && !primitive.flat;
        let has_tangents = primitive.tangents.is_some() && !primitive.flat;
        let mut first = vec![None; primitive.source_vertex_count];
        for (vertex, &source) in primitive.source_vertices.iter().enumerate() {
            first[source as usize].get_or_insert(vertex);
        }
        for (vertex, first) in first.into_iter().enumerate() {
            let captured = first.map(|first| captured[first]);
            self.ids.push(VertexId { node: draw.node as u32, primitive: draw.index as u32, vertex: vertex as u32 });
            self.positions.push(captured.map_or([f64::NAN; 3], |captured| captured.wide()[0]));
            let normal = captured.filter(|_| has_normals);
            self.normals.push(normal.map_or([f64::NAN; 3], |captured| captured.wide()[1]));
            let tangent = captured.filter(|_| has_tangents);
            self.tangents.push(tangent.map_or([f64::NAN; 4], |captured| captured.tangent()));
        }
    }
}
