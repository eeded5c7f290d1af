// Questions to the planner in the page, one after another.
import { dataOf } from "./dom";

declare const WORKER: string;

interface Told {
  ready?: boolean;
  id?: number;
  answer?: string;
  error?: string;
  ms?: number;
}

export class Engine {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, { done: (answer: string) => void; failed: (error: Error) => void }>();
  private last = 0;
  lastMs = 0;

  /// Whether this browser and this page have one.
  static there(): boolean {
    return dataOf("gpuplan-engine") !== "" && typeof WebAssembly === "object" && typeof DecompressionStream === "function" &&
      typeof Worker === "function";
  }

  private start(): Worker {
    const address = URL.createObjectURL(new Blob([WORKER], { type: "text/javascript" }));
    const worker = new Worker(address);
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    worker.onmessage = (event: MessageEvent<Told>) => {
      const { id, answer, error, ms } = event.data;
      if (id === undefined) {
        if (error !== undefined) this.fail(error);
        return;
      }
      const asked = this.waiting.get(id);
      this.waiting.delete(id);
      this.lastMs = ms ?? 0;
      if (answer !== undefined) asked?.done(answer);
      else {
        asked?.failed(new Error(error ?? ""));
        this.fail(error ?? ""); // a module that trapped is not asked again
      }
    };
    worker.onerror = (event) => {
      event.preventDefault();
      this.fail(event.message);
    };
    worker.postMessage({ engine: dataOf("gpuplan-engine") });
    return worker;
  }

  private fail(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    for (const asked of this.waiting.values()) asked.failed(new Error(why));
    this.waiting.clear();
  }

  /// Begins before the first question, which then need not wait.
  warm(): void {
    this.worker ??= this.start();
  }

  ask(question: unknown): Promise<string> {
    this.worker ??= this.start();
    const id = ++this.last;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed });
      this.worker?.postMessage({ id, question: JSON.stringify(question) });
    });
  }
}
