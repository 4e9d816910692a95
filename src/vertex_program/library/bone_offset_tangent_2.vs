vs_1_1
// Bone offset, two influences, tangent basis: tangent and binormal are skinned, the normal is their cross product.
//
// oT1.xyz is the vector to the light in tangent space, oT2.xyz that half way between light and eye (neither of unit
// length between vertices); oD0 is c[5], oD1 is c[9].
//
// Attributes
//   v0       position in the rest pose, w = 1
//   v1       weights
//   v6       for each influence, the first row of its joint: 3·j
//   v8       texture coordinate
//   v9       tangent in the rest pose; w: handedness, 1 or -1
//   v10      binormal in the rest pose
// Constants
//   c[0..3]        modelview-projection matrix, by rows: clip space from the space of the palette
//   c[4]           xyz: unit vector to the light, in the space of the palette
//   c[5]           diffuse colour of light and material; w: alpha
//   c[6]           free
//   c[7]           (0, 1, 0.5, 2)
//   c[8]           the eye, in the space of the palette; w = 1, or 0 where xyz is the direction to it
//   c[9]           colour of the highlight
//   c[10..11]      free
//   c[12 + 3·j ..] rows of the affine matrix of joint j of the draw, j = 0 .. 27

dcl_position v0
dcl_blendweight v1
dcl_blendindices v6
dcl_texcoord v8
dcl_texcoord1 v9
dcl_texcoord2 v10
mov a0.x, v6.x
dp4 r2.x, c[a0.x + 12], v0
dp4 r2.y, c[a0.x + 13], v0
dp4 r2.z, c[a0.x + 14], v0
mul r1.xyz, r2, v1.x
dp3 r4.x, c[a0.x + 12], v9
dp3 r4.y, c[a0.x + 13], v9
dp3 r4.z, c[a0.x + 14], v9
mul r5.xyz, r4, v1.x
dp3 r6.x, c[a0.x + 12], v10
dp3 r6.y, c[a0.x + 13], v10
dp3 r6.z, c[a0.x + 14], v10
mul r7.xyz, r6, v1.x
mov a0.x, v6.y
dp4 r2.x, c[a0.x + 12], v0
dp4 r2.y, c[a0.x + 13], v0
dp4 r2.z, c[a0.x + 14], v0
mad r1.xyz, r2, v1.y, r1
dp3 r4.x, c[a0.x + 12], v9
dp3 r4.y, c[a0.x + 13], v9
dp3 r4.z, c[a0.x + 14], v9
mad r5.xyz, r4, v1.y, r5
dp3 r6.x, c[a0.x + 12], v10
dp3 r6.y, c[a0.x + 13], v10
dp3 r6.z, c[a0.x + 14], v10
mad r7.xyz, r6, v1.y, r7
mov r1.w, c7.y
dp3 r5.w, r5, r5
rsq r5.w, r5.w
mul r5.xyz, r5, r5.w
dp3 r7.w, r7, r7
rsq r7.w, r7.w
mul r7.xyz, r7, r7.w
mul r8.xyz, r5.yzxw, r7.zxyw
mad r8.xyz, -r5.zxyw, r7.yzxw, r8
mul r8.xyz, r8, v9.w
dp4 oPos.x, c0, r1
dp4 oPos.y, c1, r1
dp4 oPos.z, c2, r1
dp4 oPos.w, c3, r1
dp3 oT1.x, r5, c4
dp3 oT1.y, r7, c4
dp3 oT1.z, r8, c4
mad r0.xyz, -r1, c8.w, c8
dp3 r0.w, r0, r0
rsq r0.w, r0.w
mad r0.xyz, r0, r0.w, c4
dp3 oT2.x, r5, r0
dp3 oT2.y, r7, r0
dp3 oT2.z, r8, r0
mov oD0, c5
mov oD1, c9
mov oT0.xy, v8
