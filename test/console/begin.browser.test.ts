/** The story from an empty server to a resolved conflict, with the program as users start it, and what a crash of it leaves. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { findKubectls } from "../kubectl/kubectl.ts";
import { EXECUTABLE, Http2Client, Keelson, Scratch, run } from "../serve/keelson.ts";
import {
  PATIENCE_MS,
  type TestBrowser,
  type TestPage,
  beforeTries,
  buttonOf,
  describeInBrowser,
  editText,
  expectNone,
  expectText,
  goBackBetween,
  mistakesOf,
  openBrowser,
  replaceText,
  tellWhenFailed,
} from "./kit/index.ts";

const [kubectl] = findKubectls();

describeInBrowser("a first day", () => {
  const scratch = new Scratch();
  let folder = "";
  let browser: TestBrowser;
  let keelson: Keelson;
  let port = "0";

  const serve = async (): Promise<void> => {
    keelson = await Keelson.serve(["--dialect", "kubernetes", "--nodes", "1", "--data-dir", folder, "--port", port]);
    ({ port } = new URL(keelson.url));
  };
  const open = async (to: string): Promise<TestPage> => {
    const { code, stdout, stderr } = await run(["console", "--print", "--data-dir", folder]);
    expect([code, stderr]).toEqual([0, ""]);
    const opened = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    opened.page.setDefaultTimeout(PATIENCE_MS);
    tellWhenFailed(opened);
    await opened.page.goto(stdout.trim());
    await opened.page.waitForURL(`${keelson.url}/console/`);
    if (to !== "/console/") await opened.page.goto(keelson.url + to);
    return opened;
  };
  /** Runs a line that the page shows for a terminal. */
  const terminal = (line: string): string =>
    execFileSync("sh", ["-c", line], {
      encoding: "utf8",
      env: {
        PATH: `${join(scratch.path, "bin")}:${process.env["PATH"]}`,
        HOME: scratch.path,
        KUBECONFIG: join(folder, "admin.kubeconfig"),
      },
    });
  const row = (page: Page, name: string) => page.locator("[role=row]", { hasText: name });

  // The last of what is done at the end.
  afterAll(() => scratch.remove());
  beforeAll(() => {
    mkdirSync(join(scratch.path, "bin"));
    writeFileSync(join(scratch.path, "bin/keelson"), `#!/bin/sh\nexec ${process.execPath} ${EXECUTABLE} "$@"\n`, {
      mode: 0o755,
    });
  });
  beforeTries(async () => {
    folder = scratch.fresh();
    port = "0";
    await serve();
    return { [Symbol.asyncDispose]: async () => void (await keelson.stop()) };
  });
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  test.skipIf(!kubectl)("from an empty server to a resolved conflict, its history, and the past", async () => {
    const opened = await open("/console/");
    const { page } = opened;
    // The three things to try, as the page says them.
    const lines = page.locator(".newcomer pre");
    await lines.first().waitFor();
    const [create, patch] = await lines.allTextContents();
    await page.getByRole("link", { name: "the ConfigMaps of default" }).click();
    await page.getByRole("heading", { name: "ConfigMap" }).waitFor();
    expect(terminal(create!)).toContain("created");
    await row(page, "hello").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Home");
    await row(page, "hello").getByRole("link").click();
    await page.locator(".owner-cell", { hasText: "kubectl-create" }).first().waitFor();
    expect(terminal(patch!)).toContain("patched");
    await page.locator(".owner-cell", { hasText: /^.me/ }).first().waitFor();
    await page.keyboard.press("?");
    await page.getByRole("dialog").getByText("edit the object").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press(":");
    await page.getByRole("combobox", { name: "Command" }).fill("cm default");
    await page.keyboard.press("Enter");
    await row(page, "hello").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("hel");
    await expect.poll(() => page.locator(".table-body .table-name").allTextContents()).toEqual(["hello"]);

    // An object of one's own, in the page.
    await page.goto(`${keelson.url}/console/`);
    await page.locator(".newcomer:not([open])").waitFor();
    await page.locator(".newcomer summary").click();
    await page.getByRole("link", { name: "a new object" }).click();
    await page.locator("select", { hasText: "any: paste documents" }).selectOption("core/v1/configmaps");
    await page.locator(".edit-main", { hasText: "kind: ConfigMap" }).waitFor();
    const shop = (colour: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n  namespace: default\ndata:\n  colour: ${colour}\n  size: ${colour}\n  taste: ${colour}\n`;
    await replaceText(page, `${shop("red")}  door: open\n`);
    await buttonOf(page, "Try").click();
    await page.locator(".edit-side").getByText("A new object.").waitFor();
    await buttonOf(page, "Create").click();
    await page.waitForURL("**/console/object/core/v1/configmaps/default/shop");
    await page.locator(".owner-cell", { hasText: "keelson-console" }).first().waitFor();

    // A team takes fields over by its own apply.
    writeFileSync(join(scratch.path, "shop.yaml"), shop("blue"));
    const applied = terminal(
      `kubectl apply --server-side --force-conflicts --field-manager=team -f ${join(scratch.path, "shop.yaml")}`,
    );
    expect(applied).toContain("serverside-applied");
    const blueSince = Date.now();
    await page.locator(".cm-changed", { hasText: "colour: blue" }).waitFor();
    await page.locator(".owner-cell", { hasText: "team" }).first().waitFor();

    // The conflict: each answer once.
    await buttonOf(page, "Edit").click();
    await page.locator("select", { hasText: "an apply" }).selectOption("apply");
    await editText(page, /: blue/g, ": green");
    await page.keyboard.press("Control+Enter");
    const conflicts = page.getByRole("region", { name: "Conflicts" });
    await conflicts.waitFor();
    for (const [field, choice] of [
      ["colour", "Keep theirs"],
      ["size", "Take over"],
      ["taste", "Share"],
    ] as const) {
      const side = conflicts.locator("fieldset", { hasText: `.data.${field}` });
      // Both sides are seen.
      await expect.poll(() => side.locator(".side-value").allTextContents()).toEqual(["blue", "green"]);
      await side.getByLabel(choice).check();
    }
    await buttonOf(page, "Try with these answers").click();
    await page.locator(".difference-added", { hasText: "size: green" }).waitFor();
    const blueUntil = Date.now();
    await buttonOf(page, "Apply").click();
    await page.locator(".owner-cell").first().waitFor();
    const stored = JSON.parse(terminal("kubectl get configmap shop -n default -o json --show-managed-fields")) as {
      data: object;
      metadata: { managedFields: { manager: string; operation: string; fieldsV1: { "f:data"?: object } }[] };
    };
    expect(stored.data).toEqual({ colour: "blue", size: "green", taste: "blue", door: "open" });
    const owned = stored.metadata.managedFields
      .map(({ manager, operation, fieldsV1 }) =>
        [manager, operation, ...Object.keys(fieldsV1["f:data"] ?? {}).filter((key) => key !== "."), ""].join(" "),
      )
      .sort();
    expect(owned).toEqual([
      "keelson-console Apply f:size f:taste ",
      "keelson-console Update f:door ",
      "team Apply f:colour f:taste ",
    ]);

    // Its history, a delete and its undoing.
    await page.getByRole("tab", { name: "History" }).click();
    await page.locator(".difference-added", { hasText: "size: green" }).waitFor();
    await buttonOf(page, /^Actions/).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("deleted", { exact: true }).first().waitFor();
    await buttonOf(page, "Undelete…").click();
    await page.getByRole("dialog").getByRole("button", { name: "Undelete", exact: true }).click();
    await page.getByText("shop was restored.").waitFor();
    expect(terminal("kubectl get configmap shop -n default -o jsonpath={.data.size}")).toBe("green");

    // The slider: before all of it there was no such object.
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".yaml-tab .cm-line", { hasText: "size: green" }).waitFor();
    await page.keyboard.press("t");
    // Back to when the size was that of the team.
    await goBackBetween(page, blueSince, blueUntil);
    await page.locator(".yaml-tab .cm-line", { hasText: "size: blue" }).waitFor();
    await page.getByText("Nothing can be changed.").waitFor();
    await expectNone(buttonOf(page, "Edit"));
    await page.getByRole("slider").focus();
    await page.keyboard.press("Home");
    await page.getByText("ConfigMap shop cannot be read.").or(page.getByText("There is no ConfigMap")).waitFor();
    await page.keyboard.press("End");
    await page.locator(".yaml-tab .cm-line", { hasText: "size: green" }).waitFor();
    await page.waitForURL((url) => !url.searchParams.has("at"));
    expect(mistakesOf(opened)).toEqual([]);
  });

  test("a server that is killed and started again: every open page goes on, and an edit that is not saved stays", async () => {
    const send = async (name: string, data: Record<string, string>): Promise<void> => {
      const client = await Http2Client.connect(keelson, folder);
      await client.done("POST", "/api/v1/namespaces/default/configmaps", {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name },
        data,
      });
      client.close();
    };
    const claim = async (name: string): Promise<void> => {
      const client = await Http2Client.connect(keelson, folder);
      await client.done("POST", "/api/v1/namespaces/default/persistentvolumeclaims", {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: "slow",
          resources: { requests: { storage: "1Gi" } },
        },
      });
      client.close();
    };
    await Promise.all([send("crash-a", { a: "1" }), send("crash-b", { b: "1" }), claim("crash-claim")]);
    const list = await open("/console/list/core/v1/configmaps?namespace=default&name=crash");
    const link = new URL(keelson.url);
    const more = async (to: string): Promise<Page> => {
      const page = await list.page.context().newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(link.origin + to);
      return page;
    };
    const object = await more("/console/object/core/v1/configmaps/default/crash-a");
    const edit = await more("/console/object/core/v1/configmaps/default/crash-b");
    const storage = await more("/console/storage?tab=table");
    const plots = await more("/console/server");
    await row(list.page, "crash-a").waitFor();
    await object.locator(".owner-cell").first().waitFor();
    await buttonOf(edit, "Edit").click();
    await editText(edit, 'b: "1"', 'b: "mine"');
    await storage.waitForSelector('[data-item="claims/default/crash-claim"]');
    const readings = async (): Promise<number> =>
      Number(await plots.locator('[aria-label="Requests"]').getAttribute("data-readings"));
    await expect.poll(readings, { timeout: PATIENCE_MS }).toBeGreaterThan(1);

    await keelson.stop("SIGKILL");
    await list.page.getByText("The connection is lost.").waitFor();
    await object.getByText("connection lost", { exact: true }).waitFor();
    await expectText(edit, "mine");
    await serve();
    await Promise.all([send("crash-c", {}), claim("crash-later")]);

    await row(list.page, "crash-c").waitFor();
    await list.page.getByText("The connection is lost.").waitFor({ state: "detached" });
    await storage.waitForSelector('[data-item="claims/default/crash-later"]');
    const before = await readings();
    await expect.poll(readings, { timeout: PATIENCE_MS }).toBeGreaterThan(before);
    // The object is live again: a write of another one is seen.
    const client = await Http2Client.connect(keelson, folder);
    await client.send(
      "PATCH",
      "/api/v1/namespaces/default/configmaps/crash-a",
      { data: { after: "the crash" } },
      { "content-type": "application/merge-patch+json" },
    );
    client.close();
    await object.locator(".cm-line", { hasText: "after: the crash" }).waitFor();
    // The edit is there, and is saved as if nothing had been.
    await expectText(edit, "mine");
    await buttonOf(edit, "Try").click();
    await edit.locator(".difference-added", { hasText: "b: mine" }).waitFor();
    await buttonOf(edit, "Save").click();
    await edit.locator(".owner-cell").first().waitFor();
    await edit.locator(".yaml-tab .cm-line", { hasText: "b: mine" }).waitFor();
    expect(mistakesOf(list)).toEqual([]);
  });
});
