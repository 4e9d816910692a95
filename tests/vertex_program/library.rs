//! The library's programs: every form assembles, the forms agree bit by bit, and each computes the mathematics that
//! its head states, evaluated here in f64.

use refrast::vertex_program::{
    Attributes, ConstantBudget, ConstantFile, Dialect, LIBRARY, LibraryProgram, NumericModel, Output, Program,
    ScalarMachine, Settings, UNSET, assemble,
};

fn program(text: &str) -> Program {
    assemble(text).unwrap_or_else(|error| panic!("{}", error.render("library", text))).program
}

fn random(state: &mut u32) -> f64 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    f64::from(f32::from_bits(0x3f80_0000 | *state >> 9)) * 2.0 - 3.0
}

type Vector = [f64; 3];
type Affine = [[f64; 4]; 3];

/// A rotation by a random unit quaternion (x, y, z, w), with a translation; and the dual quaternion of both.
fn joint(state: &mut u32) -> (Affine, [[f64; 4]; 2]) {
    let q: [f64; 4] = std::array::from_fn(|_| random(state));
    let length = libm::sqrt(q.iter().map(|x| x * x).sum());
    let [x, y, z, w] = q.map(|c| c / length);
    let [tx, ty, tz]: Vector = std::array::from_fn(|_| 3.0 * random(state));
    let matrix = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y), tx],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x), ty],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y), tz],
    ];
    // Half the product of the translation (as a pure quaternion) and the rotation.
    let dual = [
        0.5 * (tx * w + ty * z - tz * y),
        0.5 * (-tx * z + ty * w + tz * x),
        0.5 * (tx * y - ty * x + tz * w),
        -0.5 * (tx * x + ty * y + tz * z),
    ];
    (matrix, [[x, y, z, w], dual])
}

fn transform(matrix: &Affine, v: Vector, w: f64) -> Vector {
    matrix.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w)
}

fn add(a: Vector, b: Vector, scale: f64) -> Vector {
    std::array::from_fn(|i| a[i] + scale * b[i])
}

fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: Vector) -> Vector {
    let length = libm::sqrt(dot(v, v));
    v.map(|x| x / length)
}

fn row4(v: [f64; 4]) -> [f32; 4] {
    v.map(|x| x as f32)
}

fn with_w(v: Vector, w: f64) -> [f32; 4] {
    row4([v[0], v[1], v[2], w])
}

fn widened(v: [f32; 4]) -> Vector {
    [f64::from(v[0]), f64::from(v[1]), f64::from(v[2])]
}

/// One vertex and the constants of a draw, with numbers that f32 holds exactly.
struct Scene {
    constants: ConstantFile,
    attributes: Attributes,
    matrices: Vec<Affine>,
    /// For each influence: joint and weight.
    influences: [(usize, f64); 4],
    position: Vector,
    normal: Vector,
}

impl Scene {
    fn new(seed: u32, rows: usize) -> Self {
        let mut state = seed;
        let mut constants: ConstantFile = [[0.0; 4]; 96];
        for row in &mut constants[..4] {
            *row = row4(std::array::from_fn(|_| random(&mut state)));
        }
        constants[4] = with_w(unit(std::array::from_fn(|_| random(&mut state))), 0.0);
        constants[5] = [0.75, 0.5, 0.25, 0.875];
        constants[6] = [0.125, 0.0625, 0.1875, 0.0];
        constants[7] = [0.0, 1.0, 0.5, 2.0];
        let joints: Vec<_> = (0..84 / rows).map(|_| joint(&mut state)).collect();
        let mut matrices = Vec::new();
        for (j, (matrix, dual_quaternion)) in joints.iter().enumerate() {
            let place = 12 + rows * j;
            if rows == 3 {
                constants[place..place + 3].copy_from_slice(&matrix.map(row4));
            } else {
                constants[place..place + 2].copy_from_slice(&dual_quaternion.map(row4));
            }
            matrices.push(matrix.map(|row| row.map(|x| f64::from(x as f32))));
        }
        let pick = |state: &mut u32| (libm::fabs(random(state)) * 1000.0) as usize % joints.len();
        let weights = [0.5, 0.25, 0.1875, 0.0625];
        let influences = weights.map(|weight| (pick(&mut state), weight));
        let mut attributes = [UNSET; 16];
        attributes[0] = with_w(std::array::from_fn(|_| random(&mut state)), 1.0);
        attributes[1] = row4(weights);
        attributes[2] = with_w(unit(std::array::from_fn(|_| random(&mut state))), 1.0);
        attributes[6] = influences.map(|(joint, _)| (rows * joint) as f32);
        attributes[8] = [0.25, 0.75, 5.0, 6.0];
        let (position, normal) = (widened(attributes[0]), widened(attributes[2]));
        Self { constants, attributes, matrices, influences, position, normal }
    }

    /// Runs all three forms in both models; checks that the forms agree; gives the results of each model.
    fn run(&self, name: &str) -> [[[f32; 4]; 15]; 2] {
        let texts = LibraryProgram::named(name).unwrap().texts();
        [NumericModel::NvSpec, NumericModel::Ieee].map(|model| {
            let machine = ScalarMachine::new(Settings { model, ..Settings::default() });
            let results = texts.map(|text| {
                let program = program(text);
                let constants = program.constant_file_from(&self.constants).unwrap();
                machine.run(&program, &constants, &self.attributes).outputs
            });
            assert_eq!(results[0], results[1], "{name}: the ARB form differs");
            assert_eq!(results[0], results[2], "{name}: the vs_1_1 form differs");
            results[0]
        })
    }

    fn clip(&self, v: Vector) -> [f64; 4] {
        std::array::from_fn(|i| dot(widened(self.constants[i]), v) + f64::from(self.constants[i][3]))
    }

    fn assert_position(&self, name: &str, results: &[[f32; 4]; 15], position: Vector) {
        for (found, exact) in results[Output::Position.index()].iter().zip(self.clip(position)) {
            assert!((f64::from(*found) - exact).abs() < 2.0e-5, "{name}: position {results:?}, exact {position:?}");
        }
    }

    fn assert_lit(&self, name: &str, results: &[[f32; 4]; 15], position: Vector, normal: Vector) {
        self.assert_position(name, results, position);
        let lambert = dot(unit(normal), widened(self.constants[4])).max(0.0);
        let color = results[Output::FrontPrimary.index()];
        for (i, &found) in color.iter().enumerate().take(3) {
            let [diffuse, ambient] = [self.constants[5], self.constants[6]].map(|constant| f64::from(constant[i]));
            let exact = (ambient + diffuse * lambert).clamp(0.0, 1.0);
            assert!((f64::from(found) - exact).abs() < 1.0e-5, "{name}: colour {color:?}");
        }
        assert_eq!(color[3], 0.875);
        assert_eq!(results[Output::Texture(0).index()][..2], [0.25, 0.75]);
    }
}

#[test]
fn every_form_assembles_in_its_dialect() {
    for library in LIBRARY {
        let dialects = library.texts().map(|text| program(text).dialect);
        assert_eq!(dialects, [Dialect::Vp10, Dialect::Arb10, Dialect::Vs11], "{}", library.name);
    }
    assert_eq!(LIBRARY.len(), 16);
}

#[test]
fn the_budget_is_28_joints_or_42_dual_quaternions() {
    for library in LIBRARY {
        for text in library.texts() {
            let budget = ConstantBudget::of(&program(text), 96).map(|budget| (budget.rows_per_joint, budget.joints));
            // (96 − 12) / 3 and (96 − 12) / 2.
            let expected = match library.name {
                "two_matrix_blend" | "morph_targets_5" => None,
                "dual_quaternion_4" => Some((2, 42)),
                _ => Some((3, 28)),
            };
            assert_eq!(budget, expected, "{}", library.name);
        }
    }
}

#[test]
fn bone_offset_blends_joints_in_the_rest_pose() {
    for seed in 0..20 {
        let scene = Scene::new(seed, 3);
        for count in 1..=4 {
            let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
            for &(joint, weight) in &scene.influences[..count] {
                position = add(position, transform(&scene.matrices[joint], scene.position, 1.0), weight);
                normal = add(normal, transform(&scene.matrices[joint], scene.normal, 0.0), weight);
            }
            let mut names = vec![format!("bone_offset_{count}")];
            if count == 4 {
                names.push("accumulated_matrix".to_owned());
            }
            for name in names {
                scene.run(&name).iter().for_each(|results| scene.assert_lit(&name, results, position, normal));
            }
        }
    }
}

#[test]
fn the_tangent_basis_is_skinned_and_the_light_seen_from_it() {
    for seed in 0..20 {
        let mut scene = Scene::new(seed, 3);
        let (tangent, binormal) = (unit(cross(scene.normal, [0.3, 0.5, -0.7])), scene.normal);
        // Of a mirrored texture as well.
        let handedness = if seed % 2 == 0 { 1.0 } else { -1.0 };
        scene.attributes[9] = with_w(tangent, handedness);
        scene.attributes[10] = with_w(binormal, 1.0);
        // An eye at a place, or far away in a direction.
        scene.constants[8] = with_w([2.0, -3.5, 4.0], if seed % 3 == 0 { 0.0 } else { 1.0 });
        scene.constants[9] = [0.125, 0.25, 0.5, 0.0];
        for count in 1..=4 {
            let [mut position, mut t, mut b] = [[0.0; 3]; 3];
            for &(joint, weight) in &scene.influences[..count] {
                let matrix = &scene.matrices[joint];
                position = add(position, transform(matrix, scene.position, 1.0), weight);
                t = add(t, transform(matrix, widened(scene.attributes[9]), 0.0), weight);
                b = add(b, transform(matrix, widened(scene.attributes[10]), 0.0), weight);
            }
            let (t, b) = (unit(t), unit(b));
            let light = widened(scene.constants[4]);
            let normal = cross(t, b).map(|x| handedness * x);
            let seen_from = |vector: Vector| [dot(t, vector), dot(b, vector), dot(normal, vector)];
            let exact = seen_from(light);
            let eye = add(widened(scene.constants[8]), position, -f64::from(scene.constants[8][3]));
            let exact_half = seen_from(add(light, unit(eye), 1.0));
            let name = format!("bone_offset_tangent_{count}");
            for results in scene.run(&name) {
                scene.assert_position(&name, &results, position);
                let found = widened(results[Output::Texture(1).index()]);
                assert!((0..3).all(|i| (found[i] - exact[i]).abs() < 1.0e-5), "{name}: {found:?}, exact {exact:?}");
                let found = widened(results[Output::Texture(2).index()]);
                let is_close = (0..3).all(|i| (found[i] - exact_half[i]).abs() < 1.0e-5);
                assert!(is_close, "{name}: {found:?}, exact {exact_half:?}");
                assert_eq!(results[Output::FrontPrimary.index()], scene.constants[5]);
                assert_eq!(results[Output::FrontSecondary.index()], scene.constants[9]);
            }
        }
    }
}

#[test]
fn vertex_offset_reads_a_position_and_a_normal_for_each_joint() {
    for seed in 0..20 {
        let mut scene = Scene::new(seed, 3);
        let mut state = seed ^ 0xabcd;
        scene.attributes[0] = scene.attributes[6];
        let parts: [(usize, usize); 4] = [(2, 12), (6, 13), (7, 14), (11, 15)];
        for (&(normal, position), (_, weight)) in parts.iter().zip(scene.influences) {
            scene.attributes[normal] = with_w(unit(std::array::from_fn(|_| random(&mut state))), weight);
            scene.attributes[position] = with_w(std::array::from_fn(|_| random(&mut state)), 1.0);
        }
        for count in 1..=4 {
            let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
            for (&(n, p), &(joint, weight)) in parts.iter().zip(&scene.influences).take(count) {
                let matrix = &scene.matrices[joint];
                position = add(position, transform(matrix, widened(scene.attributes[p]), 1.0), weight);
                normal = add(normal, transform(matrix, widened(scene.attributes[n]), 0.0), weight);
            }
            let name = format!("vertex_offset_{count}");
            scene.run(&name).iter().for_each(|results| scene.assert_lit(&name, results, position, normal));
        }
    }
}

#[test]
fn two_matrices_blend_by_one_weight() {
    for seed in 0..20 {
        let scene = Scene::new(seed, 3);
        let blend = |v: Vector, w: f64| {
            let [a, b] = [0, 1].map(|joint| transform(&scene.matrices[joint], v, w));
            add(a.map(|x| 0.5 * x), b, 0.5)
        };
        let (position, normal) = (blend(scene.position, 1.0), blend(scene.normal, 0.0));
        for results in scene.run("two_matrix_blend") {
            scene.assert_lit("two_matrix_blend", &results, position, normal);
        }
    }
}

#[test]
fn five_morph_targets_add_to_position_and_normal() {
    for seed in 0..20 {
        let mut scene = Scene::new(seed, 3);
        let mut state = seed ^ 0x5555;
        let weights = [0.5, -0.25, 1.0, 0.125, 0.75];
        scene.constants[8] = row4([weights[0], weights[1], weights[2], weights[3]]);
        scene.constants[9] = [weights[4] as f32, 9.0, 9.0, 9.0];
        let (mut position, mut normal) = (scene.position, scene.normal);
        for (weight, (p, n)) in weights.into_iter().zip([(1, 3), (4, 5), (6, 7), (9, 10), (11, 12)]) {
            scene.attributes[p] = with_w(std::array::from_fn(|_| random(&mut state)), 1.0);
            scene.attributes[n] = with_w(std::array::from_fn(|_| 0.25 * random(&mut state)), 1.0);
            position = add(position, widened(scene.attributes[p]), weight);
            normal = add(normal, widened(scene.attributes[n]), weight);
        }
        for results in scene.run("morph_targets_5") {
            scene.assert_lit("morph_targets_5", &results, position, normal);
        }
    }
}

#[test]
fn dual_quaternions_blend_on_one_hemisphere() {
    let mut flipped = 0;
    for seed in 0..40 {
        let scene = Scene::new(seed, 2);
        let place = |joint: usize| 12 + 2 * joint;
        let part = |joint: usize, row: usize| scene.constants[place(joint) + row].map(f64::from);
        let dot4 = |a: [f64; 4], b: [f64; 4]| (0..4).map(|i| a[i] * b[i]).sum::<f64>();
        let first = part(scene.influences[0].0, 0);
        let (mut real, mut dual) = ([0.0; 4], [0.0; 4]);
        for &(joint, weight) in &scene.influences {
            let sign = if dot4(part(joint, 0), first) < 0.0 { -1.0 } else { 1.0 };
            flipped += i32::from(sign < 0.0);
            for i in 0..4 {
                real[i] += sign * weight * part(joint, 0)[i];
                dual[i] += sign * weight * part(joint, 1)[i];
            }
        }
        let length = libm::sqrt(dot4(real, real));
        let [x, y, z, w] = real.map(|c| c / length);
        let [dx, dy, dz, dw] = dual.map(|c| c / length);
        let q = [x, y, z];
        // Rotation by the sandwich product, written as a matrix-free formula: v + 2w(q×v) + 2q×(q×v).
        let rotate = |v: Vector| add(add(v, cross(q, v), 2.0 * w), cross(q, cross(q, v)), 2.0);
        // Translation: the vector part of 2·dual·conjugate(real).
        let d = [dx, dy, dz];
        let translation = add(add(d.map(|c| 2.0 * w * c), q, -2.0 * dw), cross(q, d), 2.0);
        let position = add(rotate(scene.position), translation, 1.0);
        for results in scene.run("dual_quaternion_4") {
            scene.assert_lit("dual_quaternion_4", &results, position, rotate(scene.normal));
        }
        // With all weight on one joint it is that joint's matrix.
        let mut rigid = scene;
        rigid.attributes[1] = [1.0, 0.0, 0.0, 0.0];
        let matrix = rigid.matrices[rigid.influences[0].0];
        let exact = transform(&matrix, rigid.position, 1.0);
        let normal = transform(&matrix, rigid.normal, 0.0);
        for results in rigid.run("dual_quaternion_4") {
            rigid.assert_lit("dual_quaternion_4", &results, exact, normal);
        }
    }
    assert!(flipped > 10, "the test has to meet joints on the other hemisphere");
}
