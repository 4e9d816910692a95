
// Accumulated matrix, four influences: the weighted matrices are added first, then the vertex is transformed once.
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
mul r6, c[a0.x + 12], v1.x
mul r7, c[a0.x + 13], v1.x
mul r8, c[a0.x + 14], v1.x
mov a0.x, v6.y
mad r6, c[a0.x + 12], v1.y, r6
mad r7, c[a0.x + 13], v1.y, r7
mad r8, c[a0.x + 14], v1.y, r8
mov a0.x, v6.z
mad r6, c[a0.x + 12], v1.z, r6
mad r7, c[a0.x + 13], v1.z, r7
mad r8, c[a0.x + 14], v1.z, r8
mov a0.x, v6.w
mad r6, c[a0.x + 12], v1.w, r6
mad r7, c[a0.x + 13], v1.w, r7
mad r8, c[a0.x + 14], v1.w, r8
dp4 r1.x, r6, v0
dp4 r1.y, r7, v0
dp4 r1.z, r8, v0
mov r1.w, c7.y
dp3 r5.x, r6, v2
dp3 r5.y, r7, v2
dp3 r5.z, r8, v2
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
