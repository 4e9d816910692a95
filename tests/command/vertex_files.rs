//! Vertices as people have them: what `refrast compare` reads of other programs, and what our pages give them to write it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use glam::{DMat4, DVec3};
use refrast::golden::{SpaceMatrices, VertexBuffer};

/// A folder of this test's own, removed when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("refrast-vertex-files-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).expect("the temporary folder is writable");
        Self(path)
    }

    /// With the vertices of a moment as golden.npy and the matrices as matrices.json.
    fn with_golden(name: &str) -> (Self, VertexBuffer, SpaceMatrices) {
        let folder = Self::new(name);
        let moment = ["--animation", "Flex", "--time", "0.7", "--camera", "orbit:30,10", "--size", "320x200"];
        let out = ["-o", "golden.npy", "--matrices", "matrices.json"];
        let written = folder.run(&[&["vertices", "mannequin"], &moment[..], &out].concat());
        assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
        let buffer = VertexBuffer::read_npy(&folder.0.join("golden.npy")).expect("it was just written");
        let matrices = SpaceMatrices::read(&folder.0.join("matrices.json")).expect("they were just written");
        (folder, buffer, matrices)
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let program = env!("CARGO_BIN_EXE_refrast");
        Command::new(program).args(arguments).current_dir(&self.0).output().expect("the program starts")
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.0.join(name), bytes).expect("the folder is writable");
    }

    /// The exit status of a comparison with the golden, and what was said.
    fn compare(&self, candidate: &str, more: &[&str]) -> (Option<i32>, String) {
        let output = self.run(&[&["compare", "golden.npy", candidate], more].concat());
        let said = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(said).expect("text"))
    }

    /// Right as it is, wrong after `spoil`.
    fn judge(&self, candidate: &str, more: &[&str], bytes: &mut [u8], spoil: impl Fn(&mut [u8])) {
        self.write(candidate, &bytes);
        let (status, said) = self.compare(candidate, more);
        assert_eq!(status, Some(0), "{candidate} {more:?}: {said}");
        spoil(bytes);
        self.write(candidate, bytes);
        let (status, said) = self.compare(candidate, more);
        assert_eq!(status, Some(1), "{candidate} {more:?}: {said}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn npy(descr: &str, numbers: usize, rows: usize, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({rows}, {numbers}), }}\n");
    [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes(), data].concat()
}

fn floats(numbers: impl IntoIterator<Item = f64>) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| (number as f32).to_le_bytes()).collect()
}

/// Moves the last number of a file by a thousandth of itself and more.
fn spoil_last(bytes: &mut [u8]) {
    let at = bytes.len() - 4;
    let number = f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    bytes[at..].copy_from_slice(&(number * 1.01 + 0.01).to_le_bytes());
}

#[test]
fn plain_arrays_and_raw_buffers_are_judged() {
    let (folder, golden, _) = Folder::with_golden("plain");
    let rows = golden.len();
    let positions = golden.position.values.iter().flatten().copied();
    folder.judge("a.npy", &[], &mut npy("<f4", 3, rows, &floats(positions.clone())), spoil_last);
    let homogeneous = golden.position.values.iter().flat_map(|&[x, y, z]| [x, y, z, 1.0]);
    let four = npy("<f4", 4, rows, &floats(homogeneous.clone()));
    folder.judge("b.npy", &[], &mut four.clone(), |bytes| {
        let y = bytes.len() - 12;
        bytes[y..y + 4].copy_from_slice(&7f32.to_le_bytes());
    });
    let doubles: Vec<u8> = positions.clone().flat_map(f64::to_le_bytes).collect();
    folder.judge("c.npy", &[], &mut npy("<f8", 3, rows, &doubles), |bytes| {
        let last = bytes.len() - 8;
        bytes[last..].copy_from_slice(&9f64.to_le_bytes());
    });
    // Binary16 has 11 bits: no right number, but one that is read, and within what is accepted.
    let halves: Vec<u8> = positions.clone().flat_map(|number| half::f16::from_f64(number).to_le_bytes()).collect();
    folder.write("d.npy", npy("<f2", 3, rows, &halves));
    assert_eq!(folder.compare("d.npy", &[]).0, Some(1));

    let normals = &golden.normal.as_ref().expect("it has normals").values;
    let interleaved = golden.position.values.iter().zip(normals).flat_map(|(position, normal)| [*position, *normal]);
    let layout = ["--layout", "position:f32x3@0,normal:f32x3@12", "--stride", "24"];
    folder.judge("e.bin", &layout, &mut floats(interleaved.flatten()), spoil_last);

    let (status, said) = folder.compare("e.bin", &[]);
    assert!(status == Some(2) && !said.contains("panicked"), "{said}");
    folder.write("f.npy", npy("<f4", 2, 1, &[0; 8]));
    let (status, said) = folder.compare("f.npy", &[]);
    assert!(status == Some(2) && said.contains("(N, 3) or (N, 4)") && said.contains("`normal` (3)"), "{said}");
    let raw = ["--layout", "place:f32x3"];
    assert!(folder.compare("e.bin", &raw).1.contains("position:f32x3@0,normal:f32x3@12"));
}

/// Right backends that take other ways there, in f32: step by step, by one matrix, and in the mesh's own space.
#[test]
fn every_space_holds_what_is_right_there_and_nothing_else() {
    let (folder, golden, matrices) = Folder::with_golden("spaces");
    let rows = golden.len();
    let matrix = |numbers: [f32; 16]| DMat4::from_cols_array(&numbers.map(f64::from));
    let (view, projection) = (matrix(matrices.view.unwrap()), matrix(matrices.projection.unwrap()));
    let exact = |row: usize| DVec3::from(golden.position.values[row]);
    let world_of = |row: usize| {
        let node = golden.ids.as_ref().expect("the golden says which vertex is which")[row].node;
        matrix(matrices.models.iter().find(|model| model.node == node).expect("every node is there").world)
    };
    let more = |space: &'static str| ["--space", space, "--matrices", "matrices.json"];

    let seen = (0..rows).flat_map(|row| view.as_mat4().transform_point3(exact(row).as_vec3()).to_array());
    folder.judge("view.npy", &more("view"), &mut npy("<f4", 3, rows, &floats(seen.map(f64::from))), spoil_last);
    let own =
        (0..rows).flat_map(|row| world_of(row).as_mat4().inverse().transform_point3(exact(row).as_vec3()).to_array());
    folder.judge("model.npy", &more("model"), &mut npy("<f4", 3, rows, &floats(own.map(f64::from))), spoil_last);

    let at_once = (projection.as_mat4() * view.as_mat4()).as_dmat4();
    let steps = |row: usize| {
        (projection.as_mat4() * (view.as_mat4() * exact(row).as_vec3().extend(1.0))).to_array().map(f64::from)
    };
    let whole = |row: usize| (at_once.as_mat4() * exact(row).as_vec3().extend(1.0)).to_array().map(f64::from);
    for way in [&steps as &dyn Fn(usize) -> [f64; 4], &whole] {
        folder.judge("clip.npy", &more("clip"), &mut npy("<f4", 4, rows, &floats((0..rows).flat_map(way))), spoil_last);
    }
    // A debugger's table, by its indices.
    let table = |move_by: f64| {
        let line = |row: usize| {
            let [x, y, z, w] = steps(row);
            format!("{row}, {row}, {x}, {y}, {z}, {}\n", if row == 11 { w + move_by } else { w })
        };
        let head = "VTX, IDX, gl_Position.x, gl_Position.y, gl_Position.z, gl_Position.w\n".to_owned();
        head + &(3..40).chain(5..9).map(line).collect::<String>()
    };
    folder.write("mesh.csv", table(0.0));
    let (status, said) = folder.compare("mesh.csv", &more("clip"));
    assert!(status == Some(0) && said.contains("SAME: 37 vertices"), "{said}");
    folder.write("mesh.csv", table(1e-3));
    let (status, said) = folder.compare("mesh.csv", &more("clip"));
    assert!(status == Some(1) && said.contains("vertex 11") && said.contains("w by 1.00e-3"), "{said}");

    let (status, said) = folder.compare("clip.npy", &["--space", "clip"]);
    assert!(status == Some(2) && said.contains("`view` matrix") && said.contains("--matrices"), "{said}");
    let (status, said) = folder.compare("clip.npy", &[]);
    assert!(status == Some(2) && said.contains("--space clip"), "{said}");
    let (status, said) = folder.compare("view.npy", &more("clip"));
    assert!(status == Some(2) && said.contains("position:f32x4"), "{said}");
}

/// A program of this name, if the machine has it.
fn found(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: {program} is not installed, so what is written for it is not run");
    }
    there
}

/// What the pages give to other languages, run on vertices as literals.
#[test]
fn the_writers_on_the_pages_write_what_is_read() {
    let (folder, golden, _) = Folder::with_golden("writers");
    let page =
        |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/write-vertices").join(name).display().to_string();
    let normals = &golden.normal.as_ref().expect("it has normals").values;
    let literals = |vectors: &[[f64; 3]], open: &str, close: &str| -> String {
        let vector = |[x, y, z]: &[f64; 3]| format!("{open}{x:?}, {y:?}, {z:?}{close},\n");
        vectors.iter().map(vector).collect()
    };
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).current_dir(&folder.0).output().expect("it was found");
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let same = |name: &str| {
        let (status, said) = folder.compare(name, &[]);
        assert_eq!(status, Some(0), "{name}: {said}");
        said
    };
    if found("g++") {
        let cast = |vectors: &[[f64; 3]]| literals(vectors, "{(float)", "}").replace(", ", ", (float)");
        let text = format!(
            "#include \"{}\"\nint main() {{\nrefrast::Vertices vertices;\nvertices.positions = {{\n{}}};\nvertices.normals = \
             {{\n{}}};\nrefrast::write_vertices(\"cpp.npy\", vertices);\n}}\n",
            page("refrast_vertices.hpp"),
            cast(&golden.position.values),
            cast(normals)
        );
        folder.write("main.cpp", text);
        run("g++", &["-std=c++17", "-Wall", "-Wextra", "-Werror", "-O0", "main.cpp", "-o", "writer"]);
        run(&folder.0.join("writer").display().to_string(), &[]);
        assert!(same("cpp.npy").contains("normal: 0 of"));
    }
    if found("python3") {
        let text = format!(
            "import sys\nsys.path.insert(0, {:?})\nfrom refrast_vertices import write_vertices\nwrite_vertices('py.npy', [{}], [{}])\n",
            page(""),
            literals(&golden.position.values, "(", ")"),
            literals(normals, "(", ")")
        );
        folder.write("main.py", text.replace("NaN", "float('nan')"));
        run("python3", &["-B", "main.py"]);
        assert!(same("py.npy").contains("normal: 0 of"));
    }
    if found("node") {
        let text = format!(
            "import fs from 'fs';\nimport {{ vertexFile }} from 'file://{}';\nfs.writeFileSync('js.npy', vertexFile(new Float32Array([{}])));\n",
            page("refrast_vertices.mjs"),
            literals(&golden.position.values, "", "")
        );
        folder.write("main.mjs", text);
        run("node", &["main.mjs"]);
        assert!(same("js.npy").contains("normal: not compared"));
    }
}
