//! The registers of the clicked vertex at the instruction that comes next.

use egui::{
    Align, Color32, DragValue, FontFamily, FontId, Label, Response, RichText, ScrollArea, Sense, TextFormat, Ui,
    style::ScrollAnimation, text::LayoutJob,
};

use super::{
    program::{WRONG, changed},
    style::ACCENT,
};
use crate::{
    registers::{Cell, Current, Operand, ProgramView, RegisterView, cell_name},
    state::State,
};
use refrast_scene::Scene;
use refrast_stage::program::ConstantOverride;
use refrast_vertex_program::{COMPONENT_NAMES, Mask, Output};

const NUMBERS: FontId = FontId::new(11.0, FontFamily::Monospace);
/// What the instruction that comes next reads.
const READ: Color32 = Color32::from_rgb(0x24, 0x48, 0x70);
/// What it writes.
const WRITTEN: Color32 = Color32::from_rgb(0x70, 0xe0, 0x70);
/// Letters of a register's name and what it is for.
const NAME: usize = 13;
/// Lines of the box of the instruction, so that the registers stay where they are.
const LINES: usize = 7;
/// Points.
const LINE: f32 = 14.0;

/// The panel on the right while registers are shown.
pub(crate) fn registers(ui: &mut Ui, state: &mut State, scene: &Scene, view: Option<&RegisterView>) {
    let Some(view) = view else {
        ui.label(RichText::new("Registers").strong());
        ui.label("Click the surface: the program runs for the vertex there, and every register can be seen after each instruction.");
        ui.label("Shift R goes to the settings, and to what else is known of a vertex and a pixel.");
        return;
    };
    let choice = view.choice;
    let primitive = scene.nodes[choice.node].mesh.map(|mesh| &scene.meshes[mesh].primitives[choice.primitive]);
    let own = primitive.and_then(|primitive| primitive.source_vertices.get(choice.vertex).copied());
    ui.horizontal(|ui| {
        ui.label(RichText::new(format!("Vertex {}", own.unwrap_or(choice.vertex as u32))).heading().color(ACCENT));
        let [section, sections] = view.section;
        let place = format!("node {}, primitive {}", choice.node, choice.primitive);
        let section = if sections > 1 { format!(", section {} of {sections}", section + 1) } else { String::new() };
        ui.label(RichText::new(place + &section).weak());
    });
    instruction(ui, view);
    ui.separator();
    let Some(program) = state.shown_program() else { return };
    ui.spacing_mut().item_spacing.y = 0.0;
    let half = ui.available_height() * 0.5;
    ScrollArea::vertical().id_salt("used").max_height(half).auto_shrink([false, true]).show(ui, |ui| {
        for &cell in &view.used {
            row(ui, view, cell, &cell_name(cell), hint_of(cell), Sense::hover());
        }
        for attribute in &view.attributes {
            let cell = Cell::Attribute(attribute.register);
            row(ui, view, cell, &attribute.name, &attribute.source, Sense::hover());
        }
        legend(ui);
        if !view.unused.is_empty() {
            ui.label(RichText::new(format!("not used: {}", view.unused)).small().weak());
        }
    });
    ui.add_space(3.0);
    ui.horizontal(|ui| {
        ui.label(RichText::new("Constants").strong());
        if program.constants.is_empty() {
            ui.label(RichText::new("click one to change it").small().weak());
        } else if ui.button("reset all").clicked() {
            program.constants.clear();
        }
    });
    ui.add_space(2.0);
    ScrollArea::vertical().id_salt("constants").auto_shrink(false).show(ui, |ui| constants(ui, view, program));
}

/// What the colours mean.
fn legend(ui: &mut Ui) {
    let mut job = LayoutJob::default();
    append(&mut job, " read ", Paint { color: None, back: Some(READ) });
    append(&mut job, "  written next", Paint { color: Some(WRITTEN), back: None });
    append(&mut job, "  written last", Paint { color: Some(ACCENT), back: None });
    append(&mut job, "  not a number", Paint { color: Some(WRONG), back: None });
    ui.label(job);
}

/// What an output is, in words.
fn hint_of(cell: Cell) -> &'static str {
    match cell {
        Cell::Output(Output::Position) => "position in clip space",
        Cell::Output(Output::FrontPrimary) => "colour of the front",
        Cell::Output(Output::Texture(0)) => "texture coordinates",
        Cell::Output(_) => "not used by the pipeline",
        Cell::Address => "the address register",
        Cell::Temporary(_) | Cell::Attribute(_) | Cell::Constant(_) => "",
    }
}

/// The instruction that comes next: what it reads and what it does.
fn instruction(ui: &mut Ui, view: &RegisterView) {
    ui.spacing_mut().item_spacing.y = 0.0;
    let top = ui.cursor().top();
    match &view.current {
        Some(current) => {
            let text = format!("{}  {}", current.number, current.text);
            ui.label(RichText::new(text).font(NUMBERS).color(ACCENT));
            for operand in &current.operands {
                ui.label(numbers(&operand.name, operand.value, |component| reading(operand, component)));
            }
            for hit in current.operands.iter().filter_map(|operand| operand.hit.as_ref().map(|hit| (operand, hit))) {
                let text = RichText::new(hit.1).font(NUMBERS);
                ui.label(if hit.0.cell.is_none() { text.color(WRONG) } else { text.weak() });
            }
            change(ui, current);
        }
        None => {
            ui.label(RichText::new("The program is done: the vertex is drawn with these results.").color(ACCENT));
        }
    }
    let left = LINES as f32 * LINE - (ui.cursor().top() - top);
    ui.add_space(left.max(0.0));
}

fn reading(operand: &Operand, component: usize) -> Paint {
    Paint { color: None, back: operand.used.has(component).then_some(READ) }
}

/// The destination before and after.
fn change(ui: &mut Ui, current: &Current) {
    let name = cell_name(current.destination);
    if current.destination == Cell::Address {
        // What was there is in the table.
        let mut job = LayoutJob::default();
        append(&mut job, &format!("{:<NAME$}", format!("{name} is")), Paint::default());
        append(&mut job, &format!("{:>9}", current.after[0]), Paint { color: Some(WRITTEN), back: None });
        ui.label(job);
        return;
    }
    let painted = |component: usize| Paint { color: current.mask.has(component).then_some(WRITTEN), back: None };
    ui.label(numbers(&format!("{name} was"), current.before, |_| Paint::default()));
    ui.label(numbers(&format!("{name} is"), current.after, painted));
}

/// All constants, runs of free ones in a line; the ones with values of their own can be changed.
fn constants(ui: &mut Ui, view: &RegisterView, program: &mut ProgramView) {
    let moved = changed(ui, "constants at", (view.choice, view.current.as_ref().map(|current| current.number)));
    let count = view.constants.len();
    let mut register = 0;
    while register < count {
        let constant = &view.constants[register];
        let cell = Cell::Constant(register as u8);
        let read = view.read(cell) != Mask::NONE;
        if constant.free && !read {
            let seen =
                |next: &usize| !view.constants[*next].free || view.read(Cell::Constant(*next as u8)) != Mask::NONE;
            let end = (register..count).find(seen).unwrap_or(count);
            let last = if end - register > 1 { format!(" to c[{}]", end - 1) } else { String::new() };
            // A click takes the first of them.
            let text = RichText::new(format!("c[{register}]{last}: free")).font(NUMBERS).weak();
            if ui.add(Label::new(text).sense(Sense::click())).on_hover_text("click to set the first one").clicked() {
                program.set_constant(ConstantOverride { register: register as u8, value: view.value(cell) });
            }
            register = end;
            continue;
        }
        if let Some(joint) = &constant.joint {
            ui.label(RichText::new(joint).small().weak());
        }
        let place = program.constants.iter().position(|own| usize::from(own.register) == register);
        let response = match place {
            Some(place) => edit(ui, program, place),
            None => {
                let name = format!("c[{register}] {}", short_role(&constant.role));
                let hint = format!("{}\nclick to change it in all draws", constant.role);
                let response = row(ui, view, cell, &name, hint.trim_start(), Sense::click());
                if response.clicked() {
                    program.set_constant(ConstantOverride { register: register as u8, value: view.value(cell) });
                }
                response
            }
        };
        if read && moved && !ui.clip_rect().y_range().contains(response.rect.center().y) {
            response.scroll_to_me_animation(Some(Align::Center), ScrollAnimation::none());
        }
        register += 1;
    }
}

/// What a constant is for, so short that it fits beside its name: the joint stands above.
fn short_role(role: &str) -> &str {
    role.split(" of ").next().unwrap_or(role)
}

/// Four numbers that can be dragged and typed, and the way back.
fn edit(ui: &mut Ui, program: &mut ProgramView, place: usize) -> Response {
    let mut back = false;
    let constant = &mut program.constants[place];
    let response = ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 3.0;
        let name = RichText::new(format!("c[{}]", constant.register)).font(NUMBERS).color(ACCENT);
        ui.add_sized([42.0, LINE], Label::new(name));
        for value in &mut constant.value {
            let speed = f64::from(value.abs()).clamp(0.01, 1e6) * 0.01;
            // A widget that holds a NaN would make an infinity of it.
            let (held, nan) = (if value.is_nan() { 0.0 } else { *value }, value.is_nan());
            let mut own = held;
            let text = move |own: f64, _| if nan && own == 0.0 { "NaN".to_owned() } else { short(own as f32) };
            let drag = DragValue::new(&mut own).speed(speed).custom_formatter(text).update_while_editing(false);
            ui.add_sized([62.0, LINE + 4.0], drag);
            if own.to_bits() != held.to_bits() {
                *value = own;
            }
        }
        back = ui.small_button("x").on_hover_text("take the program's own value again").clicked();
    });
    if back {
        program.constants.remove(place);
    }
    response.response
}

/// How a number is painted.
#[derive(Clone, Copy, Debug, Default)]
struct Paint {
    color: Option<Color32>,
    back: Option<Color32>,
}

/// A register with what was, is and will be done to it.
fn row(ui: &mut Ui, view: &RegisterView, cell: Cell, name: &str, hint: &str, sense: Sense) -> Response {
    let (read, written, fresh) = (view.read(cell), view.written(cell), view.fresh(cell));
    let value = view.value(cell);
    let paint = |component: usize| Paint {
        color: if fresh.has(component) { Some(ACCENT) } else { written.has(component).then_some(WRITTEN) },
        back: read.has(component).then_some(READ),
    };
    let job = if cell == Cell::Address {
        let mut job = LayoutJob::default();
        append(&mut job, &format!("{name:<NAME$}"), Paint::default());
        append(&mut job, &format!("{:>9}", view.registers.address), paint(0));
        job
    } else {
        numbers(name, value, paint)
    };
    let response = ui.add(Label::new(job).sense(sense));
    response.on_hover_ui(|ui| {
        if !hint.is_empty() {
            ui.label(hint);
        }
        if cell != Cell::Address {
            for (name, number) in COMPONENT_NAMES.iter().zip(value) {
                ui.label(RichText::new(format!("{name}  {number:?}  {:08x}", number.to_bits())).font(NUMBERS));
            }
        }
    })
}

/// A name and four numbers in columns.
fn numbers(name: &str, value: [f32; 4], paint: impl Fn(usize) -> Paint) -> LayoutJob {
    let mut job = LayoutJob::default();
    let cut: String = name.chars().take(NAME).collect();
    append(&mut job, &format!("{cut:<NAME$}"), Paint::default());
    for (component, &number) in value.iter().enumerate() {
        let mut paint = paint(component);
        if number.is_nan() {
            paint.color = Some(WRONG);
        }
        // The space between the columns stays unpainted.
        let text = short(number);
        append(&mut job, &" ".repeat(9usize.saturating_sub(text.len())), Paint::default());
        append(&mut job, &text, paint);
    }
    job
}

fn append(job: &mut LayoutJob, text: &str, paint: Paint) {
    let color = paint.color.unwrap_or(Color32::from_gray(0xc8));
    let background = paint.back.unwrap_or(Color32::TRANSPARENT);
    job.append(text, 0.0, TextFormat { font_id: NUMBERS, color, background, ..TextFormat::default() });
}

/// A number in at most eight letters; the hint has all digits and the bits.
fn short(number: f32) -> String {
    let whole = number.to_string();
    if whole.len() <= 8 {
        return whole;
    }
    let size = number.abs();
    if !(1e-3..99_999.0).contains(&size) {
        return format!("{number:.1e}");
    }
    let digits = [10.0, 100.0, 1e3, 1e4].iter().filter(|&&power| size >= power).count();
    format!("{number:.*}", 5 - digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_into_their_columns() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-1.5, "-1.5"),
            (1.0 / 3.0, "0.33333"),
            (-200.0 / 3.0, "-66.6667"),
            (-54_321.125, "-54321.1"),
            (1.0e-7 / 3.0, "3.3e-8"),
            (f32::NAN, "NaN"),
            (f32::NEG_INFINITY, "-inf"),
            (f32::MIN, "-3.4e38"),
            (-f32::MIN_POSITIVE, "-1.2e-38"),
        ];
        for (number, text) in cases {
            assert_eq!(short(number), text);
            assert!(text.len() <= 8);
        }
    }
}
