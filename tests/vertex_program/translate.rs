//! Translations: what naga says of the WGSL, and that assembly targets compute the same bits.

use refrast::vertex_program::{
    Attributes, ConstantFile, Dialect, LIBRARY, NumericModel, Program, ScalarMachine, Settings, Target, TranslateError,
    UNSET, assemble, format, translate,
};

fn program(text: &str) -> Program {
    assemble(text).unwrap_or_else(|error| panic!("{}", error.render("test", text))).program
}

/// Every opcode that shading languages can have, with masks, swizzles, literals and relative reads.
const EVERYTHING: &str = "!!ARBvp1.0
    PARAM palette[] = { program.env[10..80] }; PARAM k = { 1, -2.5, 1e-7, 0 }; TEMP a, b, c; ADDRESS A;
    ARL A.x, vertex.attrib[6].x; MOV a, palette[A.x + 3]; ABS b.xz, -a; MUL a.yw, a, k.wzyx; ADD a, a, 2; SUB b, a, -b;
    MAD c, a, b, k; RCP c.x, a.y; RSQ c.y, -a.z; DP3 b.w, a, c; DP4 b, a, c; DPH a.x, a, b; DST c, a, b; MIN a, a, b;
    MAX a.xyz, a, c; SLT b, a, c; SGE c.zw, a, b; EXP a, b.x; LOG b, a.w; LIT c, a; EX2 a.x, b.y; LG2 a.y, c.z;
    POW a.z, b.x, c.y; FLR b, a; FRC c.xy, b; SWZ a, b, -x, 0, -1, w; XPD b.xyz, a, c;
    MOV result.position, a; MOV result.color, b; MOV result.color.back.secondary, c; MOV result.fogcoord.x, a;
    MOV result.pointsize.x, a; MOV result.texcoord[7], palette[A.x - 2]; END";

fn assert_naga_accepts(name: &str, source: &str) {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{name}: {}\n{source}", error.emit_to_string(source)));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|error| panic!("{name}: {error:?}\n{source}"));
    let entry = module.entry_points.iter().find(|entry| entry.name == "main").expect("there is an entry point");
    assert_eq!(entry.stage, naga::ShaderStage::Vertex);
}

#[test]
fn naga_accepts_every_translation_to_wgsl() {
    for library in LIBRARY {
        for text in library.texts() {
            assert_naga_accepts(library.name, &translate(&program(text), Target::Wgsl).unwrap());
        }
    }
    assert_naga_accepts("everything", &translate(&program(EVERYTHING), Target::Wgsl).unwrap());
    let invariant = "!!VP1.1 OPTION NV_position_invariant; RCC o[COL0].x, v[3].y; MOV o[TEX0].yw, -c[4].zzzz; END";
    assert_naga_accepts("invariant", &translate(&program(invariant), Target::Wgsl).unwrap());
}

/// The shape of GLSL and HLSL; no compiler for them is at hand here.
#[test]
fn glsl_and_hlsl_declare_what_they_use() {
    let text = "!!VP1.0 ARL A0.x, v[6].x; DP4 o[HPOS].x, c[A0.x + 3], v[0]; MAX o[COL0].xyz, v[0], -c[4]; END";
    let glsl = translate(&program(text), Target::Glsl).unwrap();
    for line in [
        "#version 330 core",
        "uniform vec4 c[96];",
        "layout(location = 6) in vec4 v6;",
        "out vec4 result_COL0;",
        "    A0 = int(floor(v6.x));",
        "    HPOS.x = (splat(dot(constant(A0 + 3), v0))).x;",
        "    COL0.xyz = (max(v0, (-c[4]))).xyz;",
        "    gl_Position = HPOS;",
        "    result_COL0 = clamp(COL0, splat(0.0), splat(1.0));",
    ] {
        assert!(glsl.lines().any(|found| found == line), "{line} missing from:\n{glsl}");
    }
    let hlsl = translate(&program(text), Target::Hlsl).unwrap();
    for line in [
        "float4 c[96] : register(c0);",
        "    float4 HPOS : POSITION;",
        "    float4 COL0 : COLOR0;",
        "Results main(float4 v0 : POSITION, float4 v6 : BLENDINDICES)",
        "    A0 = int(floor(v6.x));",
        "    return results;",
    ] {
        assert!(hlsl.lines().any(|found| found == line), "{line} missing from:\n{hlsl}");
    }
    for target in [Target::Glsl, Target::Hlsl] {
        let text = translate(&program(EVERYTHING), target).unwrap();
        for (open, close) in [('(', ')'), ('{', '}')] {
            assert_eq!(text.matches(open).count(), text.matches(close).count(), "{text}");
        }
    }
}

fn run(program: &Program, model: NumericModel, constants: &ConstantFile, attributes: &Attributes) -> [[u32; 4]; 15] {
    let machine = ScalarMachine::new(Settings { model, ..Settings::default() });
    let constants = program.constant_file_from(constants).unwrap();
    machine.run(program, &constants, attributes).outputs.map(|output| output.map(f32::to_bits))
}

/// Opcodes that NV dialects lack become sequences with the same bits.
#[test]
fn lowered_programs_compute_the_same_bits() {
    let text = "!!ARBvp1.0 PARAM k = program.env[4]; PARAM m = program.env[9]; TEMP a, b;
        ABS a, -vertex.attrib[0]; SUB b.xyz, a, k; DPH a.y, b, a; XPD a.xyz, a, vertex.attrib[1]; EX2 b.x, a.x;
        LG2 b.yz, a.y; FLR a.zw, vertex.attrib[2]; FRC a.xy, a.wzyx; SWZ b.w, a, 0, 0, 0, -1; SWZ a, b, x, 1, -z, w;
        MAD b, k, m, vertex.attrib[1]; ADD result.color.back, vertex.attrib[0], vertex.attrib[2];
        MOV result.texcoord[0], a; MOV result.texcoord[1], b; MOV result.position, a; END";
    let source = program(text);
    let mut state = 1_u32;
    let mut random = move || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 2_097_152.0 - 4.0
    };
    for target in [Target::Vp10, Target::Vp11] {
        let translated = program(&translate(&source, target).unwrap());
        for _ in 0..200 {
            let constants: ConstantFile = std::array::from_fn(|_| std::array::from_fn(|_| random()));
            let mut attributes = [UNSET; 16];
            attributes[..3].fill_with(|| std::array::from_fn(|_| random()));
            for model in [NumericModel::NvSpec, NumericModel::Ieee] {
                assert_eq!(
                    run(&source, model, &constants, &attributes),
                    run(&translated, model, &constants, &attributes),
                    "{target:?} {model:?}"
                );
            }
        }
    }
}

#[test]
fn every_library_program_goes_to_every_target_and_back() {
    for library in LIBRARY {
        let source = program(library.vp10);
        for target in Target::ALL {
            translate(&source, target).unwrap_or_else(|error| panic!("{} to {target:?}: {error}", library.name));
        }
        for (text, dialect) in [(library.arb, Dialect::Arb10), (library.vs11, Dialect::Vs11)] {
            let back = program(&translate(&program(text), Target::Vp10).unwrap());
            assert_eq!(format(&back), format(&source), "{} from {dialect}", library.name);
        }
    }
}

#[test]
fn what_a_target_lacks_is_named() {
    let state_program = program("!!VSP1.0 MOV c[0], v[0]; END");
    for target in Target::ALL {
        assert_eq!(translate(&state_program, target), Err(TranslateError::StateProgram));
    }
    let back_color = program("!!VP1.0 MOV o[HPOS], v[0]; MOV o[BFC0], v[0]; END");
    let error = translate(&back_color, Target::Vs11).unwrap_err().to_string();
    assert!(error.contains("instruction 2") && error.contains("BFC0"), "{error}");
    let clamped = program("!!VP1.1 RCC o[HPOS], v[0].x; END");
    assert!(matches!(translate(&clamped, Target::Arb), Err(TranslateError::Instruction { opcode: "RCC", .. })));
    let half_position = program("!!VP1.0 MOV o[HPOS].xyz, v[0]; END");
    assert!(matches!(translate(&half_position, Target::Vs11), Err(TranslateError::Invalid(_))));
    let invariant = program("!!ARBvp1.0 OPTION ARB_position_invariant; MOV result.color, vertex.color; END");
    assert_eq!(translate(&invariant, Target::Vs11), Err(TranslateError::PositionInvariant));
}
