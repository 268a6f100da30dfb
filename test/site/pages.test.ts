/**
 * The pages are played in the terminal of the site: the program of the pages as it is built for a browser, in this process. All that a
 * page has a button for is run in the order of the page; what a page says that a command prints, it prints. `test/docs/pages.test.ts`
 * plays pages with kubectl and a server.
 *
 * @module
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildForPages } from "../../site/generator/bundle.ts";
import { examplesOf, fileOf, fencesOf, sayLeft } from "../../site/generator/examples.ts";
import type { Terminal, openTerminal as OpenTerminal } from "../../site/src/terminal.ts";
import { asSaid } from "../docs/played.ts";

const root = new URL("../../", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "keelson-pages-"));
afterAll(() => rmSync(folder, { recursive: true }));

let openTerminal: typeof OpenTerminal;
beforeAll(async () => {
  await buildForPages({ terminal: join(root, "site/src/terminal.ts") }, folder);
  ({ openTerminal } = (await import(pathToFileURL(join(folder, "terminal.js")).href)) as {
    openTerminal: typeof openTerminal;
  });
}, 120_000);

const PAGES = ["README.md", ...globSync("docs/**/*.md", { cwd: root })].toSorted();
const textOf = (page: string): string => readFileSync(join(root, page), "utf8");
const examples = PAGES.flatMap((page) => examplesOf(textOf(page)).map((example) => ({ page, ...example })));
const played = PAGES.filter((page) => examplesOf(textOf(page)).some(({ commands }) => commands.length > 0));

/** Opens a terminal with the files of a page; warnings of its server fail the test. */
async function terminalFor(page: string, warnings: string[]): Promise<Terminal> {
  const warn = (text: string): void => void (/was slow/.test(text) || warnings.push(text));
  const terminal = await openTerminal({ nodes: 3, version: "0.1.0", warn });
  // Terminals of one process share their files.
  let before = "";
  await terminal.run("ls", (text) => (before += text));
  await terminal.run(`rm -f ${before.replaceAll("\n", " ")}`, () => {});
  for (const fence of fencesOf(page)) {
    const file = fileOf(fence);
    if (file) terminal.write(file.file, file.text);
  }
  return terminal;
}

test.each(played)(
  "%s: every example with a button runs, and prints what it says",
  { timeout: 180_000 },
  async (name) => {
    const page = textOf(name);
    const warnings: string[] = [];
    await using terminal = await terminalFor(page, warnings);
    for (const { setup, commands } of examplesOf(page)) {
      for (const command of setup) {
        let printed = "";
        // oxlint-disable-next-line no-await-in-loop -- in the order of the page
        const code = await terminal.run(command, (text) => (printed += text));
        expect({ command, code, printed }).toEqual({ command, code: 0, printed });
      }
      for (const { command, says } of commands) {
        let printed = "";
        // oxlint-disable-next-line no-await-in-loop
        const code = await terminal.run(command, (text) => (printed += text));
        // A plan with changes ends with 2.
        const success = command.startsWith("keelson plan ") ? 2 : 0;
        if (says === undefined) expect({ command, code, printed }).toEqual({ command, code: success, printed });
        else expect(`$ ${command}\n${asSaid(says, printed)}`).toBe(`$ ${command}\n${says}`);
      }
    }
    expect(warnings).toEqual([]);
  },
);

test("every block of commands runs, or says in a line why it does not", () => {
  const commanded = examples.filter(({ fence }) => ["console", "sh"].includes(fence.language) && !fileOf(fence));
  expect(commanded.length).toBeGreaterThan(100);
  const neither = commanded.filter((example) => example.commands.length === 0 && sayLeft(example) === undefined);
  expect(neither.map(({ page, fence }) => `${page}: ${fence.text}`)).toEqual([]);
});

test("a block of commands has a language that says so", () => {
  const unnamed = examples.filter(
    ({ page, fence }) =>
      page !== "docs/reference/commands.md" &&
      !["console", "sh"].includes(fence.language) &&
      /^(?:\$ )?(?:cat >|curl|keelson|kubectl|npm|npx) /m.test(fence.text) &&
      !/^(?:go|ts|yaml|text|make|json)$/.test(fence.language),
  );
  expect(unnamed.map(({ page, fence }) => `${page}: ${fence.text}`)).toEqual([]);
});

test("what needs a machine says so", { timeout: 120_000 }, async () => {
  await using terminal = await terminalFor("", []);
  let printed = "";
  const print = (text: string): void => void (printed += text);
  expect(await terminal.run("keelson check data", print)).toBe(1);
  expect(printed).toContain("this command needs a machine");
  printed = "";
  expect(await terminal.run("keelson history --help", print)).toBe(0);
  expect(printed).toContain("Usage: keelson history");
});
