//! What vertices and textures show.

use refrast_scene::{Primitive, Scene, TextureReference, Topology};

use super::{
    finding::{Findings, count},
    rule::Rule,
};

/// How far a normal's length may be from 1: the threshold of the Khronos validator, some more than bytes can keep.
const UNIT_TOLERANCE: f64 = 0.006_74;
/// The sine between two edges in texture space below which a triangle has no area there.
const DEGENERATE: f64 = 1e-6;

pub(super) fn look(scene: &Scene, findings: &mut Findings) {
    for (mesh, own) in scene.meshes.iter().enumerate() {
        for (number, primitive) in own.primitives.iter().enumerate() {
            look_at_primitive(scene, primitive, &format!("meshes[{mesh}].primitives[{number}]"), findings);
        }
    }
    let mut drawn: Vec<usize> = scene.materials.iter().flat_map(|own| own.textures()).map(|own| own.texture).collect();
    drawn.sort_unstable();
    drawn.dedup();
    for texture in drawn {
        let own = &scene.textures[texture];
        let image = &scene.images[own.image];
        if own.sampler.mip.is_some() && !(image.width.is_power_of_two() && image.height.is_power_of_two()) {
            let detail = format!("image {} has {} × {} pixels", own.image, image.width, image.height);
            findings.add(Rule::TextureNotPowerOfTwo, &format!("textures[{texture}]"), detail);
        }
    }
}

fn look_at_primitive(scene: &Scene, primitive: &Primitive, path: &str, findings: &mut Findings) {
    // Without light nobody sees normals.
    if primitive.flat && !scene.materials[primitive.material].unlit {
        let triangles = count(primitive.indices.len() / 3, "flat triangle", "flat triangles");
        findings.add(Rule::NormalsMissing, path, triangles);
    }
    let length = |normal: &[f32; 3]| libm::sqrt(normal.iter().map(|own| f64::from(*own) * f64::from(*own)).sum());
    let off = |normal: &&[f32; 3]| (length(normal) - 1.0).abs() > UNIT_TOLERANCE;
    let normals = primitive.normals.as_deref().unwrap_or_default();
    if let Some(first) = normals.iter().find(off) {
        let vertices = count(normals.iter().filter(off).count(), "vertex", "vertices");
        let detail = format!("{vertices}, the first with a length of {:.4}", length(first));
        findings.add(Rule::NormalsNotUnit, &format!("{path}.attributes.NORMAL"), detail);
    }
    if let Some(reference) = scene.materials[primitive.material].mapped_normals()
        && primitive.topology == Topology::Triangles
    {
        let flat = degenerate_triangles(primitive, reference);
        if flat > 0 {
            let triangles = count(flat, "triangle", "triangles");
            findings.add(
                Rule::TexcoordsDegenerate,
                &format!("{path}.attributes.TEXCOORD_{}", reference.texcoord),
                triangles,
            );
        }
    }
}

/// Triangles with an area in space, but none in the texture.
fn degenerate_triangles(primitive: &Primitive, reference: TextureReference) -> usize {
    let Some(texcoords) = primitive.texcoords.get(reference.texcoord) else { return 0 };
    let has_area = |edges: [[f64; 3]; 2]| {
        let [[ax, ay, az], [bx, by, bz]] = edges;
        let cross = [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx];
        let length = |vector: [f64; 3]| libm::sqrt(vector.iter().map(|own| own * own).sum());
        length(cross) > DEGENERATE * length(edges[0]) * length(edges[1])
    };
    let edges = |corners: [[f64; 3]; 3]| [1, 2].map(|end| [0, 1, 2].map(|axis| corners[end][axis] - corners[0][axis]));
    let is_flat = |triangle: &&[u32]| {
        let corner = |at: usize| triangle[at] as usize;
        let positions = [0, 1, 2].map(|at| primitive.positions[corner(at)].map(f64::from));
        let places = [0, 1, 2].map(|at| {
            let [u, v] = texcoords[corner(at)].map(f64::from);
            [u, v, 0.0]
        });
        has_area(edges(positions)) && !has_area(edges(places))
    };
    primitive.indices.chunks_exact(3).filter(is_flat).count()
}

#[cfg(test)]
mod tests {
    use refrast_scene::{Filter, Image, Material, Sampler, Texture, TextureTransform};

    use super::{
        super::testing::{rules, skinned},
        *,
    };

    fn found(scene: &Scene) -> Vec<(Rule, String, String)> {
        rules(scene, look)
    }

    #[test]
    fn normals_that_are_missing_or_too_long_are_told() {
        let mut scene = skinned();
        assert_eq!(found(&scene), []);
        let path = "meshes[0].primitives[0]";
        // 0.995 is within what bytes can keep, 0.99 is not.
        let primitive = &mut scene.meshes[0].primitives[0];
        primitive.normals = Some(vec![[0.0, 0.0, 0.995], [0.0, 0.0, 1.0], [0.0, 0.99, 0.0]]);
        let detail = "1 vertex, the first with a length of 0.9900";
        assert_eq!(found(&scene), [(Rule::NormalsNotUnit, format!("{path}.attributes.NORMAL"), detail.into())]);
        let primitive = &mut scene.meshes[0].primitives[0];
        (primitive.normals, primitive.flat) = (None, true);
        assert_eq!(found(&scene), [(Rule::NormalsMissing, path.into(), "1 flat triangle".into())]);
        scene.materials[0].unlit = true;
        assert_eq!(found(&scene), []);
    }

    #[test]
    fn texture_coordinates_need_an_area_where_a_normal_map_lies_on_them() {
        let mut scene = skinned();
        let texcoords = |v: f32| vec![vec![[0.0, 0.0], [1.0, 0.0], [0.5, v]]];
        let reference = TextureReference { texture: 0, texcoord: 0, transform: TextureTransform::default() };
        scene.images = vec![Image { width: 4, height: 4, ..Image::default() }];
        scene.textures = vec![Texture::default()];
        scene.meshes[0].primitives[0].texcoords = texcoords(0.0);
        assert_eq!(found(&scene), []);
        scene.materials = vec![Material { normal_texture: Some(reference), ..Material::default() }];
        let path = "meshes[0].primitives[0].attributes.TEXCOORD_0";
        assert_eq!(found(&scene), [(Rule::TexcoordsDegenerate, path.into(), "1 triangle".into())]);
        scene.meshes[0].primitives[0].texcoords = texcoords(0.01);
        assert_eq!(found(&scene), []);
    }

    #[test]
    fn odd_sizes_are_told_where_they_have_levels() {
        let mut scene = skinned();
        let reference = TextureReference { texture: 0, texcoord: 0, transform: TextureTransform::default() };
        scene.materials = vec![Material { base_color_texture: Some(reference), ..Material::default() }];
        scene.images = vec![Image { width: 256, height: 48, ..Image::default() }];
        scene.textures = vec![Texture::default()];
        let detail = "image 0 has 256 × 48 pixels";
        assert_eq!(found(&scene), [(Rule::TextureNotPowerOfTwo, "textures[0]".into(), detail.into())]);
        scene.textures[0].sampler = Sampler { mip: None, minification: Filter::Linear, ..Sampler::default() };
        assert_eq!(found(&scene), []);
    }
}
