// Unpacks what `xz --format=lzma` has packed: the planner takes a quarter less room so than by gzip, which is all that
// browsers unpack themselves. After the LZMA specification of Igor Pavlov, which is in the public domain.

// Where in the one table of probabilities each kind of decision stands.
const isMatch = 0;
const isRep = 192;
const isRep0 = 204;
const isRep1 = 216;
const isRep2 = 228;
const isLongRep0 = 240;
const slots = 432;
const special = 688;
const align = 816;
const lengths = 832;
const repLengths = 1346;
const literals = 1860;
const header = 13;

/// Throws where the bytes are no such file or end too soon.
export function unlzma(packed: Uint8Array): Uint8Array {
  const props = packed[0] ?? 255;
  if (props >= 225 || packed.length < header + 5) throw new Error("not packed by lzma");
  const lc = props % 9;
  const lp = Math.floor(props / 9) % 5;
  const pb = Math.floor(props / 45);
  const odds = new Uint16Array(literals + (0x300 << (lc + lp))).fill(1024);
  // Range and code in typed places: as plain numbers above 2^31 the engine would box them at every step.
  const coder = new Uint32Array([0xffffffff, 0]);
  let at = header + 1;
  for (let i = 0; i < 4; ++i) coder[1] = (coder[1]! << 8) | packed[at++]!;
  let out = new Uint8Array(packed.length * 5);
  let end = 0;

  const refill = (): void => {
    if (at > packed.length + 4) throw new Error("the planner is cut short");
    coder[0] = coder[0]! << 8;
    coder[1] = (coder[1]! << 8) | (packed[at++] ?? 0);
  };
  const bit = (place: number): number => {
    const chance = odds[place]!;
    const bound = (coder[0]! >>> 11) * chance;
    let found = 0;
    if (coder[1]! < bound) {
      coder[0] = bound;
      odds[place] = chance + ((2048 - chance) >> 5);
    } else {
      coder[0]! -= bound;
      coder[1]! -= bound;
      odds[place] = chance - (chance >> 5);
      found = 1;
    }
    if (coder[0]! < 0x1000000) refill();
    return found;
  };
  const tree = (place: number, bits: number): number => {
    let node = 1;
    for (let i = 0; i < bits; ++i) node = (node << 1) | bit(place + node);
    return node - (1 << bits);
  };
  const turned = (place: number, bits: number): number => {
    let node = 1;
    let value = 0;
    for (let i = 0; i < bits; ++i) {
      const found = bit(place + node);
      node = (node << 1) | found;
      value |= found << i;
    }
    return value;
  };
  const plain = (bits: number): number => {
    let value = 0;
    for (let i = 0; i < bits; ++i) {
      coder[0] = coder[0]! >>> 1;
      const found = coder[1]! >= coder[0]! ? 1 : 0;
      if (found) coder[1]! -= coder[0]!;
      value = (value << 1) | found;
      if (coder[0]! < 0x1000000) refill();
    }
    return value;
  };
  const length = (place: number, posState: number): number => {
    if (!bit(place)) return tree(place + 2 + (posState << 3), 3);
    if (!bit(place + 1)) return 8 + tree(place + 130 + (posState << 3), 3);
    return 16 + tree(place + 258, 8);
  };
  const room = (more: number): void => {
    if (end + more <= out.length) return;
    const larger = new Uint8Array(2 * out.length + more);
    larger.set(out);
    out = larger;
  };

  let state = 0;
  let [rep0, rep1, rep2, rep3] = [0, 0, 0, 0];
  for (;;) {
    const posState = end & ((1 << pb) - 1);
    if (!bit(isMatch + (state << 4) + posState)) {
      room(1);
      const before = end > 0 ? out[end - 1]! : 0;
      const place = literals + 0x300 * (((end & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let match = out[end - rep0 - 1]!;
        while (symbol < 0x100) {
          const wanted = (match >> 7) & 1;
          match <<= 1;
          const found = bit(place + ((1 + wanted) << 8) + symbol);
          symbol = (symbol << 1) | found;
          if (found !== wanted) break;
        }
      }
      while (symbol < 0x100) symbol = (symbol << 1) | bit(place + symbol);
      out[end++] = symbol & 0xff;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count = 0;
    if (bit(isRep + state)) {
      if (!bit(isRep0 + state)) {
        if (!bit(isLongRep0 + (state << 4) + posState)) {
          if (rep0 >= end) throw new Error("the planner is damaged");
          room(1);
          out[end] = out[end - rep0 - 1]!;
          ++end;
          state = state < 7 ? 9 : 11;
          continue;
        }
      } else if (!bit(isRep1 + state)) {
        [rep0, rep1] = [rep1, rep0];
      } else if (!bit(isRep2 + state)) {
        [rep0, rep1, rep2] = [rep2, rep0, rep1];
      } else {
        [rep0, rep1, rep2, rep3] = [rep3, rep0, rep1, rep2];
      }
      count = length(repLengths, posState);
      state = state < 7 ? 8 : 11;
    } else {
      [rep1, rep2, rep3] = [rep0, rep1, rep2];
      count = length(lengths, posState);
      state = state < 7 ? 7 : 10;
      const slot = tree(slots + (Math.min(count, 3) << 6), 6);
      rep0 = slot;
      if (slot >= 4) {
        const bits = (slot >> 1) - 1;
        const first = ((2 | (slot & 1)) << bits) >>> 0;
        rep0 = slot < 14 ? first + turned(special + first - slot, bits) : first + ((plain(bits - 4) << 4) >>> 0) + turned(align, 4);
        if (rep0 === 0xffffffff) return out.subarray(0, end);
      }
    }
    if (rep0 >= end) throw new Error("the planner is damaged");
    count += 2;
    room(count);
    for (let i = 0; i < count; ++i, ++end) out[end] = out[end - rep0 - 1]!;
  }
}
