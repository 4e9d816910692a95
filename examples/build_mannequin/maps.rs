//! Paints a material's three textures: colour, normal map, and occlusion, roughness and metalness in one.

use crate::{
    body::Body,
    charts::Chart,
    colors,
    eyes::Eyeball,
    figure::{Facet, Primitive, Surface, painted},
    finish::{self, Finish},
    head,
    paint::{ColorSpace, Picture},
    relief,
};
use glam::{DMat3, DVec3};
use std::io;

/// PNG files.
pub(crate) struct Maps {
    pub(crate) color: Vec<u8>,
    pub(crate) normal: Vec<u8>,
    /// Occlusion in red, roughness in green, metalness in blue, as glTF allows one file to be read.
    pub(crate) packed: Vec<u8>,
}

impl Maps {
    /// The files and what ends their names. Colours come first, so that textures have the numbers of a file with colours alone.
    pub(crate) fn files(&self) -> [(&'static str, &[u8]); 3] {
        [("", &self.color), ("-normal", &self.normal), ("-packed", &self.packed)]
    }
}

/// What is painted on: places, and who has which.
pub(crate) struct Painter<'a> {
    pub(crate) surface: &'a Surface,
    pub(crate) body: &'a Body,
    pub(crate) eyes: &'a [Eyeball; 2],
}

impl Painter<'_> {
    /// Paints the atlas that `charts` are laid out in, at `scale` texels a metre.
    pub(crate) fn paint(&self, charts: &[&Chart], primitive: &Primitive, scale: f64) -> io::Result<Maps> {
        let mut color = Picture::new();
        let mut normal = Picture::new();
        let mut packed = Picture::new();
        for chart in charts {
            let texel = 1.0 / (scale * chart.density);
            for facet in painted(self.surface, chart, primitive) {
                let eye = self.eye_of(&facet);
                let place = |share: DVec3| mix(facet.places, share);
                match eye {
                    Some(eye) => {
                        let direction = |share| (place(share) - eye.center).normalize();
                        color.triangle(facet.texcoords, |share| colors::eyeball(direction(share)));
                        normal.triangle(facet.texcoords, |_| direction_bytes(DVec3::Z));
                        packed.triangle(facet.texcoords, |share| bytes_of(1.0, finish::eyeball(direction(share))));
                    }
                    None => {
                        color.triangle(facet.texcoords, |share| colors::color(self.body, place(share)));
                        normal.triangle(facet.texcoords, |share| direction_bytes(self.bumped(&facet, share, texel)));
                        packed.triangle(facet.texcoords, |share| {
                            bytes_of(self.open(&facet, share), finish::finish(self.body, place(share)))
                        });
                    }
                }
            }
        }
        eprintln!("{scale:.0} texels a metre, {:.0} % of the texture used", color.coverage() * 100.0);
        for picture in [&mut color, &mut normal, &mut packed] {
            picture.fill_gaps();
        }
        Ok(Maps {
            color: color.png(ColorSpace::Srgb)?,
            normal: normal.png(ColorSpace::Linear)?,
            packed: packed.png(ColorSpace::Linear)?,
        })
    }

    fn eye_of(&self, facet: &Facet) -> Option<&Eyeball> {
        let is_near = |eye: &&Eyeball| (facet.places[0] - eye.center).length() < head::EYE_RADIUS * 1.001;
        self.eyes.iter().find(is_near).filter(|_| facet.vertex as usize >= self.surface.first_eye_vertex)
    }

    /// The relief's normal in the tangent frame that a renderer will have there: glTF's N and T as they come out of the
    /// interpolation, not brought to unit length again, and B from them.
    fn bumped(&self, facet: &Facet, share: DVec3, texel: f64) -> DVec3 {
        let place = mix(facet.places, share);
        let interpolated = mix(facet.normals, share);
        let tangent = mix(facet.tangents.map(|[x, y, z, _]| DVec3::new(x, y, z)), share);
        let handedness = facet.tangents[0][3];
        let frame = DMat3::from_cols(tangent, interpolated.cross(tangent) * handedness, interpolated);
        let normal = interpolated.normalize();
        let across = (tangent - normal * tangent.dot(normal)).normalize();
        let along = normal.cross(across);
        // The mean slope over a texel and a half: finer than that would only shimmer.
        let step = 0.75 * texel;
        let slope = |axis: DVec3| {
            let [high, low] = [1.0, -1.0].map(|sign| relief::height(self.body, place + axis * (sign * step)));
            axis * ((high - low) / (2.0 * step))
        };
        (frame.inverse() * (normal - slope(across) - slope(along))).normalize()
    }

    /// The part of the ambient light that reaches into the relief: less where what lies round a place is higher.
    fn open(&self, facet: &Facet, share: DVec3) -> f64 {
        const AROUND: u32 = 6;
        const RADIUS: f64 = 0.0030;
        /// A hollow so much deeper than cloth and skin are anyway keeps half of its light.
        const HALF: f64 = 0.0011;
        const ANYWAY: f64 = 0.00015;
        let place = mix(facet.places, share);
        let normal = mix(facet.normals, share).normalize();
        let across = normal.any_orthonormal_vector() * RADIUS;
        let along = normal.cross(across);
        let ring = (0..AROUND).map(|step| {
            let (sin, cos) = libm::sincos(f64::from(step) * std::f64::consts::TAU / f64::from(AROUND));
            relief::height(self.body, place + across * cos + along * sin)
        });
        let depth = ring.sum::<f64>() / f64::from(AROUND) - relief::height(self.body, place);
        HALF / (HALF + (depth - ANYWAY).max(0.0))
    }
}

/// What a triangle has at barycentric coordinates.
fn mix([a, b, c]: [DVec3; 3], share: DVec3) -> DVec3 {
    a * share.x + b * share.y + c * share.z
}

/// A unit direction as the bytes of a normal map.
fn direction_bytes(direction: DVec3) -> DVec3 {
    (direction * 0.5 + 0.5) * 255.0
}

fn bytes_of(open: f64, finish: Finish) -> DVec3 {
    DVec3::new(open, finish.roughness, finish.metallic) * 255.0
}
