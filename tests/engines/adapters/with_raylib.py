"""raylib (PyPI: raylib): python with_raylib.py CASE.json OUT.png, or OUT.npy for its vertices in world space. It needs a display.

Vertices are moved by the engine on the CPU. Textures have mip levels and are filtered trilinearly: the engine reads no samplers, and a
program of its own sets what it likes.
"""

import ctypes

import numpy
from raylib import ffi, rl

from task import SRGB, perform

gl = ctypes.CDLL("libGL.so.1")
VERTEX = """#version 330
in vec3 vertexPosition, vertexNormal; in vec2 vertexTexCoord; in vec4 vertexColor;
uniform mat4 mvp;
out vec3 point, normal; out vec4 tint; out vec2 place;
void main() { gl_Position = mvp * vec4(vertexPosition, 1.0); point = vertexPosition; normal = normalize(vertexNormal); tint = vertexColor; place = vertexTexCoord; }"""
FRAGMENT = "#version 330\nuniform sampler2D texture0; uniform vec4 colDiffuse; in vec3 point, normal; in vec4 tint; in vec2 place; out vec4 color;" + SRGB
UNLIT = FRAGMENT + "void main() { color = vec4(encoded(decoded(texture(texture0, place).rgb) * colDiffuse.rgb * tint.rgb), 1.0); }"
NORMALS = FRAGMENT + "void main() { color = vec4(normalize(gl_FrontFacing ? normal : -normal) * 0.5 + 0.5, 1.0); }"
FLAT = FRAGMENT + "void main() { color = vec4(normalize(cross(dFdx(point), dFdy(point))) * 0.5 + 0.5, 1.0); }"


def load(task):
    """The model at the moment of the case."""
    rl.SetTraceLogLevel(rl.LOG_ERROR)
    rl.InitWindow(*task.size, b"refrast")
    model = rl.LoadModel(task.file.encode())
    count = ffi.new("int *")
    clips = rl.LoadModelAnimations(task.file.encode(), count)
    if task.clip is not None and count[0]:
        names = [ffi.string(clips[number].name).decode() for number in range(count[0])]
        rl.UpdateModelAnimation(model, clips[task.clip_in(names)], task.time * 60)
    return model


def vertices(task):
    """World-space positions in the order of node, primitive and vertex, which is the order of the engine's meshes."""
    model = load(task)
    meshes = [model.meshes[number] for number in range(model.meshCount)]
    moved = [(mesh.animVertices if mesh.animVertices != ffi.NULL else mesh.vertices, 12 * mesh.vertexCount) for mesh in meshes]
    return numpy.concatenate([numpy.frombuffer(ffi.buffer(*points), dtype="<f4").reshape(-1, 3) for points in moved])


def draw(task):
    """The pixels."""
    model = load(task)
    has_normals = model.meshes[0].normals != ffi.NULL
    shader = rl.LoadShaderFromMemory(VERTEX.encode(), (UNLIT if task.is_unlit else NORMALS if has_normals else FLAT).encode())
    for number in range(model.materialCount):
        model.materials[number].shader = shader
        texture = ffi.addressof(model.materials[number].maps[rl.MATERIAL_MAP_ALBEDO], "texture")
        if texture.width > 1:
            rl.GenTextureMipmaps(texture)
            rl.SetTextureFilter(texture[0], rl.TEXTURE_FILTER_TRILINEAR)
    if task.samples > 1:
        multisampled(task)
    rl.ClearBackground([*(round(255 * part) for part in task.background), 255])
    rl.BeginMode3D(ffi.new("Camera3D *", {"up": [0, 1, 0], "target": [0, 0, 1], "fovy": 45})[0])
    rl.rlSetMatrixProjection(matrix(task.projection))
    rl.rlSetMatrixModelview(matrix(task.view))
    rl.rlDisableColorBlend()
    rl.DrawModel(model, [0, 0, 0], 1, [255, 255, 255, 255])
    rl.EndMode3D()
    if task.samples > 1:
        rl.rlDrawRenderBatchActive()
        gl.glBindFramebuffer(0x8CA9, 0)  # DRAW_FRAMEBUFFER
        gl.glBlitFramebuffer(0, 0, *task.size, 0, 0, *task.size, 0x4000, 0x2600)  # COLOR_BUFFER_BIT, NEAREST
        gl.glBindFramebuffer(0x8D40, 0)
    pixels = bytearray(4 * task.size[0] * task.size[1])
    gl.glReadPixels(0, 0, *task.size, 0x1908, 0x1401, (ctypes.c_char * len(pixels)).from_buffer(pixels))  # RGBA, UNSIGNED_BYTE
    return pixels


def multisampled(task):
    """Binds a target with samples, which the engine has only as a window, and Mesa's software windows give one of them back."""
    target = rl.rlLoadFramebuffer()
    gl.glBindFramebuffer(0x8D40, target)
    for kind, attachment in ((0x8058, 0x8CE0), (0x81A6, 0x8D00)):  # RGBA8 as colour, DEPTH_COMPONENT24 as depth
        buffer = ctypes.c_uint()
        gl.glGenRenderbuffers(1, ctypes.byref(buffer))
        gl.glBindRenderbuffer(0x8D41, buffer)
        gl.glRenderbufferStorageMultisample(0x8D41, task.samples, kind, *task.size)
        gl.glFramebufferRenderbuffer(0x8D40, attachment, 0x8D41, buffer)


def matrix(columns):
    """The engine names entries by columns and holds them by rows."""
    return {f"m{place}": columns[place] for place in range(16)}


if __name__ == "__main__":
    perform(draw, vertices)
