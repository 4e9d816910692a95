vs_1_1
// Five active morph targets with position and normal, in 13 of the 16 attributes.
//
// v' = v + sum of w·dv, n' = n + sum of w·dn, normalised.
//
// Attributes
//   v0       base position, w = 1
//   v2       base normal
//   v1       target 1: difference of position
//   v3       target 1: difference of normal
//   v4       target 2: difference of position
//   v5       target 2: difference of normal
//   v6       target 3: difference of position
//   v7       target 3: difference of normal
//   v9       target 4: difference of position
//   v10      target 4: difference of normal
//   v11      target 5: difference of position
//   v12      target 5: difference of normal
//   v8       texture coordinate
// Constants
//   c[0..3]        modelview-projection matrix, by rows: clip space from the space of the palette
//   c[4]           xyz: unit vector to the light, in the space of the palette
//   c[5]           diffuse colour of light and material; w: alpha
//   c[6]           ambient colour of light and material
//   c[7]           (0, 1, 0.5, 2)
//   c[8]           weights of targets 1 to 4
//   c[9]           x: weight of target 5

dcl_position v0
dcl_blendweight v1
dcl_normal v2
dcl_color v3
dcl_color1 v4
dcl_fog v5
dcl_blendindices v6
dcl_psize v7
dcl_texcoord v8
dcl_texcoord1 v9
dcl_texcoord2 v10
dcl_texcoord3 v11
dcl_texcoord4 v12
mov r1, v0
mov r5.xyz, v2
mad r1.xyz, v1, c8.x, r1
mad r5.xyz, v3, c8.x, r5
mad r1.xyz, v4, c8.y, r1
mad r5.xyz, v5, c8.y, r5
mad r1.xyz, v6, c8.z, r1
mad r5.xyz, v7, c8.z, r5
mad r1.xyz, v9, c8.w, r1
mad r5.xyz, v10, c8.w, r5
mad r1.xyz, v11, c9.x, r1
mad r5.xyz, v12, c9.x, r5
dp3 r5.w, r5, r5
rsq r5.w, r5.w
mul r5.xyz, r5, r5.w
dp4 oPos.x, c0, r1
dp4 oPos.y, c1, r1
dp4 oPos.z, c2, r1
dp4 oPos.w, c3, r1
dp3 r3.x, r5, c4
max r3.x, r3.x, c7.x
mul r3.xyz, r3.x, c5
add oD0.xyz, r3, c6
mov oD0.w, c5.w
mov oT0.xy, v8
