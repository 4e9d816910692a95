//! Debug views beside a wrong picture: they refute causes that would have changed them, and tell the stage.

use refrast::{
    golden::Picture,
    render::{CameraSettings, RenderSettings},
    scene::Scene,
    shading::ShadingMode,
    verify::{
        Fault, Profile,
        diagnose::{CandidateView, Cause, Conclusion, Diagnosis, Stage, diagnose_setup},
        setup::{Question, Setup, Source},
        showcase::Showcase,
        simulator::{Shot, Simulator},
    },
};

use super::diagnose::{OTHER, showcase};

const SIZE: [u32; 2] = [160, 120];

/// A backend's candidate, and its views, of some textured surfaces.
struct Backend {
    scene: Scene,
    setup: Setup,
}

impl Backend {
    fn new() -> Self {
        let Showcase { scene, moment, .. } = showcase("textures");
        let settings = RenderSettings { width: SIZE[0], height: SIZE[1], ..RenderSettings::default() };
        Self { scene, setup: Setup { moment, settings } }
    }

    fn draws(&self, shading: ShadingMode, faults: &[Fault]) -> Picture {
        let Setup { moment, settings } = self.setup;
        let settings = RenderSettings { shading, ..settings };
        let pose = moment.pose(&self.scene).expect("the clip is there");
        let camera = CameraSettings::default().camera(&self.scene, moment.clip(), &pose, &settings).expect("a camera");
        let shot = Shot { moment, camera: &camera, settings: &settings };
        let simulator = Simulator::new(&self.scene).expect("it can be drawn");
        let frame = simulator.draw(&shot, &OTHER, faults).expect("it can be drawn");
        Picture::from_rgba8(SIZE[0], SIZE[1], frame.rgba).expect("the size fits")
    }

    /// What is known of a candidate without views, and with each of these.
    fn diagnosed<const N: usize>(&self, candidate: &Picture, views: [&[(ShadingMode, Picture)]; N]) -> [Diagnosis; N] {
        let (scene, camera) = (&self.scene, &CameraSettings::default());
        let (rules, source) = (Profile::D3d11.into(), Source::FILE);
        let question = Question { scene, camera, rules, source, candidate, images: None };
        let diagnosis = diagnose_setup(&question, &self.setup, &|_| {}).expect("it can be diagnosed");
        views.map(|views| {
            let views: Vec<CandidateView<'_>> =
                views.iter().map(|(shading, picture)| CandidateView { shading: *shading, picture }).collect();
            diagnosis.clone().split_by(&question, &self.setup, &views).expect("the views fit")
        })
    }
}

#[test]
fn a_view_refutes_what_would_have_changed_it() {
    let backend = Backend::new();
    let flipped = Fault::TextureFlipped;
    let candidate = backend.draws(ShadingMode::Lambert, &[flipped]);
    let view = |shading, faults: &[Fault]| (shading, backend.draws(shading, faults));
    // Its coordinates are right, and its texels are not: as a texture is that is turned upside down.
    let views = [view(ShadingMode::Uv, &[flipped]), view(ShadingMode::BaseColor, &[flipped])];
    // Right base colours and a flipped texture can not come from one backend.
    let contrary = [view(ShadingMode::BaseColor, &[])];
    let [named, refuted] = backend.diagnosed(&candidate, [&views, &contrary]);
    assert_eq!(named.best().collect::<Vec<_>>(), [Cause::from(flipped)], "{named}");
    assert!(named.views[0].wrong == 0 && named.views[1].wrong > 100, "{named}");
    assert_eq!((refuted.conclusion, refuted.best().count()), (Conclusion::Located, 0), "{refuted}");
    assert!(refuted.views[0].refuted.contains(&flipped.to_string()), "{refuted}");
    assert!(refuted.to_string().contains("the view base-color is right"), "{refuted}");
    assert_eq!(refuted.place.and_then(|place| place.stage), Some(Stage::Light));
}

#[test]
fn of_a_mistake_without_a_name_views_tell_the_stage() {
    let backend = Backend::new();
    let right = backend.draws(ShadingMode::Lambert, &[]);
    let normals = backend.draws(ShadingMode::Normals, &[]);
    let background = backend.setup.settings.background;
    // Somebody's own: red and blue take turns from row to row, on what is drawn.
    let striped = |picture: &Picture| {
        let bytes = picture.samples8();
        let rows = bytes.chunks_exact(4 * SIZE[0] as usize).enumerate();
        let bytes = rows.flat_map(|(row, bytes)| {
            bytes.as_chunks::<4>().0.iter().flat_map(move |&[r, g, b, a]| {
                let is_drawn = [r, g, b] != background;
                if is_drawn && row % 2 == 0 { [b / 2, g, r / 2, a] } else { [r, g, b, a] }
            })
        });
        Picture::from_rgba8(SIZE[0], SIZE[1], bytes.collect::<Vec<u8>>()).expect("the size fits")
    };
    let candidate = striped(&right);
    let colours = (ShadingMode::BaseColor, backend.draws(ShadingMode::BaseColor, &[]));
    let both = [colours.clone(), (ShadingMode::Normals, striped(&normals))];
    let uv = (ShadingMode::Uv, striped(&backend.draws(ShadingMode::Uv, &[])));
    let found = backend.diagnosed(&candidate, [&[colours], &both, &[uv]]);
    let stages = found.map(|diagnosis| {
        assert_eq!(diagnosis.conclusion, Conclusion::Located, "{diagnosis}");
        diagnosis.place.and_then(|place| place.stage)
    });
    assert_eq!(stages, [Stage::Light, Stage::Light, Stage::TextureCoordinates].map(Some));
}
