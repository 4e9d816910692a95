// Answers lines of two picture files and a threshold, parted by tabs, with the number of pixels that pixelmatch blames.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const modules = process.argv[process.argv.length - 1];
const from = async (path) => import(pathToFileURL(`${modules}/${path}`));
const { default: pixelmatch } = await from("pixelmatch/index.js");
const { PNG } = (await from("pngjs/lib/png.js")).default;

let name = "";
let golden;
for await (const line of createInterface({ input: process.stdin })) {
    const [first, second, threshold] = line.split("\t");
    if (first !== name) {
        golden = PNG.sync.read(readFileSync(first));
        name = first;
    }
    const candidate = PNG.sync.read(readFileSync(second));
    const { width, height } = golden;
    const count = pixelmatch(golden.data, candidate.data, undefined, width, height, { threshold: Number(threshold) });
    console.log(count);
}
