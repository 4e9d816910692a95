//! A vertex as a vertex program got it: what a debugger shows is what was drawn.

use std::collections::BTreeMap;

use refrast::{
    animation::Pose,
    render::{
        Camera, Orbit, RenderSettings, Renderer,
        program::{AttributeSource, ConstantRole, ConstantSource, ProgramChoice, ProgramSettings},
    },
    scene::Scene,
    vertex_program::{NumericModel, Output, Program, assemble},
};

/// The built-in character in mid-step, drawn by a program.
fn drawn(scene: &Scene, program: ProgramSettings) -> Renderer<'_> {
    let settings = RenderSettings { width: 120, height: 200, ..RenderSettings::default() };
    let mut renderer = Renderer::with_program(scene, settings, program).unwrap();
    let pose = Pose::sample(scene, scene.find_animation("Walk").unwrap(), 0.3).unwrap();
    let camera = Camera::orbit(&renderer.bounds(&pose).unwrap(), Orbit::default(), 0.6, settings.convention);
    renderer.render(&pose, &camera).unwrap();
    renderer
}

fn library(name: &str, model: NumericModel, constants: u8) -> ProgramSettings {
    ProgramChoice { model, constants, ..ProgramChoice::new(name) }.load().unwrap()
}

/// The node that draws the character.
fn body(scene: &Scene) -> usize {
    scene.drawn.iter().copied().find(|&node| scene.nodes[node].skin.is_some()).unwrap()
}

fn bits(values: [f32; 4]) -> [u32; 4] {
    values.map(f32::to_bits)
}

#[test]
fn a_trace_ends_with_what_was_drawn_bit_for_bit() {
    let scene = Scene::mannequin().unwrap();
    let node = body(&scene);
    let programs = [
        library("bone_offset_4", NumericModel::NvSpec, 96),
        library("bone_offset_4.arb", NumericModel::Ieee, 96),
        library("vertex_offset_4.vs", NumericModel::NvSpec, 12 + 3 * 12),
        library("dual_quaternion_4", NumericModel::NvSpec, 48),
    ];
    for settings in programs {
        let renderer = drawn(&scene, settings);
        let mut seen = 0;
        for drawn in renderer.stage().drawn_vertices().filter(|drawn| drawn.node == node) {
            let sources = drawn.source_vertices.unwrap();
            let primitives = &scene.meshes[scene.nodes[node].mesh.unwrap()].primitives;
            let primitive = primitives.iter().position(|own| std::ptr::eq(own, drawn.primitive)).unwrap();
            for (own, &vertex) in sources.iter().enumerate().step_by(7) {
                let found = renderer.stage().program_vertex(node, primitive, vertex as usize).unwrap();
                let registers = found.trace().0;
                for (output, values) in found.drawn {
                    assert_eq!(bits(registers.output(output)), bits(values), "vertex {vertex}, {}", output.name());
                }
                // A vertex may be in several sections; all of them put it in the same place.
                assert_eq!(bits(registers.output(Output::Position)), bits(drawn.stream.position(own)));
                seen += 1;
            }
        }
        assert!(seen > 100, "{seen} vertices");
    }
}

#[test]
fn a_position_that_the_program_leaves_to_the_pipeline_is_traced_too() {
    let mut scene = Scene::mannequin().unwrap();
    let node = body(&scene);
    // Such a program reads no palette, and draws what nodes place.
    scene.nodes[node].skin = None;
    let text = "!!VP1.1\nOPTION NV_position_invariant;\nADD o[COL0], v[NRML], c[20];\nEND";
    let renderer = drawn(&scene, ProgramSettings::new(assemble(text).unwrap().program));
    for vertex in [0, 321, 1234] {
        let found = renderer.stage().program_vertex(node, 0, vertex).unwrap();
        let registers = found.trace().0;
        assert!(found.drawn.iter().all(|&(output, values)| bits(registers.output(output)) == bits(values)));
        assert_ne!(registers.output(Output::Position), [0.0, 0.0, 0.0, 1.0]);
    }
}

#[test]
fn registers_are_told_by_what_fills_them() {
    let scene = Scene::mannequin().unwrap();
    let node = body(&scene);
    let skin = &scene.skins[scene.nodes[node].skin.unwrap()];
    let renderer = drawn(&scene, library("bone_offset_4", NumericModel::NvSpec, 12 + 3 * 12));
    let primitive = &scene.meshes[scene.nodes[node].mesh.unwrap()].primitives[0];
    let influences = primitive.influences.as_ref().unwrap();
    let mut sections = 0;
    for vertex in (0..primitive.positions.len()).step_by(11) {
        let found = renderer.stage().program_vertex(node, 0, vertex).unwrap();
        sections = found.sections;
        assert!(found.section < found.sections && found.joints.len() <= 12);
        assert_eq!(found.attribute_sources[6], Some(AttributeSource::Rows));
        assert_eq!(found.attributes[0][..3], primitive.positions[vertex]);
        // What the first influence reads through A0.x is the joint that the file names.
        let register = 12 + found.attributes[6][0] as u8;
        let heaviest = (0..influences.per_vertex).map(|rank| vertex * influences.per_vertex + rank);
        let joints: Vec<usize> = heaviest
            .filter(|&place| influences.weights[place] != 0.0)
            .map(|place| usize::from(influences.joints[place]))
            .collect();
        let ConstantRole::Joint { joint: Some(joint), row: 0, place } = found.role(register) else {
            panic!("c[{register}] is {:?}", found.role(register))
        };
        assert!(joints.contains(&joint) && joint < skin.joints.len() && place < 12);
        assert_eq!(found.role(3), ConstantRole::Source(ConstantSource::ModelViewProjection(3)));
        assert_eq!(found.role(9), ConstantRole::Free);
    }
    assert!(sections > 1, "the character fits into one palette");
    assert!(renderer.stage().program_vertex(node, 0, primitive.positions.len()).is_none());
    assert!(
        renderer.stage().program_vertex(node, 99, 0).is_none()
            && renderer.stage().program_vertex(usize::MAX, 0, 0).is_none()
    );
}

#[test]
fn an_arb_program_has_its_parameters_where_it_put_them() {
    let scene = Scene::mannequin().unwrap();
    let node = body(&scene);
    let renderer = drawn(&scene, library("bone_offset_4.arb", NumericModel::Ieee, 96));
    let found = renderer.stage().program_vertex(node, 0, 0).unwrap();
    let wanted = [ConstantSource::ModelViewProjection(0), ConstantSource::Light, ConstantSource::Diffuse];
    for source in wanted {
        let register = (0..96).find(|&register| found.role(register) == ConstantRole::Source(source)).unwrap();
        assert!(found.constants[usize::from(register)] != [0.0; 4], "{source}");
    }
    let text = "!!ARBvp1.0\nPARAM m[4] = { state.matrix.mvp };\nPARAM half = 0.5;\nTEMP r;\n\
                MUL r, half.x, vertex.attrib[0];\nDP4 result.position.x, m[0], r;\nDP4 result.position.y, m[1], r;\n\
                DP4 result.position.z, m[2], r;\nDP4 result.position.w, m[3], r;\nMOV result.color, half;\nEND";
    let assembled: Program = assemble(text).unwrap().program;
    let mut scene = Scene::mannequin().unwrap();
    // A program without a palette draws what nodes place.
    scene.nodes[node].skin = None;
    let renderer = drawn(&scene, ProgramSettings::new(assembled));
    let found = renderer.stage().program_vertex(node, 0, 0).unwrap();
    let roles: Vec<ConstantRole<'_>> = (0..6).map(|register| found.role(register)).collect();
    assert_eq!(roles[0], ConstantRole::State("state.matrix.mvp.row[0]"));
    assert_eq!((roles[4], roles[5]), (ConstantRole::Literal, ConstantRole::Free));
    assert_eq!(found.budget, None);
}

#[test]
fn an_override_holds_in_every_section_and_can_be_taken_back() {
    let scene = Scene::mannequin().unwrap();
    let node = body(&scene);
    let settings = library("bone_offset_4", NumericModel::NvSpec, 12 + 3 * 12);
    let mut renderer = drawn(&scene, settings);
    let pose = Pose::sample(&scene, scene.find_animation("Walk").unwrap(), 0.3).unwrap();
    let camera = Camera::orbit(&renderer.bounds(&pose).unwrap(), Orbit::default(), 0.6, renderer.settings().convention);
    let before = renderer.render(&pose, &camera).unwrap().rgba().to_vec();
    // The ambient light, and a row of the first joint of every palette.
    let overrides = BTreeMap::from([(6, [1.0, 0.0, 0.0, 0.0]), (12, [0.0, 0.0, 0.0, 7.0])]);
    renderer.override_constants(overrides);
    assert_ne!(renderer.render(&pose, &camera).unwrap().rgba(), before);
    for vertex in [0, 500, 1000] {
        let found = renderer.stage().program_vertex(node, 0, vertex).unwrap();
        assert_eq!((found.constants[6], found.constants[12]), ([1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 7.0]));
        assert!(found.is_overridden(12) && !found.is_overridden(13));
    }
    renderer.override_constants(BTreeMap::new());
    assert_eq!(renderer.render(&pose, &camera).unwrap().rgba(), before);
}
