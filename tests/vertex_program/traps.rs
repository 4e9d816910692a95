//! What machines in the wild got wrong, one test a trap. The identifiers are those of the fault list.

use glam::Mat4;
use refrast::{
    animation::Pose,
    render::{Camera, DrawnVertices, RenderSettings, Renderer, program::ProgramSettings},
    scene::{Influences, Material, Node, Primitive},
    simd::SimdLevel,
    vertex_program::{
        AddressRounding, AttributeArray, AttributeData, Attributes, BatchMachine, ConstantBudget, ConstantFile,
        LibraryProgram, NumericModel, Output, Program, ScalarMachine, Settings, UNSET, VertexOutputs, assemble,
    },
};

fn program(text: &str) -> Program {
    assemble(text).unwrap_or_else(|error| panic!("{}", error.render("trap", text))).program
}

/// c[n] = (n, n + 0.5, −n, 1)
fn numbered_constants() -> ConstantFile {
    std::array::from_fn(|n| [n as f32, n as f32 + 0.5, -(n as f32), 1.0])
}

fn attributes(first: [f32; 4]) -> Attributes {
    let mut attributes = [UNSET; 16];
    attributes[0] = first;
    attributes
}

/// A result register, which the scalar machine and the batch machine at every level have to agree on.
fn run(settings: Settings, program: &Program, constants: &ConstantFile, first: [f32; 4], output: Output) -> [f32; 4] {
    let registers = ScalarMachine::new(settings).run(program, constants, &attributes(first));
    for level in SimdLevel::available() {
        let (mut position, mut varyings) = ([[0.0; 1]; 4], [0.0; 4]);
        let [x, y, z, w] = &mut position;
        let layout = &[output];
        let outputs = VertexOutputs { position: [x, y, z, w], varyings: &mut varyings, stride: 4, layout };
        let array = AttributeArray { register: 0, data: AttributeData::Same(first) };
        BatchMachine::new(program, settings).unwrap().run(constants, &[array], outputs, level).unwrap();
        assert_eq!(varyings.map(f32::to_bits), registers.output(output).map(f32::to_bits), "{level}");
    }
    registers.output(output)
}

fn models() -> [Settings; 2] {
    [NumericModel::NvSpec, NumericModel::Ieee].map(|model| Settings { model, ..Settings::default() })
}

/// 17/255 as a byte attribute times 255 is 16.9995…: ARL and EXP must see the same floor, whatever it is.
#[test]
fn address_rounding() {
    let program = program(
        "!!VP1.0 MUL R0.x, v[0].x, c[1].x; ARL A0.x, R0.x; MOV o[TEX0], c[A0.x]; EXP R1, R0.x; MOV o[TEX1], R1; \
         MOV o[HPOS], R0; END",
    );
    let mut constants = numbered_constants();
    constants[1][0] = 255.0;
    for settings in models() {
        for index in 0..96_u8 {
            let byte = f32::from(index) / 255.0;
            let address = run(settings, &program, &constants, [byte, 0.0, 0.0, 1.0], Output::Texture(0))[2];
            let exponential = run(settings, &program, &constants, [byte, 0.0, 0.0, 1.0], Output::Texture(1))[0];
            // c[n].z is −n; EXP.x is 2^floor.
            assert_eq!(libm::exp2f(-address), exponential, "byte {index}");
        }
        // Directly: just below an integer, halfway, and below zero.
        let direct = self::program("!!VP1.0 ARL A0.x, v[0].x; MOV o[TEX0], c[A0.x + 10]; MOV o[HPOS], v[0]; END");
        for (value, floor) in
            [(16.9995, 16.0), (17.0, 17.0), (16.5, 16.0), (0.999_999_94, 0.0), (-0.25, -1.0), (-3.0, -3.0)]
        {
            let found = run(settings, &direct, &numbered_constants(), [value, 0.0, 0.0, 1.0], Output::Texture(0));
            assert_eq!(found[0], floor + 10.0, "{value}");
        }
    }
    // `mov a0.x` is a floor unless another rounding is chosen.
    let shader = self::program("vs.1.1\nmov a0.x, v0.x\nmov oPos, c[a0.x + 10]\nmov oT0, c[a0.x + 10]");
    for (rounding, expected) in [
        (AddressRounding::Floor, [8.0, 12.0]),
        (AddressRounding::Nearest, [8.0, 13.0]),
        (AddressRounding::Truncate, [9.0, 12.0]),
    ] {
        let settings = Settings { address_rounding: rounding, ..Settings::default() };
        let found = [-1.75, 2.75]
            .map(|x| run(settings, &shader, &numbered_constants(), [x, 0.0, 0.0, 1.0], Output::Texture(0))[0]);
        assert_eq!(found, expected, "{rounding:?}");
    }
}

/// `c[A0.x + n]` outside 0..=95 reads (0, 0, 0, 0), near and far, on both sides.
#[test]
fn relative_read_unchecked() {
    let program = program(
        "!!VP1.0 ARL A0.x, v[0].x; MOV o[TEX0], c[A0.x + 63]; MOV o[TEX1], c[A0.x - 64]; MOV o[HPOS], v[0]; END",
    );
    let row = |n: f32| [n, n + 0.5, -n, 1.0];
    let cases = [
        (32.0, row(95.0), [0.0; 4]),
        (33.0, [0.0; 4], [0.0; 4]),
        (63.0, [0.0; 4], [0.0; 4]),
        (64.0, [0.0; 4], row(0.0)),
        (-63.0, row(0.0), [0.0; 4]),
        (-64.0, [0.0; 4], [0.0; 4]),
        (159.0, [0.0; 4], row(95.0)),
        (160.0, [0.0; 4], [0.0; 4]),
        (1.0e30, [0.0; 4], [0.0; 4]),
        (-1.0e30, [0.0; 4], [0.0; 4]),
        (f32::INFINITY, [0.0; 4], [0.0; 4]),
        (f32::NEG_INFINITY, [0.0; 4], [0.0; 4]),
    ];
    for settings in models() {
        for (address, above, below) in cases {
            let first = [address, 0.0, 0.0, 1.0];
            assert_eq!(run(settings, &program, &numbered_constants(), first, Output::Texture(0)), above, "{address}");
            assert_eq!(run(settings, &program, &numbered_constants(), first, Output::Texture(1)), below, "{address}");
        }
    }
}

/// In `nv-spec` a weight of 0 switches off whatever it meets; in `ieee` it does not.
#[test]
fn zero_times_infinity() {
    let program = program("!!VP1.0 MAD o[TEX0], v[0].x, v[0].y, v[0].z; MOV o[HPOS], v[0]; END");
    for (first, nv_spec) in [([0.0, f32::INFINITY, 5.0, 1.0], 5.0), ([-0.0, f32::NAN, -2.0, 1.0], -2.0)] {
        let [nv, ieee] =
            models().map(|settings| run(settings, &program, &numbered_constants(), first, Output::Texture(0))[0]);
        assert_eq!(nv, nv_spec);
        assert!(ieee.is_nan());
    }
}

/// Three rows a bone: the programs of the library read rows 3·j, 3·j + 1 and 3·j + 2 of the palette, no fourth.
#[test]
fn palette_stride_four() {
    let program = program(LibraryProgram::named("bone_offset_1").unwrap().vp10);
    let budget = ConstantBudget::of(&program, 96).unwrap();
    assert_eq!((budget.rows_per_joint, budget.joints), (3, 28));
    // Joint j moves by (j, 2·j, 3·j): row r of joint j ends in (r + 1)·j.
    let mut constants: ConstantFile = [[0.0; 4]; 96];
    for (i, row) in constants[..4].iter_mut().enumerate() {
        row[i] = 1.0;
    }
    constants[7] = [0.0, 1.0, 0.5, 2.0];
    for joint in 0..28 {
        for row in 0..3 {
            let constant = &mut constants[12 + 3 * joint + row];
            constant[row] = 1.0;
            constant[3] = (joint * (row + 1)) as f32;
        }
    }
    for joint in 0..28_u8 {
        let mut attributes = attributes([10.0, 20.0, 30.0, 1.0]);
        attributes[1] = [1.0, 0.0, 0.0, 0.0];
        attributes[2] = [0.0, 0.0, 1.0, 1.0];
        attributes[6] = [f32::from(joint * budget.rows_per_joint), 0.0, 0.0, 0.0];
        let position = ScalarMachine::default().run(&program, &constants, &attributes).output(Output::Position);
        let j = f32::from(joint);
        assert_eq!(position, [10.0 + j, 20.0 + 2.0 * j, 30.0 + 3.0 * j, 1.0]);
    }
}

/// A mesh that follows more joints than fit is drawn in sections, and each looks its joints up in its own bone map. With the map
/// of another section, or the skin's numbers, a vertex follows a joint that stands at least a quarter of a unit away.
#[test]
fn palette_split_wrong_remap() {
    const JOINTS: u16 = 60;
    const FACES: u16 = 50;
    // Vertex k of face t follows two joints, most of them far apart in the skin, and neighbours share some.
    let followed = |vertex: usize| {
        let (face, corner) = (vertex as u16 / 3, vertex as u16 % 3);
        [(7 * face + 13 * corner) % JOINTS, (7 * face + 13 * corner + 29) % JOINTS]
    };
    let vertices = 3 * usize::from(FACES);
    let primitive = Primitive {
        indices: (0..vertices as u32).collect(),
        positions: (0..vertices).map(|vertex| [vertex as f32, 0.0, 1.0]).collect(),
        normals: Some(vec![[0.0, 0.0, 1.0]; vertices]),
        influences: Some(Influences {
            per_vertex: 2,
            joints: (0..vertices).flat_map(followed).collect(),
            weights: [0.75, 0.25].repeat(vertices),
        }),
        ..Primitive::default()
    };
    let joints =
        (0..JOINTS).map(|joint| crate::support::moved(f32::from(joint), f32::from(joint) * -2.0, 0.0)).collect();
    let mut scene = crate::support::skinned(joints, Node::default(), primitive);
    scene.materials = vec![Material::default()];
    let settings = RenderSettings { width: 8, height: 8, ..RenderSettings::default() };
    let camera = Camera { view: Mat4::IDENTITY, projection: Mat4::IDENTITY, convention: settings.convention };
    // A face needs six joints: from sections of a face or two to the whole of it but for four joints.
    for joints_a_draw in [6_u8, 7, 11, 28] {
        let program = program(LibraryProgram::named("bone_offset_2").unwrap().vp10);
        let program = ProgramSettings { constants: 12 + 3 * joints_a_draw, ..ProgramSettings::new(program) };
        let mut renderer = Renderer::with_program(&scene, settings, program).unwrap();
        renderer.render(&Pose::rest(&scene), &camera).unwrap();
        let (mut sections, mut drawn) = (0, 0);
        for DrawnVertices { source_vertices, stream, .. } in renderer.stage().drawn_vertices() {
            sections += 1;
            for (own, &vertex) in source_vertices.unwrap().iter().enumerate() {
                drawn += 1;
                let [first, second] = followed(vertex as usize).map(f32::from);
                let moved = 0.75 * first + 0.25 * second;
                // All of these are multiples of 1/4: nothing is rounded.
                assert_eq!(stream.position(own), [vertex as f32 + moved, -2.0 * moved, 1.0, 1.0], "vertex {vertex}");
            }
        }
        assert_eq!(drawn, vertices);
        assert!(sections > usize::from(JOINTS / u16::from(joints_a_draw)), "{sections} sections");
    }
}

/// Colours clamp to [0, 1] after the program: a value above 1 on the way is kept until then.
#[test]
fn light_not_clamped() {
    let program = program(
        "!!VP1.0 ADD R0, v[0], v[0]; MOV o[COL0], R0; MOV o[BFC1], -R0; MUL R1, R0, c[1].x; MOV o[COL1], R1; \
         MOV o[TEX0], R0; MOV o[HPOS], v[0]; END",
    );
    let mut constants = numbered_constants();
    constants[1][0] = 0.25;
    for settings in models() {
        let result = |output| run(settings, &program, &constants, [0.75, -1.0, 2.0, 0.25], output);
        assert_eq!(result(Output::FrontPrimary), [1.0, 0.0, 1.0, 0.5]);
        assert_eq!(result(Output::BackSecondary), [0.0, 1.0, 0.0, 0.0]);
        // 1.5 · 0.25 and 4 · 0.25: clamping before the multiplication would give 0.25 for both.
        assert_eq!(result(Output::FrontSecondary), [0.375, 0.0, 1.0, 0.125]);
        // Only colours are clamped.
        assert_eq!(result(Output::Texture(0)), [1.5, -2.0, 4.0, 0.5]);
        let raw = Settings { clamp_colors: false, ..settings };
        assert_eq!(
            run(raw, &program, &constants, [0.75, -1.0, 2.0, 0.25], Output::FrontPrimary),
            [1.5, -2.0, 4.0, 0.5]
        );
    }
}

/// A state program reads what it wrote, also through the address register.
#[test]
fn state_programs_write_constants() {
    let program = program(
        "!!VSP1.0 ARL A0.x, v[0].x; MOV c[20], c[A0.x + 1]; ADD c[21].y, c[20], v[0].y; MOV c[22], c[A0.x + 16]; END",
    );
    let registers = ScalarMachine::default().run(&program, &numbered_constants(), &attributes([5.0, 100.0, 0.0, 0.0]));
    assert_eq!(registers.constants[20], [6.0, 6.5, -6.0, 1.0]);
    assert_eq!(registers.constants[21], [21.0, 106.5, -21.0, 1.0]);
    // c[5 + 16] is c[21], written one instruction earlier.
    assert_eq!(registers.constants[22], registers.constants[21]);
}
