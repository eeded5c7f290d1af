// The planner, off the page's thread: src/api/ask.h as WebAssembly.
interface Engine {
  _initialize(): void;
  gpuplan_ask(question: number): number;
  gpuplan_free(answer: number): void;
  malloc(size: number): number;
  memory: WebAssembly.Memory;
}

let engine: Promise<Engine> | null = null;

async function start(packed: string): Promise<Engine> {
  const bytes = Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const module = await new Response(stream).arrayBuffer();
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
