//! The five dialects: what each accepts, what each refuses, and where it says the mistake is.

use proptest::prelude::*;
use refrast::vertex_program::{
    Binding, Dialect, LIBRARY, LONGEST_TEXT, Opcode, Output, ProgramError, Rule, ScalarMachine, SourceRegister, UNSET,
    assemble, format,
};

fn refused(text: &str) -> ProgramError {
    match assemble(text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error,
    }
}

/// Asserts that `text` is refused for `rule` at the place of `«»` (which is taken out).
#[track_caller]
fn assert_refused(marked: &str, rule: Rule) {
    let position = marked.find('«').expect("the place is marked");
    let text = marked.replace('«', "");
    let error = refused(&text);
    assert_eq!((error.rule, error.position()), (rule, position), "{}", error.render("test", &text));
}

#[track_caller]
fn accepted(text: &str) -> refrast::vertex_program::Program {
    assemble(text).unwrap_or_else(|error| panic!("{}", error.render("test", text))).program
}

#[test]
fn headers_choose_the_dialect() {
    assert_eq!(accepted("!!VP1.0 MOV o[HPOS],v[0];END").dialect, Dialect::Vp10);
    assert_eq!(accepted("!!VP1.1 MOV o[HPOS],v[0];END").dialect, Dialect::Vp11);
    assert_eq!(accepted("!!VSP1.0 MOV c[0],v[0];END").dialect, Dialect::Vsp10);
    assert_eq!(accepted("!!ARBvp1.0 END").dialect, Dialect::Arb10);
    assert_eq!(accepted("; comment\nVS_1_1 // more\nmov oPos, c0").dialect, Dialect::Vs11);
    assert_eq!(accepted("vs.1.1 mov oPos, v0").dialect, Dialect::Vs11);
    assert_refused("«!!VP2.0 END", Rule::Header);
    assert_refused(" «!!ARBvp1.0 END", Rule::Header);
    assert_refused("«vs_1_10 mov oPos, v0", Rule::Header);
    assert_refused("«", Rule::Header);
}

#[test]
fn the_grammar_of_vp10_is_enforced() {
    // Spaces are free between tokens, also inside masks and swizzles (2.14.1.7).
    let program = accepted("!!VP1.0 MUL o [ HPOS ] . x y , - v [ OPOS ] . x y z w , c [ 3 ] ; END # end");
    assert_eq!(program.instructions[0].destination.mask.bits(), 0b11);
    assert_refused("!!VP1.0 MOV o[HPOS], v[0] «END", Rule::Grammar);
    assert_refused("!!VP1.0 MOV o[HPOS], v[0]; END «MOV", Rule::Grammar);
    assert_refused("!!VP1.0 MOV o[HPOS].«yx, v[0]; END", Rule::WriteMask);
    assert_refused("!!VP1.0 MOV o[HPOS].«xx, v[0]; END", Rule::WriteMask);
    assert_refused("!!VP1.0 MOV o[HPOS], v[0].«xy; END", Rule::Grammar);
    assert_refused("!!VP1.0 RCP o[HPOS], v[0]«; END", Rule::Grammar);
    assert_refused("!!VP1.0 RCP o[HPOS], v[0].«xyzw; END", Rule::Grammar);
    assert_refused("!!VP1.0 MOV «R12, v[0]; END", Rule::Range);
    assert_refused("!!VP1.0 MOV «R01, v[0]; END", Rule::Range);
    assert_refused("!!VP1.0 MOV o[«HPSO], v[0]; END", Rule::Name);
    assert_refused("!!VP1.0 MOV o[HPOS], v[«16]; END", Rule::Range);
    assert_refused("!!VP1.0 MOV o[HPOS], v[«TEX8]; END", Rule::Name);
    assert_refused("!!VP1.0 MOV o[HPOS], c[«96]; END", Rule::Range);
    assert_refused("!!VP1.0 MOV o[HPOS], c[A0.x + «64]; END", Rule::Range);
    assert_refused("!!VP1.0 MOV o[HPOS], c[A0.x - «65]; END", Rule::Range);
    accepted("!!VP1.0 MOV o[HPOS], c[A0.x - 64]; MOV o[COL0], c[A0.x + 63]; END");
    assert_refused("!!VP1.0 ARL A0.«y, v[0].x; END", Rule::Grammar);
    assert_refused("!!VP1.0 «SUB o[HPOS], v[0], v[0]; END", Rule::Name);
    assert_refused("!!VP1.0 MOV o[HPOS], «+v[0]; END", Rule::Grammar);
    assert_refused("!!VP1.0 MOV o[HPOS], v[0]; «$ END", Rule::Name);
    assert_refused("!!VP1.0 MOV o[HPOS], «@; END", Rule::Character);
    assert_refused("!!VP1.0 MOV «c[0], v[0]; END", Rule::Grammar);
    assert_refused("!!VP1.0 MOV o[HPOS], «o[COL0]; END", Rule::Grammar);
}

#[test]
fn the_limits_of_vp10_are_enforced() {
    assert_refused("!!VP1.0 «ADD o[HPOS], c[0], c[1]; END", Rule::OneConstant);
    assert_refused("!!VP1.0 «ADD o[HPOS], c[A0.x], c[A0.x + 1]; END", Rule::OneConstant);
    assert_refused("!!VP1.0 «ADD o[HPOS], v[0], v[1]; END", Rule::OneAttribute);
    // One register in two ways is one register, and OPOS is 0.
    accepted("!!VP1.0 MAD o[HPOS], c[5].x, v[OPOS].yzwx, -c[5].w; ADD R0, v[0], v[OPOS]; END");
    // What is known at the end only is reported there (2.14.1.7).
    assert_refused("!!VP1.0 MOV o[COL0], v[0]; END «", Rule::MissingResult);
    let body = |count: usize| format!("!!VP1.0 {}", "MOV o[HPOS], v[0];".repeat(count));
    assert_eq!(accepted(&format!("{}END", body(128))).slots(), 128);
    assert_refused(&format!("{}«MOV o[HPOS], v[0];END", body(128)), Rule::InstructionLimit);
}

#[test]
fn vp11_adds_instructions_a_sign_and_the_option() {
    accepted("!!VP1.1 ABS R0, +v[0]; DPH R0, v[0], R0; RCC R0.x, R0.x; SUB o[HPOS], R0, v[0]; END");
    accepted("!!VP1.1 OPTION NV_position_invariant; MOV o[COL0], v[0]; END");
    assert_refused("!!VP1.1 OPTION NV_position_invariant; MOV o[«HPOS], v[0]; END", Rule::PositionInvariant);
    assert_refused("!!VP1.1 OPTION NV_position_invariant; MOV o[COL0], c[«A0.x + 1]; END", Rule::PositionInvariant);
    assert_refused("!!VP1.1 OPTION «NV_fog; MOV o[HPOS], v[0]; END", Rule::Name);
    let body = |count: usize| format!("!!VP1.1 OPTION NV_position_invariant; {}", "MOV o[COL0], v[0];".repeat(count));
    accepted(&format!("{}END", body(124)));
    assert_refused(&format!("{}«MOV o[COL0], v[0];END", body(124)), Rule::InstructionLimit);
}

#[test]
fn state_programs_read_v0_and_write_constants() {
    accepted("!!VSP1.0 DP3 R0.w, c[4], c[4]; RSQ R0.w, R0.w; MUL c[4].xyz, c[4], R0.w; END");
    assert_refused("!!VSP1.0 MOV c[0], v[«1]; END", Rule::Range);
    assert_refused("!!VSP1.0 MOV «o[HPOS], v[0]; END", Rule::Grammar);
    assert_refused("!!VSP1.0 MOV c[«A0.x], v[0]; END", Rule::Grammar);
    assert_refused("!!VSP1.0 MOV R0, v[0]; END«", Rule::MissingResult);
}

#[test]
fn arb_names_bindings_and_arrays() {
    let program = accepted(
        "!!ARBvp1.0\n\
         ATTRIB pos = vertex.position; PARAM mvp[4] = { state.matrix.mvp }; PARAM half = 0.5;\n\
         PARAM palette[] = { program.env[10..90] }; TEMP a, b; ADDRESS at; OUTPUT out = result.color.back.secondary;\n\
         ALIAS alias = a; ARL at.x, vertex.attrib[6].x; DP4 alias.x, palette[at.x + 2], pos;\n\
         MUL b, a, half; ADD out.xy, b, { 1, 2 }; MAD result.position, pos, 3.0, program.local[7];\n\
         SWZ result.texcoord[3], b, -x, 0, 1, w; XPD b, mvp[1], mvp[2]; END",
    );
    // The array that is read through the address register comes first; then everything else once, in order.
    assert_eq!(program.arrays.len(), 1);
    assert_eq!((program.arrays[0].first, program.arrays[0].length), (0, 81));
    assert_eq!(program.parameters[0].binding, Binding::Environment(10));
    assert_eq!(program.parameters[81].binding, Binding::State("state.matrix.mvp.row[0]".to_owned()));
    assert_eq!(program.parameters[85].binding, Binding::Literal([0.5; 4]));
    // A vector constant is filled up with 0, 0, 1.
    assert_eq!(program.parameters[86].binding, Binding::Literal([1.0, 2.0, 0.0, 1.0]));
    assert_eq!(program.parameters[88].binding, Binding::Local(7));
    assert_eq!(program.instructions[1].sources[0].register, SourceRegister::Relative { base: 0, offset: 2 });
    assert_eq!(program.conventional_attributes, 1);
}

#[test]
fn arb_counts_each_binding_once() {
    let program = accepted(
        "!!ARBvp1.0 PARAM a = {1, 2, 3, 4}; PARAM b[2] = { {1, 2, 3, 4}, program.env[3] }; PARAM c = program.env[3];\n\
         TEMP t; ADD t, a, b[0]; ADD t, b[1], c; MUL t, t, {1, 2, 3, 4}; END",
    );
    assert_eq!(program.parameters.len(), 2);
    // 96 bindings fit, 97 do not.
    accepted("!!ARBvp1.0 PARAM a[] = { program.env[0..94] }; PARAM b = 1; END");
    assert_refused("!!ARBvp1.0 PARAM a[] = { program.env[0..95] }; PARAM «b = 1; END", Rule::RegisterLimit);
    assert_refused(
        "!!ARBvp1.0 PARAM «a[] = { program.env[1], program.env[1] }; ADDRESS A; TEMP t; MOV t, a[A.x]; END",
        Rule::Binding,
    );
}

#[test]
fn arb_refuses_what_its_rules_exclude() {
    assert_refused("!!ARBvp1.0 TEMP a; TEMP «a; END", Rule::Name);
    assert_refused("!!ARBvp1.0 TEMP «MOV; END", Rule::Name);
    assert_refused("!!ARBvp1.0 MOV «a, vertex.position; END", Rule::Name);
    assert_refused("!!ARBvp1.0 TEMP a; MOV a, «result.position; END", Rule::Name);
    assert_refused("!!ARBvp1.0 ADDRESS a, «b; END", Rule::RegisterLimit);
    assert_refused("!!ARBvp1.0 TEMP a,b,c,d,e,f,g,h,i,j,k,l,«m; END", Rule::RegisterLimit);
    assert_refused("!!ARBvp1.0 TEMP t; PARAM p[2] = { 1, 2 }; MOV t, p[«2]; END", Rule::Range);
    assert_refused("!!ARBvp1.0 PARAM «p[3] = { 1, 2 }; END", Rule::Range);
    assert_refused("!!ARBvp1.0 PARAM p[2] = { program.env[3..«2] }; END", Rule::Range);
    assert_refused("!!ARBvp1.0 PARAM p = program.env[3«..4]; END", Rule::Grammar);
    assert_refused("!!ARBvp1.0 PARAM p = state.matrix.mvp«; END", Rule::Grammar);
    assert_refused("!!ARBvp1.0 PARAM p = state.light[«8].diffuse; END", Rule::Range);
    assert_refused(
        "!!ARBvp1.0 TEMP t; MOV t, vertex.normal; MOV t, «vertex.attrib[2]; END"
            .replace("«vertex.attrib", "vertex.«attrib")
            .as_str(),
        Rule::Binding,
    );
    assert_refused("!!ARBvp1.0 TEMP t; SWZ t, «-vertex.position, x, y, z, w; END", Rule::Grammar);
    assert_refused("!!ARBvp1.0 TEMP t; MOV t, vertex.position«, t; END", Rule::Grammar);
    assert_refused("!!ARBvp1.0 «OPTION ARB_fog_exp; END".replace("«OPTION ", "OPTION «").as_str(), Rule::Name);
    assert_refused(
        "!!ARBvp1.0 OPTION ARB_position_invariant; MOV result.«position, vertex.position; END",
        Rule::PositionInvariant,
    );
    assert_refused("!!ARBvp1.0 TEMP t; ADDRESS A; PARAM p[2] = { 1, 2 }; MOV t, p[A.x + «64]; END", Rule::Range);
    assert_refused("!!ARBvp1.0 PARAM p = «1e39; END", Rule::Range);
    let body = |count: usize| format!("!!ARBvp1.0 TEMP t;{}", "MOV t, t;".repeat(count));
    accepted(&format!("{}END", body(128)));
    assert_refused(&format!("{}«MOV t, t;END", body(128)), Rule::InstructionLimit);
    // Distinct constants and attributes in one instruction are fine in ARB.
    accepted("!!ARBvp1.0 MAD result.position, vertex.position, vertex.color, program.env[1]; END");
}

#[test]
fn vs11_macros_cost_what_the_reference_says() {
    let program = accepted(
        "vs_1_1\ndcl_position v0\ndcl_texcoord3 v7\ndef c9, 1, -2.5f, .5, 1e1\n\
         m4x4 oPos, v0, c0\nm3x2 r0.xy, v7, c4\nfrc r0.xy, r0\nexp r1, r0.x\nlog r1.x, r0.y\nnop\nmov oD0, c[9]",
    );
    // 4 + 2 + 3 + 10 + 10 + 1 + 1.
    assert_eq!(program.slots(), 31);
    assert_eq!(program.instructions.len(), 4 + 2 + 1 + 1 + 1 + 1 + 1);
    assert_eq!(program.parameters[0].binding, Binding::Literal([1.0, -2.5, 0.5, 10.0]));
    assert_eq!((program.declarations[1].usage.as_str(), program.declarations[1].index), ("texcoord", 3));
    let full = |count: usize| format!("vs.1.1\nmov oPos, c0\n{}", "exp oT0, c1.x\n".repeat(count));
    accepted(&full(12));
    assert_refused(&format!("{}«exp oT0, c1.x", full(12)), Rule::InstructionLimit);
}

#[test]
fn vs11_refuses_what_the_reference_excludes() {
    assert_refused("vs_1_1\nmov oPos, «v0", Rule::Declaration);
    assert_refused("vs.1.1\ndcl_position v0\nmov oPos, «v1", Rule::Declaration);
    assert_refused("vs.1.1\nmov oPos, c0\n«def c1, 0, 0, 0, 0", Rule::Declaration);
    assert_refused("vs.1.1\ndef c1, 0, 0, 0, 0 def «c1, 0, 0, 0, 0", Rule::Name);
    assert_refused("vs.1.1\n«dcl_elbow v0", Rule::Name);
    assert_refused("vs.1.1\nmov oPos.xyz, c0«", Rule::MissingResult);
    assert_refused("vs.1.1\n«mov oPos, r0", Rule::Uninitialised);
    assert_refused("vs.1.1\nmov r0.xy, c0\n«mov oPos, r0.xyzy", Rule::Uninitialised);
    assert_refused("vs.1.1\nmov oPos, c[«a0.x]", Rule::Uninitialised);
    assert_refused("vs.1.1\n«add oPos, c0, c1", Rule::OneConstant);
    assert_refused("vs.1.1\n«add oPos, v0, v1", Rule::OneAttribute);
    assert_refused("vs.1.1\n«frc oT0.x, c0", Rule::WriteMask);
    assert_refused("vs.1.1\n«m4x4 oPos.xyz, v0, c0", Rule::WriteMask);
    assert_refused("vs.1.1\nm4x4 oPos, v0, «c0.xyzx", Rule::Grammar);
    assert_refused("vs.1.1\nm4x4 oPos, v0, «c93", Rule::Range);
    assert_refused("vs.1.1\nmov r0, c0\n«m3x3 r0.xyz, r0, c0", Rule::Binding);
    assert_refused("vs.1.1\n«mov oFog.xy, c0", Rule::WriteMask);
    assert_refused("vs.1.1\nmov «a0.y, c0.x", Rule::WriteMask);
    assert_refused("vs.1.1\nadd «a0.x, c0, c0", Rule::Name);
    assert_refused("vs.1.1\nrcp r0, c0«", Rule::Grammar);
    assert_refused("vs.1.1\nmov oPos, «c96", Rule::Range);
    assert_refused("vs.1.1\nmov «oT8, c0", Rule::Name);
    assert_refused("vs.1.1\n«abs oPos, c0", Rule::Name);
    assert_refused("vs.1.1\nmov oPos, c0 «/* no end", Rule::Character);
    // r, g, b, a name components too, and the last one is repeated.
    let program = accepted("vs.1.1\nmov oPos.rgba, c0.gb");
    assert_eq!(program.instructions[0].sources[0].swizzle(), Some(([1, 2, 2, 2], false)));
}

#[test]
fn a_long_text_is_refused_at_once() {
    // Correct up to its last byte: what is refused is the length, before anything is read.
    for text in ["x".repeat(10 << 20), format!("!!VP1.0\n{}END", "MOV o[HPOS], v[0];\n".repeat(10 << 16))] {
        let error = refused(&text);
        assert_eq!((error.rule, error.position()), (Rule::TextLength, LONGEST_TEXT));
        assert!(error.render("long", &text).len() < 1000);
    }
    // Within the limit a text may be one long token, and its message is still short.
    let error = refused(&format!("vs_1_1\ndef c0, {}", "1".repeat(LONGEST_TEXT / 2)));
    assert_eq!(error.rule, Rule::Range);
    assert!(error.to_string().len() < 500, "{} bytes", error.to_string().len());
}

#[test]
fn an_error_is_shown_with_its_line() {
    let text = "!!VP1.0\n# a comment\nMOV o[HPOS], v[17];\nEND\n";
    let shown = refused(text).render("demo.vp", text);
    for part in ["demo.vp:3:16", "MOV o[HPOS], v[17];", "^^", "outside 0..=15", "use 0 to 15", "byte 35"] {
        assert!(shown.contains(part), "{part} missing from:\n{shown}");
    }
}

#[test]
fn the_library_survives_formatting() {
    for text in LIBRARY.iter().flat_map(|library| library.texts()) {
        let program = accepted(text);
        assert_eq!(accepted(&format(&program)), program);
    }
}

#[test]
fn arb_programs_survive_formatting() {
    let text = "!!ARBvp1.0 OPTION ARB_position_invariant;\n\
        ATTRIB n = vertex.normal; PARAM l[] = { state.light[1].half, state.light[1].spot.direction, {1, -0.5} };\n\
        PARAM m[] = { state.matrix.modelview.invtrans.row[0..2], program.local[3..5], program.env[9], 1e-7 };\n\
        ADDRESS A0; TEMP x, y; ARL A0.x, vertex.matrixindex[0].x; MOV x, m[A0.x - 3]; DP3 y.x, m[1], n;\n\
        SWZ y, x, 0, -1, -z, w; POW y.w, l[0].x, y.y; MOV result.color.back, -y.wzyx; MOV result.fogcoord.x, l[2]; END";
    let program = accepted(text);
    let formatted = format(&program);
    assert_eq!(accepted(&formatted), program, "{formatted}");
}

/// Tokens of all dialects, and a few that belong to none.
const TOKENS: [&str; 72] = [
    "!!VP1.0",
    "!!VP1.1",
    "!!VSP1.0",
    "!!ARBvp1.0",
    "vs_1_1",
    "vs.1.1",
    "END",
    "MOV",
    "ARL",
    "MAD",
    "DP4",
    "RCP",
    "SWZ",
    "XPD",
    "POW",
    "mov",
    "m4x4",
    "m3x2",
    "frc",
    "exp",
    "def",
    "dcl_position",
    "nop",
    "OPTION",
    "NV_position_invariant",
    "ARB_position_invariant",
    "ATTRIB",
    "PARAM",
    "TEMP",
    "ADDRESS",
    "ALIAS",
    "OUTPUT",
    "vertex",
    "result",
    "state",
    "program",
    "env",
    "local",
    "matrix",
    "mvp",
    "row",
    "position",
    "color",
    "texcoord",
    "light",
    "a",
    "b",
    "A0",
    "R0",
    "R11",
    "r0",
    "v0",
    "c0",
    "a0",
    "oPos",
    "v",
    "c",
    "o",
    "HPOS",
    "[",
    "]",
    "{",
    "}",
    ".",
    "..",
    ",",
    ";",
    "=",
    "-",
    "+",
    "x",
    "95",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn token_soup_never_panics(start in 0_usize..6, soup in prop::collection::vec(0..TOKENS.len(), 0..60)) {
        let words = soup.into_iter().map(|index| TOKENS[index]).collect::<Vec<_>>().join(" ");
        let text = format!("{} {words}", TOKENS[start]);
        if let Err(error) = assemble(&text) {
            prop_assert!(error.span.end <= text.len());
            prop_assert!(!error.render("soup", &text).is_empty());
        }
    }

    #[test]
    fn mutated_programs_never_panic(
        which in 0_usize..48,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..6),
    ) {
        let mut bytes = LIBRARY[which % 16].texts()[which / 16].as_bytes().to_vec();
        for (place, byte, kind) in edits {
            let at = place.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                _ => bytes.insert(at, byte),
            }
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        match assemble(&text) {
            Ok(assembled) => {
                // What assembles also runs and formats.
                let constants = [[0.5; 4]; 96];
                let _ = ScalarMachine::default().run(&assembled.program, &constants, &[UNSET; 16]);
                prop_assert_eq!(assemble(&format(&assembled.program)).unwrap().program, assembled.program);
            }
            Err(error) => prop_assert!(!error.render("mutated", &text).is_empty()),
        }
    }

    #[test]
    fn random_programs_survive_formatting(
        dialect in prop::sample::select(vec![Dialect::Vp10, Dialect::Vp11]),
        program in crate::random_programs::program(Dialect::Vp10, 60),
    ) {
        let mut program = program;
        program.dialect = dialect;
        let text = format(&program);
        prop_assert_eq!(assemble(&text).unwrap_or_else(|error| panic!("{}", error.render("random", &text))).program, program);
    }

    #[test]
    fn random_vp11_programs_survive_formatting(program in crate::random_programs::program(Dialect::Vp11, 60)) {
        prop_assert_eq!(assemble(&format(&program)).unwrap().program, program);
    }
}

#[test]
fn spans_point_at_the_instructions() {
    let text = "!!VP1.0 MOV R0, v[0]; MOV o[HPOS], R0; END";
    let assembled = assemble(text).unwrap();
    let instructions: Vec<&str> = assembled.spans.iter().map(|span| &text[span.clone()]).collect();
    assert_eq!(instructions, ["MOV R0, v[0]", "MOV o[HPOS], R0"]);
    assert_eq!(assembled.program.instructions[1].opcode, Opcode::Mov);
    assert_eq!(assembled.program.usage().outputs_written().collect::<Vec<_>>(), [Output::Position]);
}
