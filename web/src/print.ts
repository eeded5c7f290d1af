// On paper: two pages of A4. What the page shows is set as print sets it, measured, laid out on sheets of two columns, and
// from the end left out until it fits; a line says so, and the guide (gpuplan report -o GUIDE.md) has everything.
import { all, make } from "./dom";
import { drawAll, fitCharts, fitChartsTo } from "./charts";

const MM = 96 / 25.4;
const WIDTH = 192 * MM;
const HEIGHT = 275 * MM;
const GAP = 4 * 96 / 72; // between blocks: 4pt of style.css
const SHEETS = 2;
const ROWS = 6;
const ROWS_OF_BILL = 16;
/// What two pages do without first, the least missed of all in front: who takes a plan along needs the answer, what is
/// compared, the bill, the risks and the steps.
const LAST = ["card", "each", "basis", "machines", "trouble", "speed", "memory", "choice", "change", "work", "fallback"];
/// Then what stands in these behind their first chart and table.
const SPARE = ["plans", "risk", "bill"];
/// Then these whole, but for the steps, of which the last go first.
const STEPS = "run";
const WHOLE = ["risk", STEPS, "plans", "bill"];
const NAMED = 12; // columns and sections that a line names
const LONGEST = 16; // letters of a word that stays in one piece
const LETTER = 0.7; // of the size of its type, wide

let undo: (() => void)[] = [];

function hide(element: Element): void {
  element.classList.add("no-print");
  undo.push(() => element.classList.remove("no-print"));
}

/// A line under a table, of what paper leaves out of it.
function tell(table: HTMLTableElement, words: string): void {
  const line = make("p", { class: "left-out" }, words);
  table.after(line);
  undo.push(() => line.remove());
}

/// Words may break anywhere on paper, so that one of 300 letters leaves room for the others: here each column gets the room
/// that its ordinary words take.
function keepWords(table: HTMLTableElement): void {
  [...table.tHead?.rows[0]?.cells ?? []].forEach((head, column) => {
    let longest = 0;
    for (const row of table.rows)
      if (!row.hidden && !row.matches(".no-print"))
        for (const word of (row.cells[column]?.textContent ?? "").split(/[\s-]+/)) longest = Math.max(longest, word.length);
    head.style.minWidth = `${String(Math.min(longest, LONGEST) * LETTER + 1.2)}em`;
    undo.push(() => head.style.removeProperty("min-width"));
  });
}

/// Blocks of a section that say more than its first chart and its first table, the last of all in front.
function spareOf(key: string): HTMLElement[] {
  const blocks = all<HTMLElement>(`#s-${key} > *`).filter((block) => !block.matches("h2, .question, .finding, .no-print"));
  const kept = [blocks.find((block) => block.matches("figure, .chart")), blocks.find((block) => block.matches(".table"))];
  return blocks.filter((block) => !kept.includes(block)).reverse();
}

// ---- sheets: what is set is measured once, and laid out here, since browsers tear apart what lies in columns beside
// tables that take the whole width.

/// What stays together: a heading with what it is of.
interface Block {
  nodes: Element[];
  tall: number;
  wide: boolean; // over both columns
  section: Element;
}
/// A block over both columns, or two columns of blocks.
type Band = [Block[], Block[]];

const total = (blocks: Block[]): number => blocks.reduce((sum, block) => sum + block.tall, 0);

/// In reading order, both columns about equally tall.
function balanced(blocks: Block[]): Band {
  let best = blocks.length;
  const tall = (split: number): number => Math.max(total(blocks.slice(0, split)), total(blocks.slice(split)));
  for (let split = blocks.length - 1; split > 0; --split) if (tall(split) < tall(best)) best = split;
  return [blocks.slice(0, best), blocks.slice(best)];
}

const bandTall = (band: Band): number => Math.max(total(band[0]), total(band[1]));

function sheetsOf(blocks: Block[]): Band[][] {
  const sheets: Band[][] = [[]];
  let left = HEIGHT;
  const put = (band: Band): void => {
    sheets.at(-1)?.push(band);
    left -= bandTall(band);
  };
  const turn = (): void => {
    if (sheets.at(-1)?.length === 0) return;
    sheets.push([]);
    left = HEIGHT;
  };
  for (let at = 0; at < blocks.length;) {
    const block = blocks[at] as Block;
    if (block.wide) {
      if (block.tall > left) turn();
      put([[block], []]);
      ++at;
      continue;
    }
    let end = at;
    while (end < blocks.length && !blocks[end]?.wide) ++end;
    let band = balanced(blocks.slice(at, end));
    while (end > at + 1 && bandTall(band) > left) band = balanced(blocks.slice(at, --end));
    if (bandTall(band) > left && left < HEIGHT) {
      turn();
      continue;
    }
    put(band);
    at = end;
    if (at < blocks.length && !blocks[at]?.wide) turn();
  }
  return sheets;
}

/// Whether it says what comes next and would be lost above the end of a column.
function leads(node: Element): boolean {
  if (node.matches("h2, h3, h4") || node.nextElementSibling?.matches(".code") === true) return true;
  return node.matches("p") && node.childElementCount === 1 && node.firstElementChild?.matches("strong") === true &&
    node.textContent === node.firstElementChild.textContent;
}

function blocksOf(section: Element): Block[] {
  if (section.matches(".head, .answer, .foot"))
    return [{ nodes: [section], tall: section.getBoundingClientRect().height + 3 * GAP, wide: !section.matches(".foot"), section }];
  const blocks: Block[] = [];
  let nodes: Element[] = [];
  let tall = 2 * GAP;
  for (const node of section.children) {
    if (getComputedStyle(node).display === "none") continue;
    nodes.push(node);
    tall += node.getBoundingClientRect().height + GAP;
    if (leads(node) && node.nextElementSibling !== null) continue;
    blocks.push({ nodes, tall, wide: nodes.some((one) => one.matches(".wide")), section });
    nodes = [];
    tall = 0;
  }
  if (nodes.length > 0) blocks.push({ nodes, tall, wide: false, section });
  // What no sheet holds is told on screens.
  return blocks.filter((block) => block.tall <= HEIGHT);
}

/// The sheets in place of the sections, which come back with all that was in them.
function lay(main: HTMLElement, sheets: Band[][]): void {
  const before = [main, ...all("#report > section:not(.answer)")].map((place) => ({ place, children: [...place.childNodes] }));
  undo.push(() => before.forEach(({ place, children }) => place.replaceChildren(...children)));
  const begun = new Set<Element>();
  const column = (blocks: Block[]): HTMLElement => {
    const pieces: HTMLElement[] = [];
    let of: Element | null = null; // the last piece's
    for (const block of blocks) {
      if (block.section.matches(".head, .answer, .foot")) {
        pieces.push(block.section as HTMLElement);
        continue;
      }
      if (of !== block.section) pieces.push(make("section", begun.has(block.section) ? { class: "goes-on" } : {}));
      of = block.section;
      begun.add(of);
      pieces.at(-1)?.append(...block.nodes);
    }
    return make("div", { class: "column" }, ...pieces);
  };
  const made = sheets.map((bands) => make("div", { class: "sheet" }, ...bands.map((band) =>
    make("div", { class: band[0].some((block) => block.wide) ? "band" : "band two" }, ...band.filter((blocks) => blocks.length > 0).map(column)))));
  main.replaceChildren(...made);
  fitChartsTo((figure) => figure.clientWidth);
}

export function beforePrint(): void {
  afterPrint();
  drawAll();
  const root = document.documentElement;
  undo.push(fitCharts); // undone last, when all else is as it was
  root.classList.add("paper");
  undo.push(() => root.classList.remove("paper"));
  const main = document.querySelector<HTMLElement>("#report");
  if (!main) return;
  all<HTMLTableElement>("#report section .table table").forEach((table) => {
    const rows = [...table.tBodies[0]?.rows ?? []].filter((row) => !row.hidden);
    // The recommended row and a sum stay, wherever they stand, and a bill is whole.
    const bill = table.closest("#s-bill") !== null;
    const kept = rows.filter((row, i) => i < (bill ? ROWS_OF_BILL : ROWS) || row.matches(".pick, .strong"));
    const away = rows.filter((row) => !kept.includes(row));
    away.forEach(hide);
    const count = table.tBodies[0]?.rows.length ?? 0;
    if (kept.length < count) tell(table, `${String(kept.length)} of ${String(count)} rows.`);
  });
  main.style.width = `${String(WIDTH)}px`;
  undo.push(() => main.style.removeProperty("width"));
  const column = (WIDTH - 6 * MM) / 2;
  fitChartsTo(() => column);
  all<HTMLTableElement>("#report section .table table").forEach(keepWords);
  // A table that is wider than its column takes both; where it is wider still its last columns stay away.
  all<HTMLElement>("#report section .table").forEach((box) => {
    const table = box.querySelector("table");
    if (!table || table.scrollWidth <= box.clientWidth + 1) return;
    box.classList.add("wide");
    undo.push(() => box.classList.remove("wide"));
    const away: string[] = [];
    for (let last = (table.rows[0]?.cells.length ?? 0) - 1; last > 2 && table.scrollWidth > box.clientWidth + 1; --last) {
      const head = table.rows[0]?.cells[last];
      if (head && !head.hidden) away.unshift(head.textContent ?? "");
      for (const row of table.rows) if (row.cells[last]) hide(row.cells[last] as Element);
    }
    if (away.length > 0) tell(table, `Without the columns ${away.slice(0, NAMED).join(", ")}.`);
  });
  const left = LAST.map((key) => document.querySelector(`#s-${key}`)).filter((section) => section !== null);
  const sections = all("#report > section:not(.answer)");
  const question = (section: Element): string => section.querySelector(".question")?.textContent ?? "";
  // As long as it may become.
  const note = make("p", { class: "left-out" }, told(sections.map(question)));
  main.querySelector(".foot")?.prepend(note);
  undo.push(() => note.remove());
  let blocks = [...main.children].flatMap(blocksOf);
  const away = new Set<Element>();
  const shown = (): Block[] => blocks.filter((block) => !away.has(block.section));
  const fits = (): boolean => sheetsOf(shown()).length <= SHEETS;
  const leave = (from: Element[]): void => {
    for (const section of from) {
      if (fits()) break;
      away.add(section);
    }
  };
  leave(left);
  for (const spare of SPARE.flatMap(spareOf)) {
    if (fits()) break;
    blocks = blocks.filter((block) => !block.nodes.includes(spare));
  }
  const whole = [...blocks];
  for (const key of WHOLE) {
    const section = document.querySelector(`#s-${key}`);
    if (section === null) continue;
    if (key !== STEPS) leave([section]);
    else
      for (const step of [...blocks].reverse().filter((block) => block.section === section)) {
        if (fits()) break;
        blocks = blocks.filter((block) => block !== step);
      }
  }
  leave([...sections].reverse().filter((section) => !away.has(section)));
  // What there is room for after all comes back, the steps in their order before all else, then the most missed first.
  for (const step of whole.filter((block) => block.section.id === `s-${STEPS}` && !blocks.includes(block))) {
    const before = blocks;
    blocks = whole.filter((block) => block === step || before.includes(block));
    if (fits()) continue;
    blocks = before;
    break;
  }
  for (const section of [...away].reverse()) {
    away.delete(section);
    if (!fits()) away.add(section);
  }
  // Sections of which nothing is left, and the steps where some are.
  const out = (): string[] => sections.flatMap((section) => {
    const left = away.has(section) ? 0 : blocks.filter((block) => block.section === section).length;
    if (left === 0) return [question(section)];
    return whole.filter((block) => block.section === section).length > left ? [`${question(section)} (its end)`] : [];
  });
  if (out().length === 0) note.remove();
  else note.textContent = told(out());
  lay(main, sheetsOf(shown()));
}

function told(questions: string[]): string {
  return `For two pages these are left out, and stand in the page on a screen: ${questions.filter((name) => name !== "").join(" ")}`;
}

export function afterPrint(): void {
  const steps = undo.reverse();
  undo = [];
  for (const step of steps) step();
}
