vs_1_1
// Dual quaternion, four influences: rigid joints in two constants each, so that 42 joints fit.
//
// The blend is linear, on the hemisphere of the first influence, and normalised by the real part (Kavan et al. 2008).
// Joints may rotate and move, not scale.
//
// Attributes
//   v0       position in the rest pose, w = 1
//   v1       weights
//   v2       normal in the rest pose
//   v6       for each influence, the first row of its joint: 2·j
//   v8       texture coordinate
// Constants
//   c[0..3]        modelview-projection matrix, by rows: clip space from the space of the palette
//   c[4]           xyz: unit vector to the light, in the space of the palette
//   c[5]           diffuse colour of light and material; w: alpha
//   c[6]           ambient colour of light and material
//   c[7]           (0, 1, 0.5, 2)
//   c[8..11]       free
//   c[12 + 2·j]    real part of joint j of the draw, (x, y, z, w), j = 0 .. 41
//   c[13 + 2·j]    dual part of joint j

dcl_position v0
dcl_blendweight v1
dcl_normal v2
dcl_blendindices v6
dcl_texcoord v8
mov a0.x, v6.x
mov r8, c[a0.x + 12]
mul r0, r8, v1.x
mul r1, c[a0.x + 13], v1.x
mov a0.x, v6.y
dp4 r2.x, c[a0.x + 12], r8
sge r2.x, r2.x, c7.x
mad r2.x, r2.x, c7.w, -c7.y
mul r2.x, r2.x, v1.y
mad r0, c[a0.x + 12], r2.x, r0
mad r1, c[a0.x + 13], r2.x, r1
mov a0.x, v6.z
dp4 r2.x, c[a0.x + 12], r8
sge r2.x, r2.x, c7.x
mad r2.x, r2.x, c7.w, -c7.y
mul r2.x, r2.x, v1.z
mad r0, c[a0.x + 12], r2.x, r0
mad r1, c[a0.x + 13], r2.x, r1
mov a0.x, v6.w
dp4 r2.x, c[a0.x + 12], r8
sge r2.x, r2.x, c7.x
mad r2.x, r2.x, c7.w, -c7.y
mul r2.x, r2.x, v1.w
mad r0, c[a0.x + 12], r2.x, r0
mad r1, c[a0.x + 13], r2.x, r1
dp4 r2.x, r0, r0
rsq r2.x, r2.x
mul r0, r0, r2.x
mul r1, r1, r2.x
mul r3.xyz, r0.yzxw, v0.zxyw
mad r3.xyz, -r0.zxyw, v0.yzxw, r3
mad r3.xyz, r0.w, v0, r3
mul r4.xyz, r0.yzxw, r3.zxyw
mad r4.xyz, -r0.zxyw, r3.yzxw, r4
mad r5.xyz, r4, c7.w, v0
mul r3.xyz, r0.yzxw, v2.zxyw
mad r3.xyz, -r0.zxyw, v2.yzxw, r3
mad r3.xyz, r0.w, v2, r3
mul r4.xyz, r0.yzxw, r3.zxyw
mad r4.xyz, -r0.zxyw, r3.yzxw, r4
mad r6.xyz, r4, c7.w, v2
mul r7.xyz, r0.w, r1
mad r7.xyz, -r1.w, r0, r7
mad r7.xyz, r0.yzxw, r1.zxyw, r7
mad r7.xyz, -r0.zxyw, r1.yzxw, r7
mad r5.xyz, r7, c7.w, r5
mov r5.w, c7.y
dp4 oPos.x, c0, r5
dp4 oPos.y, c1, r5
dp4 oPos.z, c2, r5
dp4 oPos.w, c3, r5
dp3 r3.x, r6, c4
max r3.x, r3.x, c7.x
mul r3.xyz, r3.x, c5
add oD0.xyz, r3, c6
mov oD0.w, c5.w
mov oT0.xy, v8
