//! What a surface is made of, and what it gives back of the lights, as glTF has it.
//!
//! Why it is apart: these steps know a material's maps, where the rest of [`shade`](super) knows shading modes.

use super::{Environment, Fragment};
use crate::{
    Fault,
    arithmetic::{Vector, add, scale, subtract},
    physical::{Coat, Grain, Sheen, Substance, mapped, reflect},
    texture::Bound,
};

impl Fragment<'_> {
    /// The normal with its map.
    pub(super) fn shading_normal(&self) -> Vector {
        let factor = self.shader.material.normal_scale;
        self.mapped_normal(&self.shader.maps.normal, factor)
    }

    /// The normal with a map, by its factor.
    fn mapped_normal(&self, map: &Option<Bound<'_>>, factor: f32) -> Vector {
        let Some(map) = map.as_ref().filter(|_| self.draw.has_tangents) else {
            return self.normal();
        };
        let [red, green, blue, _] = self.sample(map);
        let mut normal = self.interpolate(|vertex| vertex.normal);
        let arithmetic = self.arithmetic();
        let [mut x, mut y, mut z, handedness] = self.interpolate(|vertex| vertex.tangent);
        if self.has(Fault::TangentReorthogonalised) {
            normal = arithmetic.normalize(normal);
            let beside = scale(normal, arithmetic.dot(normal, [x, y, z]));
            [x, y, z] = arithmetic.normalize(subtract([x, y, z], beside));
        }
        let bitangent = if self.has(Fault::BitangentInterpolated) {
            self.interpolate(|vertex| {
                let [x, y, z, handedness] = vertex.tangent;
                scale(arithmetic.cross(vertex.normal, [x, y, z]), handedness)
            })
        } else {
            scale(arithmetic.cross(normal, [x, y, z]), handedness)
        };
        let texel = [red, green, blue];
        self.faced(mapped(arithmetic, [[x, y, z], bitangent, normal], texel, factor, self.environment.faults))
    }

    /// What a map gives here; 1 where there is none.
    fn texel(&self, map: &Option<Bound<'_>>) -> [f32; 4] {
        map.as_ref().map_or([1.0; 4], |map| self.sample(map))
    }

    /// Which way the surface is brushed; `None` where it is not.
    fn grain(&self) -> Option<Grain> {
        let own = self.shader.material.anisotropy.filter(|_| self.draw.has_tangents)?;
        let texel = self.shader.maps.grain.as_ref().map(|map| self.sample(map));
        let [mut red, mut green, strength, _] = texel.unwrap_or([1.0, 0.5, 1.0, 1.0]);
        if self.has(Fault::AnisotropyDirectionIgnored) {
            [red, green] = [1.0, 0.5];
        }
        let arithmetic = self.arithmetic();
        let [x, y] = [red, green].map(|channel| arithmetic.multiply_add(2.0, channel, -1.0));
        let length = arithmetic.dot([x, y, 0.0], [x, y, 0.0]).sqrt();
        let [x, y] = if length > 0.0 { [x / length, y / length] } else { [0.0; 2] };
        let (sine, cosine) = libm::sincosf(own.rotation);
        let turned = [arithmetic.multiply_add(cosine, x, -(sine * y)), arithmetic.multiply_add(sine, x, cosine * y)];
        let (normal, tangent) = (self.interpolate(|vertex| vertex.normal), self.interpolate(|vertex| vertex.tangent));
        let [x, y, z, handedness] = tangent;
        let bitangent = scale(arithmetic.cross(normal, [x, y, z]), handedness);
        let along = arithmetic.normalize(add(scale([x, y, z], turned[0]), scale(bitangent, turned[1])));
        let across = arithmetic.normalize(arithmetic.cross(arithmetic.normalize(normal), along));
        Some(Grain { strength: own.strength * strength, along, across })
    }

    /// The fibres that stand on it; `None` where there are none.
    fn sheen(&self) -> Option<Sheen> {
        let (own, maps) = (self.shader.material.sheen?, &self.shader.maps);
        let color = self.texel(&maps.sheen);
        let [.., rough] = self.texel(&maps.sheen_roughness);
        let color = [0, 1, 2].map(|i| own.color_factor[i] * color[i]);
        Some(Sheen { color, roughness: own.roughness_factor * rough })
    }

    /// What lies over the surface; `None` without a clear coat.
    fn coat(&self) -> Option<Coat> {
        let (own, maps) = (self.shader.material.clearcoat?, &self.shader.maps);
        let [strength, ..] = self.texel(&maps.coat);
        let [_, rough, ..] = self.texel(&maps.coat_roughness);
        let normal = self.mapped_normal(&maps.coat_normal, own.normal_scale);
        let roughness = self.roughened(own.roughness_factor * rough, &maps.coat_normal, own.normal_scale);
        Some(Coat { strength: own.factor * strength, roughness, normal })
    }

    /// A surface's roughness as it is lit, by its normal map and the map's factor.
    fn roughened(&self, roughness: f32, map: &Option<Bound<'_>>, factor: f32) -> f32 {
        if self.has(Fault::RoughnessByCurvature) {
            (roughness + self.curvature()).min(1.0)
        } else if self.has(Fault::RoughnessByMappedNormal) {
            roughness.max(self.unevenness(|fragment| fragment.mapped_normal(map, factor)))
        } else {
            roughness
        }
    }

    /// Metal, roughness, occlusion and what is not metal.
    pub(super) fn substance(&self) -> Substance {
        let (material, maps) = (self.shader.material, &self.shader.maps);
        let [_, mut rough, mut metal, _] = self.texel(&maps.metallic_roughness);
        if self.has(Fault::MetalRoughSwapped) {
            (rough, metal) = (metal, rough);
        }
        let [open, ..] = self.texel(&maps.occlusion);
        let [open_vertex] = self.interpolate_list(&self.draw.attributes.occlusion, [1.0]);
        let [.., strength] = self.texel(&maps.specular);
        let color = self.texel(&maps.specular_color);
        let head_on = (material.ior - 1.0) / (material.ior + 1.0);
        let reflectance =
            [0, 1, 2].map(|i| (head_on * head_on * material.specular_color_factor[i] * color[i]).min(1.0));
        Substance {
            metallic: material.metallic_factor * metal,
            roughness: self.roughened(material.roughness_factor * rough, &maps.normal, material.normal_scale),
            occlusion: (1.0 + material.occlusion_strength * (open - 1.0)) * open_vertex,
            reflectance,
            specular: material.specular_factor * strength,
            grain: self.grain(),
            sheen: self.sheen(),
        }
    }

    /// The file's material under all lights, and its emission; the base colour in place of the first where the draw has no
    /// normals.
    pub(super) fn physical(&self, base: Vector, emission: Vector) -> Vector {
        if !self.draw.has_normals {
            return add(base, emission);
        }
        let arithmetic = self.arithmetic();
        let Environment { lights, faults, .. } = *self.environment;
        let substance = self.substance();
        let position = self.interpolate(|vertex| vertex.position);
        let (normal, to_eye) = (self.shading_normal(), lights.to_eye(arithmetic, position));
        let coat = self.coat();
        let sheen = substance.sheen.filter(|_| !faults.has(Fault::SheenAlbedoMissing));
        let left = sheen.map_or(1.0, |sheen| sheen.left_of_ambient(arithmetic, (normal, to_eye)));
        let several = match faults.has(Fault::MultipleScatteringAdded) {
            true => substance.several_times(base, arithmetic.dot(normal, to_eye).abs()),
            false => [1.0; 3],
        };
        let mut sums = [[lights.ambient() * substance.occlusion * left; 3], [0.0; 3]];
        let mut on_top = [0.0; 3];
        for (number, incidence) in lights.incidences(arithmetic, position, faults).enumerate() {
            let incidence = match self.environment.shadows {
                None => incidence,
                Some(shadows) => incidence.times(shadows.part(number, position)),
            };
            let added = reflect(arithmetic, (&substance, several), &incidence, (normal, to_eye), faults);
            sums.iter_mut().zip(added).for_each(|(sum, added)| *sum = add(*sum, added));
            if let Some(coat) = &coat {
                on_top = add(on_top, coat.reflect(arithmetic, &incidence, to_eye));
            }
        }
        let [of_base, beside] = sums;
        let below = [0, 1, 2].map(|i| arithmetic.multiply_add(base[i], of_base[i], beside[i]) + emission[i]);
        match coat {
            None => below,
            Some(coat) => {
                let weight = coat.weight(arithmetic, to_eye);
                let through = if faults.has(Fault::ClearcoatEnergyAdded) { 1.0 } else { 1.0 - weight };
                [0, 1, 2].map(|i| arithmetic.multiply_add(below[i], through, on_top[i] * weight))
            }
        }
    }
}
