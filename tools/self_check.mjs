// Prints the hash of a WebAssembly build: node --no-warnings tools/self_check.mjs build/wasm/gpuplan_self_check.wasm
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const wasi = new WASI({ version: "preview1" });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
wasi.initialize(instance);
const hash = BigInt.asUintN(64, instance.exports.gpuplan_self_check());
console.log(hash.toString(16).padStart(16, "0"));
