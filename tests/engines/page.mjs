// docs/engines.md: the board as people read it.

import { engines } from "./engines.mjs";
import { explanations } from "./explained.mjs";

const kinds = { engine: "the engine's mistake", driver: "the driver's mistake", freedom: "declared freedom", limit: "not done by the engine" };
/** a to z, then aa to az. */
const letter = (number) => (number < 26 ? "" : letter(Math.floor(number / 26) - 1)) + String.fromCharCode(97 + (number % 26));

/** How a row was drawn again. */
const redrawn = {
    says: (names) => `from the same scene in other words (${names.map((name) => `\`${name}\``).join(", ")})`,
    mend: (names) => `with that mended (${names.map((name) => `\`${name}\``).join(", ")})`,
    env: ([words]) => `with ${Object.entries(words).map(([key, value]) => `\`${key}=${value}\``).join(" ")}`,
};

/** What holds for a row: its explanations, by number. */
export const matching = ({ engine, name, kind }) => explanations.flatMap((explanation, number) => {
    const isMeant = explanation.engines.test(engine) && explanation.cases.test(kind === "vertices" ? `${name}-vertices` : name);
    return isMeant ? [number] : [];
});

/** Rows that are neither right nor explained and proved, and explanations that explain nothing. */
export function unexplained(rows, { isWhole }) {
    const failures = rows.filter((row) => row.verdict !== "same" && !row.proved).map((row) => ({ ...row, problem: problem(row) }));
    const stale = explanations.flatMap((explanation, number) => {
        const isUsed = rows.some((row) => row.verdict !== "same" && row.reasons?.includes(number));
        return isUsed || !isWhole ? [] : [{ engine: `${explanation.engines}`, name: `${explanation.cases}`, kind: "explanation", problem: "explains no row any more" }];
    });
    return [...failures, ...stale];
}

const problem = ({ verdict, reason, wrong, farthest, reasons, remaining }) => {
    const explained = reasons?.length ? "not proved by its explanation" : "not explained";
    const left = remaining !== undefined && reasons?.length && `which leaves ${remaining}`;
    return [verdict === "error" ? reason : `${wrong} wrong`, farthest && `up to ${farthest} steps`, explained, left].filter(Boolean).join(", ");
};

/** The page. */
export function page(rows, { names, versions, browser, earlier }) {
    const cell = ({ verdict, wrong, reasons = [], isDriver } = { verdict: "none" }) => {
        if (verdict === "none") return "";
        if (verdict === "same") return "right";
        return `${[...reasons.map(letter), ...(isDriver ? ["\\*"] : [])].join(" ")} (${wrong ?? "none drawn"})`;
    };
    const table = (kind) => {
        const own = rows.filter((row) => row.kind === kind);
        const columns = names.filter((name) => own.some((row) => row.engine === name));
        const lines = [...new Set(own.map((row) => row.name))].map((name) => {
            const cells = columns.map((engine) => cell(own.find((row) => row.engine === engine && row.name === name)));
            return `| ${name} | ${cells.join(" | ")} |`;
        });
        return [`| case | ${columns.join(" | ")} |`, `|---|${columns.map(() => "---|").join("")}`, ...lines].join("\n");
    };
    const count = (engine, test) => rows.filter((row) => row.engine === engine && test(row)).length;
    const summary = names.map((engine) => {
        const right = count(engine, (row) => row.verdict === "same");
        const all = count(engine, () => true);
        const open = count(engine, (row) => row.verdict !== "same" && !row.proved);
        return `| ${engine} | ${versions[engine]} | ${all} | ${right} | ${all - right - open} | ${open} |`;
    });
    const told = explanations.flatMap(({ engines, kind, why, source, right, fault, check, again, ignores }, number) => {
        const own = rows.filter((row) => row.reasons?.includes(number) && row.verdict !== "same");
        if (!own.length) return [];
        const words = right && Object.entries(right).map(([key, value]) => `\`${key} = ${JSON.stringify(value)}\``).join(" ");
        const ways = [...Object.entries(again ?? {}).map(([key, value]) => redrawn[key](value)), ignores && `judged without ${ignores.join(", ")}`].filter(Boolean);
        const proof = [fault && `\`refrast diagnose\` names \`${fault}\``, !fault && (words || check || ways.length) && "right", words && `with ${words}`,
            check && `by \`refrast check … ${check.join(" ")}\``, ways.join(", ")].filter(Boolean).join(" ") || "by the source";
        return [`| ${letter(number)} | ${[...new Set(own.map((row) => row.engine))].join(", ")} | ${kinds[kind]} | ${why}. ${source} | ${proof}: ${own.length} ${own.length === 1 ? "row" : "rows"} |`];
    });
    const driver = rows.filter((row) => row.isDriver);
    return `# Engines

What engines draw of a glTF file that they read themselves, held against refrast. Written by \`node tests/engines/board.mjs\`, which draws it
all anew; [how, and how to add yours](../tests/engines/README.md).

Engines of the web draw with the camera of the case into a canvas of ${browser} on SwiftShader; Panda3D, raylib and Godot into a target of OpenGL on
Mesa's llvmpipe, Bevy into an image of Vulkan on the same (lavapipe). The bytes as they are there are judged by the profile \`webgl2\`, for backends that read the file (\`given = "file"\`), at one sample and at
four in the pattern of such targets (\`samples = "4-mirrored"\`). A row is right where every pixel is, or every vertex; the number in brackets is how many
are not, and the letter says whose that is. No row is without one: the command fails then.${earlier.length ? `

${earlier.join("; ")}: drawn by an earlier run, and joined (\`--join\`).` : ""}

| engine | version | rows | right | explained | unexplained |
|---|---|---:|---:|---:|---:|
${summary.join("\n")}
| a physical GPU | | 0 | | | none could be had where this was written; the row that is wanted most |

## Why rows are not right

| | engines | whose | why, and where in its source | proof |
|---|---|---|---|---|
${told.join("\n")}
${driver.length ? `| \\* | ${[...new Set(driver.map((row) => row.engine))].join(", ")} | ${kinds.driver} | SwiftShader takes the depth of a sample in a mirror ([its source](evidence/drivers.md#three-mistakes-of-drivers-came-out)) | right by an envelope with this mistake and no other: ${driver.length} rows |\n` : ""}
## Pictures

${table("picture")}

## Vertices

In world space, as the engine's own functions give them (Bevy, which moves vertices on the GPU alone: by its matrices, as its shaders do), by the bounds of [the whole chain](guide/vertex-buffers.md#what-your-backend-is-given).

${table("vertices")}
`;
}
