// Puts a WebAssembly module together that tools/split_wasm.mjs has sorted; another stays as it is.

const rowCount = 14;
const head = 4 * (4 + rowCount);
const opRow = 0;
const tableRow = 2;
const offsetRow = 5;
const alignRow = 6;
const indirectRow = 8;
const f64Row = 11;
const f32Row = 12;
const frameRow = 13;
// Kinds of instructions that have not just one number behind them.
const opens = 17;
const closes = 18;
const table = 19;
const indirect = 20;
const memory = 21;
const f32 = 22;
const f64 = 23;
const bulk = 24;

export function joined(bytes: Uint8Array): Uint8Array {
  if (String.fromCharCode(...bytes.subarray(0, 4)) !== "gpw1") return bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const stated = (at: number): number => view.getUint32(4 + 4 * at, true);
  const functions = stated(0);
  const kinds = bytes.subarray(head, head + 256);
  const places = new Uint32Array(rowCount); // how far each row has been read
  let end = head + 256;
  for (let i = 0; i < rowCount; ++i) {
    places[i] = end;
    end += stated(3 + i);
  }
  const before = bytes.subarray(end, end + stated(1));
  const behind = bytes.subarray(end + stated(1), end + stated(1) + stated(2));

  const number = (into: Uint8Array, at: number, value: number): number => {
    for (; value > 127; value = Math.floor(value / 128)) into[at++] = (value % 128) | 128;
    into[at++] = value;
    return at;
  };
  // With room for the sizes of all functions and of the code.
  const code = new Uint8Array(end + 5 * (functions + 2));
  const body = new Uint8Array(end);
  let size = number(code, 0, functions);
  let at = 0;
  const one = (row: number): number => {
    let place = places[row]!;
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[place++]!;
      body[at++] = byte;
      if (shift < 28) value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    places[row] = place;
    return value;
  };
  const raw = (row: number, count: number): void => {
    const place = places[row]!;
    for (let i = 0; i < count; ++i) body[at++] = bytes[place + i]!;
    places[row] = place + count;
  };
  const instruction = (): number => (body[at++] = bytes[places[opRow]!++]!);
  for (let i = 0; i < functions; ++i) {
    at = 0;
    for (let groups = one(frameRow); groups > 0; --groups) {
      one(frameRow);
      raw(frameRow, 1);
    }
    for (let depth = 1; depth > 0;) {
      const kind = kinds[instruction()]!;
      if (kind < rowCount) one(kind);
      else if (kind === opens) {
        one(opRow);
        ++depth;
      } else if (kind === closes) --depth;
      else if (kind === table) for (let left = one(tableRow); left >= 0; --left) one(tableRow);
      else if (kind === indirect) {
        one(indirectRow);
        one(indirectRow);
      } else if (kind === memory) {
        one(alignRow);
        one(offsetRow);
      } else if (kind === f32) raw(f32Row, 4);
      else if (kind === f64) raw(f64Row, 8);
      else if (kind === bulk) {
        const which = one(opRow);
        for (let left = which === 10 ? 2 : which === 11 ? 1 : 0; left > 0; --left) one(opRow);
      }
    }
    size = number(code, size, at);
    code.set(body.subarray(0, at), size);
    size += at;
  }

  const counted = new Uint8Array(5);
  const digits = number(counted, 0, size);
  const module = new Uint8Array(before.length + digits + size + behind.length);
  module.set(before, 0);
  module.set(counted.subarray(0, digits), before.length);
  module.set(code.subarray(0, size), before.length + digits);
  module.set(behind, before.length + digits + size);
  return module;
}
