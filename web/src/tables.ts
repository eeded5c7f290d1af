// Tables come with the page; here they can be sorted, cut short and taken along.
import { all, fileName, make, one, save, say } from "./dom";

const FIRST = 12; // rows of a long table that are shown at first
const SHORT = 3; // rows below which nobody sorts or takes along

interface Cell {
  text: string;
  value: number | null; // of a range its lower end
  end: number | null; // of a range its upper end
}

function cellOf(cell: HTMLTableCellElement): Cell {
  const text = [...cell.childNodes]
    .filter((node) => !(node instanceof Element && node.classList.contains("unseen")))
    .map((node) => (node instanceof HTMLBRElement ? "\n" : (node.textContent ?? "")))
    .join("");
  const value = cell.dataset.value;
  const end = cell.dataset.end;
  return { text, value: value === undefined ? null : Number(value), end: end === undefined ? null : Number(end) };
}

/// The name in a row: what its heading says.
export function nameOf(row: HTMLTableRowElement): string {
  const cell = row.querySelector<HTMLTableCellElement>("th");
  return cell ? cellOf(cell).text : "";
}

function compared(a: Cell, b: Cell): number {
  if (a.value !== null && b.value !== null) return a.value - b.value;
  if (a.value !== null) return -1;
  if (b.value !== null) return 1;
  if (a.text === "" || b.text === "") return a.text === b.text ? 0 : a.text === "" ? 1 : -1;
  return a.text.localeCompare(b.text, "en", { numeric: true });
}

class Table {
  readonly box: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly body: HTMLTableSectionElement;
  private readonly heads: HTMLTableCellElement[];
  private readonly titles: string[];
  private readonly written: HTMLTableRowElement[];
  private all = false;
  private only: Set<string> | null = null;
  private more: HTMLButtonElement | null = null;
  sorted: { column: number; down: boolean } | null = null;

  constructor(box: HTMLElement) {
    this.box = box;
    this.table = one<HTMLTableElement>("table", box);
    this.body = one<HTMLTableSectionElement>("tbody", box);
    this.heads = all<HTMLTableCellElement>("thead th", box);
    this.titles = this.heads.map((head) => head.textContent ?? "");
    this.written = [...this.body.rows];
    if (this.written.length >= SHORT) {
      this.heads.forEach((_, column) => this.addSorting(column));
      this.addSaving();
    }
    if (this.written.length > FIRST + 2) {
      this.more = make("button", { type: "button", class: "more" });
      this.more.addEventListener("click", () => {
        this.all = !this.all;
        this.show();
      });
      this.box.append(this.more);
    }
    this.show();
  }

  get key(): string {
    return this.box.dataset.key || fileName(this.table.caption?.textContent ?? "table");
  }

  private addSorting(column: number): void {
    const head = this.heads[column];
    if (!head || !this.titles[column]) return;
    const button = make("button", { type: "button", class: "sort" }, this.titles[column] ?? "");
    button.addEventListener("click", () => {
      const now = this.sorted;
      if (now?.column !== column) this.sort({ column, down: false });
      else this.sort(now.down ? null : { column, down: true });
    });
    head.replaceChildren(button);
  }

  sort(order: { column: number; down: boolean } | null): void {
    if (order && !this.heads[order.column]) return;
    this.sorted = order;
    this.heads.forEach((head, i) => {
      if (order && i === order.column) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    this.show();
    if (order) say(`Sorted by ${this.titles[order.column] ?? ""}, ${order.down ? "largest" : "smallest"} first`);
  }

  private rows(): HTMLTableRowElement[] {
    const order = this.sorted;
    if (!order) return this.written;
    const keyed = this.written.map((row, place) => {
      const cell = row.cells[order.column];
      return { row, place, cell: cell ? cellOf(cell) : { text: "", value: null, end: null } };
    });
    const empty = (cell: Cell): boolean => cell.value === null && (cell.text === "" || cell.text === "–");
    keyed.sort((a, b) => {
      if (empty(a.cell) !== empty(b.cell)) return empty(a.cell) ? 1 : -1; // what says nothing stays below
      return (order.down ? -1 : 1) * compared(a.cell, b.cell) || a.place - b.place;
    });
    return keyed.map((entry) => entry.row);
  }

  /// Only rows of these names; null: all.
  filter(names: Set<string> | null): number {
    this.only = names;
    return this.show();
  }

  private show(): number {
    const rows = this.rows();
    let shown = 0;
    let matching = 0;
    for (const row of rows) {
      const wanted = !this.only || this.only.has(nameOf(row));
      if (wanted) ++matching;
      const cut = !this.all && !this.only && this.more !== null && shown >= FIRST;
      row.hidden = !wanted || (cut && !row.classList.contains("pick"));
      if (!row.hidden) ++shown;
    }
    this.hideSilent(rows.filter((row) => !row.hidden));
    this.body.append(...rows);
    if (this.more) {
      this.more.hidden = this.only !== null;
      this.more.textContent = this.all ? "Show fewer" : `Show all ${String(rows.length)}`;
    }
    return matching;
  }

  /// Columns in which no row that is shown says anything would push others over the edge.
  private hideSilent(shown: HTMLTableRowElement[]): void {
    this.heads.forEach((head, i) => {
      const says = (row: HTMLTableRowElement): boolean => {
        const cell = row.cells[i];
        return cell !== undefined && cellOf(cell).text !== "";
      };
      head.hidden = shown.length > 0 && !shown.some(says);
      for (const row of this.written) {
        const cell = row.cells[i];
        if (cell) cell.hidden = head.hidden;
      }
    });
  }

  private addSaving(): void {
    const button = (text: string, act: () => void): HTMLButtonElement => {
      const made = make("button", { type: "button", "aria-label": `Download as ${text}` }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.box.append(
      make("div", { class: "save" },
        button("CSV", () => save(`${this.key}.csv`, "text/csv", this.csv())),
        button("JSON", () => save(`${this.key}.json`, "application/json", this.json()))),
    );
  }

  private csv(): string {
    // A spreadsheet would run what begins like a formula.
    const quoted = (text: string): string => {
      const safe = /^[=+@\t\r]/.test(text) || /^-[^0-9.]/.test(text) ? `'${text}` : text;
      return /[",\r\n']/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
    };
    // Figures as numbers, their unit in the heading; a range as two of them, after what it is a range of.
    const rows = this.rows().map((row) => [...row.cells].map(cellOf));
    const kinds = this.heads.map((_, i) => {
      const cells = rows.map((row) => row[i]);
      return cells.some((cell) => cell && cell.end !== null) ? "range" : cells.some((cell) => cell && cell.value !== null) ? "figure" : "text";
    });
    let of = "";
    const heads = this.heads.flatMap((head, i) => {
      const title = this.titles[i] ?? "";
      const unit = head.dataset.unit ? ` (${head.dataset.unit})` : "";
      if (kinds[i] === "range") return [`${of}${title}, from${unit}`, `${of}${title}, to${unit}`];
      if (kinds[i] === "figure") of = `${title}, `;
      return [kinds[i] === "figure" ? `${title}${unit}` : title];
    });
    const figure = (value: number | null): string => (value === null ? "" : String(value));
    const lines = [heads.map(quoted)];
    for (const row of rows)
      lines.push(row.flatMap((cell, i) => kinds[i] === "range" ? [figure(cell.value), figure(cell.end)]
        : [kinds[i] === "figure" && (cell.value !== null || cell.text === "–") ? figure(cell.value) : quoted(cell.text)]));
    return lines.map((line) => `${line.join(",")}\r\n`).join("");
  }

  private json(): string {
    const keys = this.heads.map((head, i) => head.dataset.key || this.titles[i] || String(i));
    const rows = this.rows().map((row) =>
      Object.fromEntries([...row.cells].map((cell, i) => {
        const { text, value, end } = cellOf(cell);
        return [keys[i] ?? String(i), value === null ? { text } : end === null ? { text, value } : { text, value, end }];
      })));
    return `${JSON.stringify(rows, null, 1)}\n`;
  }
}

let tables: Table[] = [];

/// All of the report, anew; how they were sorted stays.
export function enlivenTables(): void {
  const before = new Map(tables.map((table) => [table.key, table.sorted]));
  tables = all("#report section .table").map((box) => new Table(box));
  for (const table of tables) {
    const order = before.get(table.key);
    if (order) table.sort(order);
  }
}

/// How many plans of the table stay.
export function filterPlans(names: Set<string> | null): number {
  return tables.find((table) => table.key === "plans")?.filter(names) ?? 0;
}
