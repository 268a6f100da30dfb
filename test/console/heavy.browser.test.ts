/**
 * What much costs a browser: a list of the real server scrolled to its end, and a thousand writes a second.
 *
 * `CONSOLE_ROWS=1000000` fills the store with a million objects.
 */
import { PerformanceObserver } from "node:perf_hooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import type { Store, Write } from "../../src/storage/contract.ts";
import { amount } from "../../src/util/testing/amount.ts";
import {
  OBSERVE_FRAMES,
  PATIENCE_MS,
  type PageTasks,
  type TestBrowser,
  type TestServer,
  cpuShares,
  cpuTimes,
  describeInBrowser,
  mistakesOf,
  openBrowser,
  openStory,
  startServer,
  takeFrames,
  tasksOf,
} from "./kit/index.ts";

const ROWS = amount("CONSOLE_ROWS", 100_000, 1_000_000);
const SECONDS = amount("CONSOLE_SECONDS", 5, 15);
const PER_SECOND = 1000;
/** Writes of one transaction. */
const BATCH = 100;
/** A task of this length a user feels. It is measured in CPU time, so that other programs of the machine do not count. */
const LONGEST_MS = 100;
const LIST = "/console/list/core/v1/configmaps?namespace=many";
const TIMEOUT_MS = amount("CONSOLE_TIMEOUT_MS", 90_000, 900_000);

const nameOf = (i: number): string => `object-${String(i).padStart(7, "0")}`;
const keyOf = (i: number): string => `/core/configmaps/many/${nameOf(i)}`;
/** How many members an object has after a turn. */
const dataOf = (i: number, turn: number): number => 1 + ((i + turn) % 7);
const valueOf = (i: number, turn: number): Buffer =>
  Buffer.from(
    JSON.stringify({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: {
        name: nameOf(i),
        namespace: "many",
        uid: `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
        creationTimestamp: "2026-01-02T03:04:05Z",
        labels: { turn: String(turn) },
      },
      data: Object.fromEntries(Array.from({ length: dataOf(i, turn) }, (_, at) => [`k${at}`, "v"])),
    }),
  );

/** Writes so many objects; returns the revision of each. */
async function fill(store: Store): Promise<number[]> {
  const revisions: number[] = [];
  for (let from = 0; from < ROWS; from += BATCH) {
    const writes = Array.from({ length: Math.min(BATCH, ROWS - from) }, (_, at): Write => ({
      type: "create",
      key: keyOf(from + at),
      value: valueOf(from + at, 0),
    }));
    // oxlint-disable-next-line no-await-in-loop -- as many as a transaction may have
    revisions.push(...(await store.transact(writes)));
  }
  return revisions;
}

describeInBrowser("much in the console", () => {
  let server: TestServer;
  let browser: TestBrowser;
  let revisions: number[];
  /** How often each object was written again. */
  const turnOf = new Uint32Array(ROWS);
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ store: "memory" }), openBrowser()]);
    await server.ask("POST", "/api/v1/namespaces", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "many" } }),
    });
    const begun = performance.now();
    revisions = await fill(server.running.store);
    process.stderr.write(`${ROWS} objects are written after ${Math.round(performance.now() - begun)} ms\n`);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  const row = (page: Page, i: number) => page.locator("[role=row]", { hasText: nameOf(i) });
  const report = (what: string, tasks: PageTasks): void => void process.stderr.write(`${what}: ${tasks.toString()}\n`);
  const open = async (to: string) => {
    const opened = await openStory(browser, server, "/console/");
    await opened.page.addInitScript(OBSERVE_FRAMES);
    await opened.page.goto(server.url + to);
    return opened;
  };

  test(
    "the rows of a large list are scrolled to the last one, and sorted, by the windows of the server",
    async () => {
      const opened = await open(LIST);
      const { page } = opened;
      await row(page, 0).waitFor();
      // The namespace has a ConfigMap of its own, too.
      await page
        .getByText((ROWS + 1).toLocaleString("en"))
        .first()
        .waitFor();
      const grid = page.getByRole("grid");
      const tasks = await tasksOf(browser.browser, page, async () => {
        await grid.hover();
        for (let turn = 0; turn < 30; turn++) {
          await page.mouse.wheel(0, 2500);
          await page.waitForTimeout(50);
        }
        // Every part of it can be scrolled to.
        for (const share of [0.1, 0.35, 0.6, 0.85]) {
          await grid.evaluate((element, at) => {
            element.scrollTop = element.scrollHeight * at;
          }, share);
          const about = share * ROWS;
          await expect
            .poll(async () => Number((await page.locator(".table-body .table-name").first().textContent())?.slice(7)))
            .toBeGreaterThan(about - ROWS / 100);
        }
        await grid.focus();
        await page.keyboard.press("End");
        await row(page, ROWS - 1).waitFor();
        await page.keyboard.press("ArrowUp");
        await expect.poll(() => grid.getAttribute("aria-activedescendant")).toBe(`row-${ROWS - 1}`);
        await page.keyboard.press("Home");
        await row(page, 0).waitFor();
      });
      expect(await page.locator("[role=row]").count()).toBeLessThan(100);
      report(`${ROWS} rows are scrolled`, tasks);
      expect(tasks.longest).toBeLessThan(LONGEST_MS);
      // In another order the last one is the first one.
      await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
      await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
      await expect
        .poll(() => page.locator(".table-body .table-name").first().textContent(), { timeout: 60_000 })
        .toBe(nameOf(ROWS - 1));
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    "a large list is sorted by a column, and filtered",
    async () => {
      const opened = await open(LIST);
      const { page } = opened;
      await row(page, 0).waitFor();
      const header = page.getByRole("columnheader", { name: "Data" }).getByRole("button");
      const names = (): Promise<string[]> => page.locator(".table-body .table-name").allTextContents();
      let [sorted, filtered] = [0, 0];
      const tasks = await tasksOf(browser.browser, page, async () => {
        const begun = performance.now();
        await header.click();
        await page.locator("[aria-sort=ascending]").waitFor({ timeout: TIMEOUT_MS });
        await expect.poll(async () => (await names()).length, { timeout: TIMEOUT_MS }).toBeGreaterThan(10);
        sorted = performance.now() - begun;
        await header.click();
        // The objects with seven members, in the order of their names.
        const most = [6, 13, 20, 27].map(nameOf);
        await expect.poll(async () => (await names()).slice(0, 4), { timeout: TIMEOUT_MS }).toEqual(most);
        await page.getByRole("grid").focus();
        await page.keyboard.press("End");
        // Those with one member are the last ones.
        await row(page, ROWS - 1 - ((ROWS - 1) % 7)).waitFor({ timeout: TIMEOUT_MS });
        const typed = performance.now();
        await page.locator("#filter-name").fill("object-00077");
        await page.getByText("100 of").first().waitFor({ timeout: TIMEOUT_MS });
        filtered = performance.now() - typed;
      });
      await expect.poll(async () => (await names()).every((name) => name.startsWith("object-00077"))).toBe(true);
      report(`sorted by a column after ${Math.round(sorted)} ms, filtered after ${Math.round(filtered)} ms`, tasks);
      expect(tasks.longest).toBeLessThan(LONGEST_MS);
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  /** Writes a thousand objects a second. */
  async function writeMany(): Promise<{ perSecond: number; seconds: number; longest: number; gc: number }> {
    const { store } = server.running;
    let gc = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) gc += duration;
    });
    observer.observe({ entryTypes: ["gc"] });
    const begun = performance.now();
    let [written, longest] = [0, 0];
    for (let batch = 0; batch < (SECONDS * PER_SECOND) / BATCH; batch++) {
      // The rows that are seen are among them, each time.
      const indices = Array.from({ length: BATCH }, (_, at) => (at < 30 ? at : (batch * BATCH + at) % ROWS));
      const last = new Map(indices.map((i) => [i, ++turnOf[i]!]));
      const writes = [...last].map(([i, turn]): Write => ({
        type: "update",
        key: keyOf(i),
        value: valueOf(i, turn),
        expected: revisions[i]!,
      }));
      const before = performance.now();
      // oxlint-disable no-await-in-loop -- a thousand a second
      const made = await store.transact(writes);
      longest = Math.max(longest, performance.now() - before);
      [...last.keys()].forEach((i, at) => (revisions[i] = made[at]!));
      written += writes.length;
      const due = begun + ((batch + 1) * 1000 * BATCH) / PER_SECOND;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      // oxlint-enable no-await-in-loop
    }
    const seconds = (performance.now() - begun) / 1000;
    observer.disconnect();
    return { perSecond: written / seconds, seconds, longest, gc };
  }

  /** The first rows as they are shown. */
  const shownIn = (page: Page): Promise<[name: string, data: number][]> =>
    page
      .evaluate<[string, string][]>(
        `[...document.querySelectorAll(".table-body [role=row]")].map((row) => {
          const [, name, data] = row.querySelectorAll("[role=gridcell]");
          return [name?.textContent, data?.textContent];
        })`,
      )
      .then((rows) =>
        rows
          .filter(([name]) => name?.startsWith("object-"))
          .slice(0, 10)
          .map(([name, data]) => [name, Number(data)]),
      );
  /** The first rows as they were written: all objects, or those that have one member. */
  function firstRows(isSorted: boolean): [name: string, data: number][] {
    const rows: [string, number][] = [];
    for (let i = 0; rows.length < 10; i++) {
      const data = dataOf(i, turnOf[i]!);
      if (!isSorted || data === 1) rows.push([nameOf(i), data]);
    }
    return rows;
  }

  test.each([
    ["in the order of names", LIST, false],
    ["sorted by a column", `${LIST}&sort=Data`, true],
  ] as const)(
    "a thousand writes a second do not hold the page, and the last state of each row is shown: %s",
    async (what, list, isSorted) => {
      const opened = await open(list);
      const { page } = opened;
      await page.locator(".table-body .table-name").first().waitFor({ timeout: TIMEOUT_MS });
      let written = { perSecond: 0, seconds: 1, longest: 0, gc: 0 };
      let frames = { count: 0, longest: 0 };
      let shares = "";
      const tasks = await tasksOf(browser.browser, page, async () => {
        await takeFrames(page);
        const before = cpuTimes();
        written = await writeMany();
        shares = cpuShares(before, cpuTimes(), written.seconds);
        frames = await takeFrames(page);
      });
      const { perSecond, seconds, longest, gc } = written;
      report(
        [
          `${what}: ${Math.round(perSecond)} writes a second for ${seconds.toFixed(1)} s`,
          `100 of them took ${Math.round(longest)} ms at most, garbage collection ${Math.round(gc)} ms of all`,
          `${Math.round(frames.count / seconds)} frames a second, ${frames.longest} ms for the longest`,
          shares,
        ].join("; "),
        tasks,
      );
      await expect.poll(() => shownIn(page), { timeout: PATIENCE_MS }).toEqual(firstRows(isSorted));
      expect(tasks.longest).toBeLessThan(LONGEST_MS);
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
