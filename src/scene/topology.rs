//! Expands strips, fans and loops to lists.
//!
//! Why it exists: the rooms above know points, lines and triangles only. The formulas are those of the glTF 2.0
//! specification, section 3.7.2.1; they fix not only the winding but also which vertex comes first. Vertices left over
//! at the end form nothing and are dropped. Degenerate triangles stay: what they cover is the rasteriser's business.

use gltf::json::mesh::Mode;

use super::model::Topology;

/// The list that a sequence of indices stands for.
pub(super) fn expand(mode: Mode, mut indices: Vec<u32>) -> (Topology, Vec<u32>) {
    let count = indices.len();
    let pairs = || indices.windows(2).flatten().copied();
    match mode {
        Mode::Points => (Topology::Points, indices),
        Mode::Lines => {
            indices.truncate(count - count % 2);
            (Topology::Lines, indices)
        }
        Mode::LineStrip => (Topology::Lines, pairs().collect()),
        Mode::LineLoop => {
            let closing = if count < 2 { None } else { Some([indices[count - 1], indices[0]]) };
            (Topology::Lines, pairs().chain(closing.into_iter().flatten()).collect())
        }
        Mode::Triangles => {
            indices.truncate(count - count % 3);
            (Topology::Triangles, indices)
        }
        Mode::TriangleStrip => {
            // p_i = { v_i, v_(i+1+i%2), v_(i+2−i%2) }
            let triangle = |(number, window): (usize, &[u32])| {
                let odd = number % 2;
                [window[0], window[1 + odd], window[2 - odd]]
            };
            (Topology::Triangles, indices.windows(3).enumerate().flat_map(triangle).collect())
        }
        Mode::TriangleFan => {
            // p_i = { v_(i+1), v_(i+2), v_0 }
            let triangle = |edge: &[u32]| [edge[0], edge[1], indices[0]];
            (Topology::Triangles, indices.windows(2).skip(1).flat_map(triangle).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(mode: Mode, count: u32) -> Vec<u32> {
        expand(mode, (0..count).collect()).1
    }

    /// The order was drawn on paper: a strip zigzags, so every second triangle swaps two vertices to stay
    /// counter-clockwise.
    #[test]
    fn strip_parity() {
        assert_eq!(list(Mode::TriangleStrip, 6), [0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4]);
        assert_eq!(expand(Mode::TriangleStrip, vec![0, 1, 2]).0, Topology::Triangles);
    }

    /// A zigzag strip in the plane: every triangle must have the same, positive, area.
    #[test]
    fn strip_parity_keeps_all_triangles_counter_clockwise() {
        let position = |vertex: u32| (f64::from(vertex / 2), -f64::from(vertex % 2));
        for triangle in list(Mode::TriangleStrip, 9).chunks(3) {
            let [a, b, c] = [position(triangle[0]), position(triangle[1]), position(triangle[2])];
            let twice_area = (b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1);
            assert_eq!(twice_area, 1.0, "{triangle:?}");
        }
    }

    #[test]
    fn fans_turn_about_the_first_vertex() {
        assert_eq!(list(Mode::TriangleFan, 5), [1, 2, 0, 2, 3, 0, 3, 4, 0]);
    }

    #[test]
    fn line_strips_and_loops_become_pairs() {
        assert_eq!(list(Mode::LineStrip, 4), [0, 1, 1, 2, 2, 3]);
        assert_eq!(list(Mode::LineLoop, 4), [0, 1, 1, 2, 2, 3, 3, 0]);
        assert_eq!(list(Mode::Points, 3), [0, 1, 2]);
    }

    #[test]
    fn incomplete_shapes_are_dropped() {
        assert_eq!(list(Mode::Triangles, 5), [0, 1, 2]);
        assert_eq!(list(Mode::Lines, 3), [0, 1]);
        for mode in [Mode::TriangleStrip, Mode::TriangleFan] {
            for count in 0..3 {
                assert!(list(mode, count).is_empty());
            }
        }
        for mode in [Mode::LineStrip, Mode::LineLoop] {
            for count in 0..2 {
                assert!(list(mode, count).is_empty());
            }
        }
    }
}
