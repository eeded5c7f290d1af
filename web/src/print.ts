// On paper: two pages of A4. What the page shows is set as print sets it, measured, and from the end left out until it fits;
// a line says so, and the guide (gpuplan report -o GUIDE.md) has everything.
import { all, make } from "./dom";
import { drawAll, fitCharts, fitChartsTo } from "./charts";

const MM = 96 / 25.4;
const WIDTH = 192 * MM;
const HEIGHT = 276 * MM;
const ROWS = 6;
/// What two pages do without first.
const LAST = ["each", "basis", "machines", "trouble", "choice", "speed", "work", "change", "fallback"];

let undo: (() => void)[] = [];

function hide(element: Element): void {
  element.classList.add("no-print");
  undo.push(() => element.classList.remove("no-print"));
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
    rows.slice(ROWS).forEach(hide);
  });
  main.style.width = `${String(WIDTH)}px`;
  undo.push(() => main.style.removeProperty("width"));
  const column = (WIDTH - 6 * MM) / 2;
  fitChartsTo(() => column);
  // Of a table that is wider than its column the last ones stay away.
  all<HTMLElement>("#report section .table").forEach((box) => {
    const table = box.querySelector("table");
    if (!table) return;
    for (let last = (table.rows[0]?.cells.length ?? 0) - 1; last > 2 && table.scrollWidth > box.clientWidth + 1; --last)
      for (const row of table.rows) if (row.cells[last]) hide(row.cells[last] as Element);
  });
  // The measure is the columns balanced on one long page; those that break over two pages take a little more.
  const room = 2 * HEIGHT * 0.88;
  const left = LAST.map((key) => document.querySelector(`#s-${key}`)).filter((section) => section !== null);
  const others = all("#report > section:not(.answer)").reverse().filter((section) => !left.includes(section));
  let away = 0;
  for (const section of [...left, ...others]) {
    if (tall(main) <= room) break;
    hide(section);
    ++away;
  }
  if (away === 0) return;
  const note = make("p", { class: "left-out" }, "For two pages some sections are left out; the page on a screen has them all.");
  main.querySelector(".foot")?.prepend(note);
  undo.push(() => note.remove());
}

export function afterPrint(): void {
  const steps = undo.reverse();
  undo = [];
  for (const step of steps) step();
}
