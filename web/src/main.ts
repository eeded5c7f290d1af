// The page as C++ wrote it stands already; this draws its charts and makes it answer.
import { all, copy, dataOf, fileName, make, one, save } from "./dom";
import { drawCharts, fitCharts } from "./charts";
import { Knobs, type Recalculated } from "./knobs";
import { afterPrint, beforePrint } from "./print";
import { enlivenTables } from "./tables";
import { chartsOf, type Report } from "./types";

document.documentElement.dataset.begun = performance.now().toFixed(0);
const written = JSON.parse(dataOf("gpuplan-report")) as Report;
const main = one("#report");
const contents = one("#contents");
const before = { html: main.innerHTML, contents: contents.innerHTML };

let reading: IntersectionObserver | null = null;

/// The link of the section that is read.
function followSections(): void {
  reading?.disconnect();
  const links = new Map(all<HTMLAnchorElement>("a", contents).map((link) => [link.hash.slice(1), link]));
  reading = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const [id, link] of links) {
        if (id === entry.target.id) {
          link.setAttribute("aria-current", "location");
          contents.scrollTo({ left: link.offsetLeft - contents.clientWidth / 2 + link.clientWidth / 2 });
        } else link.removeAttribute("aria-current");
      }
    }
  }, { rootMargin: "-20% 0px -75% 0px" });
  all("#report > section").forEach((section) => reading?.observe(section));
}

function enliven(report: Report): void {
  all<HTMLElement>("#report .code").forEach((box) => {
    const button = make("button", { type: "button", class: "copy" }, "Copy");
    button.addEventListener("click", () => {
      void copy(one("code", box).textContent ?? "", button);
    });
    box.append(button);
  });
  drawCharts(chartsOf(report));
  enlivenTables();
  followSections();
}

/// What was open and where the reader was stays.
function replaceWith(html: string, list: string, report: Report): void {
  const open = new Set(all<HTMLDetailsElement>("#report details[open]").map((fold) => fold.querySelector("summary")?.textContent));
  const place = window.scrollY;
  main.innerHTML = html;
  if (list) contents.innerHTML = list;
  all<HTMLDetailsElement>("#report details.fold").forEach((fold) => {
    if (open.has(fold.querySelector("summary")?.textContent)) fold.open = true;
  });
  enliven(report);
  window.scrollTo(0, place);
}

let changed = false;
enliven(written);
const knobs = new Knobs({
  command: written.head.command,
  show(answer: Recalculated) {
    changed = true;
    replaceWith(answer.html, answer.contents, answer.document);
  },
  restore() {
    if (!changed) return;
    changed = false;
    replaceWith(before.html, before.contents, written);
  },
});

one(".bar .tools").hidden = false;
one("#save-json").addEventListener("click", () => {
  void knobs.planJson().catch(() => null).then((plan) => {
    save(`${fileName(document.title)}.json`, "application/json", plan ?? dataOf("gpuplan-plan"));
  });
});
one("#print").addEventListener("click", () => window.print());

const dark = matchMedia("(prefers-color-scheme: dark)");
const theme = one("#theme");
function showTheme(): void {
  const now = document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  theme.textContent = now === "dark" ? "Light" : "Dark";
  theme.setAttribute("aria-pressed", String(now === "dark"));
}
theme.addEventListener("click", () => {
  const now = document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  showTheme();
});
dark.addEventListener("change", showTheme);
showTheme();

let resizing = 0;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = window.setTimeout(fitCharts, 60);
});
window.addEventListener("beforeprint", beforePrint);
window.addEventListener("afterprint", afterPrint);
document.documentElement.dataset.ready = performance.now().toFixed(0);
