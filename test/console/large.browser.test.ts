/**
 * An object of 1 MiB in the editor does not hold the page, from its text to its history.
 *
 * What a task takes is the time of the processor, so that neighbours of the machine do not count.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { encodeYaml } from "../../src/value/yaml-encode.ts";
import {
  buttonOf,
  describeInBrowser,
  editorOf,
  mistakesOf,
  openBrowser,
  openStory,
  replaceText,
  startServer,
  tasksOf,
  type TestBrowser,
  type TestServer,
} from "./kit/index.ts";

const MEMBERS = 12_000;
const NAME = "large";
/** Twice what a user feels: a machine of CI takes twice the time of the one of the figures. */
const LONGEST_MS = 200;
const TIMEOUT_MS = 240_000;
const PATH = `/api/v1/namespaces/default/configmaps/${NAME}`;

const dataOf = (word: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: MEMBERS }, (_, i) => [`key-${i}`, `${word} ${i} ${"x".repeat(60)}`]));

describeInBrowser("an object of 1 MiB", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startServer({ store: "memory" }), openBrowser()]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  /** The longest tasks by what was done. */
  const during = async (what: string, page: Page, work: () => Promise<unknown>): Promise<void> => {
    const tasks = await tasksOf(browser.browser, page, async () => {
      await work();
      // What follows from it, such as what is judged after the last key.
      await page.waitForTimeout(1500);
    });
    process.stderr.write(`${what}: ${tasks.toString()}\n`);
    expect(tasks.longest).toBeLessThan(LONGEST_MS);
  };
  /** Another user changes a label. */
  const label = async (turn: string): Promise<void> => {
    const { code, text } = await server.ask("PATCH", PATH, {
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { labels: { turn } } }),
    });
    if (code !== 200) throw new Error(text);
  };

  test(
    "it is shown, edited, merged, tried, saved, compared and restored",
    async () => {
      await server.client
        .resource(ConfigMap)
        .create({ metadata: { name: NAME, namespace: "default" }, data: dataOf("value") });
      const opened = await openStory(browser, server, "/console/plan");
      const { page } = opened;
      page.setDefaultTimeout(60_000);
      await during("it is opened", page, async () => {
        await page.goto(`${server.url}/console/object/core/v1/configmaps/default/${NAME}`);
        await page.locator(".owner-cell").first().waitFor();
      });
      await during("another user changes it", page, async () => {
        await label("1");
        await page.locator(".cm-line", { hasText: 'turn: "1"' }).waitFor();
      });
      await during("it is edited", page, async () => {
        await buttonOf(page, "Edit").click();
        await editorOf(page).waitFor();
      });
      await during("letters are typed", page, async () => {
        await editorOf(page).click();
        await page.keyboard.press("Control+Home");
        for (let i = 0; i < 20; i++) {
          // oxlint-disable no-await-in-loop -- one key after the other
          await page.keyboard.type(i % 10 === 9 ? "\n" : "#");
          await page.waitForTimeout(40);
          // oxlint-enable no-await-in-loop
        }
      });
      await during("another user changes it meanwhile", page, () => label("2"));
      await during("the edit is merged", page, async () => {
        await buttonOf(page, "Merge your edits into it").click();
        await page.getByText("Your edits were applied to version").waitFor();
      });
      await during("it is tried", page, async () => {
        await buttonOf(page, "Try").click();
        await page.getByText("accepted").waitFor();
      });
      const pasted = {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: NAME, namespace: "default" },
        data: dataOf("other"),
      };
      await during("1 MiB is pasted", page, () => replaceText(page, encodeYaml(pasted)));
      await during("what was pasted is tried", page, async () => {
        await buttonOf(page, "Try").click();
        await page.getByText("There are more differences than are shown.").waitFor();
      });
      await during("it is saved", page, async () => {
        await buttonOf(page, "Save").click();
        await page.locator(".owner-cell").first().waitFor();
      });
      await during("its versions are compared", page, async () => {
        await page.getByRole("tab", { name: "History" }).click();
        await page.locator(".difference").waitFor();
      });
      await during("an old version is restored as an edit", page, async () => {
        await buttonOf(page, /^Restore as an edit/)
          .last()
          .click();
        await editorOf(page).waitFor();
      });
      await during("it is tried as an apply", page, async () => {
        await page.getByRole("combobox").selectOption("apply");
        await buttonOf(page, "Try").click();
        await page.getByText("Others own").waitFor();
      });
      expect(mistakesOf(opened)).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
