"""The package as its users have it: installed into a fresh environment, beside the binary whose path REFRAST is.

What the two say must be the same: pixels, hashes, vertices, verdicts.
"""

import importlib.metadata
import json
import os
import subprocess
import tempfile

import numpy
import refrast

carried = {os.path.basename(file) for file in importlib.metadata.files("refrast")}
assert {"LICENSE-APACHE", "LICENSE-MIT"} <= carried, carried

binary = os.path.abspath(os.environ["REFRAST"])


def run(*arguments):
    """Standard output of the binary, and its exit status."""
    done = subprocess.run([binary, *arguments], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout, done.returncode


def refused(call, expected):
    """The call is a ValueError that says what is wrong."""
    try:
        call()
    except ValueError as error:
        assert expected in str(error), (expected, str(error))
    else:
        raise AssertionError(expected)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)

    # Ten lines: a picture, drawn and judged, and vertices with their bounds.
    words = dict(animation="Walk", time=0.3, samples=4)
    picture = refrast.render("mannequin", size=(160, 120), **words)
    assert picture.shape == (120, 160, 4) and picture.dtype == numpy.uint8
    assert refrast.check("mannequin", picture, **words)
    wrong = refrast.check("mannequin", picture, animation="Walk", time=0.4, samples=4)
    assert not wrong and wrong.text.startswith("WRONG: ") and "right with: --time 0.3" in wrong.text, wrong
    exact = refrast.vertices("mannequin", **words)
    moved = exact["position"].copy()
    moved[1234] += 1e-3
    assert refrast.check("mannequin", exact["position"], **words) and not refrast.check("mannequin", moved, **words)

    # The same hash, verdict and words as the binary.
    walk = ["--animation", "Walk", "--samples", "4"]
    out, _ = run("render", "mannequin", "-o", "binary.png", "--size", "160x120", "--hash", "--time", "0.3", *walk)
    assert out.split()[0] == refrast.content_hash(picture), out
    out, status = run("check", "mannequin", "binary.png", "--time", "0.4", *walk)
    assert status == 1 and out == wrong.text, (out, wrong.text)
    out, status = run("check", "mannequin", "binary.png", "--json", "--time", "0.4", *walk)
    assert status == 1 and json.loads(out) == wrong.details
    upside_down = refrast.check("mannequin", picture[::-1, :, :3], **words)
    assert not upside_down and "rows" in upside_down.text, upside_down

    # The same vertices and words, in world space and in clip space.
    run("vertices", "mannequin", "-o", "exact.npy", "--matrices", "matrices.json", "--size", "160x120",
        "--animation", "Walk", "--time", "0.3")
    assert exact.tobytes() == numpy.load("exact.npy").tobytes()
    numpy.save("moved.npy", moved)
    out, status = run("check", "mannequin", "moved.npy", "--animation", "Walk", "--time", "0.3")
    assert status == 1 and out == refrast.check("mannequin", moved, **words).text, out
    out, status = run("compare", "exact.npy", "moved.npy")
    assert status == 1 and out == refrast.compare(exact, moved).text, out
    assert refrast.compare(exact, moved, threshold=0.01).details["accepted"] == 0.01
    with open("matrices.json") as file:
        matrices = json.load(file)
    view, projection = (numpy.reshape(matrices[name], (4, 4)).T for name in ("view", "projection"))
    clip = numpy.c_[exact["position"].astype(float), numpy.ones(len(exact))] @ (projection @ view).T
    in_clip_space = dict(words, space="clip", size=(160, 120))
    assert refrast.check("mannequin", clip, **in_clip_space)
    assert not refrast.check("mannequin", clip + 1e-3, **in_clip_space)

    # By an envelope, and by every metric.
    run("golden", "new", "walk", "mannequin", "--size", "64x64")
    run("golden", "bless", "--yes")
    run("render", "mannequin", "-o", "uv.png", "--size", "64x64", "--shading", "uv")
    golden, uv = (refrast.render("mannequin", size=(64, 64), shading=mode) for mode in ("lambert", "uv"))
    for metric in ["envelope", "exact", "threshold", "flip", "psnr", "ssim", "fuzzy", "yiq"]:
        out, status = run("compare", "golden/walk.png", "uv.png", "--metric", metric, "--json")
        own = refrast.compare(golden, uv, metric=metric, envelope="golden/walk.envelope")
        assert json.loads(out)["cases"][0]["measurement"] == own.details and status == (0 if own else 1), metric
    assert refrast.compare(golden, golden, envelope="golden/walk.envelope").text == "envelope: all 4096 pixels right"

    # Shadows and eyes in the words of the command line, numbers as numpy has them.
    out, _ = run("render", "mannequin", "-o", "shadows.png", "--size", "64x64", "--shadows", "cascades:2",
                 "--shadow-size", "256", "--eye", "0,1,4", "--time", "0.5", "--animation", "1", "--hash")
    shadows = refrast.render("mannequin", size=(64, 64), shadows="cascades:2", shadow_size=256,
                             eye=numpy.array([0, 1, 4]), time=numpy.float32(0.5), animation=1)
    assert out.split()[0] == refrast.content_hash(shadows), out

    # What is wrong is told as the command tells it.
    refused(lambda: refrast.render("mannequin", shading="pbr"), "no shading mode `pbr`")
    refused(lambda: refrast.render("mannequin", colour="red"), "unknown field `colour`")
    refused(lambda: refrast.render("absent.glb"), "absent.glb")
    refused(lambda: refrast.check("mannequin", golden, skinning="program:bone_offset_4"), "name a method")
    refused(lambda: refrast.check("mannequin", exact["position"][:9], space="body"), "`body`")
    refused(lambda: refrast.compare(golden, golden[:, :9]), "64x64")
    refused(lambda: refrast.compare(golden[:, :, 0], golden), "(64, 64) of uint8")
    refused(lambda: refrast.compare(exact["position"], moved), "threshold")

print(f"refrast {refrast.__version__} from Python: the same as the binary")
