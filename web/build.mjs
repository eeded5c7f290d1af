// Builds the shell of the page: node build.mjs OUT.html. One file with style, script and the script's worker inside, and a
// policy that lets nothing else run and nothing be fetched. gpuplan fills in the rest (src/output/page).
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2];
if (!out) {
  console.error("node build.mjs OUT.html");
  process.exit(2);
}

async function bundled(entry, define = {}) {
  const result = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, format: "iife",
    target: ["chrome109", "firefox115", "safari16.4"], charset: "ascii", legalComments: "none", define,
    tsconfig: join(here, "tsconfig.json"), logLevel: "warning",
  });
  const text = result.outputFiles[0].text.trim();
  // Nothing in a script may end it or its comment.
  return text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
}

const styled = await build({ absWorkingDir: here, entryPoints: ["style.css"], minify: true, write: false, loader: { ".css": "css" } });
const style = styled.outputFiles[0].text.trim();
const worker = await bundled("src/worker.ts");
// Licences of what is inside stay with it.
const licences = `/* Apache ECharts, Apache-2.0; zrender, BSD-3-Clause; tslib, 0BSD */`;
const script = `${licences}${await bundled("src/main.ts", { WORKER: JSON.stringify(worker) })}`;
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = [
  "default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval'`, "worker-src blob:", `style-src ${hash(style)}`,
  "style-src-attr 'unsafe-inline'", "img-src data:", "base-uri 'none'", "form-action 'none'",
].join("; ");

let shell = readFileSync(join(here, "shell.html"), "utf8");
for (const [place, text] of [["@@csp@@", policy], ["@@style@@", style], ["@@script@@", script]]) {
  const parts = shell.split(place);
  if (parts.length !== 2) throw new Error(`shell.html has ${place} ${parts.length - 1} times`);
  shell = parts.join(text);
}
for (const place of ["title", "contents", "body", "report", "plan", "question", "knobs", "engine"])
  if (shell.split(`@@gpuplan:${place}@@`).length !== 2) throw new Error(`${place} stands once in the shell`);
writeFileSync(out, shell);
