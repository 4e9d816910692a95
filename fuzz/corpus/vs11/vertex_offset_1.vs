
// Vertex offset, one influence: the vertex is stored once for each joint, in the joint's space.
//
// v' = sum of w·M·v_j, n' = sum of w·R·n_j, normalised. No inverse bind matrices are needed.
//
// Attributes
//   v0       for each influence, the first row of its joint: 3·j
//   v2       xyz: normal in the space of joint 1; w: its weight
//   v12      position in the space of joint 1, w = 1
//   v8       texture coordinate
// Constants
//   c[0..3]        modelview-projection matrix, by rows: clip space from the space of the palette
//   c[4]           xyz: unit vector to the light, in the space of the palette
//   c[5]           diffuse colour of light and material; w: alpha
//   c[6]           ambient colour of light and material
//   c[7]           (0, 1, 0.5, 2)
//   c[8..11]       free
//   c[12 + 3·j ..] rows of the world matrix of joint j of the draw, j = 0 .. 27

dcl_position v0
dcl_normal v2
dcl_texcoord v8
dcl_texcoord4 v12
mov a0.x, v0.x
dp4 r2.x, c[a0.x + 12], v12
dp4 r2.y, c[a0.x + 13], v12
dp4 r2.z, c[a0.x + 14], v12
mul r1.xyz, r2, v2.w
dp3 r4.x, c[a0.x + 12], v2
dp3 r4.y, c[a0.x + 13], v2
dp3 r4.z, c[a0.x + 14], v2
mul r5.xyz, r4, v2.w
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
