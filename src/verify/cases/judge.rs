//! Is a picture, or are the vertices, of a case right? As `refrast check` asks, in the words of a manifest.

use std::path::Path;

use refrast_envelope::vertex::{Rounding, VertexSettings, file_vertices, scene_vertices};
use refrast_golden::{
    CandidateBuffer, CandidatePlace, GoldenCase, Picture, Space, VertexBuffer, VertexCompareOptions, VertexComparison,
};

use super::{
    CaseError, GoldenFolder, PreparedCase,
    case::{camera, wrong},
};
use crate::{
    check::{PictureCheck, check_picture},
    spaces::space_matrices,
};

impl GoldenFolder {
    /// Holds a picture against the envelope of a case, which need not be in the manifest, and looks for other options where
    /// it is wrong.
    ///
    /// # Errors
    /// [`CaseError`] where the case can not be drawn, or is drawn by a vertex program, which no envelope knows of, and where
    /// the picture has another size.
    pub fn check_picture(&mut self, case: &GoldenCase, candidate: &Picture) -> Result<PictureCheck, CaseError> {
        let prepared = self.prepare_method(case)?;
        let camera = camera(self.path(), case)?;
        let (question, setup) = prepared.question(&camera, candidate);
        check_picture(&question, &setup).map_err(wrong(case, "the picture"))
    }

    /// Holds vertices in any space against the exact ones of a case, which need not be in the manifest.
    ///
    /// # Errors
    /// [`CaseError`] as for [`exact_vertices`](Self::exact_vertices), and where the vertices can not be put beside those.
    pub fn check_vertices(
        &mut self,
        case: &GoldenCase,
        candidate: CandidateBuffer,
        space: Space,
    ) -> Result<VertexComparison, CaseError> {
        let prepared = self.prepare_method(case)?;
        let golden = prepared.exact_vertices(prepared.profile.rounding())?;
        let matrices = space_matrices(&prepared.scene, &prepared.pose, &prepared.camera);
        let place = CandidatePlace { name: Path::new("the candidate"), space, matrices: &matrices };
        VertexComparison::of_buffer(&golden, candidate, place, &VertexCompareOptions::default())
            .map_err(wrong(case, "the vertices"))
    }

    /// The exact vertices of a case, which need not be in the manifest, in world space and metres, with how far a correct
    /// backend of such roundings may be from them.
    ///
    /// # Errors
    /// [`CaseError`] where the case can not be drawn, or is drawn by a vertex program, whose results have no bounds, and where
    /// no vertices can be bounded.
    pub fn exact_vertices(&mut self, case: &GoldenCase, rounding: Rounding) -> Result<VertexBuffer, CaseError> {
        self.prepare_method(case)?.exact_vertices(rounding)
    }

    /// A case that is drawn by a method, of which is known what it computes.
    pub(super) fn prepare_method(&mut self, case: &GoldenCase) -> Result<PreparedCase, CaseError> {
        if case.program().is_some() {
            return Err(wrong(case, "skinning")("what a vertex program may compute has no bounds; name a method"));
        }
        self.prepare(case)
    }
}

impl PreparedCase {
    fn exact_vertices(&self, rounding: Rounding) -> Result<VertexBuffer, CaseError> {
        let settings = VertexSettings {
            method: self.settings.skinning,
            normals: self.settings.normals,
            max_influences: self.settings.max_influences,
            rounding,
        };
        match self.chain() {
            Some(chain) => file_vertices(&self.scene, chain, settings).map_err(wrong(&self.entry, "the vertices")),
            None => scene_vertices(&self.scene, &self.pose, settings).map_err(wrong(&self.entry, "the vertices")),
        }
    }
}

#[cfg(test)]
mod tests {
    use refrast_golden::Verdict;

    use super::*;

    fn case() -> GoldenCase {
        GoldenCase { scene: "mannequin".into(), size: "24x32".into(), given: "file".into(), ..GoldenCase::default() }
    }

    #[test]
    fn a_picture_of_a_case_in_no_manifest_is_judged() {
        let mut folder = GoldenFolder::empty(Path::new(""));
        let right = folder.prepare(&case()).unwrap().render().unwrap();
        assert!(folder.check_picture(&case(), &right).unwrap().right);
        let other = GoldenCase { shading: "uv".into(), ..case() };
        let wrong = folder.check_picture(&other, &right).unwrap();
        assert!(!wrong.right && wrong.to_string().contains("right with: --shading lambert"), "{wrong}");
        let program = GoldenCase { skinning: "program:bone_offset_4".into(), ..case() };
        assert!(folder.check_picture(&program, &right).unwrap_err().to_string().contains("name a method"));
        assert!(folder.exact_vertices(&program, Rounding::Nearest).unwrap_err().to_string().contains("name a method"));
    }

    #[test]
    fn vertices_are_judged_in_the_space_of_who_has_them() {
        let mut folder = GoldenFolder::empty(Path::new(""));
        let prepared = folder.prepare(&case()).unwrap();
        let exact = folder.exact_vertices(&case(), Rounding::Nearest).unwrap();
        let candidate = |values: Vec<[f64; 3]>, w| CandidateBuffer {
            buffer: VertexBuffer {
                position: refrast_golden::Attribute::without_bounds(values),
                ..VertexBuffer::default()
            },
            w,
            rows: None,
        };
        let mut judged = |candidate, space| folder.check_vertices(&case(), candidate, space).unwrap().verdict;
        let world = &exact.position.values;
        assert_eq!(judged(candidate(world.clone(), None), Space::World), Verdict::Same);
        assert_eq!(judged(candidate(world.clone(), None), Space::View), Verdict::Different);
        // clip = projection · view · world, in f64.
        let matrix = prepared.camera.projection.as_dmat4() * prepared.camera.view.as_dmat4();
        let clip: Vec<_> = world.iter().map(|&point| matrix * glam::DVec3::from(point).extend(1.0)).collect();
        let (xyz, w) = clip.iter().map(|point| (point.truncate().to_array(), point.w)).unzip();
        assert_eq!(judged(candidate(xyz, Some(w)), Space::Clip), Verdict::Same);
    }
}
