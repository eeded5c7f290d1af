// On paper: two pages of A4. What the page shows is set as print sets it, measured, and from the end left out until it fits;
// a line says so, and the guide (gpuplan report -o GUIDE.md) has everything.
import { all, make } from "./dom";
import { drawAll, fitCharts, fitChartsTo } from "./charts";

const MM = 96 / 25.4;
const WIDTH = 192 * MM;
const HEIGHT = 276 * MM;
const ROWS = 6;
/// What two pages do without first, the least missed of all in front: who takes a plan along needs the answer, what is
/// compared, the bill, the risks and the steps.
const LAST = ["each", "basis", "machines", "trouble", "speed", "memory", "choice", "change", "work", "fallback"];
/// Then what stands in these behind their first chart and table, and last the sections themselves.
const SPARE = ["plans", "risk", "bill"];
const NAMED = 12; // columns and sections that a line names

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

/// Blocks of a section that say more than its first chart and its first table, the last of all in front.
function spareOf(key: string): HTMLElement[] {
  const blocks = all<HTMLElement>(`#s-${key} > *`).filter((block) => !block.matches("h2, .question, .finding, .no-print"));
  const kept = [blocks.find((block) => block.matches("figure, .chart")), blocks.find((block) => block.matches(".table"))];
  return blocks.filter((block) => !kept.includes(block)).reverse();
}

/// Tall as print would set it on pages of two columns.
function tall(main: HTMLElement): number {
  return main.getBoundingClientRect().height;
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
    // The recommended row and a sum stay, wherever they stand.
    const kept = rows.filter((row, i) => i < ROWS || row.matches(".pick, .strong"));
    const away = rows.filter((row) => !kept.includes(row));
    away.forEach(hide);
    const count = table.tBodies[0]?.rows.length ?? 0;
    if (kept.length < count) tell(table, `${String(kept.length)} of ${String(count)} rows.`);
  });
  main.style.width = `${String(WIDTH)}px`;
  undo.push(() => main.style.removeProperty("width"));
  const column = (WIDTH - 6 * MM) / 2;
  fitChartsTo(() => column);
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
  // The measure is the columns balanced on one long page; those that break over two pages, and end above tables that take
  // both columns, take more.
  const fits = (): boolean => tall(main) <= 2 * HEIGHT * 0.78;
  const left = LAST.map((key) => document.querySelector(`#s-${key}`)).filter((section) => section !== null);
  const others = all("#report > section:not(.answer)").reverse().filter((section) => !left.includes(section));
  const away: Element[] = [];
  const leave = (sections: Element[]): void => {
    for (const section of sections) {
      if (fits()) break;
      section.classList.add("no-print");
      away.push(section);
    }
  };
  leave(left);
  for (const block of SPARE.flatMap(spareOf)) {
    if (fits()) break;
    hide(block);
  }
  leave(others);
  // What there is room for after all comes back, the most missed first.
  for (const section of [...away].reverse()) {
    if (left.includes(section) && away.some((other) => others.includes(other as HTMLElement))) break;
    section.classList.remove("no-print");
    if (fits()) away.splice(away.indexOf(section), 1);
    else section.classList.add("no-print");
  }
  if (away.length === 0) return;
  undo.push(() => away.forEach((section) => section.classList.remove("no-print")));
  const names = away.map((section) => section.querySelector(".question")?.textContent ?? "").filter((name) => name !== "");
  const note = make("p", { class: "left-out" }, `For two pages these are left out, and stand in the page on a screen: ${names.join(" ")}`);
  main.querySelector(".foot")?.prepend(note);
  undo.push(() => note.remove());
}

export function afterPrint(): void {
  const steps = undo.reverse();
  undo = [];
  for (const step of steps) step();
}
