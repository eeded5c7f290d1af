// Sorts what functions of a WebAssembly module are made of, so that it packs better: instructions, numbers of locals,
// constants, addresses each come in a row of their own (a twentieth less after xz).
//   node tools/split_wasm.mjs IN.wasm OUT
// web/src/joined.ts puts it together again, and is told here which instruction has what behind it. A module with
// instructions that are not listed is written as it is.
//
// OUT: "gpw1", 17 numbers of 4 bytes (functions, sizes of what stands before and behind the code, of 14 rows), 256 kinds of
// instructions, the rows, what stands before and behind.
import { readFileSync, writeFileSync } from "node:fs";

const [input, output] = process.argv.slice(2);
if (!output) {
  console.error("node split_wasm.mjs IN.wasm OUT");
  process.exit(2);
}

const ROWS = ["op", "br", "table", "local", "i32", "offset", "align", "call", "indirect", "global", "i64", "f64", "f32", "frame"];
const row = Object.fromEntries(ROWS.map((name, at) => [name, at]));
// A kind: 0 to 13, one number of that row; from 16 on, what KINDS says; 255: not known.
const KINDS = { none: 16, opens: 17, closes: 18, table: 19, indirect: 20, memory: 21, f32: 22, f64: 23, bulk: 24 };
const kinds = new Uint8Array(256).fill(255);
const are = (kind, ...codes) => codes.forEach((code) => (kinds[code] = kind));
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
are(KINDS.none, 0x00, 0x01, 0x05, 0x0f, 0x1a, 0x1b, ...range(0x45, 0xc4));
are(KINDS.opens, 0x02, 0x03, 0x04); // block, loop, if, with the type of what they leave
are(KINDS.closes, 0x0b);
are(row.br, 0x0c, 0x0d);
are(KINDS.table, 0x0e);
are(row.call, 0x10);
are(KINDS.indirect, 0x11);
are(row.local, 0x20, 0x21, 0x22);
are(row.global, 0x23, 0x24);
are(KINDS.memory, ...range(0x28, 0x3e));
are(row.op, 0x3f, 0x40); // the size of a memory, with its number
are(row.i32, 0x41);
are(row.i64, 0x42);
are(KINDS.f32, 0x43);
are(KINDS.f64, 0x44);
are(KINDS.bulk, 0xfc); // conversions that saturate; copying and filling memory with the numbers of memories

class Unlisted extends Error {}

function split(module) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = module[at++];
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
  };
  let before = null; // with the number of the section of code, without its size
  let begin = 0;
  let end = 0;
  while (at < module.length && end === 0) {
    const id = module[at++];
    before = module.subarray(0, at);
    const size = number();
    if (id === 10) [begin, end] = [at, at + size];
    at += size;
  }
  if (end === 0) throw new Unlisted("no functions");

  const rows = ROWS.map(() => []);
  const one = (name) => {
    const from = at;
    while (module[at] > 127) ++at;
    ++at;
    for (let i = from; i < at; ++i) rows[name].push(module[i]);
    let value = 0;
    for (let i = at - 1; i >= from; --i) value = value * 128 + (module[i] & 127);
    return value;
  };
  const raw = (name, count) => {
    for (let i = 0; i < count; ++i) rows[name].push(module[at++]);
  };
  at = begin;
  const functions = number();
  for (let i = 0; i < functions; ++i) {
    number(); // its size: joined.ts counts
    for (let groups = one(row.frame); groups > 0; --groups) {
      one(row.frame);
      raw(row.frame, 1);
    }
    for (let depth = 1; depth > 0; ) {
      const code = module[at++];
      const kind = kinds[code];
      rows[row.op].push(code);
      if (kind === 255) throw new Unlisted(`instruction 0x${code.toString(16)}`);
      if (kind < ROWS.length) one(kind);
      else if (kind === KINDS.opens) {
        one(row.op);
        ++depth;
      } else if (kind === KINDS.closes) --depth;
      else if (kind === KINDS.table) for (let left = one(row.table); left >= 0; --left) one(row.table);
      else if (kind === KINDS.indirect) {
        one(row.indirect);
        one(row.indirect);
      } else if (kind === KINDS.memory) {
        one(row.align);
        one(row.offset);
      } else if (kind === KINDS.f32) raw(row.f32, 4);
      else if (kind === KINDS.f64) raw(row.f64, 8);
      else if (kind === KINDS.bulk) {
        const which = one(row.op);
        if (which > 7 && which !== 10 && which !== 11) throw new Unlisted(`instruction 0xfc ${which}`);
        for (let left = which === 10 ? 2 : which === 11 ? 1 : 0; left > 0; --left) one(row.op);
      }
    }
  }
  if (at !== end) throw new Unlisted("code that ends elsewhere");
  const behind = module.subarray(end);
  const head = Buffer.alloc(4 * (4 + ROWS.length));
  head.write("gpw1", 0, "latin1");
  [functions, before.length, behind.length, ...rows.map((bytes) => bytes.length)].forEach((size, i) => head.writeUInt32LE(size, 4 + 4 * i));
  return Buffer.concat([head, kinds, ...rows.map((bytes) => Buffer.from(bytes)), before, behind]);
}

const module = readFileSync(input);
let packed = module;
try {
  if (module.length > 8) packed = split(module);
} catch (error) {
  if (!(error instanceof Unlisted)) throw error;
  console.error(`split_wasm: ${input} stays as it is: ${error.message}`);
}
writeFileSync(output, packed);
