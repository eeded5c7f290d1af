// Answers every line of standard input by gpuplan_ask() of a WebAssembly build; a zero byte ends each answer:
//   echo '{"ask": "plan", "flags": {"model": "Qwen2.5-7B", "tokens": "10M"}}' |
//     node tools/ask_wasm.mjs build/wasm/gpuplan.wasm
// With --times it prints how long the module took to start and each answer to come, in place of the answers.
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";

const [file, times] = process.argv.slice(2);
const milliseconds = (since) => `${(performance.now() - since).toFixed(1)} ms`;

// What the C library would write its last words with: there is nowhere to write (8: no such file).
const nowhere = () => 8;
const begun = performance.now();
const { instance } = await WebAssembly.instantiate(await readFile(file), {
  wasi_snapshot_preview1: { fd_close: nowhere, fd_seek: nowhere, fd_write: nowhere },
});
const { _initialize, gpuplan_ask, gpuplan_free, malloc, memory } = instance.exports;
_initialize();
if (times) console.log(`${milliseconds(begun)} to start`);

// Memory may grow with every call, and a view of it keeps its size: they are made anew.
function ask(question) {
  const text = new TextEncoder().encode(`${question}\0`);
  const place = malloc(text.length);
  new Uint8Array(memory.buffer).set(text, place);
  const answer = gpuplan_ask(place);
  const bytes = new Uint8Array(memory.buffer);
  const copy = bytes.slice(answer, bytes.indexOf(0, answer) + 1);
  gpuplan_free(place);
  gpuplan_free(answer);
  return copy;
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const asked = performance.now();
  const answer = ask(line);
  if (!times) process.stdout.write(answer);
  else console.log(`${milliseconds(asked)}, ${answer.length - 1} bytes: ${line.slice(0, 80)}`);
}
