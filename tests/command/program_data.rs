//! Vertex programs on data: `program run --batch` on arrays of somebody's own, and `vertices --skinning program:FILE` on
//! scenes.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use refrast::golden::NumberTable;

use crate::folder::Folder;

impl Folder {
    /// Runs a command in the folder, and expects this exit status; what it says on standard output, then on standard error.
    #[track_caller]
    fn refrast(&self, line: &str, status: i32) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_refrast"));
        let Output { status: own, stdout, stderr } =
            command.args(line.split(' ')).current_dir(&self.0).output().unwrap();
        let [stdout, stderr] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert_eq!(own.code(), Some(status), "{line}: {stdout}{stderr}");
        (stdout, stderr)
    }

    /// Writes an NPY file as numpy does, of little-endian f32.
    fn npy(&self, name: &str, descr: &str, shape: &str, numbers: &[f32]) {
        let header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        fs::write(self.path(name), bytes).unwrap();
    }
}

fn column(path: &Path, name: &str) -> Vec<f32> {
    let table = NumberTable::read_npy(path).unwrap();
    table.columns.into_iter().find(|column| column.name == name).unwrap().values
}

/// A matrix by rows, and a colour that is the normal times a number.
const PROGRAM: &str = "!!VP1.0
DP4 o[HPOS].x, v[OPOS], c[0];
DP4 o[HPOS].y, v[OPOS], c[1];
DP4 o[HPOS].z, v[OPOS], c[2];
DP4 o[HPOS].w, v[OPOS], c[3];
MUL o[COL0], v[NRML], c[4].x;
END
";

#[test]
fn a_program_runs_over_arrays_with_constants_from_a_file() {
    let folder = Folder::new("batch");
    fs::write(folder.path("own.vp"), PROGRAM).unwrap();
    // Twice x, y and z exchanged and moved by 10; then half of the normal.
    let constants = [
        [2.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 10.0],
        [0.0, 1.0, 0.0, -10.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.5, 0.0, 0.0, 0.0],
    ];
    folder.npy("constants.npy", "'<f4'", "(5, 4)", constants.as_flattened());
    // Of each vertex: an index that nobody asked for, a position, a normal.
    let rows = [[7.0, 1.0, 2.0, 3.0, 0.5, 1.0, -1.0], [8.0, -4.0, 0.25, 6.0, 2.0, 4.0, 0.0]];
    let fields = "[('age', '<f4'), ('position', '<f4', (3,)), ('v2', '<f4', (3,))]";
    folder.npy("in.npy", fields, "(2,)", rows.as_flattened());
    let line = "program run own.vp --constants constants.npy --batch in.npy -o out.npy";
    let (out, notes) = folder.refrast(line, 0);
    assert!(out.is_empty() && notes.contains("in.npy: not read: age;") && notes.contains("2 rows"), "{notes}");
    let position = column(&folder.path("out.npy"), "HPOS");
    assert_eq!(position, [2.0, 13.0, -8.0, 1.0, -8.0, 16.0, -9.75, 1.0]);
    // Colours are clamped to [0, 1]; the w of a normal of three numbers is 1.
    assert_eq!(column(&folder.path("out.npy"), "COL0"), [0.25, 0.5, 0.0, 0.5, 1.0, 1.0, 0.0, 0.5]);
    folder.refrast(&format!("{line} --no-clamp"), 0);
    assert_eq!(column(&folder.path("out.npy"), "COL0"), [0.25, 0.5, -0.5, 0.5, 1.0, 2.0, 0.0, 0.5]);

    // The scalar machine says the same of the second row.
    let one = "program run own.vp --constants constants.npy --attributes v0=-4,0.25,6;v2=2,4,0";
    assert_eq!(folder.refrast(one, 0).0, "o[HPOS] = (-8, 16, -9.75, 1)\no[COL0] = (1, 1, 0, 0.5)\n");

    // Plain numbers are positions, and what is not there is told.
    folder.npy("plain.npy", "'<f4'", "(1, 3)", &[1.0, 2.0, 3.0]);
    let line = "program run own.vp --constants constants.npy --batch plain.npy -o out.npy --attributes v2=2,2,2,2";
    let (_, notes) = folder.refrast(line, 0);
    assert!(notes.contains("v[NRML] is not in plain.npy: (2, 2, 2, 2) for every row"), "{notes}");
    assert_eq!(column(&folder.path("out.npy"), "COL0"), [1.0; 4]);
}

#[test]
fn what_can_not_be_run_over_arrays_is_told_with_its_remedy() {
    let folder = Folder::new("batch-errors");
    fs::write(folder.path("own.vp"), PROGRAM).unwrap();
    fs::write(folder.path("state.vp"), "!!VSP1.0\nMOV c[0], v[0];\nEND\n").unwrap();
    folder.npy("ages.npy", "[('age', '<f4')]", "(1,)", &[1.0]);
    folder.npy("wide.npy", "'<f4'", "(1, 5)", &[0.0; 5]);
    folder.npy("plain.npy", "'<f4'", "(1, 3)", &[0.0; 3]);
    folder.npy("many.npy", "'<f4'", "(97, 4)", &[0.0; 97 * 4]);
    for (line, expected) in [
        ("own.vp --batch ages.npy -o out.npy", "none of its fields is an attribute (age); name a field v0 to v15"),
        ("own.vp --batch wide.npy -o out.npy", "field `` has 5 numbers a row; a register holds 1 to 4"),
        ("state.vp --batch plain.npy -o out.npy", "run it on the scalar machine"),
        ("own.vp --batch plain.npy -o out.npy --constants many.npy", "constants are at most 96 rows of 1 to 4"),
        ("own.vp --batch plain.npy -o out.npy --constants ages.npy --attributes age=1", "there is no register `age`"),
        ("own.vp --batch plain.npy", "--output"),
        ("own.vp --batch absent.npy -o out.npy", "absent.npy"),
    ] {
        let (_, notes) = folder.refrast(&format!("program run {line}"), 2);
        assert!(notes.contains(expected), "{line}: {notes}");
    }
    assert!(!folder.path("out.npy").exists());
}

/// A program that lights nothing and moves nothing: the matrix that every draw has.
const PLAIN: &str = "!!VP1.0
DP4 o[HPOS].x, v[OPOS], c[0];
DP4 o[HPOS].y, v[OPOS], c[1];
DP4 o[HPOS].z, v[OPOS], c[2];
DP4 o[HPOS].w, v[OPOS], c[3];
MOV o[COL0], v[COL0];
MOV o[TEX0], v[TEX0];
END
";

#[test]
fn what_programs_make_of_a_scene_is_held_against_the_exact_vertices() {
    let folder = Folder::new("program-vertices");
    fs::write(folder.path("plain.vp"), PLAIN).unwrap();
    let scene = "mannequin --animation Flex --time 1 --size 640x480";
    folder.refrast(&format!("vertices {scene} --given palette -o golden.npy --matrices matrices.json"), 0);
    // Four joints move the vertices in one, and in the other they are moved before a program that knows no joints.
    for program in ["bone_offset_4", "plain.vp"] {
        let line = format!("vertices {scene} --skinning program:{program} --model ieee -o {program}.npy");
        let (_, notes) = folder.refrast(&line, 0);
        assert!(notes.contains("in clip space"), "{notes}");
        let line = format!("compare golden.npy {program}.npy --space clip --matrices matrices.json");
        let (verdict, _) = folder.refrast(&line, 0);
        assert!(verdict.starts_with("SAME: "), "{verdict}");
    }
    // One joint a vertex is another program.
    folder.refrast(&format!("vertices {scene} --skinning program:bone_offset_1 --model ieee -o one.npy"), 0);
    let (verdict, _) = folder.refrast("compare golden.npy one.npy --space clip --matrices matrices.json", 1);
    assert!(verdict.starts_with("DIFFERENT: "), "{verdict}");

    for (line, expected) in [
        ("-o out.csv", "is written as .npy"),
        ("-o out.npy --given file", "--given is about bounds"),
        ("-o out.npy --any-rounding", "--any-rounding is about bounds"),
    ] {
        let (_, notes) = folder.refrast(&format!("vertices mannequin --skinning program:plain.vp {line}"), 2);
        assert!(notes.contains(expected), "{line}: {notes}");
    }
}

#[test]
fn a_program_without_joints_draws_what_native_skinning_draws() {
    let folder = Folder::new("program-pictures");
    fs::write(folder.path("plain.vp"), PLAIN).unwrap();
    let scene = "mannequin --animation Walk --time 0.3 --size 200x300 --shading unlit";
    folder.refrast(&format!("render {scene} -o native.png"), 0);
    folder.refrast(&format!("render {scene} --skinning program:plain.vp --model ieee -o program.png"), 0);
    // White vertex colours times the texture, as `unlit` has it; a rounding of the position may move an edge's pixel.
    let (verdict, _) = folder.refrast("compare native.png program.png --metric flip --max-differing 10", 0);
    assert!(verdict.contains("same"), "{verdict}");
    // Weights without a palette would leave everybody guessing.
    fs::write(folder.path("weights.vp"), PLAIN.replace("v[COL0]", "v[WGHT]")).unwrap();
    let (_, notes) = folder.refrast("render mannequin --skinning program:weights.vp -o out.png", 2);
    assert!(notes.contains("reads weights, joints or morph targets, but no palette"), "{notes}");
}
