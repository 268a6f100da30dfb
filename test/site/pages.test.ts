/**
 * The pages are played in the terminal of the site: the program of the pages as it is built for a browser, in this process. What a
 * page says that a command prints, it prints. `test/docs/pages.test.ts` plays them with kubectl and a server.
 *
 * @module
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildForPages } from "../../site/generator/bundle.ts";
import { type Fence, commandsOf, fileOf, runsInPage } from "../../site/generator/examples.ts";
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

const FENCE = /^```(\w+)\n([^]*?)^```$/gm;

/** The fenced blocks of a page in their order. */
const fencesOf = (page: string): readonly Fence[] =>
  [...page.matchAll(FENCE)].map(([, language = "", text = ""]) => ({ language, text }));

/** Opens a terminal with the files of a page; warnings of its server fail the test. */
async function terminalFor(page: string, warnings: string[]): Promise<Terminal> {
  const warn = (text: string): void => void (/was slow/.test(text) || warnings.push(text));
  const terminal = await openTerminal({ nodes: 3, version: "0.1.0", warn });
  for (const fence of fencesOf(page)) {
    const file = fileOf(fence);
    if (file) terminal.write(file.file, file.text);
  }
  return terminal;
}

test.each([
  ["README.md", 7],
  ["docs/tutorial.md", 12],
  ["docs/guides/admission.md", 8],
])("%s prints what it says", { timeout: 120_000 }, async (name, examples) => {
  const page = readFileSync(join(root, name), "utf8");
  const warnings: string[] = [];
  await using terminal = await terminalFor(page, warnings);
  const commands = fencesOf(page)
    .filter(({ language }) => language === "console")
    .flatMap(commandsOf)
    .filter(({ command }) => runsInPage(command));
  expect(commands.length).toBe(examples);
  for (const { command, says = "" } of commands) {
    let printed = "";
    // oxlint-disable-next-line no-await-in-loop -- in the order of the page
    await terminal.run(command, (text) => (printed += text));
    expect(`$ ${command}\n${asSaid(says, printed)}`).toBe(`$ ${command}\n${says}`);
  }
  expect(warnings).toEqual([]);
});

test("the commands of the guide of workloads succeed", { timeout: 120_000 }, async () => {
  const page = readFileSync(join(root, "docs/guides/workloads.md"), "utf8");
  await using terminal = await terminalFor(page, []);
  const commands = fencesOf(page)
    .filter(({ language }) => language === "sh")
    .flatMap(commandsOf)
    .map(({ command }) => command)
    .filter(runsInPage);
  expect(commands).toContain("kubectl rollout status deployment/web");
  await terminal.page.complete;
  for (const command of commands) {
    let printed = "";
    // oxlint-disable-next-line no-await-in-loop
    const code = await terminal.run(command, (text) => (printed += text));
    expect({ command, code, printed }).toEqual({ command, code: 0, printed });
  }
});

test("a claim binds, as the page of the controllers says", { timeout: 120_000 }, async () => {
  const page = readFileSync(join(root, "docs/reference/controllers.md"), "utf8");
  await using terminal = await terminalFor(page, []);
  const commands = fencesOf(page).flatMap(commandsOf).slice(0, 2);
  expect(commands.map(({ command }) => command)).toEqual(["kubectl apply -f pair.yaml", "kubectl get pvc disk"]);
  await terminal.page.complete;
  let printed = "";
  await terminal.run(commands[0]!.command, (text) => (printed += text));
  expect(printed).toBe(commands[0]!.says);
  await terminal.run("kubectl wait --for=jsonpath='{.status.phase}'=Bound pvc/disk", () => {});
  printed = "";
  await terminal.run(commands[1]!.command, (text) => (printed += text));
  expect(asSaid(commands[1]!.says!, printed)).toBe(commands[1]!.says);
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
