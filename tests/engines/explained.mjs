// Why rows of the board are not right by the reference's own rules, each with a proof that the board makes anew.
//
// `engines` and `cases` are patterns of names (vertices are `NAME-vertices`), `kind` says whose it is. The proof is that the picture is right
// with other words of the manifest (`right`), or with options of `refrast check` (`check`), or that `refrast diagnose` names a known mistake (`fault`), or that what is drawn `again` is right:
// from a file that `says` the same in other words (sayings.mjs), by an engine of which a line is mended (`mend`, in its adapter; of a page, `mends` of it: lines of shaders), or in another environment (`env`), or judged by a file without what the engine `ignores` (sayings.mjs as well).
// With none of them the reason stands by its source alone. Several may hold for one row: then all their words together make it right.

/** Everything that is lit by nothing and textured or coloured: what an encoding reaches. */
const unlit = /-unlit-/;
export const explanations = [
    {
        engines: /^(three|babylon|playcanvas)/, cases: /^(cesium-man|greenman|mannequin-walk|stretched|spline)-normals/, kind: "engine", right: { normals: "rotation-only" },
        why: "Normals of skinned meshes go through the blended matrix itself and not through its inverse transpose, which differs wherever a vertex is bent two ways or scaled unevenly",
        source: "three.js `skinnormal_vertex.glsl.js`: `objectNormal = vec4( skinMatrix * vec4( objectNormal, 0.0 ) ).xyz`; Babylon.js `pbr.vertex.fx`: `mat3 normalWorld = mat3(finalWorld)`; PlayCanvas `normalCore.js`, `getNormalMatrix` under `SKIN`: `mat3(modelMatrix[0].xyz, …)`",
    },
    {
        engines: /^babylon/, cases: /^mirrored-normals/, kind: "engine", right: { normals: "rotation-only" },
        why: "The second node of a mesh becomes an instance, and whether normals need the inverse transpose is asked of the first one's scale",
        source: "Babylon.js `materialHelper.functions`: `defines[\"NONUNIFORMSCALING\"] = mesh.nonUniformScaling` of the source mesh",
    },
    {
        engines: /^(three|three-0\.140|babylon|playcanvas|galacean)$/, cases: /^box-textured-unlit/, kind: "freedom", right: { mips: "given" },
        why: "Mip levels of 211x211 texels are made by WebGL's `generateMipmap`, whose filter OpenGL leaves open: the driver's chain is another one than the mean of areas",
        source: "OpenGL ES 3.0, 3.8.10.5: \"no particular filter algorithm is required\"; three.js `WebGLTextures.js`: `_gl.generateMipmap( target )`",
    },
    {
        engines: /^babylon-default$/, cases: unlit, kind: "freedom", right: { encode: "gamma-2.2", anisotropy: 4 },
        why: "Colours are encoded by a power of 1/2.2, and textures filtered with four samples",
        source: "Babylon.js `helperFunctions.fx`: `toGammaSpace`, unless `useExactSrgbConversions`; `Texture.DEFAULT_ANISOTROPIC_FILTERING_LEVEL = 4`",
    },
    {
        engines: /^playcanvas$/, cases: unlit, kind: "freedom", right: { encode: "gamma-2.2" },
        why: "Colours are encoded by a power of 1/2.2",
        source: "PlayCanvas `gamma.js`: `pow(color + 0.0000001, vec3(1.0 / 2.2))`",
    },
    {
        engines: /^(three|three-0\.140|galacean|playcanvas)$/, cases: /^eight-influences-(unlit|vertices)/, kind: "limit", right: { "max-influences": 4 },
        why: "A vertex has four influences: `JOINTS_1` and `WEIGHTS_1` are not read, and the rest is brought to the sum of 1",
        source: "three.js `GLTFLoader.js`: `ATTRIBUTES` has `WEIGHTS_0` and `JOINTS_0` alone; `SkinnedMesh.applyBoneTransform`: `for ( let i = 0; i < 4; i ++ )`",
    },
    {
        engines: /^three-0\.1[1-4]0$/, cases: /^tiles-unlit/, kind: "engine",
        why: "KHR_texture_transform is applied in another order: coordinates are turned and then scaled, where the extension scales first (three.js #34033)",
        source: "three.js `Matrix3.setUvTransform`: `sx * c, sx * s` in the first row",
    },
    {
        engines: /^three-0\.1[13]0$/, cases: /^names-unlit/, kind: "engine", fault: "filter-before-decode",
        why: "Texels are filtered before they are decoded",
        source: "three.js up to r136 `map_fragment.glsl.js`: `mapTexelToLinear( texture2D( map, vUv ) )`, textures are uploaded as RGBA and not as SRGB8_ALPHA8",
    },
    {
        engines: /^three-0\.130$/, cases: /^root-unlit/, kind: "engine", fault: "filter-before-decode",
        why: "Texels are filtered before they are decoded",
        source: "three.js 0.130, as above",
    },
    {
        engines: /^three-0\.130$/, cases: /^box-textured-unlit/, kind: "engine", fault: "filter-before-decode", right: { mips: "given" },
        why: "Filtered before decoding, in mip levels that are means of stored bytes",
        source: "As above; `WebGLTextures.js` `generateMipmap` of an RGBA texture",
    },
    {
        engines: /^three-0\.110$/, cases: /^root-unlit/, kind: "engine",
        why: "A node called \"root\" is taken for the scene's root, so that the joint stands still and the scene turns",
        source: "three.js 0.110 `PropertyBinding.js`, `findNode`: `nodeName === \"root\"`",
    },
    {
        engines: /^playcanvas$/, cases: /^((cut-out|names|root|stretched|eight-influences)-|(cesium-man|mannequin-walk)-vertices)/, kind: "engine", check: ["--nlerp-above", "0"],
        why: "Rotations between LINEAR keys are the normalised mean of their components and not the spherical one, however far the keys are apart",
        source: "PlayCanvas `anim-cache.js`, `eval`: `math.lerp( data[idx0 + i], data[idx1 + i], t )` for every component",
    },
    {
        engines: /^playcanvas$/, cases: /^tiles-/, kind: "engine",
        why: "Two images with the same address are one texture, and the last sampler holds for both: tiles that should repeat, mirror or be nearest are filtered and repeated alike",
        source: "PlayCanvas `loader.js`: resources are kept by `ResourceLoader.makeKey( url, type )`; `glb-parser.js`: `applySampler( asset.resource, … )`",
    },
    {
        engines: /^galacean$/, cases: /^names-/, kind: "engine",
        why: "A clip finds a joint by the path of its names, and another node of that name is found first",
        source: "Galacean `AnimationClip`, `Animator`: `entity.findByPath( curve.relativePath )`",
    },
    {
        engines: /^galacean$/, cases: /-4x$/, kind: "freedom", right: { samples: 4, profile: "vulkan-min" },
        why: "The engine resolves in a target of its own, in the standard pattern and as light, and copies that to the canvas",
        source: "Galacean `Camera.msaaSamples`, `WebGLGraphicDevice`: the canvas has `antialias: false`",
    },
    {
        engines: /^galacean$/, cases: /^spline-/, kind: "engine",
        why: "A CUBICSPLINE rotation is not brought to unit length after the sum",
        source: "Galacean `AnimationQuaternionCurve._hermiteInterpolationValue` ends without a normalisation",
    },
    {
        engines: /^galacean$/, cases: /^(texture-transform|tiles)-/, kind: "engine",
        why: "The rotation of KHR_texture_transform is not read; without a sampler and with NEAREST_MIPMAP_LINEAR texels are filtered linearly",
        source: "Galacean loader, `KHR_texture_transform`: \"rotation in KHR_texture_transform is not supported now\"",
    },
    {
        engines: /^galacean$/, cases: /^(cesium-man-(unlit|lit)|box-textured-unlit)/, kind: "engine", ignores: ["nearest"],
        why: "The minification filter NEAREST_MIPMAP_LINEAR becomes trilinear: only whether its number is above 9985 is asked",
        source: "Galacean loader, `GLTFUtils.getSamplerInfo`: `minFilter <= TextureMinFilter.LINEAR_MIPMAP_NEAREST`",
    },
    {
        engines: /^(playcanvas|galacean)$/, cases: /^mannequin-expression-vertices/, kind: "engine",
        why: "Of CUBICSPLINE weights the tangents are counted as targets, nine for three: PlayCanvas has no number for a weight then and morphs nothing, Galacean takes tangents for weights. Colours without light do not show it",
        source: "PlayCanvas `glb-parser.js`, `createMorphTargetCurves`: `morphTargetCount = outData.length / inputMap[curve.input].data.length`; Galacean loader, `GLTFAnimationParser`: `outputStride = output.length / input.length`",
    },
    {
        engines: /^three-0\.110$/, cases: /^box-textured-unlit/, kind: "engine",
        why: "Filtered before decoding, in mip levels that are means of stored bytes, and encoded by a power of 1/2",
        source: "As above; three.js 0.110 `WebGLRenderer.js`: `gammaOutput` asks for `GammaEncoding`, whose `gammaFactor` is 2.0",
    },
    {
        engines: /^(three|babylon|playcanvas)$/, cases: /^cesium-man-lit/, kind: "engine", right: { normals: "rotation-only" },
        why: "Normals of skinned meshes go through the blended matrix itself, as above, and light shows it",
        source: "As above",
    },
    {
        engines: /^three$/, cases: /^(cesium-man|flight-helmet|mannequin-walk)-lit/, kind: "engine", again: { mend: ["roughness", "scattering"] },
        why: "Surfaces are rougher where normals change from pixel to pixel, against highlights that flicker, and what they reflect is made brighter for light that is reflected several times: neither is in the material of glTF",
        source: "three.js `lights_physical_fragment.glsl.js`: `material.roughness += geometryRoughness`; `lights_physical_pars_fragment.glsl.js`: `irradiance * specularBRDF * material.multiScatteringCompensation`",
    },
    {
        engines: /^three$/, cases: /^lamps-lit/, kind: "engine", again: { mend: ["spot", "range"] },
        why: "Light falls off toward the edge of a cone by `smoothstep` and not by the square that KHR_lights_punctual recommends, and toward its range by a square where the extension has none",
        source: "three.js `lights_pars_begin.glsl.js`, `getSpotAttenuation`: `smoothstep( coneCosine, penumbraCosine, angleCosine )`; `getDistanceAttenuation`: `pow2( saturate( 1.0 - pow4( lightDistance / cutoffDistance ) ) )`",
    },
    {
        engines: /^babylon$/, cases: /^cesium-man-lit/, kind: "freedom", right: { diffuse: "head-on" },
        why: "Diffuse light is lessened by what a surface reflects head-on, from wherever light comes",
        source: "Babylon.js `pbrBlockReflectivity`, `LEGACY_SPECULAR_ENERGY_CONSERVATION`: `baseColor.rgb*(vec3(1.0)-vec3(dielectricF0)*surfaceReflectivityColor)`",
    },
    {
        engines: /^babylon$/, cases: /^(cesium-man|flight-helmet)-lit/, kind: "engine", again: { mend: ["roughness", "scattering"] },
        why: "Surfaces are no smoother than their mapped normals change from pixel to pixel, against highlights that flicker, and what they reflect is made brighter for light that is reflected several times: neither is in the material of glTF",
        source: "Babylon.js `pbrHelperFunctions`, `getAARoughnessFactors`: `pow(saturate(slopeSquare),0.333)`; `pbrBlockFinalLitComponents`: `finalSpecularScaled*=coloredEnergyConservationFactor`",
    },
    {
        engines: /^babylon$/, cases: /^lamps-lit/, kind: "engine", again: { mend: ["range"] },
        why: "Light falls off toward its range by a square where the extension has none",
        source: "Babylon.js `pbrDirectLightingFalloffFunctions`, `computeDistanceLightFalloff_GLTF`: `attenuation*=attenuation`",
    },
    {
        engines: /^playcanvas$/, cases: /-lit-/, kind: "freedom", right: { encode: "gamma-2.2", diffuse: "whole" },
        why: "Colours are encoded by a power of 1/2.2, and diffuse light is not lessened by what a surface reflects",
        source: "PlayCanvas `gamma.js`, as above; `lightFunctionLight.js`: `dDiffuseLight += dAtten * lightColor`",
    },
    {
        engines: /^playcanvas$/, cases: /-lit-/, kind: "engine", again: { says: ["encoded"] },
        why: "Colours of lights are taken for encoded ones",
        source: "PlayCanvas `khr-lights-punctual.js`: `new Color(gltfLight.color)`; `light.js`, `_updateLinearColor`: `tmpColor.linear(color)`",
    },
    {
        engines: /^playcanvas$/, cases: /^(fox-run|cesium-man|flight-helmet|mannequin-walk)-lit/, kind: "engine", again: { mend: ["pi"] },
        why: "Diffuse light is not divided by π, also where lights have physical units",
        source: "PlayCanvas `lightDiffuseLambert.js`: `max(dot(worldNormal, -lightDirNorm), 0.0)`",
    },
    {
        engines: /^playcanvas$/, cases: /-lit-/, kind: "limit", again: { mend: ["highlight", "edge"] },
        why: "Highlights are Blinn's unless a program asks for GGX, and at grazing angles a surface reflects no more than the square of its gloss",
        source: "PlayCanvas `lightSpecularBlinn.js`: `pow(nh, specPow) * (specPow + 2.0) / 8.0`; `fresnelSchlick.js`: `max(vec3(glossSq * specIntensity), specularity)`",
    },
    {
        engines: /^playcanvas$/, cases: /^(flight-helmet|mannequin-walk)-lit/, kind: "engine", again: { mend: ["occlusion"] },
        why: "Occlusion darkens the highlights of lights too",
        source: "PlayCanvas `aoSpecOcc.js`: `dSpecularLight *= specOcc`",
    },
    {
        engines: /^playcanvas$/, cases: /^lamps-lit/, kind: "engine", again: { mend: ["lamp", "distance", "range", "spot", "inner", "outer"] },
        why: "Light falls off by sixteen over the squared distance and one, toward the range of a light by a square where the extension has none, toward the edge of a cone by `smoothstep`, whose cosines have eleven bits (a quarter of the light at such an edge); and diffuse light is not divided by π, as above",
        source: "PlayCanvas `falloffInvSquared.js`: `1.0 / (sqrDist + 1.0)`, `falloff *= 16.0`, `square(saturate(…))`; `spot.js`; `clusteredLight.js`, `decodeClusterLightSpot`: `unpackHalf2x16(…)`",
    },
    {
        engines: /^galacean$/, cases: /-lit-/, kind: "freedom", right: { diffuse: "head-on" },
        why: "Diffuse light is lessened by what a surface reflects head-on, from wherever light comes",
        source: "Galacean `pbr_helper`, `initMaterial`: `(1.0 - metal) * (1.0 - max(max(dielectricF0.r,dielectricF0.g),dielectricF0.b))`",
    },
    {
        engines: /^galacean$/, cases: /-lit-/, kind: "engine", again: { mend: ["pi"] },
        why: "Light is π times as bright as a file says",
        source: "Galacean `direct_irradiance_frag_define`, `addDirectRadiance`: `vec3 irradiance = dotNL * color * PI`, of what `KHR_lights_punctual` has read as it is",
    },
    {
        engines: /^galacean$/, cases: /-lit-/, kind: "engine", again: { mend: ["roughness", "fresnel"] },
        why: "Surfaces are rougher where normals change from pixel to pixel, against highlights that flicker, and Schlick's fifth power is an exponential that comes near it: neither is in the material of glTF",
        source: "Galacean `pbr_helper`: `roughness + getAARoughnessFactor(geometry.normal)`; `brdf`, `F_Schlick`: `exp2( ( -5.55473 * dotLH - 6.98316 ) * dotLH )`",
    },
    {
        engines: /^galacean$/, cases: /^lamps-lit/, kind: "engine", again: { mend: ["distance", "spot"] },
        why: "Light does not fall off with the square of the distance, but toward the range alone, and toward the edge of a cone by `smoothstep`",
        source: "Galacean `direct_irradiance_frag_define`, `addSpotDirectLightRadiance`: `color *= spotEffect * decayEffect`, `smoothstep( spotLight.penumbraCos, spotLight.angleCos, angleCos )`",
    },
    {
        engines: /^khronos$/, cases: /-lit-/, kind: "freedom", right: { encode: "gamma-2.2" },
        why: "Colours are encoded by a power of 1/2.2",
        source: "glTF Sample Renderer `tonemapping.glsl`: `pow(color, vec3(INV_GAMMA))`, `GAMMA = 2.2`",
    },
    {
        engines: /^khronos$/, cases: /^(cesium-man|mannequin-walk)-lit/, kind: "engine", right: { normals: "per-joint" },
        why: "Normals go through each joint's inverse transpose, and those are blended: not the inverse transpose of the blend",
        source: "glTF Sample Renderer `animation.glsl`, `getSkinningNormalMatrix`: the sum of the joints' normal matrices; `skin.js`, `computeJoints`: `transpose(invert(jointMatrix))`",
    },
    {
        engines: /^panda3d$/, cases: /^(fox|cesium-man|greenman|morph|simple-skin|mannequin|cut-out|names|root|stretched|eight-influences|spline)-/, kind: "engine", again: { mend: ["factor", "rate"] },
        why: "A clip is sampled thirty times a second, and a sample between two keys is the later key",
        source: "panda3d-gltf 1.3.0 `_converter.py`, `get_lerp_factor`: `return max((currtime - lasttime) / (nexttime - lasttime), 1)`; `GltfSettings`: `animation_fps: int = 30`",
    },
    {
        engines: /^panda3d$/, cases: /^(spline|mannequin-expression)-/, kind: "limit", again: { says: ["held"] },
        why: "CUBICSPLINE keys are read as LINEAR ones, tangents taken for keys",
        source: "panda3d-gltf `_converter.py`, `extract_chan_data` and `create_channels`: \"CUBICSPLINE interpolation mode … is not supported, falling back to LINEAR\"",
    },
    {
        engines: /^panda3d$/, cases: /^(simple-skin|stretched)-/, kind: "engine", again: { says: ["keyed"] },
        why: "What a clip does not move of a joint stands as in the bind pose and not as the node says",
        source: "panda3d-gltf `_converter.py`, `build_animation_skeleton`: `decompose_matrix(self.csxform * joint_mat * …)` gives `default_anim_data`",
    },
    {
        engines: /^panda3d$/, cases: /^cesium-man-/, kind: "engine", again: { says: ["rooted"] },
        why: "The bind pose is taken relative to the skin's root alone, before that hangs in the scene: nodes above it move the vertices a second time",
        source: "panda3d-gltf `_converter.py`, `build_character_joints`: `root_mat = self.csxform * NodePath(char).get_net_transform().get_mat() * …`, called by `build_characters` before `add_node`",
    },
    {
        engines: /^panda3d$/, cases: /^eight-influences-/, kind: "limit", right: { "max-influences": 4 }, again: { says: ["four"] },
        why: "The last set of four influences takes the place of the first",
        source: "panda3d-gltf `_converter.py`, `load_primitive`: `attrib_parts[0]` names the column, of `JOINTS_1` as of `JOINTS_0`",
    },
    {
        engines: /^panda3d$/, cases: /^(texture-transform|tiles)-unlit/, kind: "freedom", again: { says: ["filtered"] },
        why: "Textures whose sampler says nothing are filtered linearly, without mip levels: glTF leaves it open",
        source: "panda3d-gltf `_converter.py`, `load_texture`: filters are set under `if 'sampler' in gltf_tex`",
    },
    {
        engines: /^panda3d$/, cases: /^mannequin-/, kind: "limit", again: { says: ["dense", "plain"] },
        why: "Accessors without a buffer view, whose numbers are sparse, are an error, and fractions that are whole numbers are read as those",
        source: "panda3d-gltf `_converter.py`, `load_primitive`: `sorted(accessors, key=lambda x: x['bufferView'])`; no line of it reads `normalized`",
    },
    {
        engines: /^panda3d$/, cases: /^mannequin-/, kind: "engine", again: { says: ["standard"] },
        why: "Attributes of an application's own, whose names begin with _, are an error",
        source: "panda3d-gltf `_converter.py`, `load_primitive`: of `_OCCLUSION` `split('_')` leaves a name without letters, and `column_name.parent.basename` is asked of nothing",
    },
    {
        engines: /^panda3d$/, cases: /^box-textured-unlit/, kind: "freedom", right: { mips: "given" },
        why: "Mip levels are made by OpenGL, whose filter is left open",
        source: "Panda3D `glGraphicsStateGuardian_src.cxx`: `_glGenerateMipmap(target)`",
    },
    {
        engines: /^panda3d$/, cases: /^(greenman|cesium-man|mannequin-(walk|expression))-(unlit|lit)/, kind: "driver", again: { mend: ["decode"] },
        why: "llvmpipe decodes texels by a polynomial, which is one step of 255 off at an edge of the bounds",
        source: "Mesa `lp_bld_format_srgb.c`, `lp_build_srgb_to_linear`: a polynomial of third order, \"crappy but just sufficient accuracy\"",
    },
    {
        engines: /^panda3d$/, cases: /^fox-run-(normals|lit)/, kind: "engine", ignores: ["normals"],
        why: "Where a file has no normals, those of the triangles as they rest are made and moved with the joints: posed triangles are flat no more",
        source: "panda3d-gltf `_converter.py`, `calculate_normals`, on loading",
    },
    {
        engines: /^panda3d$/, cases: /^stretched-/, kind: "engine", again: { mend: ["order"] },
        why: "Of a joint that a clip moves the rotation is applied before the scale",
        source: "panda3d-gltf `_converter.py`, `build_animation_skeleton`: `mat = frame_rotation * mat` of a matrix that scales",
    },
    {
        engines: /^raylib$/, cases: /^(fox|cesium-man|greenman|morph-stress|mannequin|flight-helmet|cut-out|names|root|stretched|eight-influences|spline|box-textured|texture-transform|tiles).*-unlit/, kind: "engine",
        fault: "filter-before-decode", ignores: ["samplers"], right: { mips: "given" },
        why: "No sampler is read, and textures have no format that is decoded: they are filtered as they are stored, in mip levels of stored bytes",
        source: "raylib `rmodels.c`, `LoadGLTF`: `LoadTextureFromImage( imAlbedo )`; `rlgl.h`, `rlGetGlTextureFormats`: `GL_RGBA8`, never `GL_SRGB8_ALPHA8`",
    },
    {
        engines: /^raylib$/, cases: /^(morph-cube|morph-stress|mannequin-expression)-/, kind: "limit", ignores: ["targets"],
        why: "Morph targets are not read",
        source: "raylib `rmodels.c`, `LoadModelAnimationsGLTF`: \"weights not considered (a.e. morph targets)\"",
    },
    {
        engines: /^raylib$/, cases: /^(cesium-man|mannequin|spline)-/, kind: "engine", again: { says: ["held"] },
        why: "A clip is sampled sixty times a second; rotations are the normalised mean of their components where their product is above 0.95, and tangents of splines lose their fourth component",
        source: "raylib `rmodels.c`: `#define GLTF_FRAMERATE 60.0f`; `raymath.h`, `QuaternionSlerp`: `cosHalfTheta > 0.95f`; `GetPoseAtTimeGLTF`: `Vector4 outTangent1 = {tmp[0], tmp[1], tmp[2], 0.0f}`",
    },
    {
        engines: /^raylib$/, cases: /^cesium-man-/, kind: "engine", again: { says: ["free", "parted"] },
        why: "A skinned mesh is moved by its own node too, and of a node above the joints the matrix is not read",
        source: "raylib `rmodels.c`, `LoadGLTF`: `Vector3Transform( …, worldMatrix )` of the mesh's node for every vertex; `LoadModelAnimationsGLTF`: \"Compose the intermediate node's local TRS\"",
    },
    {
        engines: /^raylib$/, cases: /^(flight-helmet|cut-out)-unlit/, kind: "limit", ignores: ["alpha"],
        why: "`alphaMode` and `alphaCutoff` are not read: a program has to know which of its materials are blended or cut out",
        source: "raylib `rmodels.c`, `LoadGLTF`: of a material the maps and `base_color_factor` alone",
    },
    {
        engines: /^raylib$/, cases: /^cut-out-/, kind: "limit", ignores: ["sides"],
        why: "`doubleSided` is not read: the back is never drawn",
        source: "raylib `rlgl.h`, `rlglInit`: `glEnable( GL_CULL_FACE )`",
    },
    {
        engines: /^raylib$/, cases: /^(texture-transform|tiles)-unlit/, kind: "limit", ignores: ["transforms"],
        why: "KHR_texture_transform is not read",
        source: "raylib `rmodels.c`, `LoadGLTF`: `base_color_texture.texture` alone, never its `transform`",
    },
    {
        engines: /^raylib$/, cases: /^tiles-unlit/, kind: "engine", ignores: ["fractions"],
        why: "Colours of vertices and factors are cut off to bytes",
        source: "raylib `rmodels.c`, `LoadGLTF`: `(unsigned char)(temp[c]*255.0f)`",
    },
    {
        engines: /^raylib$/, cases: /^mirrored-normals/, kind: "engine", again: { says: ["turned"] },
        why: "A node that mirrors turns the triangles round, and they are drawn as backs",
        source: "raylib `rmodels.c`, `LoadGLTF`: vertices are moved by `worldMatrix`, indices are copied",
    },
    {
        engines: /^raylib$/, cases: /^eight-influences-/, kind: "limit", right: { "max-influences": 4 }, again: { says: ["four"] },
        why: "The last set of four influences takes the place of the first",
        source: "raylib `rmodels.c`, `LoadGLTF`: `cgltf_attribute_type_joints` is asked without its `index`",
    },
    {
        engines: /^raylib$/, cases: /^stretched-/, kind: "engine", ignores: ["shear"],
        why: "Where a joint is in the world is kept as a translation, a rotation and a scale, which loses the shear of an uneven scale",
        source: "raylib `rmodels.c`, `BuildPoseFromParentJoints`: `transforms[i].scale = Vector3Multiply( … )`",
    },
    {
        engines: /^raylib$/, cases: /^(cesium-man|greenman|mannequin-walk|stretched|spline)-normals/, kind: "engine", right: { normals: "per-joint" },
        why: "Normals go through each joint's inverse transpose, and those are blended: not the inverse transpose of the blend",
        source: "raylib `rmodels.c`, `UpdateModelAnimationVertexBuffers`: `MatrixTranspose( MatrixInvert( model.boneMatrices[boneIndex] ) )` within the sum",
    },
    {
        engines: /^panda3d$/, cases: /-lit-/, kind: "freedom", right: { diffuse: "head-on" },
        why: "Diffuse light is lessened by what a surface reflects head-on",
        source: "panda3d-simplepbr 0.13.1, which lights what Panda3D reads by panda3d-gltf; `simplepbr.frag`: `diffuse_color = (base_color.rgb * (vec3(1.0) - F0)) * (1.0 - metallic)`",
    },
    {
        engines: /^panda3d$/, cases: /-lit-/, kind: "engine", again: { mend: ["units"] },
        why: "A directional light is darker by 683, and what is so dark is left out: all is black; other lights are darker by 683 ÷ 4π",
        source: "panda3d-gltf `_converter.py`, `load_light`: `intensity = gltf_light.get('intensity', 1) / PBR_WATTS_TO_LUMENS`; `simplepbr.frag`: `if (dot(lightcol, lightcol) < LIGHT_CUTOFF)`",
    },
    {
        engines: /^panda3d$/, cases: /-lit-/, kind: "limit", again: { mend: ["tone", "fresnel"] },
        why: "Light is always brought into a picture by a curve of film, and Schlick's power is an exponential function",
        source: "panda3d-simplepbr `tonemap.frag`: `color * (vec3(6.2) * color + vec3(0.5))`, `simplepbr.frag`: `pow(2.0, (-5.55473 * v_dot_h - 6.98316) * v_dot_h)`",
    },
    {
        engines: /^panda3d$/, cases: /-lit-4x$/, kind: "freedom", right: { profile: "vulkan-min" },
        why: "Samples are averaged as light, in a target of floats that is encoded afterwards",
        source: "panda3d-simplepbr `__init__.py`, `_setup_tonemapping`: `float_color = True`, `set_multisamples(self.msaa_samples)`",
    },
    {
        engines: /^panda3d$/, cases: /^(flight-helmet|mannequin-walk)-lit/, kind: "freedom", right: { "normal-maps": "two" },
        why: "The third channel of a normal map is worked out from the others",
        source: "panda3d-simplepbr `simplepbr.frag`: `normalZ = sqrt(clamp(1.0 - dot(normalXY, normalXY), 0.0, 1.0))`, unless `calculate_normalmap_blue` is switched off",
    },
    {
        engines: /^panda3d$/, cases: /^(flight-helmet|mannequin-walk)-lit/, kind: "engine", again: { mend: ["frame"] },
        why: "The frames of normal maps are not brought to length 1 where they are interpolated, nor are bitangents made there",
        source: "panda3d-simplepbr `simplepbr.vert`: `view_bitangent = cross(view_normal, view_tangent) * p3d_Tangent.w`; `simplepbr.frag`: `normalize(v_view_tbn * normalmap)`",
    },
    {
        engines: /^panda3d$/, cases: /^(fox-run|cesium-man|lamps)-lit/, kind: "engine", again: { mend: ["bare"] },
        why: "Where normal maps are on, what has none is tilted by half a 255th, and black if it has no tangents either",
        source: "panda3d-simplepbr `simplepbr.vert`: `view_tangent = normalize(p3d_NormalMatrix * model_tangent)` of nothing",
    },
    {
        engines: /^panda3d$/, cases: /^lamps-lit/, kind: "engine", again: { mend: ["lamp", "fall"] },
        why: "A spot light has a hard edge where the outer cone ends, no range, and falls by one more than the square of the distance",
        source: "panda3d-simplepbr `simplepbr.frag`: `shadowSpot = … smoothstep(spotcutoff-SPOTSMOOTH, spotcutoff+SPOTSMOOTH, spotcos)`; panda3d-gltf `_converter.py`: `node.attenuation = LVector3(1, 0, 1)`",
    },
    {
        engines: /^godot3$/, cases: /^(fox|cesium-man|greenman|morph|simple-skin|mannequin|cut-out|names|root|stretched|eight-influences)-/, kind: "engine", again: { says: ["held"] },
        why: "Clips are baked fifteen times a second, and what lies between two samples is their mean",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_import_animation`: `const float increment = 1.0 / float(bake_fps)`; `resource_importer_scene.cpp`: `animation/fps` is 15",
    },
    {
        engines: /^godot3$/, cases: /^spline-/, kind: "engine", again: { says: ["held"] },
        why: "Of CUBICSPLINE rotations the tangents are not used: they are spherical means, baked fifteen times a second",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `EditorSceneImporterGLTFInterpolate<Quat>::bezier`: `return start.slerp(end, t).normalized()`",
    },
    {
        engines: /^godot3$/, cases: /^mannequin-expression-/, kind: "engine", again: { says: ["held"] },
        why: "CUBICSPLINE weights are sampled and thrown away: the track has no keys",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_import_animation`: `_interpolate_track<float>( … )` as a statement, and no `track_insert_key` after it",
    },
    {
        engines: /^godot3$/, cases: /^mannequin-expression-/, kind: "engine", again: { says: ["dense"] },
        why: "An accessor without a buffer view, whose numbers are sparse, is read from the first one",
        source: "Godot 3.2 `editor_scene_importer_gltf.h`, `GLTFAccessor()`: `buffer_view = 0`, where `_decode_accessor` asks for `a.buffer_view >= 0`",
    },
    {
        engines: /^godot3$/, cases: /^simple-skin-/, kind: "engine", again: { says: ["apart"] },
        why: "A skinned mesh is hung below its skeleton, also where that hangs below the mesh's node: the ring is walked for ever, and the importer does not come back",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_process_mesh_instances`: `mi->get_parent()->remove_child(mi); skeleton->add_child(mi)`",
    },
    {
        engines: /^godot3$/, cases: /^stretched-/, kind: "engine", again: { says: ["rested"] },
        why: "A joint's pose is kept as a translation, a rotation and a scale after its rest, which loses the shear of an uneven scale at rest",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_import_animation`: `xform = skeleton->get_bone_rest(bone_idx).affine_inverse() * xform`, then `get_rotation_quat()` and `get_scale()`",
    },
    {
        engines: /^godot3$/, cases: /^((cut-out|names|root|stretched|eight-influences|spline|tiles)-unlit|simple-skin-)/, kind: "engine", again: { says: ["typed"] },
        why: "An image in a data URI is read only where its `mimeType` is stated beside it, a buffer in one only as application/octet-stream",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_parse_images`: `uri.findn(\"data:\" + mimetype + \";base64\") == 0`; `_parse_buffers`: `uri.findn(\"data:application/octet-stream;base64\") == 0`",
    },
    {
        engines: /^godot3$/, cases: /^(fox|greenman|morph-stress|mannequin|cut-out|names|root|stretched|eight-influences|spline|box-textured|flight-helmet|texture-transform|tiles|cesium-man).*-(unlit|lit)/, kind: "limit", ignores: ["samplers"], right: { mips: "given" },
        why: "No sampler is read: every texture is filtered trilinearly and repeats, in mip levels that OpenGL makes",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_parse_textures`: `src_image` alone; `ImageTexture::create_from_image`: `FLAGS_DEFAULT`",
    },
    {
        engines: /^godot3$/, cases: /-(unlit|lit)-4x$/, kind: "freedom", right: { profile: "vulkan-min" },
        why: "Samples are averaged as light, in a target of floats that is encoded afterwards",
        source: "Godot 3.2 `rasterizer_storage_gles3.cpp`, `_render_target_allocate`: `color_internal_format = GL_RGBA16F`; `tonemap.glsl`: `linear_to_srgb`",
    },
    {
        engines: /^godot3$/, cases: /^(texture-transform|tiles)-unlit/, kind: "limit", ignores: ["transforms"],
        why: "KHR_texture_transform is not read",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_parse_materials`: of `baseColorTexture` the `index` alone",
    },
    {
        engines: /^godot3$/, cases: /^tiles-unlit/, kind: "limit", ignores: ["tints"],
        why: "Colours of vertices are not used",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_parse_materials`: no material has `FLAG_ALBEDO_FROM_VERTEX_COLOR`",
    },
    {
        engines: /^godot3$/, cases: /^eight-influences-/, kind: "limit", right: { "max-influences": 4 },
        why: "A vertex has four influences, brought to the sum of 1",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_parse_meshes`: `JOINTS_0` and `WEIGHTS_0` alone, `w[k + 0] /= total`",
    },
    {
        engines: /^godot3$/, cases: /^(cesium-man|greenman|mannequin-walk|stretched|spline|mirrored)-(normals|lit)/, kind: "engine", right: { normals: "rotation-only" },
        why: "Normals go through the matrices of joints and nodes themselves and not through their inverse transposes",
        source: "Godot 3.2 `drivers/gles3/shaders/scene.glsl`: `world_matrix = world_matrix * transpose(m)` of the joints, `normal = normalize((modelview * vec4(normal, 0.0)).xyz)` unless a material has `ensure_correct_normals`",
    },
    {
        engines: /^godot3$/, cases: /-lit-/, kind: "freedom", right: { diffuse: "burley" },
        why: "Diffuse light is scattered as Burley has it, by roughness, and not lessened by what a surface reflects",
        source: "Godot 3.2 `drivers/gles3/shaders/scene.glsl`, `light_compute`: `FD90_minus_1 = 2.0 * cLdotH * cLdotH * roughness - 0.5`",
    },
    {
        engines: /^godot3$/, cases: /-lit-/, kind: "engine", again: { mend: ["energy"] },
        why: "A light is brighter by pi, and what it makes shine is half of that",
        source: "Godot 3.2 `rasterizer_scene_gles3.cpp`, `_setup_directional_light`: `linear_col.r * sign * … * Math_PI`; `light.cpp`: `set_param(PARAM_SPECULAR, 0.5)`",
    },
    {
        engines: /^godot3$/, cases: /-lit-/, kind: "engine", again: { mend: ["masking", "eye"] },
        why: "Masking and shadowing are Schlick's approximation, each for itself, and where a normal points away from the eye the angle between them counts as a right one",
        source: "Godot 3.2 `scene.glsl`: `G_GGX_2cos(cNdotL, alpha_ggx) * G_GGX_2cos(cNdotV, alpha_ggx)`, `cNdotV = max(NdotV, 0.0)`",
    },
    {
        engines: /^godot3$/, cases: /^(flight-helmet|mannequin-walk)-lit/, kind: "freedom", right: { "normal-maps": "two" },
        why: "The third channel of a normal map is worked out from the others",
        source: "Godot 3.2 `scene.glsl`: `normalmap.z = sqrt(max(0.0, 1.0 - dot(normalmap.xy, normalmap.xy)))`",
    },
    {
        engines: /^godot3$/, cases: /^(flight-helmet|mannequin-walk)-lit/, kind: "engine", again: { mend: ["bitangent"] },
        why: "Bitangents are interpolated",
        source: "Godot 3.2 `scene.glsl`: `binormal = normalize(binormal_interp)`",
    },
    {
        engines: /^godot3$/, cases: /^fox-run-lit/, kind: "engine", again: { mend: ["flat"] },
        why: "Where a file has no normals none are made, and what has none is black",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_parse_meshes`: `NORMAL` is read where it is there; `scene.glsl`: `normal = normalize(normal_interp)`",
    },
    {
        engines: /^godot3$/, cases: /^lamps-lit/, kind: "engine", again: { mend: ["fall", "cone"] },
        why: "The intensity of a spot light is an exponent of its fall over its range, and a hundredth above ten; the edge of its cone is a power of the angle's cosine",
        source: "Godot 3.2 `editor_scene_importer_gltf.cpp`, `_generate_light`: `intensity /= 100`, `attenuation = range / intensity`, `angle_attenuation = 0.2 / (1 - angle_ratio) - 0.1`; `scene.glsl`, `light_process_spot`: `pow(1.0 - normalized_distance, … )`",
    },
    {
        engines: /^bevy$/, cases: /^(fox|cesium-man|greenman|morph-stress|mannequin|flight-helmet|cut-out|names|root|spline|eight-influences|box-textured|texture-transform|tiles).*-(unlit|lit)/, kind: "freedom", right: { mips: "none" },
        why: "A texture has no mip levels but those in its file, and PNG and JPEG have one",
        source: "Bevy 0.19 `bevy_image`, `Image::new_uninit`: `mip_level_count: 1`; no line of `bevy_gltf` makes others",
    },
    {
        engines: /^bevy$/, cases: /^cesium-man-(unlit|lit)/, kind: "freedom", right: { jpeg: "rounded" },
        why: "Texels of a JPEG are up to three steps of 255 off here and there: its standard leaves open how a decoder rounds (textures with mip levels hide it)",
        source: "ITU-T T.81, A.3.3: the formula is the ideal one, and accuracy is left to the tests of T.83; Bevy 0.19 decodes by `zune-jpeg`, refrast by `jpeg-decoder`",
    },
    {
        engines: /^bevy$/, cases: /^flight-helmet-(unlit|lit)-1x$/, kind: "freedom", right: { profile: "vulkan-min" },
        why: "What is seen through glass is mixed as light, in a target of sRGB",
        source: "Vulkan 1.0, \"Blending\": values of sRGB attachments are linear while they are blended",
    },
    {
        engines: /^bevy$/, cases: /-4x$/, kind: "freedom", right: { samples: 4, profile: "vulkan-min" },
        why: "The engine draws by Vulkan into an image: in the standard pattern, and samples are averaged as light",
        source: "Vulkan 1.0, `standardSampleLocations`: places from the upper left corner, and the first row is the upper one; Bevy 0.19 `bevy_render`, `Msaa::Sample4`",
    },
    {
        engines: /^bevy$/, cases: /^fox-run-(normals|lit)/, kind: "engine", ignores: ["normals"],
        why: "Where a file has no normals, those of the triangles as they rest are made and moved with the joints: posed triangles are flat no more",
        source: "Bevy 0.19 `bevy_gltf/src/loader/mod.rs`: `mesh.compute_flat_normals()`, on loading",
    },
    {
        engines: /^bevy$/, cases: /^(simple-skin|texture-transform)-vertices/, kind: "engine", again: { says: ["faced"] },
        why: "Where a file has no normals the vertices of an indexed mesh are made anew, one for each corner of a triangle",
        source: "Bevy 0.19 `bevy_gltf/src/loader/mod.rs`: `mesh.duplicate_vertices()`",
    },
    {
        engines: /^bevy$/, cases: /^eight-influences-/, kind: "limit", right: { "max-influences": 4 }, again: { says: ["four"] },
        why: "A vertex has the four influences of the first set, and they are not brought to the sum of 1",
        source: "Bevy 0.19 `bevy_gltf/src/vertex_attributes.rs`: `gltf::Semantic::Joints(0)` and `Weights(0)` alone; `skinning.wgsl`, `skin_model`: the weights as they are",
    },
    {
        engines: /^bevy$/, cases: /^mannequin-expression-vertices/, kind: "engine", again: { says: ["held"] },
        why: "Of CUBICSPLINE weights the value at the interval's end and the tangent into it are taken for each other. Colours without light do not show it",
        source: "Bevy 0.19 `bevy_animation/src/gltf_curves.rs`, `cubic_spline_interpolate_slices`: `second[idx + width]` is handed over as `tangent_in_end` and `second[idx]` as `value_end`",
    },
    {
        engines: /^bevy$/, cases: /-lit-/, kind: "freedom", right: { diffuse: "burley-squared" },
        why: "Diffuse light is scattered as Burley has it, by the square of roughness, and not lessened by what a surface reflects",
        source: "Bevy 0.19 `pbr_lighting.wgsl`, `directional_light`: `diffuse = diffuse_color * Fd_Burley(input, &derived_input)`, and `diffuse + specular_light`",
    },
    {
        engines: /^bevy$/, cases: /-lit-/, kind: "engine", again: { mend: ["scattering", "eye"] },
        why: "What surfaces reflect is made brighter for light that is reflected several times, and where a normal points away from the eye the angle between them counts as a right one",
        source: "Bevy 0.19 `pbr_lighting.wgsl`, `specular_multiscatter`: `Fr *= 1.0 + F0 * (1.0 / (F_ab.x + F_ab.y) - 1.0)`; `pbr_functions.wgsl`: `max(dot(in.N, in.V), 0.0001)`, where the material of glTF has the magnitude",
    },
    {
        engines: /^bevy$/, cases: /-lit-/, kind: "engine", again: { says: ["stored"] },
        why: "Colours of lights are taken for encoded ones",
        source: "Bevy 0.19 `bevy_gltf/src/loader/mod.rs`: `color: Color::srgb_from_array(light.color())`",
    },
    {
        engines: /^bevy$/, cases: /^fox-run-lit/, kind: "driver", again: { mend: ["decode"] },
        why: "llvmpipe decodes texels by a polynomial, as above",
        source: "As above",
    },
    {
        engines: /^bevy$/, cases: /^lamps-lit/, kind: "engine", ignores: ["reach"], again: { mend: ["range", "radius"] },
        why: "Light falls off toward its range by a square where the extension has none, a light without a range reaches 20 metres, and a spot light with one is a ball of that radius",
        source: "Bevy 0.19 `pbr_lighting.wgsl`, `getRangeFalloff`: `smoothFactor * smoothFactor`; `bevy_gltf/src/loader/mod.rs`: `range: light.range().unwrap_or(20.0)`, `radius: light.range().unwrap_or(0.0)`",
    },
    {
        engines: /^bevy$/, cases: /^lamps-lit/, kind: "driver", again: { mend: ["encode"] },
        why: "llvmpipe decodes by a polynomial what the engine has drawn, where it copies that to its target",
        source: "Bevy 0.19 `bevy_core_pipeline`, upscaling: from a target of sRGB into another one; Mesa `lp_bld_format_srgb.c`, as above",
    },
];
