//! The four-bone program as printed in the talk: assembled and run unchanged, checked against mathematics in f64.
//!
//! The talk's text is not part of the project: the test finds it in `../shared/seeds` and says so when it is missing.

use std::path::Path;

use refrast::vertex_program::{
    Attributes, ConstantBudget, ConstantFile, Dialect, NumericModel, Output, ScalarMachine, Settings, UNSET, assemble,
};

/// The text between quotes, line by line, as a C compiler would join it. C comments are outside quotes.
fn quoted_program(talk: &str) -> Option<String> {
    let first = talk.find("\"!!VP1.0")?;
    let last = first + talk[first..].find("\"END\"")? + "\"END\"".len();
    let pieces = talk[first..last].lines().flat_map(|line| line.split('"').skip(1).step_by(2));
    Some(pieces.map(|piece| piece.replace("\\n", "\n")).collect())
}

fn program_text() -> Option<String> {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/seeds");
    let Ok(entries) = std::fs::read_dir(&seeds) else {
        eprintln!("skipped: {} with the talk is missing", seeds.display());
        return None;
    };
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path())).collect::<Vec<_>>();
    paths.sort();
    let texts = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    let found = texts.filter_map(|text| quoted_program(&text)).next();
    if found.is_none() {
        eprintln!("skipped: no talk with a quoted program in {}", seeds.display());
    }
    found
}

#[test]
fn the_printed_program_assembles_unchanged() {
    let Some(text) = program_text() else { return };
    let assembled = assemble(&text).unwrap_or_else(|error| panic!("{}", error.render("talk", &text)));
    let program = &assembled.program;
    assert_eq!(program.dialect, Dialect::Vp10);
    // Counted in the slides: nine a bone, then 1 + 3 + 4 + 1 + 1 + 1.
    assert_eq!(program.instructions.len(), 4 * 9 + 11);
    // Its palette starts at c[8] and has three rows a bone, so 29 bones fit and not 28.
    let budget = ConstantBudget::of(program, 96).unwrap();
    assert_eq!((budget.first, budget.rows_per_joint, budget.end, budget.joints), (8, 3, 96, 29));
}

#[test]
fn its_result_is_the_mathematics_of_the_slides() {
    let Some(text) = program_text() else { return };
    let program = assemble(&text).unwrap().program;

    // Four bones with their own affine transforms, at rows 8, 11, 14 and 20: the fourth skips two.
    let addresses = [0.0, 3.0, 6.0, 12.0];
    let bone = |b: usize, row: usize| -> [f32; 4] {
        let angle = 0.3 + b as f64;
        let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
        let rows = [[cosine, -sine, 0.0, 0.5 * b as f64], [sine, cosine, 0.0, -0.25], [0.0, 0.0, 1.0, 2.0 + b as f64]];
        rows[row].map(|x| x as f32)
    };
    let projection: [[f32; 4]; 4] =
        [[1.5, 0.0, 0.1, 0.0], [0.0, 2.0, 0.0, 0.25], [0.0, 0.0, -1.01, -0.2], [0.0, 0.0, -1.0, 3.0]];
    let (light, diffuse) = ([0.6_f32, 0.0, 0.8, 0.0], [0.9_f32, 0.5, 0.25, 1.0]);
    let offsets = [[1.0_f32, 2.0, 3.0, 1.0], [0.5, -1.0, 2.0, 1.0], [-2.0, 0.0, 1.0, 1.0], [0.25, 0.75, -0.5, 1.0]];
    let normals = [[0.0_f32, 0.6, 0.8, 0.5], [1.0, 0.0, 0.0, 0.25], [0.0, 0.0, 1.0, 0.125], [0.6, 0.8, 0.0, 0.125]];

    let mut constants: ConstantFile = [[0.0; 4]; 96];
    constants[..4].copy_from_slice(&projection);
    constants[5] = diffuse;
    constants[6] = light;
    for (b, &address) in addresses.iter().enumerate() {
        for row in 0..3 {
            constants[8 + address as usize + row] = bone(b, row);
        }
    }
    let mut attributes: Attributes = [UNSET; 16];
    attributes[0] = addresses;
    attributes[2] = normals[0];
    attributes[6] = normals[1];
    attributes[7] = normals[2];
    attributes[11] = normals[3];
    attributes[12..16].copy_from_slice(&offsets);
    attributes[8] = [0.3, 0.7, 9.0, 9.0];

    // v' = Σ w M v, n' = normalised Σ w R n, in f64.
    let dot =
        |row: &[f32; 4], v: &[f32; 4], n: usize| -> f64 { (0..n).map(|i| f64::from(row[i]) * f64::from(v[i])).sum() };
    let mut position = [0.0, 0.0, 0.0, 1.0];
    let mut normal = [0.0; 3];
    for b in 0..4 {
        let weight = f64::from(normals[b][3]);
        for row in 0..3 {
            position[row] += weight * dot(&bone(b, row), &offsets[b], 4);
            normal[row] += weight * dot(&bone(b, row), &normals[b], 3);
        }
    }
    let length = libm::sqrt(normal.iter().map(|x| x * x).sum());
    let clip = projection.map(|row| (0..4).map(|i| f64::from(row[i]) * position[i]).sum::<f64>());
    let lambert = (0..3).map(|i| f64::from(light[i]) * normal[i] / length).sum::<f64>();

    for model in [NumericModel::NvSpec, NumericModel::Ieee] {
        let machine = ScalarMachine::new(Settings { model, ..Settings::default() });
        let registers = machine.run(&program, &constants, &attributes);
        let hpos = registers.output(Output::Position);
        for (value, exact) in hpos.iter().zip(clip) {
            assert!((f64::from(*value) - exact).abs() < 1.0e-5, "{model:?} position {hpos:?}, exact {clip:?}");
        }
        let color = registers.output(Output::FrontPrimary);
        for i in 0..3 {
            let exact = (lambert * f64::from(diffuse[i])).clamp(0.0, 1.0);
            assert!((f64::from(color[i]) - exact).abs() < 1.0e-6, "{model:?} colour {color:?}");
        }
        assert!(lambert > 0.1, "the light has to fall on the vertex for this test to say anything");
        assert_eq!(registers.output(Output::Texture(0)), [0.3, 0.7, 0.0, 1.0]);
        // COL0.w is never written and keeps its initial value.
        assert_eq!(color[3], 1.0);
    }
}
