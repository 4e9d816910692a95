//! Programs that light in tangent space, and the register combiners behind them.

use std::path::Path;

use refrast::{
    animation::Pose,
    golden::{Picture, envelope::CheckOptions},
    render::{
        Camera, RenderError, RenderSettings, Renderer,
        program::{Combiners, ProgramChoice, ProgramSettings, ProgramStageError},
    },
    scene::{Scene, TextureTransform},
    verify::{
        Profile,
        envelope::{EnvelopeSettings, frame_envelope},
    },
    vertex_program::NumericModel,
};

/// The golden `plates`, as small as is asked for.
struct Shot {
    scene: Scene,
    pose: Pose,
    camera: Camera,
    settings: RenderSettings,
}

fn file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden").join(name)
}

fn shot(side: u32) -> Shot {
    let scene = Scene::load(file("plates.gltf")).expect("a scene of the repository");
    let bend = scene.find_animation("Bend").expect("it has this clip");
    let pose = Pose::sample(&scene, bend, 0.9).expect("the clip fits its scene");
    let settings = RenderSettings { width: side, height: side, ..RenderSettings::default() };
    let placed = scene.find_camera("before the post").expect("it has this camera");
    let camera = Camera::from_scene(&scene, &pose, placed, 1.0, settings.convention);
    Shot { scene, pose, camera, settings }
}

fn program(name: &str) -> ProgramSettings {
    ProgramChoice::new(name).load().expect("it is in the library")
}

impl Shot {
    fn renderer(&self, program: ProgramSettings) -> Result<Renderer<'_>, RenderError> {
        Renderer::with_program(&self.scene, self.settings, program)
    }

    fn picture(&self, program: ProgramSettings) -> Picture {
        let mut renderer = self.renderer(program).expect("it draws the scene");
        let frame = renderer.render(&self.pose, &self.camera).expect("the pose fits the scene");
        Picture::from_rgba8(frame.width(), frame.height(), frame.rgba()).expect("a frame is a picture")
    }
}

/// Two joints move a vertex at most, so that more influences change nothing but the order of sums with zeros.
#[test]
fn every_program_of_enough_influences_draws_the_same() {
    let shot = shot(120);
    let [two, three, four] = [2, 3, 4].map(|count| shot.picture(program(&format!("bone_offset_tangent_{count}"))));
    assert!(two == three && two == four);
}

#[test]
fn an_envelope_holds_both_numeric_models_and_no_map_that_is_read_wrongly() {
    let shot = shot(120);
    let mut renderer = shot.renderer(program("bone_offset_tangent_2")).expect("it draws the scene");
    let settings = EnvelopeSettings::of(Profile::D3d11);
    let made = frame_envelope(&mut renderer, &shot.pose, &shot.camera, settings).expect("an envelope");
    let wrong =
        |picture: &Picture| made.envelope.check(picture, &CheckOptions::default()).expect("sizes agree").wrong();
    assert_eq!(wrong(&made.golden), 0);
    let model = ProgramChoice { model: NumericModel::Ieee, ..ProgramChoice::new("bone_offset_tangent_4") };
    assert_eq!(wrong(&shot.picture(model.load().expect("it is in the library"))), 0);
    assert!(made.envelope.statistics().mean_width() < 8.0, "{:?}", made.envelope.statistics());

    let map = shot.scene.materials[0].normal_texture.expect("it has a normal map").texture;
    let image = shot.scene.textures[map].image;
    let with_texels = |change: fn(&mut [u8; 4])| {
        let mut changed = self::shot(120);
        changed.scene.images[image].rgba.as_chunks_mut::<4>().0.iter_mut().for_each(change);
        wrong(&changed.picture(program("bone_offset_tangent_2")))
    };
    let green_flipped = with_texels(|texel| texel[1] = 255 - texel[1]);
    let without_map = with_texels(|texel| *texel = [128, 128, 255, 255]);
    assert!(green_flipped > 200 && without_map > 200, "{green_flipped} and {without_map} pixels are outside");
}

#[test]
fn what_can_not_be_combined_is_refused() {
    let shot = shot(60);
    let blind = ProgramChoice { combiners: Some(Combiners::Dot3), ..ProgramChoice::new("bone_offset_4") };
    let blind = shot.renderer(blind.load().expect("it is in the library")).err().expect("it writes no light");
    assert!(matches!(blind, RenderError::Program(ProgramStageError::NoLightVector)), "{blind}");

    let mut apart = self::shot(60);
    let map = apart.scene.materials[0].normal_texture.as_mut().expect("it has a normal map");
    map.transform = TextureTransform { scale: [2.0; 2], ..TextureTransform::default() };
    let refused = apart.renderer(program("bone_offset_tangent_4")).err().expect("one set for two places");
    assert!(matches!(refused, RenderError::Program(ProgramStageError::MapCoordinates { material: 0 })), "{refused}");
    // Behind a program that lights its vertices the map counts for nothing.
    let plain = ProgramChoice { combiners: Some(Combiners::Modulate), ..ProgramChoice::new("bone_offset_tangent_4") };
    assert!(apart.renderer(plain.load().expect("it is in the library")).is_ok());
}
