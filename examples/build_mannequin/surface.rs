//! From a field to triangles: dual contouring of a uniform grid, one vertex for each sheet of surface in a cell.
//!
//! The surface is followed from cell to cell, so only cells that it crosses are ever visited and the result is one
//! connected, closed mesh. Splitting a cell's vertex by sheet is what keeps it manifold where two sheets pass through
//! one cell (Schaefer, Ju, Warren: "Manifold Dual Contouring", 2007; here without the octree).

use glam::DVec3;
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Triangles over shared positions; counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub(crate) positions: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// An edge of a cell: its axis and its offsets along the two following axes (cyclic).
const fn edge(axis: usize, second: usize, third: usize) -> usize {
    axis * 4 + second * 2 + third
}

/// A corner of the grid, or the cell that has it as its lowest corner.
type Address = [i32; 3];

fn moved(at: Address, by: Address) -> Address {
    std::array::from_fn(|axis| at[axis] + by[axis])
}

/// The address `count` steps further along `axis`.
fn stepped(mut at: Address, axis: usize, count: i32) -> Address {
    at[axis] += count;
    at
}

/// A cell's corners are numbered x + 2y + 4z.
fn corner_offset(corner: usize) -> Address {
    std::array::from_fn(|axis| (corner >> axis & 1) as i32)
}

/// The two corners of an edge, the lower one first.
fn edge_corners(edge: usize) -> [usize; 2] {
    let (axis, second, third) = (edge / 4, edge / 2 % 2, edge % 2);
    let low = second << ((axis + 1) % 3) | third << ((axis + 2) % 3);
    [low, low | 1 << axis]
}

/// For each of the twelve edges the sheet that crosses it, or `None` where the field keeps its sign.
type Sheets = [Option<u8>; 12];

/// Groups the crossed edges of a cell into sheets. `inside` has a bit for each corner.
///
/// Edges are linked face by face. On a face whose corners alternate the inside corners are kept apart; both cells at
/// the face decide alike, so their sheets fit together.
fn sheets(inside: u8) -> Sheets {
    let crossed = |edge: usize| {
        let [a, b] = edge_corners(edge);
        (inside >> a & 1) != (inside >> b & 1)
    };
    let mut group: [usize; 12] = std::array::from_fn(|edge| edge);
    let mut link = |a: usize, b: usize| {
        let (from, to) = (group[a].max(group[b]), group[a].min(group[b]));
        group.iter_mut().filter(|entry| **entry == from).for_each(|entry| *entry = to);
    };
    for axis in 0..3 {
        for side in 0..2 {
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            // The face's four edges, and its corners by (second, third).
            let along_second = [0, 1].map(|at| edge(second, at, side));
            let along_third = [0, 1].map(|at| edge(third, side, at));
            let corner = |u: usize, v: usize| side << axis | u << second | v << third;
            let ring: Vec<usize> = along_second.into_iter().chain(along_third).filter(|&edge| crossed(edge)).collect();
            match ring[..] {
                [a, b] => link(a, b),
                [_, _, _, _] => {
                    for (u, v) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                        if inside >> corner(u, v) & 1 == 1 {
                            link(along_second[v], along_third[u]);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let mut seen: Vec<usize> = (0..12).filter(|&edge| crossed(edge)).map(|edge| group[edge]).collect();
    seen.sort_unstable();
    seen.dedup();
    std::array::from_fn(|edge| {
        crossed(edge).then(|| seen.iter().position(|&sheet| sheet == group[edge]).unwrap_or_default() as u8)
    })
}

struct Cell {
    sheets: Sheets,
    vertices: Vec<DVec3>,
}

/// The field on the grid's corners, computed once each.
struct Grid<'a, F: Fn(DVec3) -> f64> {
    field: &'a F,
    size: f64,
    values: HashMap<Address, f64>,
}

impl<F: Fn(DVec3) -> f64> Grid<'_, F> {
    /// The corner's place. The shift keeps corners off planes of symmetry, where the field can be exactly zero.
    fn place(&self, corner: Address) -> DVec3 {
        (DVec3::from(corner.map(f64::from)) + DVec3::new(0.5, 0.137, 0.271)) * self.size
    }

    fn value(&mut self, corner: Address) -> f64 {
        let place = self.place(corner);
        *self.values.entry(corner).or_insert_with(|| (self.field)(place))
    }

    fn cell(&mut self, at: Address) -> Cell {
        let values: [f64; 8] = std::array::from_fn(|corner| self.value(moved(at, corner_offset(corner))));
        let inside = (0..8).fold(0u8, |bits, corner| bits | u8::from(values[corner] < 0.0) << corner);
        let sheets = sheets(inside);
        let count = sheets.iter().flatten().max().map_or(0, |&last| usize::from(last) + 1);
        let mut sums = vec![(DVec3::ZERO, 0.0); count];
        for (edge, sheet) in sheets.iter().enumerate() {
            let Some(sheet) = sheet else { continue };
            let [a, b] = edge_corners(edge);
            let t = values[a] / (values[a] - values[b]);
            let crossing = self.place(moved(at, corner_offset(a))).lerp(self.place(moved(at, corner_offset(b))), t);
            let sum = &mut sums[usize::from(*sheet)];
            *sum = (sum.0 + crossing, sum.1 + 1.0);
        }
        Cell { sheets, vertices: sums.into_iter().map(|(sum, count)| sum / count).collect() }
    }
}

/// Extracts the closed surface that is met first when going from `inside` towards +Y, on a grid of cubes of edge
/// length `size`.
pub(crate) fn extract<F: Fn(DVec3) -> f64>(field: &F, inside: DVec3, size: f64) -> Mesh {
    let mut grid = Grid { field, size, values: HashMap::new() };
    let mut seed = (inside / size).floor().to_array().map(|steps| steps as i32);
    while grid.value(stepped(seed, 1, 1)) < 0.0 {
        seed[1] += 1;
    }
    let mut cells: BTreeMap<Address, Cell> = BTreeMap::new();
    let mut queue = VecDeque::from([seed]);
    while let Some(at) = queue.pop_front() {
        if cells.contains_key(&at) {
            continue;
        }
        let cell = grid.cell(at);
        for axis in 0..3 {
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            for (u, v) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                if cell.sheets[edge(axis, u, v)].is_some() {
                    let beside = stepped(at, second, 2 * u as i32 - 1);
                    let above = 2 * v as i32 - 1;
                    queue.extend([beside, stepped(at, third, above), stepped(beside, third, above)]);
                }
            }
        }
        cells.insert(at, cell);
    }
    stitch(&mut grid, &cells)
}

/// Makes a quad, cut along its shorter diagonal, for each crossed edge of the grid.
fn stitch<F: Fn(DVec3) -> f64>(grid: &mut Grid<'_, F>, cells: &BTreeMap<Address, Cell>) -> Mesh {
    let mut mesh = Mesh::default();
    let mut first_vertex = HashMap::new();
    for (&at, cell) in cells {
        first_vertex.insert(at, mesh.positions.len() as u32);
        mesh.positions.extend(&cell.vertices);
    }
    for (&at, cell) in cells {
        for axis in 0..3 {
            // Each crossed edge belongs to four cells; the one that has it at its low side makes the quad.
            if cell.sheets[edge(axis, 0, 0)].is_none() {
                continue;
            }
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            let mut ring = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(u, v)| {
                let neighbour = stepped(stepped(at, second, -u), third, -v);
                let sheet = cells[&neighbour].sheets[edge(axis, u as usize, v as usize)].unwrap_or_default();
                first_vertex[&neighbour] + u32::from(sheet)
            });
            if grid.value(at) >= 0.0 {
                ring.reverse();
            }
            let [a, b, c, d] = ring;
            let length =
                |from: u32, to: u32| (mesh.positions[from as usize] - mesh.positions[to as usize]).length_squared();
            let halves = if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
            mesh.triangles.extend(halves);
        }
    }
    mesh
}

/// The signed volume: positive when triangles are counter-clockwise seen from outside.
#[cfg(test)]
pub(crate) fn volume(mesh: &Mesh) -> f64 {
    let corner = |index: u32| mesh.positions[index as usize];
    mesh.triangles.iter().map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))) / 6.0).sum()
}

/// The first edge that has not exactly two triangles, one each way; `None` for a closed, oriented manifold.
pub(crate) fn open_edge(triangles: &[[u32; 3]]) -> Option<[u32; 2]> {
    let mut edges: HashMap<[u32; 2], u32> = HashMap::new();
    for &[a, b, c] in triangles {
        for edge in [[a, b], [b, c], [c, a]] {
            *edges.entry(edge).or_default() += 1;
        }
    }
    let broken = |[a, b]: [u32; 2]| edges.get(&[a, b]) != Some(&1) || edges.get(&[b, a]) != Some(&1);
    edges.keys().copied().filter(|&edge| broken(edge)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sphere_is_closed_and_has_its_volume() {
        let mesh = extract(&|p: DVec3| p.length() - 0.5, DVec3::ZERO, 0.04);
        assert_eq!(open_edge(&mesh.triangles), None);
        let exact = 4.0 / 3.0 * std::f64::consts::PI * 0.125;
        assert!((volume(&mesh) / exact - 1.0).abs() < 0.01, "{} against {exact}", volume(&mesh));
        let euler = mesh.positions.len() as i64 - mesh.triangles.len() as i64 / 2;
        assert_eq!(euler, 2, "V - E + F of a sphere");
    }

    #[test]
    fn two_sheets_in_one_cell_get_two_vertices() {
        // Opposite corners of a cube are inside: two triangles of edges that never meet on a face.
        let sheets = sheets(0b1000_0001);
        assert_eq!(sheets.iter().flatten().max(), Some(&1));
        assert_eq!(sheets.iter().flatten().count(), 6);
    }

    #[test]
    fn diagonal_corners_of_a_face_are_kept_apart() {
        let sheets = sheets(0b0000_1001);
        assert_eq!(sheets.iter().flatten().max(), Some(&1));
    }
}
