//! The page's skeleton.
//!
//! Why it exists: everything that comes from file names passes through the template here, which escapes it. The style
//! and the script are files of their own beside this one, without anything to fill in.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::{hypotheses::Supposed, judge::JudgePart};
use crate::in_words::Words;
use refrast_measure::Verdict;

/// All that a page shows. It stands in the page as JSON, so that a page can be read back and joined with others.
#[derive(Serialize, Deserialize)]
pub(super) struct PageData {
    pub(super) title: String,
    /// Names and values of what the reader should know about the comparison.
    pub(super) settings: Vec<(String, String)>,
    /// The words of a command that makes new pictures of cases the goldens, where there is one.
    #[serde(default)]
    pub(super) bless: Option<String>,
    pub(super) rows: Vec<Row>,
}

/// A row of the list of cases, and what the viewer needs to show it.
#[derive(Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) verdict: Verdict,
    pub(super) summary: String,
    /// The address of each picture that there is, by role; the envelope's file is among them.
    pub(super) pictures: Vec<(String, String)>,
    pub(super) worst: Vec<WorstRow>,
    pub(super) notes: Vec<String>,
    /// Guesses about the candidate; their pictures are among the others.
    #[serde(default)]
    pub(super) hypotheses: Vec<Supposed>,
    /// [`Picture::content_hash`](crate::Picture::content_hash) of the candidate, in hexadecimal digits: what a mark is for.
    #[serde(default)]
    pub(super) hash: Option<String>,
    /// How another candidate of the case is measured; pages of older versions do not say it.
    #[serde(default)]
    pub(super) words: Option<Words>,
}

/// One of the worst pixels of a case, as text.
#[derive(Serialize, Deserialize)]
pub(super) struct WorstRow {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) golden: String,
    pub(super) candidate: String,
    /// The error by the metric, or the class and how far outside.
    pub(super) error: String,
    /// What would have been right, a box an entry.
    pub(super) boxes: Vec<String>,
    /// Why, as far as somebody knows.
    pub(super) causes: Vec<String>,
}

/// The whole page.
#[derive(Template)]
#[template(
    ext = "html",
    source = r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ verdict }}: {{ title }}</title>
<style>{{ style|safe }}</style>
</head>
<body>
<header class="{{ verdict }}">
<h1>{{ verdict }}</h1>
<ul class="counts" id="counts">{% for (name, count) in counts %}<li class="{{ name }}"><button data-verdict="{{ name }}" aria-pressed="false" title="list only these"{% if *count == 0 %} disabled{% endif %}><b>{{ count }}</b> {{ name }}</button></li>{% endfor %}</ul>
{% if beside > 0 %}<p id="beside">Cases whose pictures lie in the folder images beside this page: {{ beside }}. Keep the two together.</p>
{% endif %}<details><summary>What was compared, and how</summary>
<dl>{% for (name, value) in settings %}<dt>{{ name }}</dt><dd>{{ value }}</dd>{% endfor %}</dl>
</details>
</header>
<main>
<nav aria-label="Cases">
<label>Find <input id="find" type="search" placeholder="part of a name"></label>
<output id="shown"></output>
<p id="list"><output id="marked"></output> <button id="save" disabled>save marks</button></p>
<ol id="cases">{% for row in rows %}
<li><button class="{{ row.verdict.name() }}" data-case="{{ loop.index0 }}"><span class="name">{{ row.name }}</span><span class="summary">{{ row.summary }}</span></button></li>{% endfor %}
</ol>
</nav>
<section aria-label="Case">
<h2 id="name"></h2>
<p id="summary"></p>
<p id="marks" hidden><button data-mark="approve" aria-pressed="false">approve <kbd>y</kbd></button>
<button data-mark="reject" aria-pressed="false">reject <kbd>n</kbd></button></p>
{% if judge.is_some() %}<p id="judge"><label>Judge another picture <kbd>p</kbd> <input id="other" type="file" accept="image/png"></label>
<button id="own" hidden>back to the report's</button> <output id="judged">or drop it here, or paste it</output></p>
{% endif %}<p id="bless" hidden>To make this the golden: <code id="command"></code> <button id="copy">copy</button> <output id="copied"></output></p>
<div id="hypotheses" role="toolbar" aria-label="Hypotheses" hidden>In the golden's place <kbd>h</kbd> <span id="names"></span> <output id="about"></output></div>
<div id="modes" role="toolbar" aria-label="View">
<button data-mode="side">side by side <kbd>1</kbd></button>
<button data-mode="slider">slider <kbd>2</kbd></button>
<button data-mode="blink">blink <kbd>3</kbd></button>
<button data-mode="golden">golden <kbd>4</kbd></button>
<button data-mode="candidate">candidate <kbd>5</kbd></button>
<button data-mode="difference">difference <kbd>6</kbd></button>
<button data-mode="envelope">envelope <kbd>7</kbd></button>
<button data-zoom="out">&minus;</button><output id="zoom"></output><button data-zoom="in">+</button>
<button data-zoom="fit">fit <kbd>0</kbd></button>
</div>
<div id="stage" tabindex="0" aria-label="Pictures"></div>
<p id="legend" hidden><span class="class right"></span>right <span class="class outside"></span>outside
<span class="class missing"></span>missing <span class="class unexpected"></span>unexpected <span class="class undecided"></span>undecided</p>
<p id="pixel" role="status">&nbsp;</p>
<ul id="notes"></ul>
<table id="worst" hidden><caption>Worst pixels (press one to go there)</caption>
<thead><tr><th>x, y</th><th>golden</th><th>candidate</th><th>error</th><th>would be right</th><th>cause</th></tr></thead><tbody></tbody></table>
<p class="help"><kbd>j</kbd> <kbd>k</kbd> or <kbd>&darr;</kbd> <kbd>&uarr;</kbd> next and previous case,
<kbd>1</kbd>&ndash;<kbd>7</kbd> view, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, <kbd>w</kbd> <kbd>a</kbd> <kbd>s</kbd> <kbd>d</kbd> move,
<kbd>[</kbd> <kbd>]</kbd> slide, <kbd>/</kbd> find, <kbd>h</kbd> the next hypothesis in the golden's place, where there are some, <kbd>y</kbd> <kbd>n</kbd> approve and reject, where goldens can be blessed{% if judge.is_some() %},
<kbd>p</kbd> judge another picture as this case's was: this page does it itself{% endif %}.
The address bar names what is looked at: a copied link opens it again. The counts above list only cases of that verdict. In the difference, dim grey is equal, blue hatching is ignored, and purple, red, orange,
yellow, white is the square root of the error. In the envelope view a pixel is right, outside (of all colours that a conformant
backend may write), missing (background where a surface must be), unexpected (something where background must be), or
undecided (the envelope does not know). Point at a pixel, or press it, to see which colours are right there.</p>
</section>
</main>
<script type="application/json" id="data">{{ data|safe }}</script>
<script>{{ script|safe }}</script>
{% if let Some(judge) = judge %}<script type="text/plain" id="module">{{ judge.module|safe }}</script>
<script type="module">{{ judge.library|safe }}
globalThis.refrastCompare = { compare, load };</script>
<script>{{ judge.script|safe }}</script>
{% endif %}</body>
</html>
"##
)]
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    pub(super) verdict: &'static str,
    pub(super) counts: [(&'static str, usize); 3],
    /// How many cases have pictures that are not in the page.
    pub(super) beside: usize,
    pub(super) settings: &'a [(String, String)],
    pub(super) rows: &'a [Row],
    /// [`PageData`] as JSON without any `<`.
    pub(super) data: String,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
    pub(super) judge: Option<JudgePart>,
}

/// The page's file in the folder of a report.
pub(super) const PAGE_NAME: &str = "index.html";
/// The style sheet.
pub(super) const STYLE: &str = include_str!("../templates/report.css");
/// The script: the reader of envelopes, the viewer, the marks, and then the case that the address bar names.
pub(super) const SCRIPT: &str = concat!(
    include_str!("../templates/envelope.js"),
    include_str!("../templates/report.js"),
    include_str!("../templates/marks.js"),
    "openAddress();\n"
);

/// What stands before the JSON of a page, and what after it.
const ISLAND: (&str, &str) = ("<script type=\"application/json\" id=\"data\">", "</script>");

impl PageData {
    /// The JSON for a page: inside a script element the only thing that can end it is `</`, and JSON may write `<` as
    /// an escape.
    ///
    /// By a [`Value`](serde_json::Value), whose text is written and read in serde_json itself: what is generic is compiled here, and
    /// this room is not optimised, while a page holds megabytes of pictures.
    pub(super) fn to_json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_value(self)?.to_string().replace('<', "\\u003c"))
    }

    /// Reads a page back. The reason is given where it is none of ours.
    pub(super) fn of_page(html: &str) -> Result<Self, String> {
        let island = html.split_once(ISLAND.0).and_then(|(_, rest)| rest.split_once(ISLAND.1));
        let (json, _) = island.ok_or("it holds no results")?;
        json.parse().and_then(serde_json::from_value::<Self>).map_err(|error| error.to_string())
    }
}
