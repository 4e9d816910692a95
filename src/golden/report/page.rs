//! The page's skeleton.
//!
//! Why it exists: everything that comes from file names passes through the template here, which escapes it. The style
//! and the script are files of their own beside this one, without anything to fill in.

use askama::Template;
use serde::Serialize;

/// A row of the list of cases, and what the viewer needs to show it.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) verdict: &'static str,
    pub(super) summary: String,
    /// The address of each picture that there is, by role.
    pub(super) pictures: Vec<(&'static str, String)>,
    pub(super) worst: Vec<WorstRow>,
    pub(super) notes: Vec<String>,
}

/// One of the worst pixels of a case, as text.
#[derive(Serialize)]
pub(super) struct WorstRow {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) golden: String,
    pub(super) candidate: String,
    pub(super) error: String,
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
<ul class="counts">{% for (name, count) in counts %}<li class="{{ name }}"><b>{{ count }}</b> {{ name }}</li>{% endfor %}</ul>
<details><summary>What was compared, and how</summary>
<dl>{% for (name, value) in settings %}<dt>{{ name }}</dt><dd>{{ value }}</dd>{% endfor %}</dl>
</details>
</header>
<main>
<nav aria-label="Cases">
<label>Find <input id="find" type="search" placeholder="part of a name"></label>
<ol id="cases">{% for row in rows %}
<li><button class="{{ row.verdict }}" data-case="{{ loop.index0 }}"><span class="name">{{ row.name }}</span><span class="summary">{{ row.summary }}</span></button></li>{% endfor %}
</ol>
</nav>
<section aria-label="Case">
<h2 id="name"></h2>
<p id="summary"></p>
<div id="modes" role="toolbar" aria-label="View">
<button data-mode="side">side by side <kbd>1</kbd></button>
<button data-mode="slider">slider <kbd>2</kbd></button>
<button data-mode="blink">blink <kbd>3</kbd></button>
<button data-mode="golden">golden <kbd>4</kbd></button>
<button data-mode="candidate">candidate <kbd>5</kbd></button>
<button data-mode="difference">difference <kbd>6</kbd></button>
<button data-zoom="out">&minus;</button><output id="zoom"></output><button data-zoom="in">+</button>
<button data-zoom="fit">fit <kbd>0</kbd></button>
</div>
<div id="stage" tabindex="0" aria-label="Pictures"></div>
<p id="pixel" role="status">&nbsp;</p>
<ul id="notes"></ul>
<table id="worst" hidden><caption>Worst pixels (press one to go there)</caption>
<thead><tr><th>x, y</th><th>golden</th><th>candidate</th><th>error</th></tr></thead><tbody></tbody></table>
<p class="help"><kbd>j</kbd> <kbd>k</kbd> or <kbd>&darr;</kbd> <kbd>&uarr;</kbd> next and previous case,
<kbd>1</kbd>&ndash;<kbd>6</kbd> view, <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> zoom, <kbd>w</kbd> <kbd>a</kbd> <kbd>s</kbd> <kbd>d</kbd> move,
<kbd>[</kbd> <kbd>]</kbd> slide, <kbd>/</kbd> find. In the difference, dim grey is equal, blue hatching is ignored, and purple, red, orange,
yellow, white is the square root of the error.</p>
</section>
</main>
<script type="application/json" id="data">{{ data|safe }}</script>
<script>{{ script|safe }}</script>
</body>
</html>
"##
)]
pub(super) struct Page<'a> {
    pub(super) title: &'a str,
    pub(super) verdict: &'static str,
    pub(super) counts: [(&'static str, usize); 3],
    pub(super) settings: Vec<(&'static str, String)>,
    pub(super) rows: &'a [Row],
    /// The rows as JSON without any `<`.
    pub(super) data: String,
    pub(super) style: &'static str,
    pub(super) script: &'static str,
}

/// The style sheet.
pub(super) const STYLE: &str = include_str!("../templates/report.css");
/// The script.
pub(super) const SCRIPT: &str = include_str!("../templates/report.js");
