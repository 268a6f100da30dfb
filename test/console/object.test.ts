/** Stories of one object in a browser: its owners, edits, conflicts, history, Events, graph. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { ConfigMap, Deployment, Event } from "../../src/client/kinds/index.ts";
import {
  type TestBrowser,
  type TestPage,
  type TestServer,
  axe,
  describeInBrowser,
  openBrowser,
  picture,
  signIn,
  startServer,
} from "./kit/index.ts";

const TIMEOUT_MS = 90_000;
const WEB = "/console/object/core/v1/configmaps/default/web";
const KEY = { name: "web", namespace: "default" };

describeInBrowser("an object", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeAll(async () => {
    server = await startServer();
    browser = await openBrowser();
  }, TIMEOUT_MS);
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const maps = () => server.client.resource(ConfigMap);
  const open = async (to: string): Promise<TestPage> => {
    const opened = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await signIn(opened.page, server, { to });
    return opened;
  };
  const editor = (page: Page) => page.locator(".edit-main .cm-content");
  const side = (page: Page) => page.locator(".edit-side");
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name, exact: typeof name === "string" });
  /** Replaces the whole text of the editor. */
  const type = async (page: Page, text: string): Promise<void> => {
    await editor(page).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };

  test(
    "from an empty server: create, a mistake at its line, dry run, save, a conflict resolved, history, undelete",
    async () => {
      const { page, problems } = await open("/console/new?kind=core/v1/configmaps");
      await editor(page).waitFor();
      expect(await editor(page).innerText()).toContain("kind: ConfigMap");
      // A mistake is told at its line, by the schema.
      await type(page, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  port: 80\n");
      await page.locator(".cm-lintRange-error", { hasText: "80" }).waitFor();
      // The server refuses it as well, and names the line.
      await button(page, "Try").click();
      await side(page).getByText("Refused").waitFor();
      expect(await maps().find(KEY)).toBeUndefined();
      await type(page, "# the front\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  port: \"80\"\n");
      await button(page, "Try").click();
      await side(page).getByText("A new object.").waitFor();
      expect(await maps().find(KEY)).toBeUndefined();
      await button(page, "Create").click();
      await page.waitForURL(new URL(WEB, server.url).href);
      expect((await maps().get(KEY)).data).toEqual({ port: "80" });

      // Its owners: who made it is in the gutter.
      await page.locator(".owner-cell", { hasText: "keelson-console" }).first().waitFor();

      // Another one writes, and the line flashes.
      await maps().apply({ metadata: KEY, data: { colour: "red" } }, { fieldManager: "painter" });
      await page.locator(".cm-changed", { hasText: "colour: red" }).waitFor();
      await page.locator(".owner-cell", { hasText: "painter" }).first().waitFor();

      // An edit: what would be stored is shown before anything is.
      await button(page, "Edit").click();
      await editor(page).waitFor();
      const text = (await editor(page).innerText()).replace('port: "80"', 'port: "8080"');
      await type(page, text);
      await page.keyboard.press("Control+Enter");
      await page.locator(".difference-added", { hasText: 'port: "8080"' }).waitFor();
      await page.locator(".difference-removed", { hasText: 'port: "80"' }).waitFor();
      expect((await maps().get(KEY)).data).toEqual({ port: "80", colour: "red" });
      // Somebody is faster: the edit comes to the newer version.
      await maps().patch(KEY, { data: { size: "1" } });
      await button(page, "Save").click();
      await page.getByText("The object was changed meanwhile").waitFor();
      await button(page, "Try").click();
      await page.locator(".difference-added", { hasText: 'port: "8080"' }).waitFor();
      await button(page, "Save").click();
      await page.locator(".owner-cell").first().waitFor();
      expect((await maps().get(KEY)).data).toEqual({ port: "8080", colour: "red", size: "1" });
      expect(problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
