
// Two-matrix blend: v' = w·M0·v + (1 − w)·M1·v, for meshes of two bones and no palette.
//
// Attributes
//   v0       position, w = 1
//   v1       x: weight of the first matrix
//   v2       normal
//   v8       texture coordinate
// Constants
//   c[0..3]        modelview-projection matrix, by rows: clip space from the space of the palette
//   c[4]           xyz: unit vector to the light, in the space of the palette
//   c[5]           diffuse colour of light and material; w: alpha
//   c[6]           ambient colour of light and material
//   c[7]           (0, 1, 0.5, 2)
//   c[8..11]       free
//   c[12..14]      rows of the first affine matrix
//   c[15..17]      rows of the second affine matrix

dcl_position v0
dcl_blendweight v1
dcl_normal v2
dcl_texcoord v8
dp4 r1.x, c12, v0
dp4 r1.y, c13, v0
dp4 r1.z, c14, v0
dp3 r5.x, c12, v2
dp3 r5.y, c13, v2
dp3 r5.z, c14, v2
dp4 r2.x, c15, v0
dp4 r2.y, c16, v0
dp4 r2.z, c17, v0
dp3 r6.x, c15, v2
dp3 r6.y, c16, v2
dp3 r6.z, c17, v2
add r1.xyz, r1, -r2
mad r1.xyz, r1, v1.x, r2
add r5.xyz, r5, -r6
mad r5.xyz, r5, v1.x, r6
mov r1.w, c7.y
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
