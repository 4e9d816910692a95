//! Pictures that are dropped on a report, and the package `refrast-compare`, in a headless browser: both must say what the binary says.
//!
//! Only with the feature `judge`, for which the WebAssembly has been built.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    browser::{Browser, PATIENCE},
    golden_folder::{Folder, invert},
};

/// Of three cases one has a golden that is not what is drawn.
fn with_report() -> (Folder, String) {
    let folder = Folder::with_goldens();
    invert(&folder.path("golden/front.png"), 20 * 48 + 30);
    folder.expect("golden check", 1);
    let page = folder.path("refrast-out/golden/report/index.html");
    (folder, format!("file://{}", page.display()))
}

/// Drops a file into the middle of the page, as a person does: who sees that nothing comes of it drops the file again. The browser may
/// lose what it is told of a drag while the page is busy; a page that takes no drops gets none, however often.
fn drop_file(browser: &mut Browser, file: &Path) {
    browser.value("void (window.drops = 0, addEventListener('drop', () => window.drops++, { once: true }))");
    for _ in 0..5 {
        for kind in ["dragEnter", "dragOver", "drop"] {
            let data = json!({ "items": [], "files": [file], "dragOperationsMask": 1 });
            browser.send("Input.dispatchDragEvent", json!({ "type": kind, "x": 700, "y": 400, "data": data }));
        }
        if browser.comes("window.drops > 0", Duration::from_secs(5)) {
            return;
        }
    }
    panic!("the page takes no {}", file.display());
}

/// What the page says of a picture, when it has judged it.
fn said(browser: &mut Browser, name: &str) -> String {
    let line = "document.getElementById('judged').textContent";
    let judged = format!("{line}.startsWith({}) && !{line}.includes('being judged')", json!(name));
    assert!(browser.comes(&judged, PATIENCE), "not judged, but: {}", browser.text(line));
    browser.text(line)
}

/// The binary's measurement of two pictures, by the metric of `golden check`.
fn by_the_binary(folder: &Folder, candidate: &str) -> Value {
    let Output { stdout, .. } = Command::new(env!("CARGO_BIN_EXE_refrast"))
        .current_dir(folder.path("."))
        .args(["compare", "golden/front.png", candidate, "--metric", "exact", "--json"])
        .output()
        .expect("the binary runs");
    serde_json::from_slice(&stdout).expect("JSON")
}

#[test]
fn a_picture_that_is_dropped_gets_the_verdict_of_the_binary() {
    let Some(mut browser) = Browser::start() else { return };
    let (folder, address) = with_report();
    fs::copy(folder.path("golden/front.png"), folder.path("mended.png")).expect("a copy");
    fs::copy(folder.path("golden/side.png"), folder.path("other.png")).expect("a copy");
    browser.open(&address);
    let rows =
        "JSON.stringify([...document.querySelectorAll('#worst tbody tr')].map((row) => row.cells[0].textContent))";
    let before = browser.text(rows);

    drop_file(&mut browser, &folder.path("mended.png"));
    assert_eq!(said(&mut browser, "mended.png"), "mended.png: same: exact: all 3072 pixels equal");
    assert_eq!(browser.text(rows), "[]");
    drop_file(&mut browser, &folder.path("other.png"));
    let text = said(&mut browser, "other.png");
    let own = by_the_binary(&folder, "other.png");
    let differing = own["cases"][0]["measurement"]["differing"].as_u64().expect("a number");
    assert!(differing > 100, "{own}");
    assert_eq!(text, format!("other.png: different: exact: {differing} of 3072 pixels differ"));
    // The worst pixels are those of the binary, and the line of values is about the new picture.
    let worst = own["cases"][0]["measurement"]["worst"].as_array().expect("a list");
    let places: Vec<String> = worst.iter().map(|pixel| format!("{}, {}", pixel["x"], pixel["y"])).collect();
    assert_eq!(browser.text(rows), json!(places).to_string());
    browser.click("#worst tbody button");
    let values =
        worst[0]["candidate"].as_array().expect("four").iter().map(Value::to_string).collect::<Vec<_>>().join(" ");
    let line = browser.text("document.getElementById('pixel').textContent");
    assert!(line.contains(&format!("candidate {values}")), "{line}");
    assert_eq!(browser.value("document.getElementById('marks').hidden"), json!(true), "it is not the report's own");

    // Back to the picture that the report is about.
    browser.click("#own");
    assert_eq!(browser.text(rows), before);
    assert_eq!(browser.value("document.getElementById('marks').hidden"), json!(false));
    // What is no picture, and where there is nothing to hold one against.
    drop_file(&mut browser, &folder.path("golden/manifest.toml"));
    let text = said(&mut browser, "manifest.toml");
    assert!(text.contains("the candidate") && text.contains("PNG"), "{text}");
    browser.press(&["j"]);
    drop_file(&mut browser, &folder.path("mended.png"));
    assert!(said(&mut browser, "mended.png").contains("are left out of a report"));
}

#[test]
fn the_envelope_decides_where_it_has_decided_and_keys_are_enough() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::with_goldens();
    let words = "render mannequin -o right.png --animation Walk --time 0.3 --size 96x128";
    folder.expect(words, 0);
    folder.expect("render mannequin -o wrong.png --animation Walk --time 0.4 --size 96x128", 0);
    folder.expect("check mannequin wrong.png --animation Walk --time 0.3 --report report", 1);
    browser.open(&format!("file://{}", folder.path("report/index.html").display()));
    // `p` opens the browser's own list of files, which no page and no test sees; here a file is chosen as there.
    let choose = |browser: &mut Browser, name: &str| {
        let found = browser.send("Runtime.evaluate", json!({ "expression": "document.getElementById('other')" }));
        let files = json!({ "files": [folder.path(name)], "objectId": found["result"]["objectId"] });
        browser.send("DOM.setFileInputFiles", files);
    };
    choose(&mut browser, "right.png");
    assert_eq!(said(&mut browser, "right.png"), "right.png: same: envelope: all 12288 pixels right");
    choose(&mut browser, "wrong.png");
    let text = said(&mut browser, "wrong.png");
    let summary = browser.text("document.getElementById('summary').textContent");
    assert_eq!(text, format!("wrong.png: {summary}"), "what the report says of the same picture");
    assert!(text.contains("different: envelope: "), "{text}");
    let boxes = browser.text("document.querySelector('#worst tbody tr').cells[4].textContent");
    let own = browser.text("cases[0].worst[0].boxes.join(' or ')");
    assert_eq!(boxes, own);
    // From the view of the case the way to the input is by Tab alone.
    browser.value("void document.querySelector('#cases button').focus()");
    for _ in 0..8 {
        if browser.text("document.activeElement.id") == "other" {
            return;
        }
        browser.press(&["Tab"]);
    }
    panic!("the input is not reached by Tab");
}

/// Hands out the files of the package, and one page, to a browser: modules are not read from a folder.
fn serve(pages: Vec<(&'static str, &'static str, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    let answer = move |mut stream: TcpStream| {
        let mut lines = BufReader::new(stream.try_clone().expect("a connection")).lines().map_while(Result::ok);
        let asked = lines.next().unwrap_or_default();
        while lines.next().is_some_and(|line| !line.is_empty()) {}
        let path = asked.split(' ').nth(1).unwrap_or_default();
        let found = pages.iter().find(|(name, ..)| *name == path);
        let (status, kind, bytes) =
            found.map_or(("404 Not Found", "text/plain", &[][..]), |(_, kind, bytes)| ("200 OK", *kind, bytes));
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        // A browser that has gone asks nothing more.
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(bytes));
    };
    thread::spawn(move || listener.incoming().flatten().for_each(answer));
    format!("http://{address}/")
}

#[test]
fn the_package_compares_in_a_browser_what_a_canvas_shows() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = Folder::with_goldens();
    let file = |name: &str| fs::read(folder.path(name)).expect("a file");
    let package = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("bindings/compare/javascript").join(name);
        fs::read(path).expect("a file of the package")
    };
    let page = b"<!doctype html><title>a page</title>".to_vec();
    let address = serve(vec![
        ("/", "text/html", page),
        ("/refrast-compare/index.mjs", "text/javascript", package("index.mjs")),
        ("/refrast-compare/refrast_compare.wasm", "application/wasm", package("refrast_compare.wasm")),
        ("/golden.png", "image/png", file("golden/front.png")),
        ("/other.png", "image/png", file("golden/side.png")),
        ("/golden.envelope", "application/octet-stream", file("golden/front.envelope")),
    ]);
    browser.open(&address);
    let script = r#"(async () => {
        const { compare, load } = await import("/refrast-compare/index.mjs");
        await load();
        const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
        const pixels = async (name) => {
            const bitmap = await createImageBitmap(await (await fetch(name)).blob(), { premultiplyAlpha: "none", colorSpaceConversion: "none" });
            const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
            context.drawImage(bitmap, 0, 0);
            return context.getImageData(0, 0, bitmap.width, bitmap.height);
        };
        const [golden, envelope] = [await bytes("golden.png"), await bytes("golden.envelope")];
        return [
            compare(golden, await pixels("golden.png"), { envelope }).text,
            compare(golden, await pixels("other.png"), { metric: "exact" }).measurement.differing,
            compare(golden, await bytes("other.png"), { metric: "exact" }).measurement.differing,
        ];
    })()"#;
    let answers = browser.value(script);
    let own = by_the_binary(&folder, "golden/side.png");
    let differing = &own["cases"][0]["measurement"]["differing"];
    assert_eq!(answers, json!(["envelope: all 3072 pixels right", differing, differing]));
}
