//! [`Damage`]: where a frame of egui's differs from the one before it.
//!
//! Why it exists: while a clip plays, the panels are the same but for a slider and a few digits, and to paint all of them
//! costs more than the character. A pixel comes out the same where the same triangles cover it in the same order. So where
//! triangles differ, their pixels are damaged, and the rest of the layer is kept, to the bit.

use std::ops::Range;

use crate::PixelRect;
use egui::{
    ClippedPrimitive, Pos2, Rect, TextureId,
    epaint::{Mesh, Primitive, Vertex},
};

/// More rectangles than these become one.
const MOST: usize = 16;

/// Columns and rows of pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PixelBounds {
    pub(super) columns: Range<u32>,
    pub(super) rows: Range<u32>,
}

/// How points become pixels: pixels a point, and the size of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    pub(super) pixels_per_point: f32,
    pub(super) size: [u32; 2],
}

impl Grid {
    /// The pixels whose shape is cut by a rectangle of egui's.
    pub(super) fn clip(&self, rect: Rect) -> PixelBounds {
        let [width, height] = self.size;
        let pixel = |points: f32, most: u32| (points * self.pixels_per_point).round().clamp(0.0, most as f32) as u32;
        PixelBounds {
            columns: pixel(rect.min.x, width)..pixel(rect.max.x, width),
            rows: pixel(rect.min.y, height)..pixel(rect.max.y, height),
        }
    }

    /// All pixels that something between these points can touch.
    fn around(&self, rect: Rect) -> PixelBounds {
        let first = |points: f32| (points * self.pixels_per_point).floor().max(1.0) as u32 - 1;
        let end = |points: f32, most: u32| (points * self.pixels_per_point + 2.0).clamp(0.0, most as f32) as u32;
        PixelBounds {
            columns: first(rect.min.x)..end(rect.max.x, self.size[0]),
            rows: first(rect.min.y)..end(rect.max.y, self.size[1]),
        }
    }

    /// All pixels that a triangle can touch.
    pub(super) fn triangle(&self, corners: [Pos2; 3]) -> PixelBounds {
        self.around(Rect::from_points(&corners))
    }
}

impl PixelBounds {
    fn whole([width, height]: [u32; 2]) -> Self {
        Self { columns: 0..width, rows: 0..height }
    }

    fn is_empty(&self) -> bool {
        self.columns.is_empty() || self.rows.is_empty()
    }

    /// The pixels of both.
    pub(super) fn and(&self, other: &Self) -> Self {
        let both = |a: &Range<u32>, b: &Range<u32>| a.start.max(b.start)..a.end.min(b.end);
        Self { columns: both(&self.columns, &other.columns), rows: both(&self.rows, &other.rows) }
    }

    /// The pixels of both and what is between them.
    fn with(&self, other: &Self) -> Self {
        let hull = |a: &Range<u32>, b: &Range<u32>| a.start.min(b.start)..a.end.max(b.end);
        Self { columns: hull(&self.columns, &other.columns), rows: hull(&self.rows, &other.rows) }
    }
}

impl From<&PixelBounds> for PixelRect {
    fn from(PixelBounds { columns, rows }: &PixelBounds) -> Self {
        let (width, height) = (columns.len(), rows.len());
        Self { left: columns.start as usize, top: rows.start as usize, width, height }
    }
}

/// The pixels that have to be painted again.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Damage(Vec<PixelBounds>);

impl Damage {
    /// The whole window.
    pub(super) fn all(size: [u32; 2]) -> Self {
        Self(vec![PixelBounds::whole(size)])
    }

    /// Adds the triangles of a frame whose texels are others now: those of a texture, at some texture coordinates.
    pub(super) fn add_texels(&mut self, meshes: &[ClippedPrimitive], id: TextureId, area: Rect, grid: Grid) {
        for mesh in meshes.iter().filter(|mesh| texture(mesh) == Some(id)) {
            let reach = |corners: &Corners| Rect::from_points(&corners.map(|corner| corner.uv)).intersects(area);
            self.add_triangles(triangles(mesh).filter(reach), mesh.clip_rect, grid);
        }
    }

    /// What differs between two frames with the same textures.
    pub(super) fn between(old: &[ClippedPrimitive], new: &[ClippedPrimitive], grid: Grid) -> Self {
        let mut damage = Self::default();
        if old.len() == new.len() {
            for (old, new) in old.iter().zip(new) {
                damage.compare(old, new, grid);
            }
            return damage;
        }
        let before = old.iter().zip(new).take_while(|(old, new)| is_same(old, new)).count();
        let (old, new) = (&old[before..], &new[before..]);
        let after = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| is_same(old, new)).count();
        for mesh in old[..old.len() - after].iter().chain(&new[..new.len() - after]) {
            damage.add_triangles(triangles(mesh), mesh.clip_rect, grid);
        }
        damage
    }

    fn compare(&mut self, old: &ClippedPrimitive, new: &ClippedPrimitive, grid: Grid) {
        if is_same(old, new) {
            return;
        }
        if old.clip_rect != new.clip_rect || texture(old) != texture(new) {
            for mesh in [old, new] {
                self.add_triangles(triangles(mesh), mesh.clip_rect, grid);
            }
            return;
        }
        let (before, after): (Vec<Corners>, Vec<Corners>) = (triangles(old).collect(), triangles(new).collect());
        if before.len() == after.len() {
            let changed = before.into_iter().zip(after).filter(|(old, new)| old != new);
            self.add_triangles(changed.flat_map(|(old, new)| [old, new]), old.clip_rect, grid);
            return;
        }
        let start = before.iter().zip(&after).take_while(|(old, new)| old == new).count();
        let (before, after) = (&before[start..], &after[start..]);
        let end = before.iter().rev().zip(after.iter().rev()).take_while(|(old, new)| old == new).count();
        let changed = before[..before.len() - end].iter().chain(&after[..after.len() - end]);
        self.add_triangles(changed.copied(), old.clip_rect, grid);
    }

    /// Adds the rectangle around triangles, as far as their clip rectangle lets it be seen.
    fn add_triangles(&mut self, triangles: impl Iterator<Item = Corners>, clip: Rect, grid: Grid) {
        let around = triangles.flatten().fold(Rect::NOTHING, |mut around, corner| {
            around.extend_with(corner.pos);
            around
        });
        self.add(grid.around(around).and(&grid.clip(clip)));
    }

    fn add(&mut self, bounds: PixelBounds) {
        if bounds.is_empty() || self.0.iter().any(|own| own.and(&bounds) == bounds) {
            return;
        }
        self.0.push(bounds);
        if self.0.len() > MOST {
            self.0 = self.bounds().into_iter().collect();
        }
    }

    /// Adds what else is damaged.
    pub(super) fn join(&mut self, other: Self) {
        other.0.into_iter().for_each(|bounds| self.add(bounds));
    }

    /// The rectangles, which may overlap.
    pub(super) fn rectangles(&self) -> &[PixelBounds] {
        &self.0
    }

    /// The rectangle around them all; `None` where nothing is damaged.
    pub(super) fn bounds(&self) -> Option<PixelBounds> {
        self.0.iter().cloned().reduce(|all, one| all.with(&one))
    }

    /// Whether one of these pixels is damaged.
    pub(super) fn touches(&self, bounds: &PixelBounds) -> bool {
        self.0.iter().any(|own| !own.and(bounds).is_empty())
    }
}

/// A triangle.
type Corners = [Vertex; 3];

fn mesh(primitive: &ClippedPrimitive) -> Option<&Mesh> {
    match &primitive.primitive {
        Primitive::Mesh(mesh) => Some(mesh),
        Primitive::Callback(_) => None,
    }
}

fn texture(primitive: &ClippedPrimitive) -> Option<TextureId> {
    mesh(primitive).map(|mesh| mesh.texture_id)
}

fn is_same(old: &ClippedPrimitive, new: &ClippedPrimitive) -> bool {
    old.clip_rect == new.clip_rect && mesh(old) == mesh(new)
}

fn triangles(primitive: &ClippedPrimitive) -> impl Iterator<Item = Corners> {
    mesh(primitive).into_iter().flat_map(|mesh| {
        let vertex = |index: u32| mesh.vertices.get(index as usize).copied().unwrap_or_default();
        mesh.indices.as_chunks::<3>().0.iter().map(move |&[a, b, c]| [vertex(a), vertex(b), vertex(c)])
    })
}

#[cfg(test)]
mod tests {
    use egui::{Color32, pos2, vec2};

    use super::*;

    const GRID: Grid = Grid { pixels_per_point: 2.0, size: [200, 100] };

    fn rects(places: &[[f32; 2]]) -> ClippedPrimitive {
        let mut mesh = Mesh::default();
        for &[x, y] in places {
            mesh.add_colored_rect(Rect::from_min_size(pos2(x, y), vec2(4.0, 3.0)), Color32::WHITE);
        }
        let clip_rect = Rect::from_min_max(pos2(0.0, 0.0), pos2(90.0, 50.0));
        ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) }
    }

    /// The pixels that may be touched by one of these rectangles at (x, y): two a point, and one more on each side.
    fn pixels(x: u32, y: u32) -> PixelBounds {
        PixelBounds { columns: 2 * x - 1..2 * x + 10, rows: 2 * y - 1..2 * y + 8 }
    }

    #[test]
    fn what_is_the_same_is_not_damaged() {
        let frame = || [rects(&[[10.0, 10.0], [30.0, 20.0]]), rects(&[[50.0, 5.0]])];
        assert_eq!(Damage::between(&frame(), &frame(), GRID).bounds(), None);
    }

    #[test]
    fn what_moves_is_damaged_where_it_was_and_where_it_is() {
        let [old, new] = [10.0, 20.0].map(|x| [rects(&[[40.0, 40.0], [x, 10.0]]), rects(&[[50.0, 5.0]])]);
        assert_eq!(Damage::between(&old, &new, GRID).rectangles(), [pixels(10, 10).with(&pixels(20, 10))]);
    }

    #[test]
    fn a_triangle_more_between_others_damages_its_own_place() {
        let old = [rects(&[[10.0, 10.0], [30.0, 20.0]])];
        let new = [rects(&[[10.0, 10.0], [70.0, 5.0], [30.0, 20.0]])];
        let place = [pixels(70, 5)];
        assert_eq!(Damage::between(&old, &new, GRID).rectangles(), place);
        assert_eq!(Damage::between(&new, &old, GRID).rectangles(), place);
        // So does a mesh more.
        let more = [rects(&[[70.0, 5.0]]), old[0].clone()];
        assert_eq!(Damage::between(&old, &more, GRID).rectangles(), place);
    }

    #[test]
    fn what_can_not_be_seen_is_not_damaged() {
        // The clip rectangle ends at 90 points, and the window at 100.
        let [old, new] = [95.0, 96.0].map(|x| [rects(&[[x, 10.0]])]);
        assert_eq!(Damage::between(&old, &new, GRID).bounds(), None);
        let cut = Damage::between(&[rects(&[[88.0, 10.0]])], &[], GRID);
        assert_eq!(cut.rectangles(), [PixelBounds { columns: 175..180, ..pixels(88, 10) }]);
    }
}
