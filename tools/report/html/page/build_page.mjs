// build_page.mjs NODE_MODULES OUT: makes OUT/page.html, the page with no data in it, and OUT/html_page.cc, which is
// HtmlPage::Built with the same text.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync, existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [modules, out] = process.argv.slice(2).map((name) => path.resolve(name));
const here = path.dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(modules + path.sep)("esbuild");

function bundle(entry, options) {
  const result = esbuild.buildSync({
    entryPoints: [path.join(here, entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    charset: "ascii",
    legalComments: "none", // their texts are on the page as a whole
    target: ["chrome90", "firefox113", "safari16.4"],
    write: false,
    metafile: true,
    logLevel: "warning",
    ...options,
  });
  return { text: result.outputFiles[0].text.trim(), inputs: Object.keys(result.metafile.inputs) };
}

// The licence of each package that something was bundled of.
function licences(inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.resolve(input));
    if (found) folders.add(found[1]);
  }
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    const file = ["LICENSE", "LICENSE.md", "LICENCE"].map((file) => path.join(folder, file)).find(existsSync);
    if (!["MIT", "ISC", "Apache-2.0", "BSD-3-Clause"].includes(license) || !file) {
      throw new Error(`${name}: licence ${license}, file ${file}: not one that may be bundled`);
    }
    return `${name} ${version} (${license})\n\n${readFileSync(file, "utf8").trim()}\n`;
  });
}

const escapeHtml = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = bundle("main.js", { format: "iife" });
const style = bundle("page_style.css", { loader: { ".css": "css" } });
// A closing tag in a string of the code would end the element.
const code = script.text.replace(/<\/script/gi, "<\\/script").replace(/<!--/g, "<\\!--");
if (/<\/style/i.test(style.text)) throw new Error("page_style.css ends its element");

const policy = [
  "default-src 'none'",
  `script-src ${hash(code)}`,
  `style-src ${hash(style.text)}`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const marks = {
  POLICY: policy,
  STYLE: style.text,
  LICENCES: escapeHtml(licences([...script.inputs, ...style.inputs]).join("\n" + "-".repeat(60) + "\n\n")),
  SCRIPT: code,
};
const page = readFileSync(path.join(here, "page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (mark, name) => marks[name] ?? mark);
const [before, after, ...more] = page.split("{{DATA}}");
if (after === undefined || more.length > 0) throw new Error("page.html has no place, or several, for the data");

function literal(text) {
  const lines = [];
  let line = "";
  for (const byte of Buffer.from(text, "utf8")) {
    const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
    line += plain ? String.fromCharCode(byte) : "\\" + byte.toString(8).padStart(3, "0");
    if (line.length > 110) {
      lines.push(`    "${line}"`);
      line = "";
    }
  }
  return [...lines, `    "${line}"`].join("\n");
}

writeFileSync(path.join(out, "page.html"), page);
writeFileSync(
  path.join(out, "html_page.cc"),
  `// Made by build_page.mjs.
#include "tools/report/html/html_page.h"

namespace geckoprof {
namespace {

constexpr char kBefore[] =
${literal(before)};

constexpr char kAfter[] =
${literal(after)};

}  // namespace

HtmlPage HtmlPage::Built() { return {{kBefore, sizeof kBefore - 1}, {kAfter, sizeof kAfter - 1}, {}}; }

}  // namespace geckoprof
`,
);
