// Charts as the report says them: places in figures, all words as they are shown. ECharts keeps the axes, their zoom and
// what the pointer is over; what a mark looks like stands here. Colours are those of the style sheet, so that a change of
// theme and print need no new drawing.
import { CustomChart } from "echarts/charts";
import { DataZoomInsideComponent, GridComponent } from "echarts/components";
import * as echarts from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { all, fileName, make, one, save, say } from "./dom";
import { filterPlans } from "./tables";
import type { Axis, Chart, Mark, Role } from "./types";

echarts.use([CustomChart, GridComponent, DataZoomInsideComponent, SVGRenderer]);

const FONT = 'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Inter, Roboto, "Helvetica Neue", Arial';

/// Text is smaller on paper, and so is all that goes by it.
const paper = (): boolean => document.documentElement.classList.contains("paper");
const small = (): number => (paper() ? 8.5 : 12);
const narrowBelow = (): number => (paper() ? 240 : 560);

type Shape = Record<string, unknown>;
interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}
interface Api {
  coord(place: [number, number]): [number, number];
}
interface Place {
  coordSys: Box;
  dataIndex: number;
}

const colour = (role: Role): string =>
  ({ pick: "var(--accent)", best: "var(--accent)", beaten: "var(--dim)", reference: "var(--ink)" } as Record<string, string>)[role] ??
  `var(--${role})`;
/// Of a text on a part of this colour.
const onColour = (role: Role): string =>
  role === "pick" || role === "best" ? "var(--bg)" : role === "c1" ? "var(--on-c1)" : role === "beaten" ? "var(--bg)" : "#14171c";

let canvas: CanvasRenderingContext2D | null | undefined;
function width(text: string, bold = false): number {
  canvas ??= document.createElement("canvas").getContext("2d");
  if (!canvas) return text.length * 6.6;
  canvas.font = `${bold ? "600 " : ""}${String(small())}px ${FONT}`;
  return canvas.measureText(text).width;
}

function cut(text: string, room: number): string {
  if (width(text) <= room) return text;
  let end = text.length;
  while (end > 1 && width(`${text.slice(0, end)}…`) > room) --end;
  return `${text.slice(0, end).trimEnd()}…`;
}

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
const inside = (a: Box, b: Box): boolean =>
  a.x >= b.x - 0.5 && a.y >= b.y - 0.5 && a.x + a.width <= b.x + b.width + 0.5 && a.y + a.height <= b.y + b.height + 0.5;

/// How far a place is from a box; 0 inside of it.
const gap = (box: Box, x: number, y: number): number =>
  Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height));

/// A name on two lines where one has no room: names of several machines differ at their ends.
function wrapped(text: string, room: number, bold: boolean): string[] {
  if (width(text, bold) <= room) return [text];
  const words = text.split(" ");
  let first = "";
  while (words.length > 1 && width(`${first}${words[0] ?? ""}`, bold) <= room) first += `${words.shift() ?? ""} `;
  if (first === "") return [cut(text, room)];
  return [first.trimEnd(), cut(words.join(" "), room)];
}

/// From the edge of a mark to its name.
function leader(box: Box, x: number, y: number): [number, number, number, number] {
  const [ex, ey] = [Math.min(Math.max(x, box.x), box.x + box.width), Math.min(Math.max(y, box.y), box.y + box.height)];
  const part = 8 / Math.max(1, Math.hypot(ex - x, ey - y));
  return [x + (ex - x) * part, y + (ey - y) * part, ex, ey];
}

/// Whether a name or another mark lies on the way from (x, y).
function crosses([x1, y1, x2, y2]: [number, number, number, number], taken: Box[], solid: Box[], x: number, y: number): boolean {
  const others = solid.filter((box) => gap(box, x, y) > 0);
  for (let k = 0; k <= 12; ++k) {
    const dot = { x: x1 + ((x2 - x1) * k) / 12 - 1, y: y1 + ((y2 - y1) * k) / 12 - 1, width: 2, height: 2 };
    if (taken.some((box) => overlap(box, dot)) || (k < 12 && others.some((box) => overlap(box, dot)))) return true;
  }
  return false;
}

/// Places further off, the nearest first.
function around(x: number, y: number, most: number, tall: number): [Box, string][] {
  const places: [Box, string][] = [];
  for (const far of [28, 42, 60, 82, 108, 140, 180])
    for (const [dx, dy] of [[-1, -1], [1, -1], [-1, 1], [1, 1], [-1.6, 0], [1.6, 0], [0, -1.2], [0, 1.2], [-1.5, -0.5], [1.5, -0.5], [-1.5, 0.5], [1.5, 0.5]] as const) {
      const px = x + dx * far;
      const box = { x: dx < 0 ? px - most : dx > 0 ? px : px - most / 2, y: y + dy * far - tall / 2, width: most, height: tall };
      places.push([box, dx < 0 ? "right" : dx > 0 ? "left" : "center"]);
    }
  return places;
}

const MANY_NARROW = 8; // with more of them beaten plans have no name in a narrow picture

const scaled = (axis: Axis, value: number): number => (axis.scale === "log" ? Math.log10(Math.max(value, 1e-300)) : value);

function textAt(x: number, y: number, text: string, more: Shape = {}, halo = false): Shape {
  return {
    type: "text", silent: true, z2: 50, x, y,
    style: {
      text, font: `${more.bold ? "600 " : ""}${String(small())}px ${FONT}`, fill: "var(--ink2)", verticalAlign: "middle",
      align: "left", stroke: halo ? "var(--bg)" : "none", lineWidth: halo ? 3 : 0, ...more,
    },
  };
}

function line(x1: number, y1: number, x2: number, y2: number, style: Shape): Shape {
  return { type: "line", silent: true, shape: { x1, y1, x2, y2 }, style: { fill: "none", ...style } };
}

type LegendRow = { mark: Role; text: string; x: number }[];

function legendRowsOf(chart: Chart, size: number): LegendRow[] {
  const rows: LegendRow[] = [];
  let x = Infinity;
  for (const entry of chart.legend ?? []) {
    const wide = 18 + width(entry.text) + 16;
    if (x + wide > size) {
      rows.push([]);
      x = 0;
    }
    rows[rows.length - 1]?.push({ ...entry, x });
    x += wide;
  }
  return rows;
}

function heightOf(chart: Chart, size: number): number {
  const legend = chart.legend?.length ? legendRowsOf(chart, size).length * 20 + 6 : 0;
  const narrow = size < narrowBelow();
  const rows = Math.round(chart.y.max - chart.y.min);
  if (chart.y.scale === "category") return (paper() ? rows * 17 + 36 : rows * (narrow ? 46 : 34) + 52) + legend + overRoom(chart);
  const tall: Record<string, number> = { cost_time: 400, fan: 280 };
  const most = tall[chart.kind] ?? 320;
  return (paper() ? most * 0.5 : narrow ? Math.min(most, 330) : most) + legend;
}

/// A line through all rows whose words stand above them.
const isOver = (chart: Chart, mark: Mark): boolean =>
  chart.y.scale === "category" && mark.shape === "rule" && mark.y === undefined && Boolean(mark.label);
const overRoom = (chart: Chart): number => (chart.marks.some((mark) => isOver(chart, mark)) ? 18 : 0);
/// A bar whose value is its left end.
const reachesLeft = (mark: Mark): boolean => mark.x !== undefined && mark.x === mark.x0 && mark.x !== mark.x1;

class Drawing {
  private readonly figure: HTMLElement;
  private readonly plot: HTMLElement;
  private readonly chart: Chart;
  private readonly drawn: echarts.ECharts;
  private readonly rows: boolean;
  private size = 0;
  private onPaper = false;
  private current = -1;
  private grid: Box = { x: 0, y: 0, width: 0, height: 0 };

  constructor(figure: HTMLElement, chart: Chart) {
    this.figure = figure;
    this.chart = chart;
    this.rows = chart.y.scale === "category";
    this.plot = one(".plot", figure);
    const holder = make("div", { class: "drawing" });
    this.plot.replaceChildren(holder);
    this.plot.style.minHeight = "";
    this.plot.setAttribute("role", "group");
    this.plot.setAttribute("aria-label", `${chart.alt || chart.title}${this.stops().length > 0 ? " Arrow keys go from mark to mark." : ""}`);
    if (this.stops().length > 0) this.plot.tabIndex = 0;
    this.size = Math.max(240, this.plot.clientWidth);
    this.drawn = echarts.init(holder, null, { renderer: "svg", width: this.size, height: this.height() });
    this.drawn.setOption(this.option());
    one("svg", holder).setAttribute("aria-hidden", "true");
    this.listen();
    this.addTools();
  }

  private get narrow(): boolean {
    return this.size < narrowBelow();
  }

  private height(): number {
    return heightOf(this.chart, this.size);
  }

  private legendRows(): LegendRow[] {
    return legendRowsOf(this.chart, this.size);
  }

  private labelRoom(): number {
    const widest = Math.max(0, ...this.chart.y.ticks.map((tick) => width(tick.text)));
    if (!this.rows) return widest + 10;
    return this.narrow ? 4 : Math.min(widest, this.size * 0.34) + 12;
  }

  /// Of the words beyond both ends of an input's bars.
  private endRoom(): { left: number; right: number } {
    if (this.chart.kind !== "tornado") return { left: 0, right: 0 };
    const of = (left: boolean): number => Math.min(this.size * 0.2, Math.max(0, ...this.chart.marks
      .filter((mark) => mark.shape === "bar" && mark.label && reachesLeft(mark) === left)
      .map((mark) => width(mark.label ?? "") + 10)));
    return { left: of(true), right: of(false) };
  }

  private option(): Shape {
    const { x, y } = this.chart;
    const legend = this.legendRows().length * 20;
    const rightTick = width(x.ticks[x.ticks.length - 1]?.text ?? "") / 2;
    const ends = this.endRoom();
    const grid = {
      left: Math.ceil(this.labelRoom() + ends.left), right: Math.max(8, Math.ceil(rightTick), Math.ceil(ends.right)),
      top: (y.title ? 24 : 8) + (legend ? legend + 6 : 0) + overRoom(this.chart),
      bottom: (x.title ? 42 : 24) * (small() / 12),
    };
    const axis = (of: Axis, upsideDown: boolean): Shape =>
      ({ type: "value", show: false, min: scaled(of, of.min), max: scaled(of, of.max), inverse: upsideDown });
    const zoom = (name: "x" | "y"): Shape => ({
      type: "inside", id: name, [`${name}AxisIndex`]: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: false,
      moveOnMouseWheel: false, preventDefaultMouseMove: false, minSpan: 5,
    });
    return {
      animation: false, grid, xAxis: axis(x, false), yAxis: axis(y, this.rows), dataZoom: this.rows ? [zoom("x")] : [zoom("x"), zoom("y")],
      series: [
        { type: "custom", silent: true, clip: false, data: [[0, 0]], renderItem: (place: Place, api: Api) => this.frame(place.coordSys, api) },
        {
          type: "custom", clip: true, emphasis: { disabled: true }, data: this.chart.marks.map((_, i) => [i, i]), encode: { x: -1, y: -1 },
          renderItem: (place: Place, api: Api) => this.mark(place.dataIndex, api),
        },
        { type: "custom", silent: true, clip: false, data: [[0, 0]], renderItem: (_: Place, api: Api) => this.labels(api) },
      ],
    };
  }

  private at(api: Api, x: number, y: number): [number, number] {
    return api.coord([scaled(this.chart.x, x), scaled(this.chart.y, y)]);
  }

  /// Lines, numbers and names of the axes, and the legend.
  private frame(box: Box, api: Api): Shape {
    this.grid = { x: box.x, y: box.y, width: box.width, height: box.height };
    const { x, y } = this.chart;
    const parts: Shape[] = [];
    const grey = { stroke: "var(--line)", lineWidth: 1 };
    const bottom = box.y + box.height;
    const right = box.x + box.width;
    let end = -Infinity;
    for (const tick of x.ticks) {
      const [px] = this.at(api, tick.at, y.min || 1);
      if (px < box.x - 0.5 || px > right + 0.5) continue;
      parts.push(line(px, box.y, px, bottom, grey));
      const half = width(tick.text) / 2;
      const middle = Math.min(Math.max(px, half), this.size - half);
      if (middle - half < end + 6) continue;
      end = middle + half;
      parts.push(textAt(middle, bottom + small() + 1, tick.text, { align: "center", fill: "var(--ink3)" }));
    }
    for (const tick of y.ticks) {
      const [, py] = this.at(api, x.min || 1, tick.at);
      if (py < box.y - 0.5 || py > bottom + 0.5) continue;
      if (!this.rows) {
        parts.push(line(box.x, py, right, py, grey), textAt(box.x - 8, py, tick.text, { align: "right", fill: "var(--ink3)" }));
      } else if (this.narrow) {
        parts.push(textAt(4, py - 15, cut(tick.text, this.size - 8), { fill: "var(--ink)" }, true));
      } else {
        const names = this.labelRoom();
        parts.push(textAt(names - 10, py, cut(tick.text, names - 12), { align: "right", fill: "var(--ink)" }));
      }
    }
    if (x.title) parts.push(textAt(right, bottom + 2.6 * small(), x.title, { align: "right", fill: "var(--ink3)" }));
    if (y.title) parts.push(textAt(Math.max(0, Math.min(box.x, 2)), box.y - 14, y.title, { fill: "var(--ink3)" }));
    this.legendRows().forEach((row, i) => {
      for (const entry of row) {
        const top = 2 + i * 20;
        parts.push(
          { type: "rect", silent: true, shape: { x: entry.x, y: top + 3, width: 12, height: 12, r: 2 }, style: { fill: colour(entry.mark) } },
          textAt(entry.x + 18, top + 9, entry.text));
      }
    });
    return { type: "group", children: parts };
  }

  /// Of a bar or of what belongs to a row.
  private rowOf(mark: Mark, api: Api): { top: number; bottom: number } {
    if (mark.y0 !== undefined && mark.y1 !== undefined) {
      const a = this.at(api, this.chart.x.min || 1, mark.y0)[1];
      const b = this.at(api, this.chart.x.min || 1, mark.y1)[1];
      return { top: Math.min(a, b), bottom: Math.max(a, b) };
    }
    const middle = this.at(api, this.chart.x.min || 1, mark.y ?? 0)[1] + (this.narrow ? 6 : 0);
    const half = paper() ? 6 : this.narrow ? 9 : 10;
    return { top: middle - half, bottom: middle + half };
  }

  private barBox(mark: Mark, api: Api): Box {
    const y = mark.y ?? mark.y0 ?? 0;
    const [a] = this.at(api, mark.x0 ?? this.chart.x.min, y);
    const [b] = this.at(api, mark.x1 ?? this.chart.x.min, y);
    const { top, bottom } = this.rowOf(mark, api);
    return { x: Math.min(a, b), y: top, width: Math.max(1, Math.abs(b - a)), height: bottom - top };
  }

  private mark(index: number, api: Api): Shape | undefined {
    const mark = this.chart.marks[index];
    if (!mark) return undefined;
    const fill = colour(mark.mark);
    const strong = mark.mark === "pick";
    const children: Shape[] = [];
    const own = { info: index };
    if (mark.shape === "bar") {
      const box = this.barBox(mark, api);
      // What a bar is held against is the ground behind it.
      children.push({
        ...own, type: "rect", shape: { ...box, r: 2 },
        style: { fill: mark.mark === "reference" ? "var(--line)" : fill, opacity: mark.mark === "beaten" ? 0.75 : 1, stroke: "var(--bg)", lineWidth: box.width > 4 ? 1 : 0 },
      });
      if (mark.mark === "c8") {
        const hatch: Shape[] = [];
        for (let x = box.x - box.height + 6; x < box.x + box.width; x += 7)
          hatch.push(line(x, box.y + box.height, x + box.height, box.y, { stroke: "var(--bg)", lineWidth: 1.5, opacity: 0.75 }));
        children.push({ type: "group", silent: true, children: hatch, clipPath: { type: "rect", shape: { ...box } } });
      }
    } else if (mark.shape === "line" || mark.shape === "area") {
      const points = (mark.points ?? []).map(([x, y]) => this.at(api, x, y));
      if (mark.shape === "area") children.push({ ...own, type: "polygon", shape: { points }, style: { fill, opacity: 0.14 } });
      else {
        const dash = mark.mark === "reference" ? { lineDash: [2, 4] } : this.chart.kind === "fan" && !strong ? { lineDash: [6, 4] } : {};
        children.push({
          ...own, type: "polyline", shape: { points },
          style: { fill: "none", stroke: mark.mark === "reference" ? "var(--accent)" : fill, lineWidth: strong ? 2.5 : 1.5, ...dash },
        });
      }
    } else if (mark.shape === "rule") {
      const x = this.at(api, mark.x ?? 0, mark.y ?? (this.chart.y.min || 1))[0];
      const row = mark.y === undefined ? { top: this.grid.y, bottom: this.grid.y + this.grid.height } : this.rowOf(mark, api);
      const grow = mark.y === undefined ? 0 : 4;
      children.push({ ...line(x, row.top - grow, x, row.bottom + grow, { stroke: "var(--ink)", lineWidth: 2 }), silent: false, ...own });
    } else if (mark.shape === "span") {
      const y = mark.y ?? 0;
      const [a, middle] = this.at(api, mark.x0 ?? 0, y);
      const [b] = this.at(api, mark.x1 ?? 0, y);
      const below = this.rows && this.chart.kind !== "price_age";
      const height = below ? this.rowOf(mark, api).bottom + (paper() ? 2.5 : 5) : this.rows ? this.placeOf(mark, api)[1] : middle;
      const style = { stroke: this.rows ? "var(--ink)" : fill, lineWidth: 1.5 };
      for (const shape of [[a, height, b, height], [a, height - 3, a, height + 3], [b, height - 3, b, height + 3]])
        children.push({ ...line(shape[0] ?? 0, shape[1] ?? 0, shape[2] ?? 0, shape[3] ?? 0, style), silent: false, ...own });
    } else {
      const [x, y] = this.at(api, mark.x ?? 0, mark.y ?? 0);
      const range = { stroke: fill, lineWidth: strong ? 2 : 1.25, opacity: mark.mark === "beaten" ? 0.8 : 1 };
      if (mark.x0 !== undefined && mark.x1 !== undefined)
        children.push(line(this.at(api, mark.x0, mark.y ?? 0)[0], y, this.at(api, mark.x1, mark.y ?? 0)[0], y, range));
      if (mark.y0 !== undefined && mark.y1 !== undefined)
        children.push(line(x, this.at(api, mark.x ?? 0, mark.y0)[1], x, this.at(api, mark.x ?? 0, mark.y1)[1], range));
      const many = this.chart.marks.filter((other) => other.shape === "point").length > 30;
      const r = strong ? 7 : mark.mark === "best" ? 5 : many ? 2.5 : 4;
      const full = strong || (many && mark.mark === "beaten");
      children.push({
        ...own, type: "circle", z2: strong ? 30 : mark.mark === "best" ? 20 : 10, shape: { cx: x, cy: y, r },
        style: { fill: full ? fill : "var(--bg)", stroke: fill, lineWidth: 2 },
      });
      children.push({ ...own, type: "circle", z2: 40, shape: { cx: x, cy: y, r: 12 }, style: { fill: "rgba(0,0,0,0)" } });
    }
    if (index === this.current) {
      const place = this.placeOf(mark, api);
      children.push({
        type: "circle", silent: true, z2: 60, shape: { cx: place[0], cy: place[1], r: 11 },
        style: { fill: "none", stroke: "var(--accent)", lineWidth: 2.5 },
      });
    }
    return { type: "group", children, info: index };
  }

  /// Where its tip points at.
  private placeOf(mark: Mark, api: Api): [number, number] {
    if (mark.shape === "bar") {
      const box = this.barBox(mark, api);
      return [box.x + box.width / 2, box.y + box.height / 2];
    }
    if (mark.shape === "line" || mark.shape === "area") {
      const middle = mark.points?.[Math.floor(mark.points.length / 2)] ?? [this.chart.x.min, this.chart.y.min];
      return this.at(api, middle[0], middle[1]);
    }
    if (mark.shape === "rule" && mark.y === undefined) return [this.at(api, mark.x ?? 0, this.chart.y.min || 1)[0], this.grid.y + this.grid.height / 2];
    const x = mark.x ?? ((mark.x0 ?? 0) + (mark.x1 ?? 0)) / 2;
    const [px, py] = this.at(api, x, mark.y ?? 0);
    return [px, py + (this.rows && this.narrow ? 6 : 0)];
  }

  /// Words at the marks where there is room: the pick first, then what comes last in the drawing.
  private labels(api: Api): Shape {
    const parts: Shape[] = [];
    const taken: Box[] = [];
    const solid: Box[] = [];
    for (const mark of this.chart.marks) {
      if (mark.shape === "bar") solid.push(this.barBox(mark, api));
      if (mark.shape === "point") {
        const [x, y] = this.at(api, mark.x ?? 0, mark.y ?? 0);
        solid.push({ x: x - 6, y: y - 6, width: 12, height: 12 });
      }
    }
    // What a label may lie on where there is no other room: lines and ranges.
    const soft: Box[] = [];
    const along = (points: [number, number][]): void => {
      for (let i = 1; i < points.length; ++i) {
        const a: [number, number] = points[i - 1] ?? [0, 0];
        const b: [number, number] = points[i] ?? [0, 0];
        const steps = Math.min(400, Math.ceil(Math.hypot(b[0] - a[0], b[1] - a[1]) / 6));
        for (let k = 0; k <= steps; ++k)
          soft.push({ x: a[0] + ((b[0] - a[0]) * k) / Math.max(1, steps) - 2, y: a[1] + ((b[1] - a[1]) * k) / Math.max(1, steps) - 2, width: 4, height: 4 });
      }
    };
    for (const mark of this.chart.marks) {
      if (mark.shape === "line") along((mark.points ?? []).map(([x, y]) => this.at(api, x, y)));
      if (mark.shape === "span" && this.chart.kind === "price_age") along([this.at(api, mark.x0 ?? 0, mark.y ?? 0), this.at(api, mark.x1 ?? 0, mark.y ?? 0)]);
      if (mark.shape !== "point") continue;
      const [x, y] = [mark.x ?? 0, mark.y ?? 0];
      if (mark.x0 !== undefined && mark.x1 !== undefined) along([this.at(api, mark.x0, y), this.at(api, mark.x1, y)]);
      if (mark.y0 !== undefined && mark.y1 !== undefined) along([this.at(api, x, mark.y0), this.at(api, x, mark.y1)]);
    }
    const clear = (box: Box): boolean => free(box) && !soft.some((other) => overlap(box, other));
    // The fastest and the cheapest before what lies between them.
    const best = this.chart.marks.filter((mark) => mark.shape === "point" && mark.mark === "best");
    const least = (of: (mark: Mark) => number): Mark | undefined => best.reduce<Mark | undefined>((a, b) => (a && of(a) <= of(b) ? a : b), undefined);
    const ends = [least((mark) => mark.x ?? 0), least((mark) => mark.y ?? 0)];
    const rank = (mark: Mark): number =>
      ends.includes(mark) ? 1.5 : ({ pick: 0, reference: 1, best: 2, beaten: 4 } as Record<string, number>)[mark.mark] ?? 3;
    const order = this.chart.marks.map((mark, i) => ({ mark, i })).filter(({ mark }) => mark.label)
      .sort((a, b) => rank(a.mark) - rank(b.mark) || a.i - b.i);
    const field: Box = { x: this.grid.x, y: this.grid.y - 18, width: this.size - this.grid.x, height: this.grid.height + 18 };
    if (this.chart.y.title) taken.push({ x: 0, y: this.grid.y - 21, width: width(this.chart.y.title) + 10, height: 14 });
    // Names stand left of rows.
    const start = this.rows ? this.labelRoom() : this.grid.x;
    const beside: Box = { x: start, y: 0, width: this.size - start, height: this.height() };
    const free = (box: Box): boolean => (inside(box, this.rows ? beside : field) || (this.rows && box.y < this.grid.y)) && !taken.some((other) => overlap(box, other)) && !solid.some((other) => overlap(box, other));
    // Whose name it is has to be seen: a label that stands nearer to another mark would be read as that one's.
    const crowd = this.chart.kind === "cost_time";
    const centres = crowd ? this.chart.marks.filter((mark) => mark.shape === "point").map((mark) => this.at(api, mark.x ?? 0, mark.y ?? 0)) : [];
    const own = (box: Box, [x, y]: [number, number]): boolean =>
      centres.every(([px, py]) => (px === x && py === y) || gap(box, px, py) > gap(box, x, y) + 1);
    const beaten = this.chart.marks.filter((mark) => mark.shape === "point" && mark.mark === "beaten").length;
    for (const { mark } of order) {
      if (crowd && this.narrow && mark.mark === "beaten" && beaten > MANY_NARROW) continue;
      const room = Math.max(120, this.size * 0.4);
      const names = crowd && mark.shape === "point" ? wrapped(mark.label ?? "", room, mark.mark !== "beaten") : [cut(mark.label ?? "", room)];
      const label = names[0] ?? "";
      const strong = mark.mark === "pick";
      const bold = strong || mark.mark === "best";
      const wide = Math.max(...names.map((name) => width(name, bold && mark.shape !== "bar")));
      if (mark.shape === "bar") {
        const box = this.barBox(mark, api);
        if (box.x + box.width < this.grid.x || box.x > this.grid.x + this.grid.width) continue;
        const ends = this.chart.kind === "tornado";
        if (!ends && box.width >= wide + 10) {
          const backed = mark.mark === "c8" ? { stroke: "var(--c8)", lineWidth: 5 } : {};
          parts.push(textAt(box.x + 6, box.y + box.height / 2, label, { fill: onColour(mark.mark), ...backed }));
          taken.push({ ...box, width: wide + 10 });
          continue;
        }
        const y = box.y + box.height / 2 - 7;
        const places: Box[] = [
          { x: box.x + box.width + 5, y, width: wide, height: 14 }, { x: box.x - wide - 5, y, width: wide, height: 14 },
        ];
        // An input's value stands at that end of its bar, not at the line in the middle.
        if (ends) places.splice(0, 2, places[reachesLeft(mark) ? 1 : 0] as Box);
        const place = places.find((candidate) => free(candidate));
        if (!place) continue;
        taken.push(place);
        parts.push(textAt(place.x, place.y + 7, label, { fill: "var(--ink2)" }, true));
        continue;
      }
      const [x, y] = this.placeOf(mark, api);
      if (x < this.grid.x - 1 || x > this.grid.x + this.grid.width + 1 || y < this.grid.y - 1 || y > this.grid.y + this.grid.height + 1) continue;
      const note = mark.shape === "point" ? cut(mark.note ?? "", this.size * 0.4) : "";
      const most = Math.max(wide, width(note));
      const lineHeight = small() + 3;
      const lines = names.length + (note ? 1 : 0);
      const tall = lines * lineHeight - (lines - 1);
      const low = this.grid.y + this.grid.height - tall - 4;
      const row = mark.shape === "rule" && mark.y !== undefined ? this.rowOf(mark, api) : undefined;
      const top = row ? (row.top + row.bottom) / 2 - 7.5 : mark.shape === "rule" ? this.grid.y + 2 : y;
      const over = isOver(this.chart, mark);
      const places: [Box, string][] = over
        ? [[{ x: Math.min(Math.max(x - wide / 2, 0), this.size - wide), y: this.grid.y - 18, width: wide, height: 15 }, "left"]]
        : mark.shape === "rule"
        ? [[{ x: x + 6, y: top, width: wide, height: 15 }, "left"], [{ x: x - 6 - wide, y: top, width: wide, height: 15 }, "left"],
          [{ x: x + 6, y: top + 16, width: wide, height: 15 }, "left"], [{ x: x - 6 - wide, y: top + 16, width: wide, height: 15 }, "left"],
          [{ x: x + 6, y: low, width: wide, height: 15 }, "left"], [{ x: x - 6 - wide, y: low, width: wide, height: 15 }, "left"]]
        : [[{ x: x + 10, y: y - tall - 2, width: most, height: tall }, "left"], [{ x: x + 10, y: y + 4, width: most, height: tall }, "left"],
          [{ x: x - 10 - most, y: y - tall - 2, width: most, height: tall }, "right"],
          [{ x: x - 10 - most, y: y + 4, width: most, height: tall }, "right"],
          [{ x: x - most / 2, y: y - tall - 10, width: most, height: tall }, "center"], [{ x: x - most / 2, y: y + 10, width: most, height: tall }, "center"],
          [{ x: x + 16, y: y - 2 * tall, width: most, height: tall }, "left"], [{ x: x + 16, y: y + tall, width: most, height: tall }, "left"],
          [{ x: x - 16 - most, y: y - 2 * tall, width: most, height: tall }, "right"], [{ x: x - 16 - most, y: y + tall, width: most, height: tall }, "right"]];
      // A rule of one row is not told in another one.
      if (row) places.splice(2);
      // On its own bar, where a row has no room beside it.
      const onBar: [Box, string] = [{ x: x - 12 - most, y: y - tall / 2, width: most, height: tall }, "right"];
      const mine = ([box]: [Box, string]): boolean => !crowd || mark.shape !== "point" || own(box, [x, y]);
      const led = crowd && mark.shape === "point" && mark.mark !== "beaten";
      let lead = false;
      const further = (): [Box, string] | undefined => {
        // Over lines and ranges rather than two rounds further off; the recommended plan's line may pass other marks.
        const at = (marks: Box[]): [Box, string] | undefined => {
          const cost = ([box]: [Box, string], i: number): number => i + (clear(box) ? 0 : 24);
          return around(x, y, most, tall).map((place, i) => ({ place, cost: cost(place, i) }))
            .filter(({ place: [box] }) => free(box) && !crosses(leader(box, x, y), taken, marks, x, y))
            .sort((a, b) => a.cost - b.cost)[0]?.place;
        };
        const far = at(solid) ?? (strong ? at([]) : undefined);
        lead = far !== undefined;
        return far;
      };
      const found = places.find((place) => clear(place[0]) && mine(place)) ??
        (mark.mark === "beaten" ? undefined : places.find((place) => free(place[0]) && mine(place))) ?? (led ? further() : undefined) ??
        // The recommended plan has its name in any crowd.
        (led && strong ? places.find(([box]) => inside(box, field) && !taken.some((other) => overlap(box, other))) : undefined) ??
        (this.rows && (row ?? mark.shape === "point") && inside(onBar[0], beside) ? onBar : undefined);
      if (!found) continue;
      const [box, align] = found;
      taken.push(crowd ? { x: box.x - 4, y: box.y - 1, width: box.width + 8, height: box.height + 2 } : box);
      if (lead) {
        const [x1, y1, x2, y2] = leader(box, x, y);
        parts.push(line(x1, y1, x2, y2, { stroke: "var(--ink3)", lineWidth: 1 }));
        for (let k = 0; k <= 20; ++k) taken.push({ x: x1 + ((x2 - x1) * k) / 20 - 2, y: y1 + ((y2 - y1) * k) / 20 - 2, width: 4, height: 4 });
      }
      const px = align === "left" ? box.x : align === "right" ? box.x + box.width : box.x + box.width / 2;
      const fill = strong ? "var(--accent)" : mark.mark === "beaten" ? "var(--ink3)" : "var(--ink)";
      names.forEach((name, k) => parts.push(textAt(px, box.y + lineHeight * (k + 0.5) - k, name, { align, fill, bold }, true)));
      if (note) parts.push(textAt(px, box.y + lineHeight * (names.length + 0.5) - names.length, note, { align, fill: "var(--ink3)" }, true));
    }
    return { type: "group", children: parts };
  }

  // ---- what a reader does

  /// Marks that have something to say.
  private stops(): number[] {
    const stops = this.chart.marks.map((mark, i) => (mark.tip?.length ? i : -1)).filter((i) => i >= 0);
    if (this.chart.kind !== "cost_time") return stops;
    // The pick first, then the plans from the fastest on; lines say least.
    const rank = (i: number): [number, number] => {
      const mark = this.chart.marks[i];
      return mark?.shape === "point" ? [mark.mark === "pick" ? 0 : 1, mark.x ?? 0] : [2, i];
    };
    return stops.sort((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1]);
  }

  private pixels(): Api {
    return { coord: (place) => this.drawn.convertToPixel({ xAxisIndex: 0, yAxisIndex: 0 }, place) as [number, number] };
  }

  private showTip(index: number): void {
    const mark = this.chart.marks[index];
    const lines = mark?.tip ?? [];
    const tip = one("#tip");
    if (!mark || lines.length === 0) return;
    tip.replaceChildren(...lines.map((text, i) => make(i === 0 ? "b" : "span", {}, text)));
    tip.hidden = false;
    const [x, y] = this.placeOf(mark, this.pixels());
    const frame = this.plot.getBoundingClientRect();
    const left = Math.min(Math.max(8, frame.left + x + 14), document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = frame.top + y - tip.offsetHeight - 12;
    tip.style.left = `${String(left + window.scrollX)}px`;
    tip.style.top = `${String((above > 60 ? above : frame.top + y + 16) + window.scrollY)}px`;
  }

  private static hideTip(): void {
    one("#tip").hidden = true;
  }

  private point(index: number): void {
    this.current = index;
    this.drawn.setOption({ series: [{}, { data: this.chart.marks.map((_, i) => [i, i]) }, {}] });
    if (index < 0) Drawing.hideTip();
    else {
      this.showTip(index);
      say((this.chart.marks[index]?.tip ?? []).join(". "));
    }
  }

  private listen(): void {
    this.drawn.on("mouseover", (event) => {
      const index = event.seriesIndex === 1 ? event.dataIndex : -1;
      if (index >= 0) this.showTip(index);
    });
    this.drawn.on("mouseout", () => Drawing.hideTip());
    this.plot.addEventListener("keydown", (event) => {
      const stops = this.stops();
      const place = stops.indexOf(this.current);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step !== undefined && stops.length > 0) {
        event.preventDefault();
        this.point(stops[place < 0 ? (step > 0 ? 0 : stops.length - 1) : (place + step + stops.length) % stops.length] ?? -1);
      } else if (event.key === "+" || event.key === "=") this.zoom(0.7);
      else if (event.key === "-") this.zoom(1 / 0.7);
      else if (event.key === "0") this.zoom(0);
      else if (event.key === "Escape") {
        this.point(-1);
        this.choose(null);
        this.zoom(0);
      }
    });
    this.plot.addEventListener("blur", () => this.current >= 0 && this.point(-1));
    this.plot.addEventListener("dblclick", () => this.zoom(0));
    if (this.chart.kind === "cost_time") this.listenToBox();
  }

  private zoom(by: number): void {
    for (const name of this.rows ? ["x"] : ["x", "y"]) {
      const now = (this.drawn.getOption().dataZoom as { id: string; start: number; end: number }[]).find((zoom) => zoom.id === name);
      if (!now) continue;
      const middle = (now.start + now.end) / 2;
      const half = by === 0 ? 50 : Math.min(50, ((now.end - now.start) / 2) * by);
      const from = Math.max(0, Math.min(100 - 2 * half, middle - half));
      this.drawn.dispatchAction({ type: "dataZoom", dataZoomId: name, start: by === 0 ? 0 : from, end: by === 0 ? 100 : from + 2 * half });
    }
    if (this.current >= 0) this.showTip(this.current);
    else Drawing.hideTip();
  }

  /// A box dragged over plans leaves those in the table.
  private listenToBox(): void {
    let from: [number, number] | null = null;
    let box: HTMLElement | null = null;
    const place = (event: PointerEvent): [number, number] => {
      const frame = this.plot.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    this.plot.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch" || event.button !== 0) return;
      from = place(event);
      this.plot.setPointerCapture(event.pointerId);
    });
    this.plot.addEventListener("pointermove", (event) => {
      if (!from) return;
      const to = place(event);
      if (!box && Math.hypot(to[0] - from[0], to[1] - from[1]) < 6) return;
      if (!box) {
        this.choose(null);
        box = make("div", { class: "brush" });
        this.plot.append(box);
        Drawing.hideTip();
      }
      box.style.left = `${String(Math.min(from[0], to[0]))}px`;
      box.style.top = `${String(Math.min(from[1], to[1]))}px`;
      box.style.width = `${String(Math.abs(to[0] - from[0]))}px`;
      box.style.height = `${String(Math.abs(to[1] - from[1]))}px`;
    });
    const end = (event: PointerEvent): void => {
      if (!from) return;
      const to = place(event);
      const start = from;
      from = null;
      if (!box) {
        this.choose(null);
        return;
      }
      box = null;
      const area = { x: Math.min(start[0], to[0]), y: Math.min(start[1], to[1]), width: Math.abs(to[0] - start[0]), height: Math.abs(to[1] - start[1]) };
      const api = this.pixels();
      const names = new Set<string>();
      for (const mark of this.chart.marks) {
        if (mark.shape !== "point") continue;
        const [x, y] = this.placeOf(mark, api);
        if (!overlap(area, { x, y, width: 0.1, height: 0.1 })) continue;
        for (const name of [mark.tip?.[0], mark.label]) if (name) names.add(name);
      }
      this.choose(names);
    };
    this.plot.addEventListener("pointerup", end);
    this.plot.addEventListener("pointercancel", end);
  }

  private choose(names: Set<string> | null): void {
    if (!names) all(".brush", this.plot).forEach((box) => box.remove());
    const said = this.figure.querySelector<HTMLElement>(".chosen");
    if (!said) return;
    const count = filterPlans(names);
    said.textContent = names ? (count > 0 ? "The table below lists the plans in the box. Esc or a click: all again." : "No plan of the table is in the box. Esc or a click: all again.") : "Drag a box to list only those plans.";
    if (names) say(said.textContent);
  }

  private addTools(): void {
    this.figure.querySelector(".figure-tools")?.remove();
    const tools = make("p", { class: "figure-tools" });
    if (this.chart.kind === "cost_time") tools.append(make("span", { class: "chosen" }, "Drag a box to list only those plans."));
    const button = (text: string, about: string, act: (made: HTMLElement) => void): void => {
      const made = make("button", { type: "button", "aria-label": about }, text);
      made.addEventListener("click", () => act(made));
      tools.append(made);
    };
    const name = this.chart.title || this.chart.kind;
    button("+", `Zoom in: ${name}`, () => this.zoom(0.7));
    button("−", `Zoom out: ${name}`, () => this.zoom(1 / 0.7));
    button("SVG", `Download as SVG: ${name}`, () => save(`${fileName(this.chart.key ?? this.chart.kind)}.svg`, "image/svg+xml", this.svg()));
    const numbers = this.figure.querySelector("details.numbers");
    if (numbers) numbers.before(tools);
    else this.figure.append(tools);
  }

  /// The drawing as a file of its own, in the colours of now.
  svg(): string {
    const drawn = one<SVGSVGElement>("svg", this.plot).cloneNode(true) as SVGSVGElement;
    drawn.removeAttribute("aria-hidden");
    drawn.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
    title.textContent = this.chart.alt || this.chart.title;
    drawn.prepend(title);
    const style = getComputedStyle(document.documentElement);
    const text = new XMLSerializer().serializeToString(drawn);
    return text.replace(/var\((--[a-z0-9-]+)\)/g, (_, name: string) => style.getPropertyValue(name).trim());
  }

  fit(wanted = this.plot.clientWidth): void {
    const size = Math.max(240, wanted);
    if (size === this.size && paper() === this.onPaper) return;
    this.size = size;
    this.onPaper = paper();
    const zoomed = this.drawn.getOption().dataZoom as { id: string; start: number; end: number }[];
    // Anew, not changed: a part that takes the place of another one would keep what that one was like.
    this.drawn.clear();
    this.drawn.resize({ width: size, height: this.height() });
    this.drawn.setOption(this.option());
    for (const { id, start, end } of zoomed)
      if (end - start < 100) this.drawn.dispatchAction({ type: "dataZoom", dataZoomId: id, start, end });
  }

  end(): void {
    this.drawn.dispose();
  }
}

let drawings: Drawing[] = [];
let waiting: { figure: HTMLElement; chart: Chart }[] = [];
let next = 0;

function draw(figure: HTMLElement, chart: Chart): void {
  try {
    drawings.push(new Drawing(figure, chart));
  } catch {
    one(".plot", figure).replaceChildren(make("p", {}, "This chart could not be drawn; the table below has its numbers."));
    figure.querySelector("details.numbers")?.setAttribute("open", "");
  }
}

/// Draws the charts of the report into their figures: the first at once, the others when the page has a moment; one in a
/// fold when that is opened.
export function drawCharts(charts: Chart[]): void {
  drawings.forEach((drawing) => drawing.end());
  drawings = [];
  clearTimeout(next);
  one("#tip").hidden = true;
  waiting = [];
  all("#report figure.chart").forEach((figure, i) => {
    const chart = charts[i];
    if (!chart) return;
    figure.querySelector("details.numbers")?.removeAttribute("open");
    const fold = figure.closest<HTMLDetailsElement>("details.fold");
    if (fold && !fold.open) fold.addEventListener("toggle", () => draw(figure, chart), { once: true });
    else waiting.push({ figure, chart });
  });
  const go = (): void => {
    const now = waiting.shift();
    if (!now) return;
    draw(now.figure, now.chart);
    next = window.setTimeout(go);
  };
  // Room for all of them, so that nothing moves while they come. All are measured before any is changed: the browser would
  // lay the page out again for each.
  const rooms = waiting.map(({ figure, chart }) => {
    const plot = one(".plot", figure);
    return { plot, height: heightOf(chart, plot.clientWidth) };
  });
  for (const { plot, height } of rooms) plot.style.minHeight = `${String(height)}px`;
  go();
  document.documentElement.dataset.firstChart ??= performance.now().toFixed(0);
}

/// All that are not drawn yet, as for print.
export function drawAll(): void {
  clearTimeout(next);
  for (const { figure, chart } of waiting.splice(0)) draw(figure, chart);
}

export function fitCharts(): void {
  drawings.forEach((drawing) => drawing.fit());
}

export function fitChartsTo(width: (figure: HTMLElement) => number): void {
  drawings.forEach((drawing) => drawing.fit(width(drawing["figure"])));
}

