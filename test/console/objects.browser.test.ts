/** Stories of objects in a browser: two people at one object, logs, actions by rights, several documents, the past, kinds of one's own. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import {
  type TestBrowser,
  type TestServer,
  beforeTries,
  buttonOf,
  describeInBrowser,
  editText,
  editorOf,
  expectNone,
  expectText,
  mistakesOf,
  openBrowser,
  openStory,
  readerToken,
  replaceText,
  sendObject,
  startServer,
} from "./kit/index.ts";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PODS = "/api/v1/namespaces/default/pods";
const pageOf = (kind: string, name: string): string => `/console/object/${kind}/default/${name}`;

const shop = (replicas: number): object => ({
  metadata: { name: "shop" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "shop" } },
    template: { metadata: { labels: { app: "shop" } }, spec: { containers: [{ name: "main", image: "shop:1" }] } },
  },
});

describeInBrowser("objects", () => {
  let server: TestServer;
  let browser: TestBrowser;
  beforeTries(async () => (server = await startServer({ nodes: "2" })));
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());
  const maps = () => server.client.resource(ConfigMap);

  test("two browsers edit one object: the second one gets the newer version merged, and blame names both", async () => {
    const key = { name: "both", namespace: "default" };
    await maps().create({ metadata: key, data: { a: "1", b: "1", c: "1" } });
    const to = pageOf("core/v1/configmaps", "both");
    const [one, two] = await Promise.all([openStory(browser, server, to), openStory(browser, server, to)]);
    for (const { page } of [one, two]) await buttonOf(page, "Edit").click();
    await expect.poll(() => one.page.title()).toBe("both (configmaps) · Keelson");
    await one.page.getByLabel("Field manager").fill("ann");
    await two.page.getByLabel("Field manager").fill("bob");
    await editText(one.page, 'a: "1"', 'a: "of ann"');
    await editText(two.page, 'b: "1"', 'b: "of bob"');
    for (const { page } of [one, two]) {
      await buttonOf(page, "Try").click();
      await page.getByText("This would change:").waitFor();
    }
    await buttonOf(one.page, "Save").click();
    await one.page.locator(".owner-cell", { hasText: "ann" }).first().waitFor();
    // What was tried is not what would be stored any more.
    await buttonOf(two.page, "Save").click();
    await two.page.getByText("The object was changed meanwhile").waitFor();
    expect((await maps().get(key)).data).toEqual({ a: "of ann", b: "1", c: "1" });
    await expectText(two.page, "a: of ann");
    await expectText(two.page, 'b: "of bob"');
    await expect.poll(() => buttonOf(two.page, "Save").isDisabled()).toBe(true);
    await buttonOf(two.page, "Try").click();
    await two.page.locator(".difference-added", { hasText: "b: of bob" }).waitFor();
    await expectNone(two.page.locator(".difference-removed", { hasText: "of ann" }));
    await buttonOf(two.page, "Save").click();
    // The first one, who has nothing open but the object, sees it come.
    await one.page.locator(".cm-changed", { hasText: "b: of bob" }).waitFor();
    for (const { page } of [one, two])
      for (const manager of ["ann", "bob"]) await page.locator(".owner-cell", { hasText: manager }).first().waitFor();
    expect((await maps().get(key)).data).toEqual({ a: "of ann", b: "of bob", c: "1" });

    // Both change the same line: the edit stands, and is named.
    for (const { page } of [one, two]) await buttonOf(page, "Edit").click();
    await editText(one.page, 'c: "1"', 'c: "ann"');
    await editText(two.page, 'c: "1"', 'c: "bob"');
    for (const { page } of [one, two]) {
      await buttonOf(page, "Try").click();
      await page.getByText("This would change:").waitFor();
    }
    await buttonOf(one.page, "Save").click();
    await one.page.locator(".yaml-tab .cm-line", { hasText: "c: ann" }).waitFor();
    await buttonOf(two.page, "Save").click();
    await two.page.getByText(/both changed the same: your edit stands there/).waitFor();
    expect((await maps().get(key)).data?.["c"]).toBe("ann");
    await buttonOf(two.page, "Try").click();
    await two.page.locator(".difference-removed", { hasText: "c: ann" }).waitFor();
    await two.page.locator(".difference-added", { hasText: "c: bob" }).waitFor();
    expect([...mistakesOf(one), ...mistakesOf(two)]).toEqual([]);
  });

  test("an edit that is not saved stays while one looks at something else; leaving the page asks; a newer object is merged", async () => {
    const key = { name: "kept", namespace: "default" };
    const { metadata } = await maps().create({ metadata: key, data: { a: "1", b: "1" } });
    await maps().create({ metadata: { ...key, name: "other" }, data: {} });
    const opened = await openStory(browser, server, pageOf("core/v1/configmaps", "kept"));
    const { page } = opened;
    /** Shows another page of the console, as a link does. */
    const go = (to: string): Promise<unknown> =>
      page.evaluate(`history.pushState({}, "", ${JSON.stringify(to)}); dispatchEvent(new PopStateEvent("popstate"))`);
    const isKept = (): Promise<void> => expectText(page, "a: mine");
    await buttonOf(page, "Edit").click();
    await page.getByLabel("Field manager").fill("ann");
    await buttonOf(page, "Close").waitFor();
    await editText(page, 'a: "1"', "a: mine");
    await buttonOf(page, "Discard…").waitFor();

    // Another tab, the past, another object.
    await page.getByRole("tab", { name: "History" }).click();
    await page.getByText("edit not saved").waitFor();
    await buttonOf(page, "Continue the edit").click();
    await isKept();
    await expectNone(page.getByText("edit not saved"));
    await go(`${pageOf("core/v1/configmaps", "kept")}?at=${metadata.resourceVersion}`);
    await page.locator(".yaml-tab .cm-line", { hasText: 'a: "1"' }).waitFor();
    await page.getByText("edit not saved").waitFor();
    await expectNone(buttonOf(page, "Continue the edit"));
    await buttonOf(page, "Back to now").click();
    await isKept();
    await go(pageOf("core/v1/configmaps", "other"));
    await page.getByRole("heading", { name: "default/other" }).waitFor();
    await buttonOf(page, "Edit").waitFor();
    await page.goBack();
    await isKept();
    await expect.poll(() => page.getByLabel("Field manager").inputValue()).toBe("ann");

    // The browser asks before the text is lost, whether the editor is open or not.
    const asksToLeave = async (): Promise<string> => {
      const asked = page.waitForEvent("dialog");
      await page.close({ runBeforeUnload: true });
      const dialog = await asked;
      await dialog.dismiss();
      return dialog.type();
    };
    expect(await asksToLeave()).toBe("beforeunload");
    await page.getByRole("tab", { name: "Events" }).click();
    expect(await asksToLeave()).toBe("beforeunload");
    await page.keyboard.press("e");
    await isKept();

    // The object changes: the editor says so, and merges.
    await maps().patch(key, { data: { b: "theirs" } });
    const { metadata: newer } = await maps().get(key);
    await page
      .getByText(`Version ${newer.resourceVersion} of the object is newer than the one that you edit.`)
      .waitFor();
    await buttonOf(page, "Merge your edits into it").click();
    await page.getByText("Your edits were applied to version").waitFor();
    await isKept();
    await expectText(page, "b: theirs");
    // A try that another write has outrun is merged and repeated.
    await page.route(
      ({ pathname, searchParams: query }) =>
        pathname.endsWith("/kept") && query.get("dryRun") === "All" && !query.has("explain"),
      async (route) => {
        await maps().patch(key, { data: { c: "late" } });
        await route.continue();
      },
      { times: 1 },
    );
    await buttonOf(page, "Try").click();
    await page.locator(".difference-added", { hasText: "a: mine" }).waitFor();
    await expectText(page, "c: late");
    await buttonOf(page, "Save").click();
    await page.locator(".yaml-tab .owner-cell", { hasText: "ann" }).first().waitFor();
    expect((await maps().get(key)).data).toEqual({ a: "mine", b: "theirs", c: "late" });

    // A version of the history does not replace an edit without a question; what is discarded is gone.
    await buttonOf(page, "Edit").click();
    await editText(page, "a: mine", "a: next");
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByRole("button", { name: /^Restore as an edit version/ })
      .last()
      .click();
    await page.getByRole("dialog").getByText("You have an edit that is not saved.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Replace" }).click();
    await expectText(page, 'a: "1"');
    await buttonOf(page, "Discard…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Discard" }).click();
    await page.locator(".yaml-tab .cm-line", { hasText: "a: mine" }).waitFor();
    await page.getByRole("tab", { name: "Events" }).click();
    await page.getByRole("tab", { name: "Events", selected: true }).waitFor();
    await expectNone(page.getByText("edit not saved"));
    expect(mistakesOf(opened)).toEqual([]);
    await page.close({ runBeforeUnload: true });
    await expect.poll(() => page.isClosed()).toBe(true);
  });

  test("new objects that are not created stay as well, and closing goes back to where one came from", async () => {
    const opened = await openStory(browser, server, "/console/");
    const { page } = opened;
    await page.evaluate(
      'history.pushState({ depth: 1 }, "", "/console/new"); dispatchEvent(new PopStateEvent("popstate"))',
    );
    await editorOf(page).waitFor();
    await replaceText(page, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: later\n");
    await page.goBack();
    await page.getByRole("heading", { name: "New objects" }).waitFor({ state: "detached" });
    await page.goForward();
    await expectText(page, "name: later");
    await buttonOf(page, "Try").click();
    await page.getByText("A new object.").waitFor();
    await buttonOf(page, "Create").click();
    await page.waitForURL("**/console/object/core/v1/configmaps/default/later");
    await page.goBack();
    await expectText(page, /^\s*$/);
    await buttonOf(page, "Close").click();
    await page.getByRole("heading", { name: "New objects" }).waitFor({ state: "detached" });
    await page.waitForURL("**/console/");
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("what the server refuses is marked at its place, in one of several documents too", async () => {
    const opened = await openStory(browser, server, "/console/new");
    const { page } = opened;
    await editorOf(page).waitFor();
    const map = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
    await replaceText(page, map("Not_a_name"));
    // The linter has run, and found nothing.
    await page.waitForTimeout(1500);
    await buttonOf(page, "Try").click();
    await page.locator(".cm-lintRange-error", { hasText: "Not_a_name" }).waitFor();
    await replaceText(page, `${map("good")}---\n${map("Nor_this")}`);
    await expect.poll(() => page.locator(".cm-lintRange-error").count()).toBe(0);
    await buttonOf(page, "Try").click();
    await page.locator(".cm-lintRange-error", { hasText: "Nor_this" }).waitFor();
    await page.getByText("1 of 2 documents would be refused, so none can be applied:").waitFor();
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("who may not write gets no version of the history as an edit", async () => {
    const key = { name: "look-only", namespace: "default" };
    await maps().create({ metadata: key, data: { a: "1" } });
    await maps().patch(key, { data: { a: "2" } });
    const rbac = "/apis/rbac.authorization.k8s.io/v1";
    const token = await readerToken(server, "historian");
    await sendObject(server, "POST", `${rbac}/clusterroles`, {
      metadata: { name: "history" },
      rules: [{ nonResourceURLs: ["/keelson/v1/history"], verbs: ["get"] }],
    });
    await sendObject(server, "POST", `${rbac}/clusterrolebindings`, {
      metadata: { name: "history" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "history" },
      subjects: [{ kind: "ServiceAccount", name: "historian", namespace: "default" }],
    });
    const { page } = await openStory(browser, server, `${pageOf("core/v1/configmaps", "look-only")}?tab=history`, {
      as: { token },
    });
    await page
      .getByRole("button", { name: /^Compare with this|^Compared with this/ })
      .first()
      .waitFor();
    await expectNone(page.getByRole("button", { name: /^Restore as an edit/ }));
  });

  test("an edit stays while another one deletes the object, and the page says what is wrong", async () => {
    const key = { name: "vanishes", namespace: "default" };
    await maps().create({ metadata: key, data: { a: "1" } });
    const { page } = await openStory(browser, server, pageOf("core/v1/configmaps", "vanishes"));
    await buttonOf(page, "Edit").click();
    await editText(page, 'a: "1"', 'a: "mine"');
    await maps().delete(key);
    await page.getByText("deleted", { exact: true }).waitFor();
    await expectText(page, "mine");
    await buttonOf(page, "Try").click();
    await page.locator(".edit-side").getByText('"vanishes" not found').waitFor();
    await expectText(page, "mine");
  });

  test("the log of a Pod on a simulated node is followed until its container ends; another one has lines", async () => {
    await sendObject(server, "POST", PODS, {
      metadata: { name: "short" },
      spec: {
        restartPolicy: "Never",
        containers: [
          { name: "first", image: "a" },
          { name: "second", image: "b" },
        ],
      },
    });
    const opened = await openStory(browser, server, `${pageOf("core/v1/pods", "short")}?tab=logs`);
    const { page } = opened;
    await page.getByText("Following").waitFor();
    await sendObject(server, "PATCH", `${PODS}/short`, {
      metadata: { annotations: { "simulation.keelson.dev/run-for": "1s" } },
    });
    await buttonOf(page, "Read again").waitFor();
    await expect
      .poll(() => page.getByLabel("Container").locator("option").allTextContents())
      .toEqual(["first", "second"]);
    // There was no run before, and the server says so.
    await page.getByLabel("of the run before").check();
    await page.getByText("The log cannot be read.").waitFor();
    await page.getByText("previous terminated container").waitFor();
    // Simulated containers without a script write nothing: lines come from a log of the test.
    const lines = Array.from({ length: 6000 }, (_, i) => `line ${i} <img src=x onerror="window.__ran=1"> \u202e`);
    await page.route("**/log?*", (route) =>
      route.fulfill({ contentType: "text/plain", body: `${lines.join("\n")}\n` }),
    );
    await page.getByLabel("of the run before").uncheck();
    const log = page.getByRole("log");
    await expect.poll(() => log.textContent()).toContain("line 5999 <img");
    await expect.poll(() => log.textContent()).toContain(String.raw`\u{202e}`);
    await page.getByText("1000 older lines are left out.").waitFor();
    await expect
      .poll(() => log.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight))
      .toBeLessThan(40);
    expect(await page.evaluate("window.__ran")).toBeUndefined();
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("scale, restart and cordon are there only for users who may do them", async () => {
    await sendObject(server, "POST", DEPLOYMENTS, shop(1));
    const deployment = pageOf("apps/v1/deployments", "shop");
    const opened = await openStory(browser, server, deployment);
    const { page } = opened;
    const choose = async (name: string): Promise<void> => {
      await buttonOf(page, /^Actions/).click();
      await page.getByRole("menuitem", { name, exact: true }).click();
    };
    await page.locator(".owner-cell").first().waitFor();
    await choose("Scale…");
    await page.getByRole("dialog").getByLabel("Replicas").fill("3");
    await page.getByRole("dialog").getByRole("button", { name: "Scale", exact: true }).click();
    await page
      .locator(".yaml-tab .cm-line", { hasText: /^\s+replicas: 3$/ })
      .first()
      .waitFor();
    await choose("Restart the rollout");
    await page.locator(".yaml-tab .cm-line", { hasText: "kubectl.kubernetes.io/restartedAt" }).waitFor();
    await choose("Pause the rollout");
    await page.locator(".yaml-tab .cm-line", { hasText: "paused: true" }).waitFor();
    await choose("Resume the rollout");
    await page.locator(".yaml-tab .cm-line", { hasText: "paused: true" }).waitFor({ state: "detached" });

    const { items } = (await sendNothing("/api/v1/nodes")) as { items: { metadata: { name: string } }[] };
    const node = items[0]!.metadata.name;
    const nodePage = `/console/object/core/v1/nodes/-/${node}`;
    await page.goto(server.url + nodePage);
    await page.locator(".owner-cell").first().waitFor();
    await choose("Cordon");
    await page.locator(".yaml-tab .cm-line", { hasText: "unschedulable: true" }).waitFor();
    await choose("Uncordon");
    await page.locator(".yaml-tab .cm-line", { hasText: "unschedulable: true" }).waitFor({ state: "detached" });

    const token = await readerToken(server, "looks");
    const reader = await openStory(browser, server, deployment, { as: { token } });
    for (const path of [deployment, nodePage]) {
      await reader.page.goto(server.url + path);
      await reader.page.locator(".owner-cell").first().waitFor();
      await expectNone(buttonOf(reader.page, "Edit"));
      await expectNone(buttonOf(reader.page, /^Actions/));
      await reader.page.keyboard.press("e");
      await expectNone(editorOf(reader.page));
    }
    expect([...mistakesOf(opened), ...mistakesOf(reader)]).toEqual([]);
  });

  const sendNothing = async (path: string): Promise<unknown> => JSON.parse((await server.ask("GET", path)).text);

  test("several documents are planned and stored as one, or not at all", async () => {
    const opened = await openStory(browser, server, "/console/new");
    const { page } = opened;
    await editorOf(page).waitFor();
    const documents = (value: string): string =>
      `apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: team\ndata:\n  a: ${value}\n`;
    await replaceText(page, documents("[1]"));
    await page.getByText("2 documents, applied as one: all or none").waitFor();
    await buttonOf(page, "Try").click();
    await page.locator(".plan-list .refusal").first().waitFor();
    await expect.poll(() => buttonOf(page, "Apply").isDisabled()).toBe(true);
    await replaceText(page, documents("one"));
    await buttonOf(page, "Try").click();
    await page.getByText("This would happen:").waitFor();
    await expect
      .poll(() => page.locator(".plan-list li").allTextContents())
      .toEqual([
        expect.stringMatching(/^created Namespace team/),
        expect.stringMatching(/^created ConfigMap team\/settings/),
      ]);
    expect((await server.ask("GET", "/api/v1/namespaces/team")).code).toBe(404);
    await buttonOf(page, "Apply").click();
    await page.getByText("All documents are applied.").waitFor();
    expect((await maps().get({ name: "settings", namespace: "team" })).data).toEqual({ a: "one" });
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("an object at a moment is what it was then, and nothing about it can be changed", async () => {
    const key = { name: "then", namespace: "default" };
    await maps().create({ metadata: key, data: { colour: "red" } });
    const { metadata } = await maps().get(key);
    await maps().patch(key, { data: { colour: "blue" } });
    await maps().delete(key);
    const opened = await openStory(
      browser,
      server,
      `${pageOf("core/v1/configmaps", "then")}?at=${metadata.resourceVersion}`,
    );
    const { page } = opened;
    await page.locator(".yaml-tab .cm-line", { hasText: "colour: red" }).waitFor();
    await page.getByText(`at version ${metadata.resourceVersion}, read-only`).waitFor();
    for (const name of ["Edit", /^Actions/]) await expectNone(buttonOf(page, name));
    for (const tab of ["Events", "Graph", "Why", "History"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.getByRole("tab", { name: tab, selected: true }).waitFor();
      await page.locator(".loading").waitFor({ state: "detached" });
      await expect.poll(() => page.locator(".error-box").allTextContents()).toEqual([]);
    }
    await buttonOf(page, "Back to now").click();
    await page.getByText("not there", { exact: true }).waitFor();
    await page.waitForURL((url) => !url.searchParams.has("at"));
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("a kind of one's own: completion and validation by its schema, and integers beyond 2^53 stay exact", async () => {
    await sendObject(server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: "boats.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boats", singular: "boat", kind: "Boat" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    required: ["sail"],
                    properties: {
                      sail: { type: "string", enum: ["white", "brown"], description: "The colour of its sail." },
                      serial: { type: "integer", format: "int64" },
                      notes: { type: "string" },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    });
    await expect.poll(async () => (await server.ask("GET", "/apis/example.com/v1/boats")).code).toBe(200);
    const exact = "9007199254740993";
    const boat = async (): Promise<string> =>
      (await server.ask("GET", "/apis/example.com/v1/namespaces/default/boats/kon")).text;
    const opened = await openStory(browser, server, "/console/new?kind=example.com%2Fv1%2Fboats");
    const { page } = opened;
    await page.locator(".edit-main", { hasText: "kind: Boat" }).waitFor();
    await replaceText(
      page,
      "apiVersion: example.com/v1\nkind: Boat\nmetadata:\n  name: kon\n  namespace: default\nspec:\n  sail: red\n",
    );
    await page.locator(".cm-lintRange-error", { hasText: "red" }).waitFor();
    // Members are proposed, and values; the field under the cursor is explained.
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  ser");
    await page.keyboard.press("Control+Space");
    await page.locator(".cm-tooltip-autocomplete li", { hasText: "serial" }).waitFor();
    // A proposal that has just come is not taken by an Enter that was meant for the text.
    await page.waitForTimeout(200);
    await page.keyboard.press("Enter");
    await page.keyboard.type(exact);
    await editText(page, "sail: red", "sail: brown");
    await expect.poll(() => page.locator(".cm-lintRange-error").count()).toBe(0);
    await page.locator(".edit-main .cm-line", { hasText: "sail: brown" }).click();
    await page.locator(".place", { hasText: "The colour of its sail." }).waitFor();
    await buttonOf(page, "Try").click();
    await page.getByText("A new object.").waitFor();
    await page.locator(".difference-added", { hasText: `serial: ${exact}` }).waitFor();
    await buttonOf(page, "Create").click();
    await page.waitForURL("**/console/object/example.com/v1/boats/default/kon");
    expect(await boat()).toContain(`"serial":${exact}`);
    await page.locator(".yaml-tab .cm-line", { hasText: `serial: ${exact}` }).waitFor();

    // An update of something else.
    await buttonOf(page, "Edit").click();
    await editText(page, "sail: brown", "sail: white");
    await buttonOf(page, "Try").click();
    await page.locator(".difference-added", { hasText: "sail: white" }).waitFor();
    await expectNone(page.locator(".difference", { hasText: "9007199254740992" }));
    await buttonOf(page, "Save").click();
    await page.locator(".yaml-tab .cm-line", { hasText: "sail: white" }).waitFor();
    expect(await boat()).toContain(`"serial":${exact}`);

    // An apply, of it and of something else.
    const next = "18014398509481985";
    await buttonOf(page, "Edit").click();
    await page.locator("select", { hasText: "an apply" }).selectOption("apply");
    await editText(page, `serial: ${exact}`, `serial: ${next}`);
    await buttonOf(page, "Try").click();
    const conflicts = page.getByRole("region", { name: "Conflicts" });
    await conflicts.waitFor();
    await expect.poll(() => conflicts.locator(".side-value").allTextContents()).toEqual([exact, next]);
    await conflicts.getByLabel("Take over").check();
    await buttonOf(page, "Try with these answers").click();
    await page.locator(".difference-added", { hasText: `serial: ${next}` }).waitFor();
    await buttonOf(page, "Apply").click();
    await page.locator(".yaml-tab .cm-line", { hasText: `serial: ${next}` }).waitFor();
    expect(await boat()).toContain(`"serial":${next}`);

    // A version of the history, as an edit.
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByRole("button", { name: /^Restore as an edit version/ })
      .last()
      .click();
    await expectText(page, `serial: ${exact}`);
    await buttonOf(page, "Try").click();
    await page.locator(".difference-added", { hasText: `serial: ${exact}` }).waitFor();
    await buttonOf(page, "Save").click();
    await page.locator(".yaml-tab .cm-line", { hasText: `serial: ${exact}` }).waitFor();
    expect(await boat()).toContain(`"serial":${exact}`);
    expect(mistakesOf(opened)).toEqual([]);
  });
});
