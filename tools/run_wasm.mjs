// Runs a WebAssembly program of the build (cmake/wasm32-wasi.cmake) on the files of this machine:
//   node --no-warnings tools/run_wasm.mjs PROGRAM WORD...
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const words = process.argv.slice(2);
const wasi = new WASI({ version: "preview1", args: words, preopens: { "/": "/" }, returnOnExit: true });
const module = await WebAssembly.compile(await readFile(words[0]));
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
