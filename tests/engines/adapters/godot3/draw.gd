# Draws the case in case.json to out.png, or writes its vertices in world space to out.raw: three floats each.
extends SceneTree

const NORMALS = "shader_type spatial; render_mode unshaded, cull_%s; void fragment() { ALBEDO = (CAMERA_MATRIX * vec4(NORMAL, 0.0)).xyz * 0.5 + 0.5; }"
const FLAT = "shader_type spatial; render_mode unshaded, cull_%s; void fragment() { ALBEDO = (CAMERA_MATRIX * vec4(normalize(cross(dFdx(VERTEX), dFdy(VERTEX))), 0.0)).xyz * 0.5 + 0.5; }"
var words
var wants_vertices

func _initialize():
	words = read("res://case.json")
	wants_vertices = "vertices" in Array(OS.get_cmdline_args())
	var viewport = Viewport.new()
	viewport.size = Vector2(words.width, words.height)
	viewport.own_world = true
	viewport.msaa = Viewport.MSAA_4X if int(words.samples) > 1 else Viewport.MSAA_DISABLED
	viewport.keep_3d_linear = words.shading == "normals"
	viewport.render_target_update_mode = Viewport.UPDATE_ALWAYS
	get_root().add_child(viewport)
	var scene = load("res://" + words.file).instance()
	viewport.add_child(scene)
	var player = scene.get_node_or_null("AnimationPlayer")
	var clip = words.get("animation")
	if player and clip != null:
		player.play(clip if player.has_animation(clip) else player.get_animation_list()[int(clip)])
		player.seek(words.time, true)
		player.playback_active = false
	for mesh in meshes(scene):
		for surface in mesh.mesh.get_surface_count():
			dress(mesh, surface)
	viewport.add_child(camera())
	var world = WorldEnvironment.new()
	world.environment = Environment.new()
	world.environment.background_mode = Environment.BG_COLOR
	# Colours are decoded; a picture of normals is not encoded.
	world.environment.background_color = encoded(Color(words.background)) if viewport.keep_3d_linear else Color(words.background)
	viewport.add_child(world)
	yield(self, "idle_frame")
	yield(self, "idle_frame")
	if wants_vertices:
		write(scene)
	else:
		VisualServer.force_draw()
		rounded(viewport.get_texture().get_data()).save_png("res://out.png")
	quit()

# The viewport holds encoded colours as floats, which convert() would cut off.
func rounded(image):
	var bytes = PoolByteArray()
	image.flip_y()
	image.lock()
	for y in image.get_height():
		for x in image.get_width():
			var color = image.get_pixel(x, y)
			bytes.append_array(PoolByteArray([round(255 * color.r), round(255 * color.g), round(255 * color.b)]))
	var made = Image.new()
	made.create_from_data(image.get_width(), image.get_height(), false, Image.FORMAT_RGB8, bytes)
	return made

func encoded(color):
	for channel in 3:
		color[channel] = 12.92 * color[channel] if color[channel] < 0.0031308 else 1.055 * pow(color[channel], 1 / 2.4) - 0.055
	return color

func read(path):
	var file = File.new()
	file.open(path, File.READ)
	return JSON.parse(file.get_as_text()).result

func meshes(node):
	var all = [node] if node is MeshInstance else []
	for child in node.get_children():
		all += meshes(child)
	return all

# Without light, with its normals for colours, or as the file has it, under the file's lights alone.
func dress(mesh, surface):
	var material = mesh.mesh.surface_get_material(surface)
	if words.shading == "lit":
		material.flags_disable_ambient_light = true
		return
	if words.shading == "unlit":
		material = material if material else SpatialMaterial.new()
		material.flags_unshaded = true
		mesh.set_surface_material(surface, material)
		return
	var shader = Shader.new()
	var has_normals = mesh.mesh.surface_get_format(surface) & Mesh.ARRAY_FORMAT_NORMAL
	shader.code = (NORMALS if has_normals else FLAT) % ("disabled" if material and material.params_cull_mode == SpatialMaterial.CULL_DISABLED else "back")
	var own = ShaderMaterial.new()
	own.shader = shader
	mesh.set_surface_material(surface, own)

func camera():
	var view = words.view
	var projection = words.projection
	var made = Camera.new()
	made.set_perspective(rad2deg(2 * atan(1 / projection[5])), projection[14] / (projection[10] - 1), projection[14] / (projection[10] + 1))
	var rows = []
	for column in 4:
		rows.append(Vector3(view[4 * column], view[4 * column + 1], view[4 * column + 2]))
	made.transform = Transform(rows[0], rows[1], rows[2], rows[3]).affine_inverse()
	made.current = true
	return made

func write(scene):
	var file = File.new()
	file.open("res://out.raw", File.WRITE)
	for mesh in meshes(scene):
		for surface in mesh.mesh.get_surface_count():
			for point in placed(mesh, surface):
				for axis in 3:
					file.store_float(point[axis])
	file.close()

# Morphed and skinned as the engine's shaders do: the skeleton's matrix, times the joints' in it.
func placed(mesh, surface):
	var arrays = mesh.mesh.surface_get_arrays(surface)
	var points = Array(arrays[Mesh.ARRAY_VERTEX])
	var shapes = mesh.mesh.surface_get_blend_shape_arrays(surface)
	for shape in shapes.size():
		var weight = mesh.get("blend_shapes/" + mesh.mesh.get_blend_shape_name(shape))
		for place in points.size():
			var target = shapes[shape][Mesh.ARRAY_VERTEX][place]
			points[place] += weight * (target - arrays[Mesh.ARRAY_VERTEX][place] if mesh.mesh.blend_shape_mode == Mesh.BLEND_SHAPE_MODE_NORMALIZED else target)
	var skeleton = mesh.get_node_or_null(mesh.skeleton) as Skeleton
	if not skeleton or not mesh.skin:
		for place in points.size():
			points[place] = mesh.global_transform.xform(points[place])
		return points
	var bones = []
	for bind in mesh.skin.get_bind_count():
		var name = mesh.skin.get_bind_name(bind)
		var bone = skeleton.find_bone(name) if name else mesh.skin.get_bind_bone(bind)
		bones.append(skeleton.get_bone_global_pose(bone) * mesh.skin.get_bind_pose(bind))
	for place in points.size():
		var sum = Vector3()
		for influence in 4:
			var weight = arrays[Mesh.ARRAY_WEIGHTS][4 * place + influence]
			sum += weight * bones[arrays[Mesh.ARRAY_BONES][4 * place + influence]].xform(points[place])
		points[place] = skeleton.global_transform.xform(sum)
	return points
