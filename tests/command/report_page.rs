//! The report's page in a headless browser, as its readers use it: by keys alone, by links, narrow and dark.
//!
//! Skipped by name where no Chromium is installed, unless `REFRAST_REQUIRE` names `chromium`. `REFRAST_AXE` is the path of
//! axe-core's `axe.min.js`, which looks for what keeps people out; to a folder `REFRAST_SCREENSHOTS` go pictures to look at.

use std::{env, fs, path::Path, thread, time::Duration};

use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::json;

use super::{
    browser::Browser,
    golden_folder::{Folder, invert},
};

/// Two of three goldens are not what is drawn, each in another pixel.
fn with_report() -> (Folder, String) {
    let folder = Folder::with_goldens();
    invert(&folder.path("golden/front.png"), 20 * 48 + 30);
    invert(&folder.path("golden/side.png"), 5);
    folder.expect("golden check", 1);
    let page = folder.path("refrast-out/golden/report/index.html");
    (folder, format!("file://{}", page.display()))
}

/// A picture of another moment, and one upside down, with what explains them.
fn with_hypotheses() -> (Folder, String) {
    let folder = Folder::with_wrong_pictures();
    folder.expect("compare golden drawn --diagnose --report report", 1);
    let page = folder.path("report/index.html");
    (folder, format!("file://{}", page.display()))
}

const NAME: &str = "document.getElementById('name').textContent";
const PIXEL: &str = "document.getElementById('pixel').textContent";
const MODE: &str = "document.querySelector('[data-mode][aria-pressed=true]').dataset.mode";
const HASH: &str = "location.hash";

#[test]
fn a_link_opens_the_same_case_view_and_pixel_and_a_reload_stays() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, address) = with_report();
    browser.open(&address);
    assert_eq!(browser.text(NAME), "front");
    browser.press(&["j", "2"]);
    assert_eq!((browser.text(NAME), browser.text(HASH)), ("side".into(), "#case=side&mode=slider".into()));
    browser.click("#worst tbody button");
    let line = browser.text(PIXEL);
    assert!(line.starts_with("(5, 0)  golden ") && line.contains("candidate "), "{line}");
    let link = browser.text("location.href");
    assert!(link.ends_with("#case=side&mode=slider&pixel=5,0"), "{link}");
    assert_eq!(browser.value("document.getElementById('stage').getBoundingClientRect().top >= 0"), json!(true));

    browser.open("about:blank");
    browser.open(&link);
    let is_there = "document.querySelectorAll('.mark').length === 1";
    for _ in 0..2 {
        browser.wait(is_there);
        assert_eq!((browser.text(NAME), browser.text(MODE)), ("side".into(), "slider".into()));
        assert_eq!(browser.text(PIXEL), line);
        assert_eq!(browser.text("location.href"), link);
        browser.send("Page.reload", json!({}));
        browser.wait("document.readyState === 'complete' && typeof cases === 'object'");
    }
    // Another link in the same page, and one to a case that is gone.
    browser.value("void (location.hash = '#case=front&pixel=30,20')");
    browser.wait("document.getElementById('pixel').textContent.startsWith('(30, 20)')");
    assert_eq!((browser.text(NAME), browser.text(MODE)), ("front".into(), "side".into()));
    browser.value("void (location.hash = '#case=nobody')");
    browser.wait("location.hash === '#case=front'");
    // The line of values is about this case.
    assert_eq!(browser.text(PIXEL), "\u{a0}");
}

#[test]
fn the_line_of_values_follows_the_pointer_into_the_next_case() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, address) = with_report();
    browser.open(&address);
    browser.wait("!!view.scale");
    let place = browser.value(
        "(() => { const box = document.querySelector('.pane').getBoundingClientRect(); \
         return [box.x + view.x + 5.5 * view.scale, box.y + view.y + 0.5 * view.scale]; })()",
    );
    browser.point(place[0].as_f64().expect("a number"), place[1].as_f64().expect("a number"));
    let front = browser.text(PIXEL);
    assert!(front.starts_with("(5, 0)"), "{front}");
    browser.press(&["j"]);
    browser.wait("document.getElementById('pixel').textContent.startsWith('(5, 0)')");
    // Here this pixel is one of the worst, and has its error: (221 - 34) / 255.
    let side = browser.text(PIXEL);
    assert!(side != front && side.ends_with(": 0.7333"), "{front} -> {side}");
}

#[test]
fn keys_alone_lead_everywhere_and_what_is_approved_is_blessed() {
    let Some(mut browser) = Browser::start() else { return };
    let (folder, address) = with_report();
    browser.download_to(&folder.path("."));
    browser.open(&address);
    browser.press(&["/"]);
    browser.press(&["s", "i", "d", "e"]);
    assert_eq!(browser.text("document.getElementById('shown').textContent"), "1 of 3 cases");
    browser.press(&["Enter"]);
    assert_eq!(browser.text(NAME), "side");
    assert_eq!(browser.text("document.activeElement.querySelector('.name').textContent"), "side");
    browser.press(&["n"]);
    browser.value("void (document.getElementById('find').value = '', filter())");
    browser.press(&["k", "y"]);
    assert_eq!(browser.text("document.getElementById('marked').textContent"), "1 approved, 1 rejected");
    assert_eq!(browser.text("document.getElementById('command').textContent"), "refrast golden bless --exact front");
    // Marks outlive a reload.
    browser.send("Page.reload", json!({}));
    browser.wait("document.readyState === 'complete' && typeof marks === 'object' && marks.size === 2");
    // From the filter the way to the button is one Tab.
    browser.press(&["/", "Tab"]);
    assert_eq!(browser.text("document.activeElement.id"), "save");
    browser.press(&["Enter"]);
    let list = folder.path("marks.txt");
    for _ in 0..500 {
        if fs::read_to_string(&list).is_ok_and(|text| text.lines().count() == 3) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    let marks = fs::read_to_string(&list).expect("the browser has saved it");
    assert!(marks.contains("\napprove ") && marks.contains(" front\n") && marks.contains("reject "), "{marks}");

    // What is drawn must be what was looked at.
    let hash = marks.lines().find_map(|line| line.strip_prefix("approve ")?.split(' ').next()).expect("a mark");
    fs::write(folder.path("other.txt"), marks.replace(hash, "0123456789abcdef")).expect("it can be written");
    let before = fs::read(folder.path("golden/front.png")).expect("a golden");
    let text = folder.expect("golden bless --from other.txt", 2);
    assert!(text.contains("other.txt: `front` is approved as the picture 0123456789abcdef"), "{text}");
    assert_eq!(fs::read(folder.path("golden/front.png")).expect("a golden"), before);

    let text = folder.expect("golden bless --from marks.txt", 0);
    assert!(text.contains("1 of 1 goldens written"), "{text}");
    let text = folder.expect("golden check", 1);
    assert!(text.contains("DIFFERENT: side") && text.contains("same: 2 pictures"), "{text}");
}

#[test]
fn what_a_guess_would_draw_stands_in_the_goldens_place() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, address) = with_hypotheses();
    let labels = "[...document.querySelectorAll('.pane > span')].map((label) => label.textContent).join(', ')";
    let pressed = "document.querySelector('#names [aria-pressed=true]').textContent";
    let shown = |role: &str| format!("document.querySelector('.pane img[data-role={role}]').src");
    browser.open(&address);
    assert_eq!(browser.text(NAME), "front.png");
    assert_eq!((browser.text(labels), browser.text(pressed)), ("golden, candidate, envelope".into(), "golden".into()));
    let [golden, candidate] = ["golden", "candidate"].map(|role| browser.text(&shown(role)));
    browser.press(&["h"]);
    let guess = browser.text(&shown("hypothesis-0"));
    let options = "--time 0.4";
    assert_eq!(
        (browser.text(labels), browser.text(pressed)),
        (format!("{options}, candidate, difference"), options.into())
    );
    assert!(browser.text("document.getElementById('about').textContent").contains("with which the candidate is right"));
    // The candidate is this very picture, pixel for pixel, and the golden is not.
    let pixels = "(address) => { const image = new Image(); image.src = address; return image.decode().then(() => { \
                  const context = new OffscreenCanvas(48, 64).getContext('2d'); context.drawImage(image, 0, 0); \
                  return context.getImageData(0, 0, 48, 64).data.join(); }); }";
    let mut pixels_of = |address: &str| browser.text(&format!("({pixels})({})", json!(address)));
    let [guess, candidate, golden] = [&guess, &candidate, &golden].map(|address| pixels_of(address));
    assert_eq!(guess, candidate);
    assert_ne!(golden, candidate);
    // A view of envelopes has no meaning here, and goes.
    browser.press(&["7"]);
    assert_eq!(browser.text(MODE), "side");
    browser.press(&["3"]);
    let link = browser.text("location.href");
    assert!(link.ends_with("#case=front.png&hypothesis=--time+0.4&mode=blink"), "{link}");
    browser.open(&link);
    assert_eq!((browser.text(pressed), browser.text(MODE)), (options.into(), "blink".into()));
    browser.press(&["h"]);
    assert_eq!((browser.text(pressed), browser.text(HASH)), ("golden".into(), "#case=front.png&mode=blink".into()));

    // The next case has guesses of its own, and the one that is right has none.
    browser.press(&["1", "h", "j"]);
    assert_eq!((browser.text(NAME), browser.text(pressed)), ("side.png".into(), "golden".into()));
    browser.click("#names button:last-child");
    assert_eq!(browser.text(labels), "y-flipped, candidate, difference");
    browser.press(&["j", "h"]);
    assert_eq!(browser.value("document.getElementById('hypotheses').hidden"), json!(true));
    assert!(browser.text(HASH).starts_with("#case=views"), "a key without a meaning does nothing");
}

#[test]
fn a_picture_that_is_gone_says_so_in_its_place() {
    let Some(mut browser) = Browser::start() else { return };
    let (folder, address) = with_report();
    let page = folder.path("refrast-out/golden/report/index.html");
    let html = fs::read_to_string(&page).expect("a page");
    let start = html.find("data:image/png;base64,").expect("a picture");
    let length = html[start..].find('"').expect("a string ends");
    let lost = format!("{}images/lost.png{}", &html[..start], &html[start + length..]);
    fs::write(&page, lost).expect("it can be written");
    browser.open(&address);
    let said = "[...document.querySelectorAll('.empty')].map((own) => own.textContent).join()";
    browser.wait(&format!("{said}.includes('golden: images/lost.png is not there; keep the folder images')"));
    assert_eq!(browser.value("document.querySelectorAll('.pane img').length"), json!(2), "the others are shown");
}

#[test]
fn nobody_is_kept_out_in_the_dark_in_the_light_or_on_a_telephone() {
    let Some(mut browser) = Browser::start() else { return };
    let pages = [("report", with_report()), ("hypotheses", with_hypotheses())];
    let axe = env::var_os("REFRAST_AXE").map(|path| fs::read_to_string(path).expect("axe.min.js can be read"));
    if axe.is_none() {
        println!("SKIPPED: axe-core on the report; REFRAST_AXE names its axe.min.js");
    }
    for (width, height) in [(1280, 800), (390, 844)] {
        let looks = ["light", "dark"].into_iter().flat_map(|scheme| pages.iter().map(move |page| (scheme, page)));
        for (scheme, (page, (_, address))) in looks {
            browser.look(width, height, scheme);
            browser.open(address);
            browser.press(&["y", "h"]);
            browser.wait("!!view.scale");
            let wide = browser.value("document.documentElement.scrollWidth > innerWidth");
            assert_eq!(wide, json!(false), "{width}: nothing is pushed out of the window");
            if let Some(folder) = env::var_os("REFRAST_SCREENSHOTS") {
                let bytes = BASE64_STANDARD.decode(browser.screenshot()).expect("a PNG in base64");
                let name = format!("{page}-{width}-{scheme}.png");
                fs::write(Path::new(&folder).join(name), bytes).expect("it can be written");
            }
            let Some(axe) = &axe else { continue };
            browser.value(&format!("{axe}; 0"));
            let found = browser.text(
                "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => \
                 id + ': ' + nodes.map((node) => node.html + ' ' + node.failureSummary).join('; ')).join('\\n'))",
            );
            assert_eq!(found, "", "{page}, {width}, {scheme}");
        }
    }
}
