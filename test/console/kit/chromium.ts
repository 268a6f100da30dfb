/**
 * Chromium as the tests of the console drive it.
 *
 * @module
 */
import { accessSync, constants, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from "playwright-core";
import { describe } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** The program that is driven: that of the variable CHROMIUM, or the first of the path; undefined where there is none. */
export const CHROMIUM: string | undefined = findChromium();

function findChromium(): string | undefined {
  const { CHROMIUM: named = "", PATH = "" } = process.env;
  if (named !== "") return named;
  const folders = [...PATH.split(delimiter), "/usr/bin"].filter((folder) => folder !== "");
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

if (CHROMIUM === undefined)
  process.stderr.write(
    "tests in a browser are left out: there is no Chromium (apt-get install chromium, or CHROMIUM=path)\n",
  );

/** How long a story in a browser may take on a machine that is busy, in milliseconds. */
const STORY_MS = 300_000;

/** `describe` for tests in a browser; they are left out where there is no Chromium. */
export function describeInBrowser(name: string, tests: () => void): void {
  // oxlint-disable-next-line vitest/valid-describe-callback, vitest/valid-title -- they are those of the caller
  describe.skipIf(CHROMIUM === undefined)(name, { timeout: STORY_MS }, tests);
}

const ARGS = (
  "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update " +
  "disable-sync disable-dev-shm-usage"
)
  .split(" ")
  .map((name) => `--${name}`);

/** A browser of one test file. */
export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser;
  /** Opens a window of a user, with cookies and storage of its own. It accepts the server's certificate. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens a page in a window of its own. What the page logs as an error, or throws, is in `problems`. */
  newPage(options?: BrowserContextOptions): Promise<TestPage>;
}

/** A page with what went wrong in it. */
export interface TestPage {
  readonly page: Page;
  /** Messages of the console at the level error, and exceptions. */
  readonly problems: string[];
  /** The URLs of all requests so far. */
  readonly requests: string[];
}

/** Starts Chromium; a test file has one, in `beforeAll`. */
export async function openBrowser(): Promise<TestBrowser> {
  if (CHROMIUM === undefined) throw new Error("expected Chromium; put tests of it into describeInBrowser");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  const newContext = (options: BrowserContextOptions = {}): Promise<BrowserContext> =>
    browser.newContext({ ignoreHTTPSErrors: true, ...options });
  return {
    browser,
    newContext,
    async newPage(options) {
      const context = await newContext(options);
      return observed(await context.newPage());
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Observes a page from now on. */
export function observed(page: Page): TestPage {
  const problems: string[] = [];
  const requests: string[] = [];
  page.on("console", (message) => void (message.type() === "error" && problems.push(message.text())));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => requests.push(request.url()));
  return { page, problems, requests };
}

/** A slow network between a page and everything; WebSockets are slowed by `Proxy.slow`, not by this. */
export async function slowDown(page: Page, { latencyMillis = 0, bytesPerSecond = -1 }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: latencyMillis,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** A finding of axe: the rule, and the elements that break it. */
export interface AxeFinding {
  readonly rule: string;
  readonly help: string;
  readonly elements: readonly string[];
}

/** What axe finds in a page as it is now. It is evaluated by the debugger, which the content security policy does not hold up. */
export async function axe(page: Page): Promise<readonly AxeFinding[]> {
  await page.evaluate(readFileSync(AXE, "utf8"));
  const { violations } = await page.evaluate<AxeResults>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.map(({ id, help, nodes }) => ({ rule: id, help, elements: nodes.map(({ html }) => html) }));
}

const PICTURES = new URL("../../../.results/console/", import.meta.url).pathname;

/** Takes a picture of a page, `.results/console/NAME.png`; returns its path. */
export async function picture(page: Page, name: string): Promise<string> {
  mkdirSync(PICTURES, { recursive: true });
  const path = join(PICTURES, `${name}.png`);
  await page.screenshot({ path, animations: "disabled" });
  return path;
}

const PAGES = new URL("../../../docs/pictures/", import.meta.url).pathname;
const PICTURE_SIZE = { width: 1080, height: 620 };
const MOST_BYTES = 140_000;

/** Takes a picture for the pages, `docs/pictures/console-NAME.png`, if the variable PICTURES is set; the window has its size then. */
export async function pictureForPages(page: Page, name: string): Promise<void> {
  if (!process.env["PICTURES"]) return;
  const size = page.viewportSize();
  await page.setViewportSize(PICTURE_SIZE);
  // What depends on the size is drawn again.
  await page.waitForTimeout(500);
  const path = join(PAGES, `console-${name}.png`);
  await page.screenshot({ path, animations: "disabled" });
  const { size: bytes } = statSync(path);
  if (bytes > MOST_BYTES) throw new Error(`expected a picture of at most ${MOST_BYTES} bytes, ${path} has ${bytes}`);
  if (size) await page.setViewportSize(size);
}
