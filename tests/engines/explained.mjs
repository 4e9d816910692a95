// Why rows of the board are not right by the reference's own rules, each with a proof that the board makes anew.
//
// `engines` and `cases` are patterns of names (vertices are `NAME-vertices`), `kind` says whose it is. The proof is that the picture is right
// with other words of the manifest (`right`), or with options of `refrast check` (`check`), or that `refrast diagnose` names a known mistake (`fault`); with neither, the reason stands by its
// source alone. Several may hold for one row: then all their words together make it right.

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
        engines: /^(three|three-0\.140|babylon|playcanvas)$/, cases: /^box-textured-unlit/, kind: "freedom", right: { mips: "given" },
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
        engines: /^galacean$/, cases: /-4x$/, kind: "freedom", right: { samples: 4 },
        why: "The engine resolves in a target of its own, in the standard pattern, and copies that to the canvas",
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
        engines: /^galacean$/, cases: /^(cesium-man|box-textured)-unlit/, kind: "engine",
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
];
