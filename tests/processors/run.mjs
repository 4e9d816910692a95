// Runs the jobs of refrast-processors in WebAssembly, and prints what the program prints elsewhere, without the names.
// node run.mjs refrast_processors.wasm
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]));
const { refrast_jobs, refrast_hash } = instance.exports;
for (let job = 0; job < refrast_jobs(); job++) {
  console.log(BigInt.asUintN(64, refrast_hash(job)).toString(16).padStart(16, "0"));
}
