// Answers every line of standard input by gpuplan_ask() of a WebAssembly build; a zero byte ends each answer:
//   echo '{"ask": "plan", "flags": {"model": "Qwen2.5-7B", "tokens": "10M"}}' |
//     node --no-warnings tools/ask_wasm.mjs build/wasm/gpuplan.wasm
// With --times it prints how long the module took to compile, and each question to be answered, in place of the answers.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { WASI } from "node:wasi";

const [file, times] = process.argv.slice(2);
const begun = performance.now();
const module = await WebAssembly.compile(await readFile(file));
const wasi = new WASI({ version: "preview1" });
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport });
wasi.initialize(instance);
const { gpuplan_ask, gpuplan_free, malloc, memory } = instance.exports;

// Memory may have grown with every call, and a view of it is of its old size then.
function ask(question) {
  const text = new TextEncoder().encode(question);
  const place = malloc(text.length + 1);
  const bytes = new Uint8Array(memory.buffer, place, text.length + 1);
  bytes.set(text);
  bytes[text.length] = 0;
  const answer = gpuplan_ask(place);
  const all = new Uint8Array(memory.buffer);
  const copy = all.slice(answer, all.indexOf(0, answer) + 1);
  gpuplan_free(place);
  gpuplan_free(answer);
  return copy;
}

const milliseconds = (since) => `${(performance.now() - since).toFixed(1)} ms`;
if (times) console.log(`${milliseconds(begun)} to start`);
for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const asked = performance.now();
  const answer = ask(line);
  if (times) console.log(`${milliseconds(asked)} ${answer.length} bytes, memory ${memory.buffer.byteLength >> 20} MiB: ${line.slice(0, 60)}`);
  else process.stdout.write(answer);
}
