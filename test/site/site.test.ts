/**
 * The site as it is built: its links, its sizes, and what its pages do in Chromium. Where no Chromium is found, the tests in it are left
 * out.
 *
 * @module
 */
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { brotliCompressSync } from "node:zlib";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FolderServer, serveFolder } from "../../site/generator/serve.ts";
import { type BuiltSite, buildSite } from "../../site/generator/site.ts";
import { CHROMIUM, openChromium } from "./chromium.ts";

// What the functions below use of a browser, in which they run.
declare const document: {
  readonly documentElement: { readonly dataset: Record<string, string | undefined>; readonly scrollWidth: number };
  querySelector(selector: string): { readonly textContent: string; readonly ariaBusy: string | null } | null;
};
declare const location: { readonly hash: string };
declare const innerWidth: number;

const KIB = 1024;
/** For a cluster that starts on a machine that is busy. */
const PATIENCE = { timeout: 60_000 };
const folder = mkdtempSync(join(tmpdir(), "keelson-site-"));
let site: BuiltSite;
beforeAll(async () => {
  site = await buildSite(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string): string => readFileSync(join(folder, path), "utf8");
const compressed = (path: string): number => brotliCompressSync(read(path)).length;

test("every page is there as HTML and as Markdown", () => {
  expect(site.pages.length).toBeGreaterThan(60);
  expect(site.missing).toEqual([]);
  for (const { page } of site.pages) {
    expect(read(page.path)).toContain("<!doctype html>");
    expect(read(page.twin)).toContain("# ");
  }
});

test("every link of a page leads to a file of the site, and to a heading that is there", () => {
  const wrong: string[] = [];
  for (const { page } of site.pages) {
    for (const [, href = ""] of read(page.path).matchAll(/(?:href|src)="([^"]*)"/g)) {
      if (/^[a-z]+:/.test(href)) continue;
      const [path = "", anchor] = href.split("#");
      const target = path === "" ? page.path : normalize(join(dirname(page.path), path));
      if (!existsSync(join(folder, target))) wrong.push(`${page.path}: ${href}`);
      else if (anchor !== undefined && !read(target).includes(`id="${anchor}"`)) wrong.push(`${page.path}: ${href}`);
    }
  }
  expect(wrong).toEqual([]);
});

test("no page has styles of its own, which its policy forbids, and columns of numbers stand at the right", () => {
  expect(site.pages.filter(({ page }) => / style=|<style/.test(read(page.path))).map(({ page }) => page.path)).toEqual(
    [],
  );
  expect(read("guides/service.html")).toContain('class="align-right"');
});

test("the Markdown of a page leads to the Markdown of others", () => {
  const wrong = site.pages.flatMap(({ page }) =>
    [
      ...read(page.twin)
        .replace(/^```[^]*?^```$/gm, "")
        .replace(/`[^`\n]*`/g, "")
        .matchAll(/\]\(([^)\s#:]+\.md)/g),
    ]
      .map(([, href]) => normalize(join(dirname(page.twin), href!)))
      .filter((target) => !existsSync(join(folder, target)))
      .map((target) => `${page.twin}: ${target}`),
  );
  expect(wrong).toEqual([]);
  const listed = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!);
  expect(listed.toSorted()).toEqual(site.pages.map(({ page }) => page.twin).toSorted());
});

test("what a page loads is small, and the cluster has at most 400 KiB for its first answer", () => {
  expect(compressed("assets/page.js") + compressed("assets/site.css")).toBeLessThan(20 * KIB);
  const chunks = readdirSync(join(folder, "assets/cluster/chunks")).map((name) => `assets/cluster/chunks/${name}`);
  const bytesOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + compressed(name), 0);
  // What the script of the worker imports before it runs.
  const first = chunks.filter((name) => read("assets/cluster/worker.js").includes(name.split("/").at(-1)!));
  expect(first.length).toBeGreaterThan(0);
  expect(bytesOf(["assets/cluster/worker.js", ...first])).toBeLessThan(400 * KIB);
  const later = chunks.filter((name) => /\/(?:later-kinds|controllers|re2js|why)-(?!run-)/.test(name));
  expect(later.length).toBe(4);
  expect(bytesOf(later)).toBeLessThan(220 * KIB);
});

test("nothing imports the script of the worker, which WebKit would run twice", () => {
  const chunks = readdirSync(join(folder, "assets/cluster/chunks"));
  expect(chunks.length).toBeGreaterThan(10);
  expect(chunks.filter((name) => read(`assets/cluster/chunks/${name}`).includes("worker.js"))).toEqual([]);
});

describe.skipIf(CHROMIUM === undefined)("in Chromium", () => {
  let browser: Browser;
  let server: FolderServer;
  const asked: string[] = [];
  beforeAll(async () => {
    // Below a path, as on a server with other sites.
    server = await serveFolder(folder, 0, "/below/");
    browser = await openChromium();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
  });

  /** Opens a page; what it complains of is collected. */
  async function open(path: string, width = 1400): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    page.on("pageerror", ({ message }) => complaints.push(message));
    page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`http://127.0.0.1:${server.port}/below/${path}`);
    return { page, complaints };
  }

  const prints = (page: Page, text: string): Promise<unknown> =>
    page.waitForFunction(
      (wanted) => document.querySelector("#terminal .output")?.textContent.includes(wanted),
      text,
      PATIENCE,
    );

  test("a page that is only read loads no cluster", async () => {
    asked.length = 0;
    const { page, complaints } = await open("tutorial.html");
    expect(asked.filter((url) => url.includes("/cluster/"))).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("an example runs in a cluster of the page, a link brings its state back", { timeout: 120_000 }, async () => {
    const { page, complaints } = await open("tutorial.html");
    const runs = page.locator(".example .run");
    await runs.nth(0).click();
    await prints(page, "kube-system");
    await runs.nth(1).click();
    await prints(page, "configmap/web serverside-applied");
    await page
      .locator("#terminal .line")
      .fill("kubectl get configmap web -o jsonpath='{.data.colour}'; echo ' is stored'");
    await page.locator("#terminal .line").press("Enter");
    await prints(page, "red is stored");
    await page.getByRole("button", { name: "Link" }).click();
    await page.waitForFunction(() => location.hash.startsWith("#run=1."));
    const url = page.url();
    expect(complaints).toEqual([]);
    await page.close();
    const other = await open(url.slice(url.indexOf("/below/") + "/below/".length));
    await prints(other.page, "red is stored");
    await prints(other.page, "configmap/web serverside-applied");
    expect(other.complaints).toEqual([]);
    await other.page.close();
  });

  test(
    "an example runs after its setup, once in a cluster; what does not run says why",
    { timeout: 120_000 },
    async () => {
      const { page, complaints } = await open("guides/storage.html");
      const history = page.locator(".example[data-setup]").first();
      const diff = page.locator(".example", { hasText: "keelson diff configmap web@2 @4" });
      await expect
        .poll(() => diff.locator(".left").textContent())
        .toMatch(/^Not in the terminal of this page: @4 is a version of /);
      await expect.poll(() => diff.locator(".run").count()).toBe(0);
      await history.locator(".run").click();
      await prints(page, "deleted");
      await prints(page, "alice (Update)");
      await page.waitForFunction(() => document.querySelector("#terminal")?.ariaBusy === "false", undefined, PATIENCE);
      const commands = async (): Promise<number> => page.locator("#terminal .typed").count();
      const before = await commands();
      expect(before).toBeGreaterThan(5);
      await history.locator(".run").click();
      await expect.poll(commands, PATIENCE).toBe(before + 1);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  test("a Deployment rolls out", { timeout: 120_000 }, async () => {
    const { page, complaints } = await open("guides/workloads.html");
    await page.getByRole("button", { name: "Terminal" }).click();
    await page
      .locator("#terminal .line")
      .fill("kubectl create deployment shop --image=shop:1 --replicas=3 && kubectl rollout status deployment/shop");
    await page.locator("#terminal .line").press("Enter");
    await prints(page, 'deployment "shop" successfully rolled out');
    await prints(page, "deployment.apps/shop created");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("an object is edited, with the keyboard alone", { timeout: 120_000 }, async () => {
    const { page, complaints } = await open("guides/workloads.html");
    await page.getByRole("button", { name: "Terminal" }).click();
    const line = page.getByRole("textbox", { name: "Command" });
    await line.fill("kubectl create configmap web --from-literal=colour=red; kubectl edit configmap web");
    await line.press("Enter");
    const editor = page.getByRole("textbox", { name: "Text" });
    await editor.waitFor(PATIENCE);
    await editor.fill((await editor.inputValue()).replace("colour: red", "colour: blue"));
    await editor.press("Control+s");
    await prints(page, "configmap/web edited");
    await editor.waitFor({ state: "hidden" });
    // The next command is typed without a click.
    await page.locator("#terminal .prompt-line :focus").waitFor();
    await page.keyboard.type("kubectl edit configmap web");
    await page.keyboard.press("Enter");
    await editor.waitFor(PATIENCE);
    await expect.poll(() => editor.inputValue()).toContain("colour: blue");
    await editor.press("Escape");
    await prints(page, "Edit cancelled, no changes made.");
    expect(complaints).toEqual([]);
    await page.close();
  });

  test("the search finds a page, with the keyboard alone", async () => {
    const { page } = await open("index.html");
    await page.keyboard.press("/");
    await page.keyboard.type("field ownership");
    await page.locator("#found a").first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/below\/.+\/.+\.html/);
    await expect.poll(() => page.locator("article").textContent()).toMatch(/field/);
    await page.close();
  });

  test.each([
    ["light", 1400],
    ["dark", 1400],
    ["dark", 360],
  ] as const)("axe finds nothing: %s, %i pixels wide", { timeout: 120_000 }, async (theme, width) => {
    const { page } = await open("tutorial.html", width);
    await page.evaluate((name) => {
      document.documentElement.dataset["theme"] = name;
    }, theme);
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    await page.getByRole("button", { name: "Terminal" }).click();
    await page
      .getByRole("textbox", { name: "Command" })
      .fill("kubectl create configmap web; kubectl edit configmap web");
    await page.getByRole("textbox", { name: "Command" }).press("Enter");
    await page.getByRole("textbox", { name: "Text" }).waitFor(PATIENCE);
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run();
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join("; ")}`);
    });
    expect(found).toEqual([]);
    await page.close();
  });

  test("nothing was asked of another place", () => {
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.filter((url) => !url.startsWith(`http://127.0.0.1:${server.port}/below/`))).toEqual([]);
  });
});
