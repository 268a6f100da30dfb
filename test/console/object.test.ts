/** Stories of one object in a browser: its owners, edits, conflicts, history, Events, graph. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { ConfigMap, Deployment } from "../../src/client/kinds/index.ts";
import {
  PATIENCE_MS,
  type TestBrowser,
  type TestPage,
  type TestServer,
  axe,
  beforeTries,
  buttonOf,
  describeInBrowser,
  editText,
  editorOf,
  expectEditorFocus,
  expectNone,
  expectText,
  mistakesOf,
  openBrowser,
  openStory,
  picture,
  pictureForPages,
  replaceText,
  startServer,
} from "./kit/index.ts";

const WEB = "/console/object/core/v1/configmaps/default/web";
const KEY = { name: "web", namespace: "default" };

describeInBrowser("an object", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeTries(async () => (server = await startServer()));
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  const maps = () => server.client.resource(ConfigMap);
  const open = (to: string): Promise<TestPage> => openStory(browser, server, to);
  const side = (page: Page) => page.locator(".edit-side");
  const findings = async (page: Page): Promise<readonly string[]> =>
    (await axe(page)).flatMap(({ rule, elements }) => elements.map((element) => `${rule}: ${element}`));

  test("from an empty server: create, a mistake at its line, dry run, save, an edit that is late", async () => {
    const opened = await open("/console/new?kind=core%2Fv1%2Fconfigmaps");
    const { page } = opened;
    await expectText(page, "kind: ConfigMap");
    // An error is shown at its line, by the schema.
    await replaceText(page, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  port: 80\n");
    await page.locator(".cm-lintRange-error", { hasText: "80" }).waitFor();
    // The server refuses it as well, and names the line.
    await buttonOf(page, "Try").click();
    await side(page).getByText("Refused", { exact: true }).waitFor();
    expect(await maps().find(KEY)).toBeUndefined();
    await replaceText(
      page,
      '# the front\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\ndata:\n  port: "80"\n',
    );
    await buttonOf(page, "Try").click();
    await side(page).getByText("A new object.").waitFor();
    expect(await maps().find(KEY)).toBeUndefined();
    await buttonOf(page, "Create").click();
    await page.waitForURL(new URL(WEB, server.url).href);
    expect((await maps().get(KEY)).data).toEqual({ port: "80" });

    // Its owners: who made it is in the gutter.
    await page.locator(".owner-cell", { hasText: "keelson-console" }).first().waitFor();

    // Another one writes, and the line flashes.
    await maps().apply({ metadata: KEY, data: { colour: "red" } }, { fieldManager: "painter" });
    await page.locator(".cm-changed", { hasText: "colour: red" }).waitFor();
    await page.locator(".owner-cell", { hasText: "painter" }).first().waitFor();

    // An edit: what would be stored is shown before anything is.
    await buttonOf(page, "Edit").click();
    await editText(page, 'port: "80"', 'port: "8080"');
    await page.keyboard.press("Control+Enter");
    await page.locator(".difference-added", { hasText: 'port: "8080"' }).waitFor();
    await page.locator(".difference-removed", { hasText: 'port: "80"' }).waitFor();
    expect((await maps().get(KEY)).data).toEqual({ port: "80", colour: "red" });
    // Another client writes first: the edit applies to the newer version.
    await maps().patch(KEY, { data: { size: "1" } });
    await buttonOf(page, "Save").click();
    await page.getByText("The object was changed meanwhile").waitFor();
    await buttonOf(page, "Try").click();
    await page.locator(".difference-added", { hasText: 'port: "8080"' }).waitFor();
    await buttonOf(page, "Save").click();
    await page.locator(".owner-cell").first().waitFor();
    expect((await maps().get(KEY)).data).toEqual({ port: "8080", colour: "red", size: "1" });
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("conflicts are resolved side by side: keep theirs, take over, share", async () => {
    const key = { name: "shared", namespace: "default" };
    await maps().apply({ metadata: key, data: { a: "1", b: "1", c: "1" } }, { fieldManager: "team" });
    const opened = await open("/console/object/core/v1/configmaps/default/shared");
    const { page } = opened;
    await buttonOf(page, "Edit").click();
    await page.locator("select", { hasText: "an apply" }).selectOption("apply");
    await editText(page, /: "1"/g, ': "2"');
    await buttonOf(page, "Try").click();
    const conflicts = page.getByRole("region", { name: "Conflicts" });
    await conflicts.waitFor();
    await expect.poll(() => conflicts.locator("fieldset").count()).toBe(3);
    const decide = (field: string, choice: string) =>
      conflicts
        .locator("fieldset", { hasText: `.data.${field}` })
        .getByLabel(choice)
        .check();
    await decide("a", "Keep theirs");
    await decide("b", "Take over");
    await decide("c", "Share");
    await pictureForPages(page, "conflict");
    await buttonOf(page, "Try with these answers").click();
    await page.locator(".difference-added", { hasText: 'b: "2"' }).waitFor();
    expect((await maps().get(key)).data).toEqual({ a: "1", b: "1", c: "1" });
    await buttonOf(page, "Apply").click();
    await page.locator(".owner-cell").first().waitFor();
    expect((await maps().get(key)).data).toEqual({ a: "1", b: "2", c: "1" });
    const { leaves } = await maps().blame(key);
    const owners = leaves.flatMap(({ field, managers }) =>
      field.startsWith(".data") ? [[field, ...managers.map(({ manager }) => manager).sort()].join(" ")] : [],
    );
    expect(owners.sort()).toEqual([".data.a team", ".data.b keelson-console", ".data.c keelson-console team"]);
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("its history: what changed, a version restored as an edit, a deleted object undeleted", async () => {
    const key = { name: "past", namespace: "default" };
    await maps().create({ metadata: key, data: { colour: "red" } });
    await maps().patch(key, { data: { colour: "green" } });
    await maps().patch(key, { data: { colour: "blue" } });
    const opened = await open("/console/object/core/v1/configmaps/default/past?tab=history");
    const { page } = opened;
    const line = page.locator(".difference-added");
    await line.filter({ hasText: "colour: blue" }).waitFor();
    await page.locator(".difference-removed", { hasText: "colour: green" }).waitFor();
    // Any two versions.
    await page
      .getByRole("button", { name: /^Compare with this version/ })
      .last()
      .click();
    await page.locator(".difference-removed", { hasText: "colour: red" }).waitFor();
    await pictureForPages(page, "history");
    await page
      .getByRole("button", { name: /^Restore as an edit version/ })
      .last()
      .click();
    await editorOf(page).waitFor();
    await buttonOf(page, "Try").click();
    await line.filter({ hasText: "colour: red" }).waitFor();
    await buttonOf(page, "Save").click();
    await page.locator(".owner-cell").first().waitFor();
    expect((await maps().get(key)).data).toEqual({ colour: "red" });

    await buttonOf(page, /^Actions/).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("deleted", { exact: true }).waitFor();
    expect(await maps().find(key)).toBeUndefined();
    await page.getByRole("tab", { name: "History" }).click();
    await buttonOf(page, "Undelete…").click();
    await page.getByRole("dialog").getByText("metadata.uid").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Undelete", exact: true }).click();
    await expect.poll(async () => (await maps().find(key))?.data).toEqual({ colour: "red" });
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("Events live, the graph of owners, and why", async () => {
    const deployments = server.client.resource(Deployment);
    const labels = { app: "front" };
    const spec = {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "front", image: "front:1" }] } },
    };
    const { metadata } = await deployments.create({
      metadata: { name: "front", namespace: "default" },
      spec,
    } as never);
    const opened = await open("/console/object/apps/v1/deployments/default/front?tab=graph");
    const { page } = opened;
    await page.locator(".graph-self").waitFor();
    const again = buttonOf(page, "Read again");
    await expect
      .poll(
        async () => {
          await again.click();
          return page.locator(".graph-owned").count();
        },
        { timeout: PATIENCE_MS },
      )
      .toBe(3);
    // The picture is the same as the list, and both are links.
    await expect.poll(() => page.locator(".graph-tree a").count()).toBe(3);
    await picture(page, "console-graph");
    await page.locator(".graph-picture a").first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /ReplicaSet/ }).waitFor();

    await page.goto(new URL("/console/object/apps/v1/deployments/default/front?tab=events", server.url).href);
    await page.getByRole("tab", { name: "Events" }).waitFor();
    const event = {
      metadata: { name: "front.1", namespace: "default" },
      involvedObject: {
        apiVersion: "apps/v1",
        kind: "Deployment",
        name: "front",
        namespace: "default",
        uid: metadata.uid,
      },
      type: "Warning",
      reason: "Late",
      message: "<script>document.title = 'taken'</script>",
      lastTimestamp: new Date().toISOString().replace(/\.\d+Z/, "Z"),
    };
    const { code } = await server.ask("POST", "/api/v1/namespaces/default/events", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(event),
    });
    expect(code).toBe(201);
    await page.getByText("<script>document.title = 'taken'</script>").waitFor();
    expect(await page.title()).not.toBe("taken");

    await page.getByRole("tab", { name: "Why" }).click();
    await page.locator(".why .reasons li").first().waitFor();
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("hostile contents do nothing", async () => {
    const name = "a".repeat(250);
    const bad = "<img src=x onerror=\"document.title='taken'\">\u202e\u0007";
    await maps().create({
      metadata: { name, namespace: "default", annotations: { bad, "x/y.z": bad } },
      data: { bad },
    });
    const opened = await open(`/console/object/core/v1/configmaps/default/${name}`);
    const { page } = opened;
    await page.locator(".owner-cell").first().waitFor();
    for (const tab of ["History", "Events", "Graph", "Why", "YAML"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.waitForTimeout(100);
    }
    expect(await page.title()).not.toBe("taken");
    await expectNone(page.locator("img[src=x], script:not([src])"));
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await buttonOf(page, "Edit").click();
    await editorOf(page).waitFor();
    await buttonOf(page, "Try").click();
    await side(page).getByText("Nothing would change.").waitFor();
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("works with the keyboard alone, in both themes and on a phone; axe finds nothing", async () => {
    const key = { name: "keys", namespace: "default" };
    await maps().apply({ metadata: key, data: { a: "1" } }, { fieldManager: "team" });
    await maps().apply({ metadata: key, data: { b: "x\ny\n" } }, { fieldManager: "other" });
    const opened = await open("/console/object/core/v1/configmaps/default/keys");
    const { page } = opened;
    await page.locator(".owner-cell").first().waitFor();
    await pictureForPages(page, "object");
    // The line of the cursor says whose it is.
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.press("ArrowUp");
    await page.locator(".line-owner", { hasText: "owned by other (Apply" }).waitFor();
    // Only the lines of one manager.
    await page.getByRole("button", { name: /^team/ }).focus();
    await page.keyboard.press("Enter");
    await page.locator(".folded-lines").first().waitFor();
    await expect.poll(() => page.locator(".cm-content").innerText()).not.toContain("b: |");
    await page.keyboard.press("Enter");
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme as "light" | "dark" });
      for (const tab of ["yaml", "history", "events", "graph", "why"]) {
        await page.getByRole("tab", { name: tab === "yaml" ? "YAML" : new RegExp(tab, "i") }).click();
        await page.waitForTimeout(250);
        expect(await findings(page), `${tab}, ${theme}`).toEqual([]);
      }
    }
    // Into the editor, a try and a save by keys.
    await page.getByRole("tab", { name: "Why" }).focus();
    await page.keyboard.press("Home");
    await page.locator(".owner-cell").first().waitFor();
    await page.getByRole("tab", { name: "YAML" }).focus();
    await page.keyboard.press("e");
    await expectEditorFocus(page);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  c: three");
    await page.keyboard.press("Control+Enter");
    await page.locator(".difference-added", { hasText: "c: three" }).waitFor();
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme as "light" | "dark" });
      expect(await findings(page), `editor, ${theme}`).toEqual([]);
    }
    await picture(page, "console-edit");
    await buttonOf(page, "Save").focus();
    await page.keyboard.press("Enter");
    await expect.poll(async () => (await maps().get(key)).data?.["c"]).toBe("three");
    await page.setViewportSize({ width: 360, height: 740 });
    const right = async (): Promise<number> => {
      const { x, width } = (await page.locator(".object-view").boundingBox())!;
      return x + width;
    };
    await expect.poll(right).toBeLessThanOrEqual(360);
    expect(mistakesOf(opened)).toEqual([]);
  });
});
