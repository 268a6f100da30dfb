/** What holds in every view of the console: keys alone are enough, axe finds nothing, and a slow or broken connection ends well. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import {
  axeInBothThemes,
  beforeTries,
  buttonOf,
  describeInBrowser,
  editText,
  expectEditorFocus,
  expectText,
  mistakesOf,
  openBrowser,
  openStory,
  PATIENCE_MS,
  Proxy,
  replaceText,
  sendObject,
  startServer,
  tellWhenFailed,
  tokenOfOneNamespace,
  type TestBrowser,
  type TestPage,
  type TestServer,
} from "./kit/index.ts";

const NAMESPACE = "/api/v1/namespaces/default";
const WEB = "/console/object/core/v1/configmaps/default/web";
const POD = "/console/object/core/v1/pods/default/pod";

/** Every view, what is typed after `:` to come there if anything is, and what is there when it is shown. */
const VIEWS: readonly (readonly [path: string, command: string | undefined, ready: string])[] = [
  ["/console/", "home", ".count"],
  ["/console/list/core/v1/configmaps?namespace=default", "cm default", ".table-body [role=row]"],
  [WEB, "cm default/web", ".owner-cell"],
  [`${WEB}?tab=history`, undefined, ".version"],
  [`${WEB}?tab=events`, undefined, ".plain-table"],
  [`${WEB}?tab=graph`, undefined, ".graph-self"],
  [`${WEB}?tab=why`, undefined, ".why"],
  [`${POD}?tab=logs`, undefined, "[role=log]"],
  ["/console/new?kind=core%2Fv1%2Fconfigmaps", undefined, ".edit-main .cm-content"],
  ["/console/storage", "storage", "[data-box]"],
  ["/console/storage?tab=table", undefined, "[data-item]"],
  ["/console/storage?tab=capacity", undefined, ".capacity-table"],
  ["/console/workloads", "workloads", "[data-row]"],
  ["/console/server", "server", "canvas"],
  ["/console/explore", "explore", ".drop"],
  ["/console/plan", "plan", ".plan-text"],
];

/** Goes from control to control by Tab, from the beginning of the view until it has left it. */
const MOST_STOPS = 200;
const WHERE = `(() => {
  const element = document.activeElement;
  const main = document.querySelector("main");
  if (!element || element === document.body || !main.contains(element)) return { in: false };
  // In a grid the row of the cursor shows the focus.
  const active = document.getElementById(element.getAttribute("aria-activedescendant") ?? "");
  const shown = [element, active, element.parentElement, element.closest("label, .cm-editor, .box, .slider")].some((one) => {
    if (!one) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  });
  const { width, height } = element.getBoundingClientRect();
  // The caret, and the line that it stands in, are the sign of a text.
  return { in: true, shown: (shown || element.isContentEditable) && width > 0 && height > 0, name: element.outerHTML.slice(0, 120) };
})()`;

interface Stop {
  readonly in: boolean;
  readonly shown?: boolean;
  readonly name?: string;
}

describeInBrowser("every view", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeTries(async () => {
    server = await startServer({ nodes: "1" });
    await sendObject(server, "POST", `${NAMESPACE}/configmaps`, { metadata: { name: "web" }, data: { a: "1" } });
    await sendObject(server, "POST", `${NAMESPACE}/pods`, {
      metadata: { name: "pod" },
      spec: { containers: [{ name: "main", image: "a" }] },
    });
    await event("first");
    await claim("claim");
    await deployment("shop");
    return server;
  });
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());
  const event = (name: string): Promise<unknown> =>
    sendObject(server, "POST", `${NAMESPACE}/events`, {
      metadata: { name },
      involvedObject: { apiVersion: "v1", kind: "ConfigMap", name: "web", namespace: "default" },
      reason: "Told",
      message: `message of ${name}`,
      type: "Normal",
      lastTimestamp: new Date().toISOString().replace(/\.\d+Z/, "Z"),
    });
  const claim = (name: string): Promise<unknown> =>
    sendObject(server, "POST", `${NAMESPACE}/persistentvolumeclaims`, {
      metadata: { name },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "slow", resources: { requests: { storage: "1Gi" } } },
    });
  const deployment = (name: string): Promise<unknown> =>
    sendObject(server, "POST", "/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "a" }] } },
      },
    });
  const command = async (page: Page, text: string): Promise<void> => {
    await page.keyboard.press("Escape");
    await page.evaluate("document.activeElement?.blur()");
    await page.keyboard.press(":");
    await page.getByRole("combobox", { name: "Command" }).waitFor();
    await page.keyboard.type(text);
    await page.keyboard.press("Enter");
  };

  test("is reached and left by keys, shows where the focus is, and holds it nowhere; axe finds nothing in either theme", async () => {
    const opened = await openStory(browser, server, "/console/");
    const { page } = opened;
    const wrong: string[] = [];
    for (const [path, typed, ready] of VIEWS) {
      // oxlint-disable no-await-in-loop -- one view after the other
      if (typed === undefined) await page.goto(server.url + path);
      else if (typed !== "home") await command(page, typed);
      await page.locator(ready).first().waitFor();
      expect(new URL(page.url()).pathname).toBe(new URL(path, server.url).pathname);
      wrong.push(...(await axeInBothThemes(page, path)));
      await page.focus("#main");
      let stops = 0;
      for (; stops < MOST_STOPS; stops++) {
        await page.keyboard.press("Tab");
        const stop = await page.evaluate<Stop>(WHERE);
        if (!stop.in) break;
        if (!stop.shown) wrong.push(`${path}: the focus is not seen: ${stop.name}`);
      }
      if (stops === 0) wrong.push(`${path}: nothing takes the focus`);
      if (stops === MOST_STOPS) wrong.push(`${path}: the focus does not leave the view`);
      // oxlint-enable no-await-in-loop
    }
    expect(wrong).toEqual([]);
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("in its states: conflicts, a past moment, refusals, a question, an action; axe finds nothing in either theme", async () => {
    const opened = await openStory(browser, server, "/console/nowhere");
    const { page } = opened;
    const wrong: string[] = [];
    const check = async (what: string): Promise<void> => void wrong.push(...(await axeInBothThemes(page, what)));
    await page.getByText("There is no such page.").waitFor();
    await check("no such page");
    await page.goto(`${server.url}/console/list/example.com/v1/nothings`);
    await page.getByText("The server does not serve").waitFor();
    await check("a kind that is not served");

    await page.goto(`${server.url}/console/storage?tab=table`);
    await page.locator('[data-item="claims/default/claim"]').click();
    await page.locator(".details .why").waitFor();
    await page.focus("#main");
    await page.keyboard.press("t");
    await page.getByRole("slider").focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByText("You see the cluster as it was").waitFor();
    await check("a past moment of storage");
    await buttonOf(page, "Back to now").click();

    await page.goto(`${server.url}${WEB}`);
    await page.locator(".owner-cell").first().waitFor();
    await page
      .getByRole("button", { name: /Actions|⋯/ })
      .first()
      .click();
    await page.getByRole("menu").waitFor();
    await check("the menu of an object");
    await page.keyboard.press("Escape");

    const path = `${NAMESPACE}/configmaps/contested`;
    const contested = (colour: string): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "contested", namespace: "default" },
      data: { colour },
    });
    await server.ask("PATCH", `${path}?fieldManager=team&force=true`, {
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify(contested("blue")),
    });
    await page.goto(`${server.url}/console/object/core/v1/configmaps/default/contested`);
    await page.locator(".owner-cell", { hasText: "team" }).first().waitFor();
    await buttonOf(page, "Edit").click();
    await page.locator("select", { hasText: "an apply" }).selectOption("apply");
    await editText(page, ": blue", ": green");
    await page.keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "Conflicts" }).waitFor();
    await check("conflicts");

    await page.goto(`${server.url}/console/plan`);
    await page.fill(".plan-text", "{apiVersion: v1, kind: ConfigMap, metadata: {name: asked}}");
    await page.click("button[type=submit]");
    await buttonOf(page, "Apply all or none").click();
    await page.getByRole("dialog").waitFor();
    await check("the question of a plan");
    expect(wrong).toEqual([]);
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("shows a user of one namespace what it has, and says what it leaves out", async () => {
    const token = await tokenOfOneNamespace(server, "own");
    await sendObject(server, "POST", "/api/v1/namespaces/own/persistentvolumeclaims", {
      metadata: { name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], storageClassName: "slow", resources: { requests: { storage: "1Gi" } } },
    });
    await sendObject(server, "POST", "/apis/apps/v1/namespaces/own/deployments", {
      metadata: { name: "shop" },
      spec: {
        selector: { matchLabels: { app: "shop" } },
        template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "main", image: "a" }] } },
      },
    });
    const opened = await openStory(browser, server, "/console/storage", { as: { token } });
    const { page } = opened;
    const wrong: string[] = [];
    const check = async (what: string): Promise<void> => void wrong.push(...(await axeInBothThemes(page, what)));
    await page.locator('[data-box="claims/own/data"]').waitFor();
    await expect.poll(() => page.locator("[data-box]").count()).toBe(2);
    const note = page.locator(".view-note");
    await expect.poll(() => note.textContent()).toContain("the namespace own.");
    await expect.poll(() => note.textContent()).toMatch(/You may not list persistentvolumes, .*nodes/);
    await page.locator('[data-box="claims/own/data"]').click();
    await page.locator(".details", { hasText: "volumes and classes that are not read" }).waitFor();
    await page.locator(".details", { hasText: "may get the path /keelson/v1/why; you may not" }).waitFor();
    await check("storage of one namespace");
    // What is refused for all namespaces does not begin the view anew.
    const loaded = await page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
    const lists = loaded.map((url) => new URL(url)).filter(({ searchParams }) => !searchParams.has("watch"));
    const paths = lists.map(({ pathname }) => pathname);
    expect(paths.filter((path) => path.endsWith("/persistentvolumeclaims")).toSorted()).toEqual([
      "/api/v1/namespaces/own/persistentvolumeclaims",
      "/api/v1/persistentvolumeclaims",
    ]);

    await page.goto(`${server.url}/console/workloads`);
    await page.locator('[data-row="Deployment/own/shop"]').waitFor();
    expect(await page.locator('[data-row^="Deployment/default"]').count()).toBe(0);
    await expect.poll(() => note.textContent()).toBe("You see what you may list: the namespace own. ");
    await check("workloads of one namespace");

    await page.goto(`${server.url}/console/`);
    await page.locator(".count", { hasText: "Deployment" }).waitFor();
    await page.getByText("kinds with namespaces are counted in own").waitFor();
    await page.getByRole("link", { name: "The newest Events of own" }).waitFor();
    await check("the first page of one namespace");
    // A list of all namespaces becomes that of the only one.
    await page.goto(`${server.url}/console/list/apps/v1/deployments`);
    await page.locator("[role=row]", { hasText: "shop" }).waitFor();
    await page.waitForURL((url) => url.searchParams.get("namespace") === "own");
    // What may not be listed anywhere says so.
    await page.goto(`${server.url}/console/list/core/v1/secrets`);
    await page.locator(".error-box", { hasText: "cannot list resource" }).waitFor();
    await check("a list that is refused");
    await page.goto(`${server.url}/console/server`);
    await page.getByText("You may not read the metrics").waitFor();
    await page.locator(".health", { hasText: "checks pass" }).waitFor();
    await check("the server without the right to its metrics");
    expect(wrong).toEqual([]);
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("does what it is for by keys: boxes, rows, a plan, an edit", async () => {
    const opened = await openStory(browser, server, "/console/");
    const { page } = opened;
    await page.locator(".count").first().waitFor();
    await command(page, "storage");
    const box = page.locator('[data-box="claims/default/claim"]');
    await box.waitFor();
    // The first box by Tab, then by arrows.
    await page.focus("#main");
    for (let i = 0; i < 40 && (await page.evaluate("document.activeElement.dataset.box")) === undefined; i++)
      await page.keyboard.press("Tab");
    const isAt = (): Promise<string> => page.evaluate<string>("document.activeElement.dataset.box");
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"])
      if ((await isAt()) !== "claims/default/claim") await page.keyboard.press(key);
    await box.focus();
    await page.keyboard.press("Enter");
    await page.locator(".details").waitFor();

    await command(page, "workloads");
    const row = page.locator('[data-row="Deployment/default/shop"]');
    await row.waitFor();
    await row.locator(".time-toggle").focus();
    await page.keyboard.press("Enter");
    await page.locator('[data-row^="ReplicaSet/default/shop-"]').waitFor();
    await row.locator(".time-name").focus();
    await page.keyboard.press("Enter");
    await page.locator(".details").waitFor();

    await command(page, "plan");
    await page.focus(".plan-text");
    await page.keyboard.type("{apiVersion: v1, kind: ConfigMap, metadata: {name: by-keys}}");
    await page.keyboard.press("Control+Enter");
    await page.locator(".plan-document").waitFor();
    await page.getByRole("button", { name: "Apply all or none" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Apply", exact: true }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("All documents are applied.").waitFor();

    await page.evaluate("document.activeElement?.blur()");
    await command(page, "cm default/by-keys");
    await page.locator(".owner-cell").first().waitFor();
    await buttonOf(page, "Edit").waitFor();
    await page.keyboard.press("e");
    await expectEditorFocus(page);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("data:\n  a: b");
    await page.keyboard.press("Control+Enter");
    await page.locator(".difference-added", { hasText: "a: b" }).waitFor();
    await buttonOf(page, "Save").focus();
    await page.keyboard.press("Enter");
    await page.locator(".yaml-tab .cm-line", { hasText: "a: b" }).waitFor();
    expect(mistakesOf(opened)).toEqual([]);
  });

  /** Signs a page in through a proxy, up to the counts of the first page. */
  const openThrough = async (proxy: Proxy): Promise<TestPage> => {
    const opened = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const { page } = opened;
    page.setDefaultTimeout(PATIENCE_MS);
    tellWhenFailed(opened);
    await page.goto(`${proxy.secureUrl}/console/`);
    await page.getByLabel(/paste a token/).fill(server.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator(".count").first().waitFor();
    return opened;
  };

  test("is loaded without a click where the server can be reached again", async () => {
    const proxy = await Proxy.to(server.url);
    try {
      const opened = await openThrough(proxy);
      const { page } = opened;
      proxy.refuse(true);
      proxy.cut();
      await command(page, "explore");
      await page.getByText("This view could not be loaded.").waitFor();
      proxy.refuse(false);
      await page.locator(".drop").waitFor();
      expect(mistakesOf(opened)).toEqual([]);
    } finally {
      proxy.close();
    }
  });

  test("comes up over a slow connection, and goes on after the connection was broken off", async () => {
    const proxy = await Proxy.to(server.url);
    try {
      proxy.slow({ latencyMillis: 20, bytesPerSecond: 400_000 });
      const opened = await openThrough(proxy);
      const { page } = opened;
      const visit = async (path: string, ready: string): Promise<void> => {
        proxy.slow({ latencyMillis: 20, bytesPerSecond: 400_000 });
        await page.goto(proxy.secureUrl + path);
        await page.locator(ready).first().waitFor();
        proxy.cut();
        proxy.slow({});
      };
      const patch = (data: object): Promise<unknown> =>
        sendObject(server, "PATCH", `${NAMESPACE}/configmaps/web`, { data });

      await visit("/console/", ".event");
      await event("second");
      await page.locator(".event", { hasText: "message of second" }).waitFor();
      await visit(WEB, ".owner-cell");
      await patch({ yaml: "1" });
      await page.locator(".yaml-tab .cm-line", { hasText: "yaml:" }).waitFor();
      await visit(`${WEB}?tab=history`, ".version");
      await patch({ history: "1" });
      await page.locator(".difference-added", { hasText: "history:" }).waitFor();
      await visit(`${WEB}?tab=events`, ".event-message");
      await event("third");
      await page.locator(".event-message", { hasText: "message of third" }).waitFor();
      await visit("/console/storage?tab=table", "[data-item]");
      await claim("later");
      await page.locator('[data-item="claims/default/later"]').waitFor();
      await visit("/console/workloads", "[data-row]");
      await deployment("later");
      await page.locator('[data-row="Deployment/default/later"]').waitFor();
      await visit("/console/server", "canvas");
      const readings = async (): Promise<number> =>
        Number(await page.locator('[aria-label="Requests"]').getAttribute("data-readings"));
      const before = await readings();
      await expect.poll(readings, { timeout: PATIENCE_MS }).toBeGreaterThan(before + 1);

      // What is typed stays, and is sent when the server can be reached again.
      await visit("/console/new?kind=core%2Fv1%2Fconfigmaps", ".edit-main .cm-content");
      await replaceText(page, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: broken\n");
      proxy.refuse(true);
      proxy.cut();
      await buttonOf(page, "Try").click();
      await page.locator(".edit-side").getByText("Refused", { exact: true }).waitFor();
      await expectText(page, "name: broken");
      // A view that is opened meanwhile fills by itself.
      await command(page, "storage");
      await page.getByRole("heading", { name: "Storage", level: 1 }).waitFor();
      proxy.refuse(false);
      await page.locator('[data-box="claims/default/later"]').waitFor();
      await visit("/console/plan", ".plan-text");
      await page.fill(".plan-text", "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {plan: x}}");
      proxy.refuse(true);
      proxy.cut();
      await page.click("button[type=submit]");
      await page.locator(".error-box").waitFor();
      proxy.refuse(false);
      await page.click("button[type=submit]");
      await page.locator(".plan-document").waitFor();
      expect(mistakesOf(opened)).toEqual([]);
    } finally {
      proxy.close();
    }
  });
});
