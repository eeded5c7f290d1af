// What if: knobs, the question they make of the page's own, and its answer in place of the report.
import { copy, dataOf, make, one, say } from "./dom";
import { Engine } from "./engine";
import type { Knob, Question, Report } from "./types";

export interface Recalculated {
  document: Report;
  html: string;
  contents: string;
}

interface Hooks {
  show(answer: Recalculated): void;
  restore(): void;
  command: string;
}

function quoted(word: string): string {
  return /^[A-Za-z0-9_./:=,%+@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

export class Knobs {
  private readonly knobs: Knob[];
  private readonly question: Question | null;
  private readonly engine = new Engine();
  private readonly hooks: Hooks;
  private readonly turned = new Map<string, string>();
  private readonly inputs = new Map<string, HTMLInputElement | HTMLSelectElement>();
  private status = make("p", { class: "status", role: "status" });
  private box: HTMLElement | null = null;
  private busy = false;
  private again = false;
  private timer = 0;
  private rest = 0;

  constructor(hooks: Hooks) {
    this.hooks = hooks;
    this.knobs = JSON.parse(dataOf("gpuplan-knobs") || "[]") as Knob[];
    this.question = JSON.parse(dataOf("gpuplan-question") || "null") as Question | null;
    if (!this.question || this.knobs.length === 0 || !Engine.there()) return;
    this.build(one("#what-if"));
    if (this.readAddress()) void this.ask();
    window.addEventListener("hashchange", () => {
      if (this.readAddress()) void this.ask();
    });
    const idle = (): void => this.engine.warm();
    if (typeof requestIdleCallback === "function") requestIdleCallback(idle, { timeout: 3000 });
    else setTimeout(idle, 1500);
  }

  private build(aside: HTMLElement): void {
    const form = make("form");
    form.append(make("h2", {}, "What if"), make("p", { class: "hint" }, "Turn a knob: the plan in this page is worked out anew, without a network."));
    let group: HTMLElement | null = null;
    let name = "";
    for (const knob of this.knobs) {
      if (!group || knob.group !== name) {
        name = knob.group;
        group = make("fieldset", {}, make("legend", {}, name));
        form.append(group);
      }
      group.append(this.field(knob));
    }
    const button = (text: string, act: (made: HTMLElement) => void): HTMLButtonElement => {
      const made = make("button", { type: "button" }, text);
      made.addEventListener("click", () => act(made));
      return made;
    };
    form.append(
      this.status,
      make("div", { class: "actions" },
        button("Back to the report", () => this.reset()),
        button("Copy as command", (made) => void copy(this.command(), made)),
        button("Copy as job file", (made) => void this.copyJob(made))));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.ask();
    });
    aside.replaceChildren(form);
    aside.hidden = false;
    const open = one<HTMLButtonElement>("#open-what-if");
    open.hidden = false;
    const toggle = (wanted: boolean): void => {
      document.body.classList.toggle("asking", wanted);
      open.setAttribute("aria-expanded", String(wanted));
      open.textContent = wanted ? "Done" : "What if …";
      if (wanted) aside.querySelector<HTMLElement>("input, select")?.focus();
    };
    open.addEventListener("click", () => toggle(!document.body.classList.contains("asking")));
    aside.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !document.body.classList.contains("asking")) return;
      toggle(false);
      open.focus();
    });
  }

  private field(knob: Knob): HTMLElement {
    const id = `k-${knob.address.replace(/[^a-zA-Z0-9]/g, "-")}`;
    let input: HTMLInputElement | HTMLSelectElement;
    if (knob.choices.length > 0) {
      input = make("select", { id });
      const known = knob.choices.includes(knob.now);
      if (!known) input.append(make("option", { value: "" }, knob.now || "as planned"));
      for (const choice of knob.choices) input.append(make("option", { value: choice === knob.now ? "" : choice }, choice));
    } else {
      input = make("input", { id, type: "text", autocomplete: "off", spellcheck: "false", placeholder: knob.now || knob.hint });
    }
    input.value = "";
    input.addEventListener("input", () => this.turn(knob.address, input.value.trim()));
    this.inputs.set(knob.address, input);
    return make("div", { class: "knob" }, make("label", { for: id }, knob.title), input);
  }

  private turn(address: string, value: string): void {
    if (value === "") this.turned.delete(address);
    else this.turned.set(address, value);
    this.writeAddress();
    clearTimeout(this.timer);
    const select = this.inputs.get(address) instanceof HTMLSelectElement;
    this.timer = window.setTimeout(() => void this.ask(), select ? 0 : 180);
  }

  // ---- the address: #?limits.deadline=3%20h

  private writeAddress(): void {
    const parts = [...this.turned].map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`);
    try {
      history.replaceState(null, "", parts.length > 0 ? `#?${parts.join("&")}` : location.pathname + location.search);
    } catch {
      // some browsers keep pages from disk from it
    }
  }

  /// True when it says other values than those shown.
  private readAddress(): boolean {
    if (!location.hash.startsWith("#?")) return false;
    const before = JSON.stringify([...this.turned]);
    this.turned.clear();
    for (const part of location.hash.slice(2).split("&")) {
      const [key, value] = part.split("=");
      let address = "";
      let text = "";
      try {
        address = decodeURIComponent(key ?? "");
        text = decodeURIComponent(value ?? "");
      } catch {
        continue;
      }
      if (text !== "" && this.inputs.has(address)) this.turned.set(address, text);
    }
    for (const [address, input] of this.inputs) {
      const wanted = this.turned.get(address) ?? "";
      if (input instanceof HTMLSelectElement && ![...input.options].some((option) => option.value === wanted)) this.turned.delete(address);
      else input.value = wanted;
    }
    return JSON.stringify([...this.turned]) !== before;
  }

  // ---- questions

  private settings(): string[] {
    const lists = new Set(this.knobs.filter((knob) => knob.list).map((knob) => knob.address));
    return [...this.turned].map(([address, value]) =>
      lists.has(address) && !value.startsWith("[") ? `${address}=[${value}]` : `${address}=${value}`);
  }

  private asked(more: Record<string, unknown> = {}): Question {
    const base = this.question as Question;
    return { ...base, set: [...(base.set ?? []), ...this.settings()], ...more };
  }

  private command(): string {
    return [this.hooks.command, ...this.settings().map((setting) => `--set ${quoted(setting)}`)].join(" ");
  }

  private async answered(question: Question): Promise<Record<string, unknown>> {
    const told = JSON.parse(await this.engine.ask(question)) as Record<string, unknown>;
    const error = told.error as { message?: string } | undefined;
    if (told.outcome === "wrong" || error) throw new Error(error?.message ?? "the planner gave no answer");
    return told;
  }

  /// What `plan --json` prints for the knobs as they stand; null: as in the page.
  async planJson(): Promise<string | null> {
    if (this.turned.size === 0 || !this.question) return null;
    const { answer } = await this.answered(this.asked({ ask: "plan", all: false }));
    return `${JSON.stringify(answer, null, 2)}\n`;
  }

  private async copyJob(button: HTMLElement): Promise<void> {
    try {
      let plan = JSON.parse(dataOf("gpuplan-plan")) as { job_file?: { text?: string } };
      if (this.turned.size > 0) plan = (await this.answered(this.asked({ ask: "plan" }))).answer as typeof plan;
      await copy(`${plan.job_file?.text ?? ""}\n`, button);
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error), true);
    }
  }

  /// The plan first; what moves it most, which takes as long again, when the knobs rest.
  private async ask(): Promise<void> {
    clearTimeout(this.timer);
    clearTimeout(this.rest);
    if (this.busy) {
      this.again = true;
      return;
    }
    if (this.turned.size === 0) {
      this.back();
      return;
    }
    const begun = performance.now();
    if (!(await this.shown(this.asked({ sensitivity: false })))) return;
    document.documentElement.dataset.knobMs = (performance.now() - begun).toFixed(1);
    document.documentElement.dataset.engineMs = this.engine.lastMs.toFixed(1);
    document.querySelector("#s-change > h2")?.after(
      make("p", { class: "pending" }, "What moves the plan most is being worked out with your changes."));
    this.rest = window.setTimeout(() => void this.askRest(), 250);
  }

  private async askRest(): Promise<void> {
    if (this.busy || this.turned.size === 0) return;
    if (await this.shown(this.asked())) document.documentElement.dataset.restMs = this.engine.lastMs.toFixed(1);
    else document.querySelector("#report .pending")?.remove();
  }

  /// Whether the answer stands in the page: it is not wrong, and no knob was turned since, for which it asks again.
  private async shown(question: Question): Promise<boolean> {
    this.busy = true;
    this.again = false;
    let good = false;
    try {
      const { answer, html, contents } = await this.answered(question);
      if (typeof html !== "string") throw new Error("the planner in this page can not show its answer");
      if (!this.again) {
        this.hooks.show({ document: answer as Report, html, contents: typeof contents === "string" ? contents : "" });
        this.mark();
        this.tell("Worked out anew with your changes.");
        good = true;
      }
    } catch (error) {
      this.tell(error instanceof Error ? error.message : String(error), true);
    }
    this.busy = false;
    if (this.again) void this.ask();
    return good;
  }

  private tell(text: string, wrong = false): void {
    this.status.textContent = text;
    this.status.classList.toggle("wrong", wrong);
    this.box?.remove();
    this.box = null;
    if (wrong || text === "") return;
    const head = document.querySelector("#report .head");
    this.box = make("p", { class: "changed" }, make("b", {}, "Not the report as it was made: "), this.settings().join(", "));
    head?.append(this.box);
  }

  private mark(): void {
    for (const [address, input] of this.inputs) input.classList.toggle("turned", this.turned.has(address));
  }

  private back(): void {
    clearTimeout(this.rest);
    this.again = this.busy; // an answer that still comes is not of the report
    this.hooks.restore();
    this.mark();
    this.tell("");
  }

  private reset(): void {
    this.turned.clear();
    for (const input of this.inputs.values()) input.value = "";
    this.writeAddress();
    this.back();
    say("The report as it was made");
  }
}

