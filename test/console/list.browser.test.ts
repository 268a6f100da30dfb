import { mkdirSync, statSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installFakeStream } from "./fake-stream.ts";
import {
  axe,
  beforeTries,
  buttonOf,
  describeInBrowser,
  expectNone,
  openBrowser,
  PATIENCE_MS,
  Proxy,
  signIn,
  startServer,
  tellWhenFailed,
  type TestBrowser,
  type TestPage,
  type TestServer,
} from "./kit/index.ts";

const JSON_BODY = { "content-type": "application/json" };
const CONFIGMAPS = "/api/v1/namespaces/default/configmaps";
const LIST = "/console/list/core/v1/configmaps?namespace=default";
const PICTURES = new URL("../../docs/pictures/", import.meta.url).pathname;

describeInBrowser("the lists of the console", () => {
  let server: TestServer;
  let browser: TestBrowser;

  beforeTries(async () => (server = await startServer({ nodes: "3" })));
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  const send = async (method: "POST" | "PATCH" | "DELETE", path: string, body?: object): Promise<void> => {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const { code, text } = await server.ask(method, path, {
      headers: { "content-type": type },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (code >= 300) throw new Error(`${method} ${path}: ${code} ${text}`);
  };
  const create = (name: string, more: object = {}, metadata: object = {}): Promise<void> =>
    send("POST", CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, ...more });
  const remove = (...names: string[]): Promise<unknown> =>
    Promise.all(names.map((name) => server.ask("DELETE", `${CONFIGMAPS}/${encodeURIComponent(name)}`)));
  const open = async (to: string, options: Parameters<TestBrowser["newPage"]>[0] = {}): Promise<TestPage> => {
    const opened = await browser.newPage(options);
    opened.page.setDefaultTimeout(PATIENCE_MS);
    tellWhenFailed(opened);
    await signIn(opened.page, server, { to });
    return opened;
  };
  const row = (page: Page, name: string) => page.locator("[role=row]", { hasText: name });
  const names = (page: Page): Promise<string[]> => page.locator(".table-body .table-name").allTextContents();

  test("an empty list becomes a table that follows every change, without a reload", async () => {
    const { page, problems } = await open("/console/list/core/v1/secrets?namespace=default");
    await page.getByText("There are no secrets in the namespace default.").waitFor();
    await send("POST", "/api/v1/namespaces/default/secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "first" },
    });
    await row(page, "first").waitFor();
    expect(await page.getByRole("columnheader").allTextContents()).toEqual(["Selected", "Name", "Type", "Data", "Age"]);
    await send("PATCH", "/api/v1/namespaces/default/secrets/first", { stringData: { a: "1", b: "2" } });
    await page.locator("[role=row]", { hasText: "first" }).getByText("2", { exact: true }).waitFor();
    await expect.poll(() => row(page, "first").getAttribute("class")).toMatch(/flash-(odd|even)/);
    await send("PATCH", "/api/v1/namespaces/default/secrets/first", { metadata: { finalizers: ["example.com/wait"] } });
    await send("DELETE", "/api/v1/namespaces/default/secrets/first");
    await page.getByText("deleting", { exact: true }).waitFor();
    await send("PATCH", "/api/v1/namespaces/default/secrets/first", { metadata: { finalizers: null } });
    await page.getByText("There are no secrets in the namespace default.").waitFor();
    expect(problems).toEqual([]);
  });

  test("a story with the keyboard alone: go to a kind, filter, select, delete, help", async () => {
    const all = ["apple", "apricot", "banana", "cherry"];
    await Promise.all(all.map((name) => create(name)));
    const { page, problems } = await open("/console/");
    await page
      .getByRole("link", { name: /ConfigMap/ })
      .first()
      .waitFor();
    await page.keyboard.press(":");
    await page.getByRole("combobox", { name: "Command" }).fill("cm default");
    await page.keyboard.press("Enter");
    await row(page, "banana").waitFor();
    await page.waitForURL("**/console/list/core/v1/configmaps?namespace=default");
    await page.keyboard.press("/");
    await page.keyboard.type("ap");
    await expect.poll(() => names(page)).toEqual(["apple", "apricot"]);
    await page.waitForURL((url) => url.searchParams.get("name") === "ap");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Space");
    await page.keyboard.press("Space");
    await page.getByText("2 selected").waitFor();
    // The server has answered that they may be deleted.
    await buttonOf(page, "Delete").waitFor();
    await page.keyboard.press("Control+d");
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("heading", { name: "Delete 2 objects (configmaps)" }).waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Delete");
    await dialog.getByRole("button", { name: "Delete 2 objects (configmaps)" }).focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("No configmaps in the namespace default match the filters.").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.press("Escape");
    await expect.poll(() => names(page)).toContain("banana");
    await page.keyboard.press("?");
    await dialog.getByText("delete the selected objects").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await page.getByRole("heading", { name: "What is in this cluster" }).waitFor();
    expect(problems).toEqual([]);
    await remove("banana", "cherry");
  });

  test("Enter opens the object of the cursor, which stays with its object", async () => {
    await Promise.all(["m-1", "m-2"].map((name) => create(name)));
    const { page } = await open(`${LIST}&name=m-`);
    await row(page, "m-2").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("ArrowDown");
    await create("m-0");
    await row(page, "m-0").waitFor();
    await page.keyboard.press("Enter");
    await expect.poll(() => new URL(page.url()).pathname).toBe("/console/object/core/v1/configmaps/default/m-2");
    await page.goBack();
    await row(page, "m-0").waitFor();
    await remove("m-0", "m-1", "m-2");
  });

  test("headers sort, filters are in the URL, and the URL is the list", async () => {
    await Promise.all(
      ["s-a", "s-b", "s-c"].map((name, index) =>
        create(
          name,
          { data: Object.fromEntries(Array.from({ length: 3 - index }, (_, n) => [`k${n}`, "v"])) },
          { labels: { tier: index < 2 ? "front" : "back" } },
        ),
      ),
    );
    const { page, problems } = await open(`${LIST}&name=s-`);
    await row(page, "s-a").waitFor();
    await page.getByRole("columnheader", { name: "Data" }).getByRole("button").click();
    await expect.poll(() => names(page)).toEqual(["s-c", "s-b", "s-a"]);
    await page.locator("[role=columnheader][aria-sort=ascending]", { hasText: "Data" }).waitFor();
    await page.getByRole("columnheader", { name: "Data" }).getByRole("button").click();
    await expect.poll(() => names(page)).toEqual(["s-a", "s-b", "s-c"]);
    await page.waitForURL((url) => url.searchParams.get("desc") === "1");
    await page.locator("#filter-labels").fill("tier=f");
    await page.getByRole("option", { name: "tier=front" }).click();
    await expect.poll(() => names(page)).toEqual(["s-a", "s-b"]);
    const again = await browser.newPage();
    await signIn(again.page, server, { to: new URL(page.url()).pathname + new URL(page.url()).search });
    await expect.poll(() => names(again.page)).toEqual(["s-a", "s-b"]);
    await page.getByRole("button", { name: "As kubectl" }).click();
    await page.getByText("kubectl get configmaps -n default -l tier=front | grep -iF -- s-").waitFor();
    expect(problems).toEqual([]);
    await remove("s-a", "s-b", "s-c");
  });

  test("selected objects get a label; what is refused is shown for its object", async () => {
    await Promise.all([create("l-1"), create("l-2")]);
    const { page } = await open(`${LIST}&name=l-`);
    await row(page, "l-1").getByRole("checkbox").click();
    await row(page, "l-2").getByRole("checkbox").click();
    await page.getByRole("button", { name: "Label", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Key").fill("example.com/team");
    await dialog.getByLabel("Value").fill("not a label value!");
    await dialog.getByRole("button", { name: /^Label 2/ }).click();
    await dialog.getByText("2 of 2 done, 2 failed.").waitFor();
    expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
      expect.stringMatching(/^default\/l-1: .*not a label value!/),
      expect.stringMatching(/^default\/l-2: .*not a label value!/),
    ]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.keyboard.press("l");
    await dialog.getByLabel("Key").fill("example.com/team");
    await dialog.getByLabel("Value").fill("red");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    const { text } = await server.ask("GET", `${CONFIGMAPS}?labelSelector=example.com/team%3Dred`);
    expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(2);
    await remove("l-1", "l-2");
  });

  test("who may only read sees no button that writes", async () => {
    await send("POST", "/api/v1/namespaces/default/serviceaccounts", {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name: "reader" },
    });
    await send("POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: "default" }],
    });
    const { text } = await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts/reader/token", {
      headers: JSON_BODY,
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    });
    const { token } = (JSON.parse(text) as { status: { token: string } }).status;
    await create("readable");
    const { page } = await browser.newPage();
    await page.goto(`${server.url}${LIST}`);
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.getByLabel(/paste a token/).fill("nonsense");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.locator(".sign-in-failed").waitFor();
    await page.getByLabel(/paste a token/).fill(token);
    let answered = 0;
    page.on("response", (response) => void (response.url().endsWith("/selfsubjectaccessreviews") && answered++));
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await row(page, "readable").waitFor();
    await page.waitForURL(`${server.url}${LIST}`);
    await row(page, "readable").getByRole("checkbox").click();
    await page.getByText("1 selected").waitFor();
    await expect.poll(() => row(page, "readable").getByRole("checkbox").isChecked()).toBe(true);
    // Whether objects may be deleted, changed and created.
    await expect.poll(() => answered).toBeGreaterThanOrEqual(3);
    for (const name of ["Delete", "Label", "Annotate"]) await expectNone(buttonOf(page, name));
    await expectNone(page.getByRole("link", { name: "New", exact: true }));
    await page.keyboard.press("Delete");
    await expectNone(page.getByRole("dialog"));
    // A list that is not his says why.
    await page.goto(`${server.url}/console/list/core/v1/secrets?namespace=default`);
    await page.getByText("The secrets cannot be shown.").waitFor();
    await page.getByText(/reader.*cannot list.*secrets/).waitFor();
    await remove("readable");
  });

  test("a session that ends while the page is open asks for another one, and the view stays", async () => {
    await create("kept");
    const { page } = await open(`${LIST}&name=kept`);
    await row(page, "kept").waitFor();
    await page.context().clearCookies();
    await page.locator("#filter-text").fill("typed");
    await page.keyboard.press("Control+a");
    await page.locator("#filter-labels").focus();
    await page.getByText("The session has ended. What you typed is still here.").waitFor();
    expect(await page.locator("#filter-text").inputValue()).toBe("typed");
    await page.locator("#filter-text").fill("");
    await page.getByLabel("Token").fill(server.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("The session is over.").waitFor({ state: "detached" });
    await row(page, "kept").waitFor();
    await remove("kept");
  });

  test("contents that mean harm are texts", async () => {
    const script = `<img src=x onerror="document.title='harmed'"><script>document.title='harmed'</script>`;
    const long = `${"n".repeat(240)}.${"x".repeat(12)}`;
    await create(
      "hostile",
      { data: { [`a.b`]: script } },
      { annotations: { "example.com/x": script, "example.com/y": "\u202egnp.exe" } },
    );
    await create(long);
    await send("POST", "/api/v1/namespaces/default/events", {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "hostile" },
      involvedObject: { kind: script, namespace: "default", name: `\u202e${script}` },
      reason: script,
      message: `\u202eturned ${script}`,
      type: "Warning",
      firstTimestamp: "2026-11-30T07:00:00Z",
      lastTimestamp: "2026-11-30T07:00:00Z",
      count: 1,
      source: { component: script },
    });
    const { page, problems } = await open("/console/list/core/v1/events?namespace=default");
    await page.getByRole("grid").getByText("onerror").first().waitFor();
    await expect.poll(() => page.getByRole("grid").textContent()).toContain(String.raw`\u{202e}turned`);
    expect(await page.locator("main img, main script").count()).toBe(0);
    await page.goto(`${server.url}${LIST}`);
    const cell = page.locator(".table-name", { hasText: "nnnn" });
    await cell.waitFor();
    expect(await cell.getAttribute("title")).toBe(long);
    // It is cut: neither the cell nor the table grows with it.
    const [isCut, fits] = await page.evaluate<[boolean, boolean]>(`(() => {
      const cell = document.querySelector('.table-name[title^="nnnn"]');
      const table = document.querySelector('[role="grid"]');
      return [cell.scrollWidth > cell.clientWidth, table.scrollWidth <= table.clientWidth];
    })()`);
    expect({ isCut, fits }).toEqual({ isCut: true, fits: true });
    await page.goto(`${server.url}/console/`);
    await page.getByText("onerror").first().waitFor();
    await page.goto(
      `${server.url}/console/list/core/v1/configmaps?name=${encodeURIComponent(script)}&labels=${encodeURIComponent(script)}&namespace=${encodeURIComponent(script)}`,
    );
    await page.getByRole("heading", { name: "ConfigMap" }).waitFor();
    await page.locator(".error-box, .empty").first().waitFor();
    expect(await page.title()).not.toContain("harmed");
    expect(problems.filter((problem) => !problem.includes("status of 4"))).toEqual([]);
    await remove("hostile", long);
  });

  test("what one browser deletes goes from the other one", async () => {
    await Promise.all(["two-1", "two-2"].map((name) => create(name)));
    const [one, two] = await Promise.all([open(`${LIST}&name=two-`), open(`${LIST}&name=two-`)]);
    await Promise.all([row(one.page, "two-2").waitFor(), row(two.page, "two-2").waitFor()]);
    await row(one.page, "two-1").getByRole("checkbox").click();
    await one.page.getByRole("button", { name: "Delete", exact: true }).click();
    await one.page.getByRole("button", { name: "Delete 1 ConfigMap" }).click();
    await expect.poll(() => names(two.page)).toEqual(["two-2"]);
    await remove("two-2");
  });

  test("the page goes on by itself after a restart of the server, and says meanwhile that it waits", async () => {
    await create("before");
    const { page } = await open(LIST);
    await row(page, "before").waitFor();
    await server.stop();
    await page.getByText("The connection is lost.").waitFor();
    await row(page, "before").waitFor();
    await server.start();
    await create("after");
    await row(page, "after").waitFor();
    await page.getByText("The connection is lost.").waitFor({ state: "detached" });
    await expect.poll(() => names(page)).toEqual(expect.arrayContaining(["after", "before"]));
    await remove("before", "after");
  });

  test("a connection that breaks off again and again, and then is slow, ends at the state of the server", async () => {
    const proxy = await Proxy.to(server.url);
    try {
      await create("through");
      const { page } = await browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`${proxy.secureUrl}${LIST}`);
      await page.getByLabel(/paste a token/).fill(server.token);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await row(page, "through").waitFor();
      for (let round = 0; round < 3; round++) {
        proxy.cut();
        await create(`round-${round}`);
        await row(page, `round-${round}`).waitFor();
      }
      proxy.refuse(true);
      proxy.cut();
      await page.getByText("The connection is lost.").waitFor();
      await create("refused");
      proxy.slow({ latencyMillis: 300, bytesPerSecond: 50_000 });
      proxy.refuse(false);
      await row(page, "refused").waitFor();
      await page.locator("#filter-name").fill("round-1");
      await expect.poll(() => names(page)).toEqual(["round-1"]);
      await remove("through", "refused", "round-0", "round-1", "round-2");
      await page.getByText("No configmaps in the namespace default match the filters.").waitFor();
    } finally {
      proxy.close();
    }
  });

  test("a past moment is shown, and nothing can be changed in it", async () => {
    await create("past");
    const { text } = await server.ask("GET", `${CONFIGMAPS}/past`);
    const { resourceVersion } = (JSON.parse(text) as { metadata: { resourceVersion: string } }).metadata;
    await remove("past");
    await create("present");
    const { page } = await open(`${LIST}&at=${resourceVersion}`);
    await row(page, "past").waitFor();
    await expectNone(row(page, "present"));
    await page.getByText(`You see the cluster as it was at revision ${resourceVersion}.`).waitFor();
    await expectNone(page.getByRole("link", { name: "New", exact: true }));
    await page.getByRole("button", { name: "Back to now" }).click();
    await row(page, "present").waitFor();
    await page.waitForURL((url) => !url.searchParams.has("at"));
    await expectNone(row(page, "past"));
    await remove("present");
  });

  test("a million rows scroll: by wheel, by bar, by keys, to the last one", async () => {
    const { page, problems } = await browser.newPage();
    await page.addInitScript(installFakeStream, { rows: 1_000_000, changesPerSecond: 0 });
    await signIn(page, server, { to: LIST });
    await row(page, "object-00000000").waitFor();
    await page.getByText("1,000,000").waitFor();
    const grid = page.getByRole("grid");
    await grid.hover();
    await page.mouse.wheel(0, 3000);
    await row(page, "object-00000100").waitFor();
    await grid.focus();
    await page.keyboard.press("End");
    await row(page, "object-00999999").waitFor();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => grid.getAttribute("aria-activedescendant")).toBe("row-999998");
    await grid.evaluate((element) => {
      element.scrollTop = element.scrollHeight / 2;
    });
    await expect.poll(async () => (await names(page))[0]).toMatch(/^object-0(0499|0500)/);
    await page.keyboard.press("Home");
    await row(page, "object-00000000").waitFor();
    expect(await page.locator("[role=row]").count()).toBeLessThan(100);
    expect(problems).toEqual([]);
  });

  test("axe finds nothing on the first page, in a list, in dialogs and at the sign-in, in light and dark", async () => {
    await Promise.all(["axe-1", "axe-2"].map((name) => create(name)));
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open("/console/", { colorScheme, reducedMotion: "reduce" });
      await page
        .getByRole("link", { name: /ConfigMap/ })
        .first()
        .waitFor();
      expect(await axe(page)).toEqual([]);
      await page.goto(`${server.url}${LIST}`);
      await row(page, "axe-1").getByRole("checkbox").click();
      expect(await axe(page)).toEqual([]);
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.keyboard.press(":");
      await page.keyboard.type("po");
      expect(await axe(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: /preferences and session/ }).click();
      expect(await axe(page)).toEqual([]);
      const guest = await browser.newPage({ colorScheme });
      await guest.page.goto(`${server.url}/console/`);
      await guest.page.getByRole("heading", { name: "Sign in" }).waitFor();
      expect(await axe(guest.page)).toEqual([]);
    }
    await remove("axe-1", "axe-2");
  });

  test("on a phone nothing is wider than the screen, and the list of kinds is a drawer", async () => {
    await create("phone", {}, { labels: { a: "b" } });
    const { page } = await open(LIST, { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true });
    await row(page, "phone").waitFor();
    const width = (): Promise<number> => page.evaluate<number>("document.documentElement.scrollWidth");
    expect(await width()).toBe(360);
    const grid = page.getByRole("grid");
    expect(await grid.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
    expect(await axe(page)).toEqual([]);
    await page.getByRole("button", { name: "List of kinds" }).tap();
    await page.getByRole("navigation").getByRole("link", { name: "Secret", exact: true }).tap();
    await page.getByRole("heading", { name: "Secret" }).waitFor();
    await page.getByRole("navigation").waitFor({ state: "hidden" });
    await page.goto(`${server.url}/console/`);
    await page
      .getByRole("link", { name: /ConfigMap/ })
      .first()
      .waitFor();
    expect(await width()).toBe(360);
    await remove("phone");
  });

  test.runIf(process.env["PICTURES"])("pictures for the pages", async () => {
    mkdirSync(PICTURES, { recursive: true });
    const kinds = ["web", "worker", "queue", "gateway", "search", "billing", "mailer", "reports"];
    const image = "example.com/app:1";
    await Promise.all(
      kinds.map((name, index) =>
        send("POST", "/apis/apps/v1/namespaces/default/deployments", {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata: { name },
          spec: {
            replicas: 1 + (index % 3),
            selector: { matchLabels: { app: name } },
            template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image }] } },
          },
        }),
      ),
    );
    for (const colorScheme of ["light", "dark"] as const) {
      const { page } = await open("/console/list/core/v1/pods?namespace=default", {
        colorScheme,
        viewport: { width: 1080, height: 620 },
        reducedMotion: "reduce",
      });
      await expect.poll(async () => (await page.getByText("Running").count()) > 10, { timeout: 30_000 }).toBe(true);
      await row(page, "queue").first().getByRole("checkbox").click();
      const path = `${PICTURES}console-list-${colorScheme}.png`;
      await page.screenshot({ path, animations: "disabled" });
      expect(statSync(path).size).toBeLessThan(120_000);
      if (colorScheme === "dark") continue;
      await page.goto(`${server.url}/console/`);
      await page.getByRole("link", { name: /\d+ Deployment$/ }).waitFor();
      await page.locator(".event").first().waitFor();
      const home = `${PICTURES}console-home.png`;
      await page.screenshot({ path: home, animations: "disabled" });
      expect(statSync(home).size).toBeLessThan(120_000);
    }
    await Promise.all(
      kinds.map((name) => server.ask("DELETE", `/apis/apps/v1/namespaces/default/deployments/${name}`)),
    );
  });
});
