// The planner, off the page's thread: src/api/ask.h as WebAssembly.
import { joined } from "./joined";
import { unlzma } from "./lzma";

interface Engine {
  _initialize(): void;
  gpuplan_ask(question: number): number;
  gpuplan_free(answer: number): void;
  malloc(size: number): number;
  memory: WebAssembly.Memory;
}

let engine: Promise<Engine> | null = null;

/// base85_text() of src/output/page/html_text.h backwards.
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.floor((text.length * 4) / 5));
  for (let from = 0, at = 0; from < text.length; from += 5) {
    let four = 0;
    for (let i = from; i < from + 5; ++i) {
      const sign = i < text.length ? text.charCodeAt(i) : 124;
      four = four * 85 + (sign === 125 ? 60 : sign) - 40;
    }
    for (let shift = 24; shift >= 0 && at < bytes.length; shift -= 8) bytes[at++] = four >>> shift;
  }
  return bytes;
}

/// By gzip where the machine that built gpuplan had no xz.
async function unpacked(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return unlzma(bytes);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start(packed: string): Promise<Engine> {
  const module = joined(await unpacked(bytesOf(packed))) as Uint8Array<ArrayBuffer>;
  const nowhere = (): number => 8; // its last words have nowhere to go
  const { instance } = await WebAssembly.instantiate(module, {
    wasi_snapshot_preview1: { fd_close: nowhere, fd_seek: nowhere, fd_write: nowhere },
  });
  const made = instance.exports as unknown as Engine;
  made._initialize();
  return made;
}

function ask(planner: Engine, question: string): string {
  const text = new TextEncoder().encode(`${question}\0`);
  const place = planner.malloc(text.length);
  new Uint8Array(planner.memory.buffer).set(text, place);
  const answer = planner.gpuplan_ask(place);
  const bytes = new Uint8Array(planner.memory.buffer); // anew: memory may have grown
  const copy = new TextDecoder().decode(bytes.subarray(answer, bytes.indexOf(0, answer)));
  planner.gpuplan_free(place);
  planner.gpuplan_free(answer);
  return copy;
}

interface Asked {
  engine?: string;
  id?: number;
  question?: string;
}

self.onmessage = async (event: MessageEvent<Asked>): Promise<void> => {
  const { engine: packed, id, question } = event.data;
  try {
    if (packed !== undefined) {
      engine = start(packed);
      await engine;
      self.postMessage({ ready: true });
      return;
    }
    if (!engine || question === undefined) return;
    const planner = await engine;
    const begun = performance.now();
    const answer = ask(planner, question);
    self.postMessage({ id, answer, ms: performance.now() - begun });
  } catch (error) {
    self.postMessage({ id, error: String(error) });
  }
};
