
// Bone offset, two influences, standard lighting: v' = sum of w·M·v, n' = sum of w·R·n, normalised.
//
// M maps the rest pose to the posed mesh (joint matrix times inverse bind matrix); R is its upper 3×3.
//
// Attributes
//   v0       position in the rest pose, w = 1
//   v1       weights
//   v2       normal in the rest pose
//   v6       for each influence, the first row of its joint: 3·j
//   v8       texture coordinate
// Constants
//   c[0..3]        modelview-projection matrix, by rows: clip space from the space of the palette
//   c[4]           xyz: unit vector to the light, in the space of the palette
//   c[5]           diffuse colour of light and material; w: alpha
//   c[6]           ambient colour of light and material
//   c[7]           (0, 1, 0.5, 2)
//   c[8..11]       free
//   c[12 + 3·j ..] rows of the affine matrix of joint j of the draw, j = 0 .. 27

dcl_position v0
dcl_blendweight v1
dcl_normal v2
dcl_blendindices v6
dcl_texcoord v8
mov a0.x, v6.x
dp4 r2.x, c[a0.x + 12], v0
dp4 r2.y, c[a0.x + 13], v0
dp4 r2.z, c[a0.x + 14], v0
mul r1.xyz, r2, v1.x
dp3 r4.x, c[a0.x + 12], v2
dp3 r4.y, c[a0.x + 13], v2
dp3 r4.z, c[a0.x + 14], v2
mul r5.xyz, r4, v1.x
mov a0.x, v6.y
dp4 r2.x, c[a0.x + 12], v0
dp4 r2.y, c[a0.x + 13], v0
dp4 r2.z, c[a0.x + 14], v0
mad r1.xyz, r2, v1.y, r1
dp3 r4.x, c[a0.x + 12], v2
dp3 r4.y, c[a0.x + 13], v2
dp3 r4.z, c[a0.x + 14], v2
mad r5.xyz, r4, v1.y, r5
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
