// The report as C++ writes it (src/output/report, src/output/charts). Every text is as it is shown.
export type Role = "pick" | "best" | "beaten" | "reference" | "c1" | "c2" | "c3" | "c4" | "c5" | "c6" | "c7" | "c8";

export interface Axis {
  title: string;
  scale: "log" | "linear" | "category";
  min: number;
  max: number;
  ticks: { at: number; text: string }[];
}

export interface Mark {
  shape: "point" | "bar" | "span" | "line" | "area" | "rule";
  mark: Role;
  x?: number;
  y?: number;
  x0?: number;
  x1?: number;
  y0?: number;
  y1?: number;
  points?: [number, number][];
  label?: string;
  note?: string;
  tip?: string[];
}

export interface Chart {
  kind: string;
  key?: string;
  title: string;
  finding: string;
  caption: string;
  alt: string;
  x: Axis;
  y: Axis;
  marks: Mark[];
  legend?: { mark: Role; text: string }[];
}

export interface Block {
  kind: string;
  chart?: Chart;
  blocks?: Block[];
}

export interface Report {
  report: number;
  head: { title: string; command: string };
  sections: { key: string; finding: string; blocks: Block[] }[];
}

export interface Knob {
  group: string;
  address: string;
  title: string;
  now: string;
  hint: string;
  choices: string[];
  list: boolean;
}

/// What the planner in the page is asked (src/api/ask.h).
export type Question = Record<string, unknown> & { ask: string; set?: string[] };

/// Charts in the order of their figures in the page.
export function chartsOf(report: Report): Chart[] {
  const charts: Chart[] = [];
  const walk = (blocks: Block[]): void => {
    for (const block of blocks) {
      if (block.kind === "chart" && block.chart) charts.push(block.chart);
      if (block.blocks) walk(block.blocks);
    }
  };
  const sections = report.sections.map((section) => section.blocks);
  for (const blocks of sections) walk(blocks);
  return charts;
}
