//! [`Court`]: a case with everything that is right in it, and what a mistake does there.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use refrast::{
    animation::Pose,
    golden::{
        Picture, Verdict, VertexBuffer, VertexCompareOptions, VertexComparison,
        envelope::{CheckOptions, Envelope},
    },
    render::Renderer,
    shading::ShadingMode,
    verify::{
        Fault, Profile,
        diagnose::{Diagnosis, diagnose_picture},
        envelope::{EnvelopeSettings, frame_envelope},
        simulator::{Shot, Simulator, Variation, as_read, is_misread_by},
        vertex::{Rounding, VertexSettings, scene_vertices},
    },
};
use refrast_gpu_backend::{Backend, Case, Faults, Prepared, Settings};

/// A case, its envelope and its bounds, and what the driver makes of it without a mistake.
pub(super) struct Court {
    pub(super) case: Case,
    prepared: Prepared,
    /// What is uploaded before the picture, for the mistake that keeps something of it.
    pose_before: Pose,
    envelope: Envelope,
    exact: VertexBuffer,
    pub(super) golden: Picture,
    pub(super) golden_path: PathBuf,
    pub(super) right: Picture,
    right_vertices: VertexBuffer,
}

/// What a mistake did in a case.
pub(super) struct Spoiled {
    pub(super) picture: Picture,
    /// Pixels that differ from those without the mistake.
    pub(super) changed: u64,
    /// Pixels outside of the envelope.
    pub(super) outside: u64,
    /// `None` where no vertex moved.
    pub(super) vertices: Option<MovedVertices>,
}

/// Vertices that a mistake moved.
pub(super) struct MovedVertices {
    /// Whether one is outside of its bounds.
    pub(super) refused: bool,
}

impl Court {
    /// Keeps the golden in `folder`.
    pub(super) fn new(case: Case, backend: &Backend, profile: Profile, folder: &Path) -> Result<Self, Box<dyn Error>> {
        let prepared = case.prepare()?;
        let Prepared { scene, pose, camera, moment } = &prepared;
        let mut renderer = Renderer::new(scene, case.settings)?;
        let made = frame_envelope(&mut renderer, pose, camera, EnvelopeSettings::of(profile))?;
        drop(renderer);
        let settings = VertexSettings {
            method: case.settings.skinning,
            normals: case.settings.normals,
            max_influences: case.settings.max_influences,
            rounding: Rounding::AnyDirection,
        };
        let exact = scene_vertices(scene, pose, settings)?;
        let right = backend.render(scene, pose, camera, Settings::from(&case.settings))?;
        let right_vertices = backend.vertices(&backend.upload(scene, vertex_settings(&case))?, pose)?;
        let golden_path = folder.join(format!("{}.png", case.name));
        made.golden.write(&golden_path)?;
        let pose_before = moment.before().pose(scene)?;
        let (envelope, golden) = (made.envelope, made.golden);
        Ok(Self { case, prepared, pose_before, envelope, exact, golden, golden_path, right, right_vertices })
    }

    /// Pixels outside of the envelope.
    pub(super) fn outside(&self, picture: &Picture) -> Result<u64, Box<dyn Error>> {
        Ok(self.envelope.check(picture, &CheckOptions::default())?.wrong())
    }

    /// Draws what a backend makes of the case, as far as it is known.
    pub(super) fn simulator(&self) -> Result<Simulator<'_>, Box<dyn Error>> {
        Ok(Simulator::new(&self.prepared.scene)?)
    }

    /// How many pixels are outside of the envelope where the simulator makes the mistake.
    pub(super) fn expected(
        &self,
        simulator: &Simulator<'_>,
        fault: Fault,
    ) -> Result<u64, Box<dyn Error + Send + Sync>> {
        let Prepared { moment, camera, .. } = &self.prepared;
        let shot = Shot { moment: *moment, camera, settings: &self.case.settings };
        let frame = simulator.draw(&shot, &Variation::REFERENCE, fault)?;
        let picture = Picture::from_rgba8(frame.width, frame.height, frame.rgba)?;
        Ok(self.envelope.check(&picture, &CheckOptions::default())?.wrong())
    }

    /// Whether a vertex is outside of its bounds.
    pub(super) fn refuses(&self, vertices: &VertexBuffer) -> bool {
        let compared = VertexComparison::of(&self.exact, vertices, &VertexCompareOptions::default());
        compared.verdict == Verdict::Different
    }

    /// Which mistake explains a picture.
    pub(super) fn diagnose(&self, picture: &Picture, profile: Profile) -> Result<Diagnosis, Box<dyn Error>> {
        let Prepared { scene, moment, camera, .. } = &self.prepared;
        let shot = Shot { moment: *moment, camera, settings: &self.case.settings };
        Ok(diagnose_picture(scene, &shot, profile, picture, &|_| {})?)
    }

    /// What a mistake does here.
    pub(super) fn spoil(&self, fault: Fault, backend: &Backend) -> Result<Spoiled, Box<dyn Error>> {
        let Prepared { scene, pose, camera, moment } = &self.prepared;
        let read = if is_misread_by(fault) { Some(as_read(scene, *moment, fault)?) } else { None };
        let (scene, pose) = read.as_ref().map_or((scene, pose), |(scene, pose)| (scene, pose));
        let faults = Faults::of(&[fault]);
        let uploaded = backend.upload_with(scene, Settings::from(&self.case.settings), faults.clone())?;
        if matches!(fault, Fault::JointPaletteStale | Fault::CascadeMatrixStale) {
            backend.draw(&uploaded, &self.pose_before, camera)?;
        }
        let picture = backend.draw(&uploaded, pose, camera)?;
        let (before, after) = (self.right.samples8(), picture.samples8());
        let pixels = before.as_chunks::<4>().0.iter().zip(after.as_chunks::<4>().0);
        let changed = pixels.filter(|(before, after)| before != after).count() as u64;
        let outside = if changed == 0 { 0 } else { self.outside(&picture)? };
        let vertices = if faults.move_vertices() {
            let uploaded = backend.upload_with(scene, vertex_settings(&self.case), faults)?;
            if fault == Fault::JointPaletteStale {
                backend.vertices(&uploaded, &self.pose_before)?;
            }
            let moved = backend.vertices(&uploaded, pose)?;
            (!same_bits(&moved, &self.right_vertices)).then(|| MovedVertices { refused: self.refuses(&moved) })
        } else {
            None
        };
        Ok(Spoiled { picture, changed, outside, vertices })
    }
}

/// Vertex files are not those of the wireframe, which takes triangles apart.
pub(super) fn vertex_settings(case: &Case) -> Settings {
    let settings = Settings::from(&case.settings);
    match settings.shading {
        ShadingMode::Wireframe => Settings { shading: ShadingMode::Lambert, ..settings },
        _ => settings,
    }
}

/// NaN is the same as NaN, which is what rows without a value have.
fn same_bits(a: &VertexBuffer, b: &VertexBuffer) -> bool {
    let bits = |buffer: &VertexBuffer| {
        let positions = buffer.position.values.iter().flatten();
        let normals = buffer.normal.iter().flat_map(|normal| normal.values.iter().flatten());
        let tangents = buffer.tangent.iter().flat_map(|tangent| tangent.values.iter().flatten());
        positions.chain(normals).chain(tangents).map(|number| number.to_bits()).collect::<Vec<u64>>()
    };
    bits(a) == bits(b)
}
