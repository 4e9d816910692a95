//! Packs charts into a square texture: rows of rectangles, the tallest first.

use crate::charts::{Chart, Material};
use glam::DVec2;

/// Texels along a side of each texture.
pub(crate) const SIZE: usize = 1024;
/// Free texels round each chart, so that bilinear taps and the first mips stay on it.
const MARGIN: f64 = 5.0;

/// A chart's place: its size in texels, whether it lies on its side, its corner in the atlas.
struct Slot {
    chart: usize,
    low: DVec2,
    size: DVec2,
    turned: bool,
}

/// Moves the charts of `material` into [0, 1]², at the largest scale that fits. Returns texels a metre.
pub(crate) fn pack(charts: &mut [Chart], material: Material) -> f64 {
    let mut scale = 4000.0;
    loop {
        if let Some(slots) = place(charts, material, scale) {
            for (slot, at) in slots {
                let factor = scale * charts[slot.chart].density;
                for corner in charts[slot.chart].corners.iter_mut().flatten() {
                    let local = (*corner - slot.low) * factor;
                    // A quarter turn, not a mirror image: tangent frames keep their handedness.
                    let local = if slot.turned { DVec2::new(local.y, slot.size.y - local.x) } else { local };
                    *corner = (local + at + MARGIN) / SIZE as f64;
                }
            }
            return scale;
        }
        scale *= 0.985;
    }
}

/// Tries a scale.
fn place(charts: &[Chart], material: Material, scale: f64) -> Option<Vec<(Slot, DVec2)>> {
    let mut slots: Vec<Slot> = charts
        .iter()
        .enumerate()
        .filter(|(_, chart)| chart.material == material)
        .map(|(index, chart)| {
            let points = || chart.corners.iter().flatten().copied();
            let low = points().fold(DVec2::INFINITY, DVec2::min);
            let high = points().fold(DVec2::NEG_INFINITY, DVec2::max);
            let size = (high - low) * scale * chart.density;
            let turned = size.y > size.x;
            Slot { chart: index, low, size: if turned { DVec2::new(size.y, size.x) } else { size }, turned }
        })
        .collect();
    slots.sort_by(|a, b| b.size.y.total_cmp(&a.size.y).then(a.chart.cmp(&b.chart)));
    // Each row: its top, its height, and where it is filled to.
    let mut rows: Vec<[f64; 3]> = Vec::new();
    let edge = SIZE as f64;
    let mut placed = Vec::new();
    for slot in slots {
        let (width, height) = ((slot.size.x + 2.0 * MARGIN).ceil(), (slot.size.y + 2.0 * MARGIN).ceil());
        let row = rows.iter().position(|&[_, tall, filled]| height <= tall && filled + width <= edge);
        let row = row.unwrap_or_else(|| {
            let top = rows.last().map_or(0.0, |&[top, tall, _]| top + tall);
            rows.push([top, height, 0.0]);
            rows.len() - 1
        });
        let [top, _, filled] = &mut rows[row];
        if *top + height > edge || *filled + width > edge {
            return None;
        }
        placed.push((slot, DVec2::new(*filled, *top)));
        *filled += width;
    }
    Some(placed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_charts_keep_apart_and_keep_their_handedness() {
        let chart = |width: f64, height: f64| Chart {
            material: Material::Skin,
            triangles: vec![0],
            corners: vec![[DVec2::ZERO, DVec2::new(width, 0.0), DVec2::new(0.0, height)]],
            density: 1.0,
        };
        let mut charts = vec![chart(0.3, 0.1), chart(0.1, 0.4), chart(0.2, 0.2), chart(0.05, 0.05)];
        pack(&mut charts, Material::Skin);
        let bounds = |chart: &Chart| {
            let low = chart.corners[0].into_iter().fold(DVec2::INFINITY, DVec2::min);
            let high = chart.corners[0].into_iter().fold(DVec2::NEG_INFINITY, DVec2::max);
            (low, high)
        };
        for (index, chart) in charts.iter().enumerate() {
            let (low, high) = bounds(chart);
            assert!(low.min_element() > 0.0 && high.max_element() < 1.0);
            let [a, b, c] = chart.corners[0];
            assert!((b - a).perp_dot(c - a) > 0.0);
            for other in &charts[..index] {
                let (other_low, other_high) = bounds(other);
                assert!(low.x > other_high.x || high.x < other_low.x || low.y > other_high.y || high.y < other_low.y);
            }
        }
    }
}
