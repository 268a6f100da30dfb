/** Stories of the views of storage, workloads, the server, findings and plans, and of the slider of time. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Client, type Kind } from "../../src/client/index.ts";
import {
  ConfigMap,
  Deployment,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../src/client/kinds/index.ts";
import { amount } from "../../src/util/testing/amount.ts";
import {
  PATIENCE_MS,
  type TestBrowser,
  type TestPage,
  type TestServer,
  axe,
  beforeTries,
  describeInBrowser,
  expectNone,
  goBackBetween,
  openBrowser,
  picture,
  pictureForPages,
  signIn,
  startServer,
  tellWhenFailed,
} from "./kit/index.ts";

/** Claims of the story of many; the picture has a bound that this exceeds. */
const CLAIMS = amount("CONSOLE_CLAIMS", 300, 5000);
const PATIENCE = { timeout: PATIENCE_MS };
const WIDTH = { viewport: { width: 1280, height: 800 } };

const create = async (client: Client, kind: Kind, object: object): Promise<void> => {
  await client.resource(kind).create(object as never);
};
const claim = (name: string, storageClassName: string, storage = "2Gi"): object => ({
  metadata: { name, namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], storageClassName, resources: { requests: { storage } } },
});
const volume = (name: string): object => ({
  metadata: { name },
  spec: {
    capacity: { storage: "5Gi" },
    accessModes: ["ReadWriteOnce"],
    storageClassName: "manual",
    csi: { driver: "disks.example.com", volumeHandle: name },
  },
});
const web = (image: string, name = "web"): object => ({
  metadata: { name, namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image }] } },
  },
});

/** A script in a text, which must do nothing. */
const SCRIPT = '<img src=x onerror="window.__ran=1"><script>window.__ran=1</script>';
/** A text that shows what follows from right to left, if it is not isolated. */
const RTL = "\u202Egnp.exe";

describeInBrowser("the views", () => {
  let server: TestServer;
  let browser: TestBrowser;

  beforeTries(async () => {
    server = await startServer({ nodes: "3" });
    await create(server.client, StorageClass, {
      metadata: { name: "manual" },
      provisioner: "disks.example.com",
      allowVolumeExpansion: true,
    });
    await create(server.client, Deployment, web("web:1", "base"));
    return server;
  });
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.[Symbol.asyncDispose]());

  const opened = async (to: string, options: object = WIDTH, of = server): Promise<TestPage> => {
    const page = await browser.newPage(options);
    tellWhenFailed(page);
    await signIn(page.page, of, { to });
    await page.page.waitForSelector("[data-view]", PATIENCE);
    return page;
  };
  const text = async (page: Page, selector: string): Promise<string> => (await page.textContent(selector)) ?? "";
  const clean = ({ problems }: TestPage): void => {
    expect(problems.filter((one) => one.includes("Content Security Policy") || one.includes("Error:"))).toEqual([]);
  };

  test("the picture of storage follows a claim that waits, is bound, and grows", async () => {
    const shown = await opened("/console/storage");
    const { page } = shown;
    await create(server.client, PersistentVolumeClaim, claim("data", "manual"));
    const box = '[data-box="claims/default/data"]';
    await page.waitForSelector(`${box}.box-waits`, PATIENCE);
    await page.click(box);
    await expect
      .poll(() => text(page, ".details"), PATIENCE)
      .toContain("it waits for the provisioner disks.example.com");
    // What the server says reads Events, too.
    await expect.poll(() => text(page, ".details .why"), PATIENCE).toContain("disks.example.com");

    await create(server.client, PersistentVolume, volume("disk-1"));
    await page.waitForSelector(`${box}.box-ok`, PATIENCE);
    await page.waitForSelector('[data-box="volumes/disk-1"].box-ok', PATIENCE);
    await expect.poll(() => text(page, ".details .linked"), PATIENCE).toContain("Volume disk-1");

    const patch = { spec: { resources: { requests: { storage: "8Gi" } } } };
    await server.client.resource(PersistentVolumeClaim).patch({ namespace: "default", name: "data" }, patch);
    await expect.poll(() => text(page, ".details .says"), PATIENCE).toContain("it has 5Gi and requests 8Gi");
    await pictureForPages(page, "storage");

    // The keyboard follows the link from the claim to its volume.
    await page.focus(box);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => page.evaluate("document.activeElement.dataset.box")).toBe("volumes/disk-1");
    await page.keyboard.press("Enter");
    await expect.poll(() => text(page, ".details h2")).toContain("disk-1");

    await page.click("#tab-table");
    await expect.poll(() => text(page, '[data-item="claims/default/data"]')).toContain("requests 8Gi");
    await page.check("text=only what waits");
    await expectNone(page.locator('[data-item="nodes/node-1"]'));
    await page.waitForURL((url) => url.searchParams.get("waiting") === "1");
    await page.click("#tab-capacity");
    await expect.poll(() => text(page, ".capacity-table")).toContain("5 GiB");
    clean(shown);
  });

  test("thousands of claims are few boxes, and a list that scrolls", async () => {
    for (let from = 0; from < CLAIMS; from += 50) {
      const names = Array.from({ length: Math.min(50, CLAIMS - from) }, (_, i) => `many-${from + i}`);
      // oxlint-disable-next-line no-await-in-loop -- fifty at a time
      await Promise.all(
        names.map((name) => create(server.client, PersistentVolumeClaim, claim(name, "missing", "1Gi"))),
      );
    }
    const shown = await opened("/console/storage");
    const { page } = shown;
    await page.waitForSelector(".box-many", PATIENCE);
    // Claims of other tests may wait, too.
    const waiting = async (): Promise<number> => Number(/(\d+) wait/.exec(await text(page, ".view-head .badge"))?.[1]);
    await expect.poll(waiting, PATIENCE).toBeGreaterThanOrEqual(CLAIMS);
    await expect.poll(() => page.locator('[data-box^="claims"]').count()).toBeLessThan(61);
    await page.goto(`${server.url}/console/storage?tab=table`);
    await page.waitForSelector("[data-item]", PATIENCE);
    const rows = await page.locator("[data-item]").count();
    expect(rows).toBeLessThan(100);
    clean(shown);
    const claims = await server.client.resource(PersistentVolumeClaim).list({ namespace: "default" });
    for (const { metadata } of claims.items.filter((one) => one.metadata.name.startsWith("many-"))) {
      // oxlint-disable-next-line no-await-in-loop -- what follows has few claims
      await server.client.resource(PersistentVolumeClaim).delete({ namespace: "default", name: metadata.name });
    }
  });

  test("a rollout is seen on the time line, with its revisions, Pods and who changed it", async () => {
    const shown = await opened("/console/workloads");
    const { page } = shown;
    await create(server.client, Deployment, web("web:1"));
    const row = '[data-row="Deployment/default/web"]';
    await page.waitForSelector(`${row}[data-state="ready"]`, PATIENCE);
    await server.client
      .resource(Deployment)
      .patch(
        { namespace: "default", name: "web" },
        { spec: { template: { spec: { containers: [{ name: "c", image: "broken:2" }] } } } },
      );
    await page.click(`${row} .time-name`);
    await expect.poll(() => text(page, ".details"), PATIENCE).toContain("revision 2: ");
    await expect.poll(() => text(page, ".details"), PATIENCE).toContain("spec.template.spec.containers");
    await page.waitForSelector(`${row}[data-state="ready"]`, PATIENCE);
    await page.click(`${row} .time-toggle`);
    const sets = '[data-row^="ReplicaSet/default/web-"]';
    await expect.poll(() => page.locator(sets).count(), PATIENCE).toBe(2);
    await page.locator(`${sets} .time-toggle`).first().click();
    await expect
      .poll(() => page.locator('[data-row^="Pod/default/web-"][data-state="ready"]').count(), PATIENCE)
      .toBe(3);
    await pictureForPages(page, "workloads");
    // The time that is shown is made shorter and longer by buttons.
    const length = (): Promise<string> => text(page, '[aria-label="Time that is shown"] .soft');
    const before = await length();
    await page.click('[aria-label="Longer time"]');
    await expect.poll(length).not.toBe(before);
    clean(shown);
  });

  test("a rollout that cannot go on says in a sentence what it waits for", async () => {
    await create(server.client, Deployment, {
      ...web("web:1"),
      metadata: { name: "huge", namespace: "default" },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "huge" } },
        template: {
          metadata: { labels: { app: "huge" } },
          spec: { containers: [{ name: "c", image: "x", resources: { requests: { memory: "9999Gi" } } }] },
        },
      },
    });
    const { page } = await opened("/console/workloads?unfinished=1");
    const row = '[data-row="Deployment/default/huge"]';
    await page.waitForSelector(row, PATIENCE);
    await page.click(`${row} .time-name`);
    await expect.poll(() => text(page, ".details .why"), PATIENCE).toContain("memory");
    await expect.poll(() => text(page, `${row} .time-says`), PATIENCE).toContain("Pod");
    await server.client.resource(Deployment).delete({ namespace: "default", name: "huge" });
    await page.waitForSelector(row, { state: "detached", ...PATIENCE });
  });

  test("the plots of the server move, and its health is there", async () => {
    const shown = await opened("/console/server");
    const { page } = shown;
    const card = '[aria-label="Requests"]';
    await page.waitForSelector(`${card} canvas`, PATIENCE);
    const readings = async (): Promise<number> => Number(await page.getAttribute(card, "data-readings"));
    await expect.poll(readings, PATIENCE).toBeGreaterThan(1);
    await expect
      .poll(async () => {
        // However far apart two readings are, there are many between them.
        await Promise.all(Array.from({ length: 20 }, () => server.ask("GET", "/api/v1/namespaces")));
        return Number(/reads\s*([\d.]+)/.exec(await text(page, card))?.[1] ?? 0);
      }, PATIENCE)
      .toBeGreaterThan(5);
    await expect.poll(() => text(page, ".health")).toContain("checks pass");
    await expect.poll(() => page.locator("canvas").count()).toBe(9);
    await pictureForPages(page, "server");
    clean(shown);
  });

  test("a user who may not read metrics sees the role to ask for", async () => {
    await create(
      server.client,
      { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", scope: "Namespaced" },
      { metadata: { name: "reader", namespace: "default" } },
    );
    const { text: answer } = await server.ask("POST", "/api/v1/namespaces/default/serviceaccounts/reader/token", {
      body: JSON.stringify({
        apiVersion: "authentication.k8s.io/v1",
        kind: "TokenRequest",
        spec: { expirationSeconds: 3600 },
      }),
      headers: { "content-type": "application/json" },
    });
    const { token } = (JSON.parse(answer) as { status: { token: string } }).status;
    const { page } = await browser.newPage(WIDTH);
    await signIn(page, server, { to: "/console/server", as: { token } });
    await expect.poll(() => text(page, ".server"), PATIENCE).toContain("You may not read the metrics");
    await expect.poll(() => text(page, ".server")).toContain('nonResourceURLs: ["/metrics"]');
    await page.goto(`${server.url}/console/storage`);
    await expect.poll(() => text(page, ".view-note"), PATIENCE).toMatch(/You may not list .*persistentvolumes/);
  });

  test("a finding and a report are opened; scripts and hidden characters in them do nothing", async () => {
    const shown = await opened("/console/explore");
    const { page } = shown;
    const file = (name: string, value: unknown): object => ({
      name,
      mimeType: "application/json",
      buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
    });
    const choose = (...files: object[]): Promise<void> => page.setInputFiles("input[type=file]", files as never);
    await choose(file("report.json", report(`Secret default/s is missing ${SCRIPT}`)));
    await expect
      .poll(() => text(page, ".finding"), PATIENCE)
      .toContain("operator is killed after it created ConfigMap default/a");
    await expect.poll(() => text(page, ".finding")).toContain(`<img src=x onerror`);
    await expect.poll(() => page.locator(".lane").count()).toBe(4);
    await page.locator(".moment-first").click();
    await expect.poll(() => text(page, ".lane-chosen")).toContain("only in the clean run");
    await expect.poll(() => text(page, ".finding .command-line pre")).toBe("keelson explore --replay missing.yaml");
    await picture(page, "explore");

    await choose(file("finding.yaml", findingYaml(`gone ${RTL}`)));
    await expect.poll(() => text(page, ".finding summary"), PATIENCE).toContain("gone \\u{202e}gnp.exe");

    await choose(file("bad.yaml", "format: 1\nplan: 3\n"));
    await expect.poll(() => text(page, ".error-box"), PATIENCE).toContain("bad.yaml: plan: expected a list, found 3");
    await choose(file("bomb.yaml", "a: &a [x,x]\nb: &b [*a,*a]\n".repeat(3)));
    await expect.poll(() => text(page, ".error-box"), PATIENCE).toContain("Map keys must be unique");
    expect(await page.evaluate("window.__ran")).toBeUndefined();
    clean(shown);
  });

  test("a plan shows what would change, what is refused, and is applied as one", async () => {
    const shown = await opened("/console/plan");
    const { page } = shown;
    const manifests = [
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings}, data: {colour: blue, script: '<img src=x onerror=\"window.__ran=1\">'}}",
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: base, namespace: default}, spec: {replicas: -1, selector: {matchLabels: {app: base}}, template: {metadata: {labels: {app: base}}, spec: {containers: [{name: c, image: "web:3"}]}}}}`,
    ].join("\n---\n");
    await page.fill(".plan-text", manifests);
    await page.click("button[type=submit]");
    await expect.poll(() => text(page, ".plan-result"), PATIENCE).toContain("spec.replicas");
    await expect.poll(() => page.isDisabled("text=Apply all or none")).toBe(true);

    await page.fill(".plan-text", manifests.replace("replicas: -1", "replicas: 3"));
    await page.check("text=take fields over");
    await page.keyboard.press("Tab");
    await page.focus(".plan-text");
    await page.keyboard.press("Control+Enter");
    await expect.poll(() => text(page, ".plan-result"), PATIENCE).toContain("replaces 3 Pods");
    await expect.poll(() => text(page, ".plan-result")).toContain("/spec/template/spec/containers/0/image");
    await pictureForPages(page, "plan");
    await page.click("text=Apply all or none");
    await page.click("dialog >> text=Apply >> nth=-1");
    await expect.poll(() => text(page, ".plan-summary"), PATIENCE).toContain("applied");
    const stored = await server.client.resource(ConfigMap).get({ namespace: "default", name: "settings" });
    expect(stored.data?.["colour"]).toBe("blue");
    expect(await page.evaluate("window.__ran")).toBeUndefined();
    clean(shown);
  });

  test("a text that is dropped where files are opened changes nothing", async () => {
    const { page } = await opened("/console/plan");
    await page.fill(".plan-text", "kind: ConfigMap");
    await page.evaluate(`
      const dataTransfer = new DataTransfer();
      dataTransfer.setData("text/plain", "kind: Secret");
      document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    `);
    // What follows from a file would be there by then.
    await page.fill(".plan-short >> nth=0", "team");
    expect(await page.inputValue(".plan-text")).toBe("kind: ConfigMap");
  });

  test("a saved plan opens", async () => {
    const { page } = await opened("/console/plan");
    const saved = {
      kind: "Plan",
      apiVersion: "keelson.dev/v1",
      outcome: "refused",
      resourceVersion: "5",
      documents: [{ result: "refused", refusedBy: "validation", status: { message: SCRIPT }, warnings: [] }],
      pruned: [],
      findings: [],
      restarts: [],
    };
    await page.setInputFiles("input[type=file]", {
      name: "plan.json",
      mimeType: "application/json",
      buffer: Buffer.from(JSON.stringify(saved)),
    });
    await expect.poll(() => text(page, ".plan-result"), PATIENCE).toContain("Refused by validation: <img");
    expect(await page.evaluate("window.__ran")).toBeUndefined();
  });

  test("the slider shows a claim that was deleted, and now does not", async () => {
    // The whole of its time is on the slider.
    await using own = await startServer();
    const { client } = own;
    await create(client, PersistentVolumeClaim, claim("stays", "manual"));
    await create(client, PersistentVolumeClaim, claim("gone", "manual"));
    const since = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const until = Date.now();
    await client.resource(PersistentVolumeClaim).delete({ namespace: "default", name: "gone" });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await create(client, ConfigMap, { metadata: { name: "later", namespace: "default" } });
    const shown = await opened("/console/storage?tab=table", WIDTH, own);
    const { page } = shown;
    await page.waitForSelector('[data-item="claims/default/stays"]', PATIENCE);
    const gone = '[data-item="claims/default/gone"]';
    await expectNone(page.locator(gone));
    await page.focus("#main");
    await page.keyboard.press("t");
    await page.waitForSelector("[role=slider]", PATIENCE);
    await goBackBetween(page, since, until);
    await page.waitForSelector(gone, PATIENCE);
    await page.waitForURL((url) => /^\d+@\d{4}-/.test(url.searchParams.get("at") ?? ""));
    await pictureForPages(page, "time");
    // The address has the moment.
    await page.reload();
    await page.waitForSelector(gone, PATIENCE);
    await page.focus("[role=slider]");
    await page.keyboard.press("End");
    await page.waitForSelector(gone, { state: "detached", ...PATIENCE });
    await page.waitForURL((url) => !url.searchParams.has("at"));
    clean(shown);
  });

  test.each(["light", "dark"] as const)("axe finds nothing in the views, %s", async (colorScheme) => {
    const { page } = await opened("/console/storage", { ...WIDTH, colorScheme });
    const found: unknown[] = [];
    for (const [path, ready] of PAGES) {
      // oxlint-disable no-await-in-loop -- one page after the other
      await page.goto(`${server.url}${path}`);
      await page.waitForSelector(ready, PATIENCE);
      found.push(...(await axe(page)).map((one) => ({ path, ...one })));
      // oxlint-enable no-await-in-loop
    }
    // With a text that is planned, a report that is open, the strip of time, and an object that is chosen.
    const check = async (path: string): Promise<void> => {
      found.push(...(await axe(page)).map((one) => ({ path, ...one })));
    };
    await page.fill(".plan-text", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: c}}");
    await page.click("button[type=submit]");
    await page.waitForSelector(".plan-document", PATIENCE);
    await check("a plan");
    await page.goto(`${server.url}/console/explore`);
    const buffer = Buffer.from(JSON.stringify(report("missing")));
    await page.setInputFiles("input[type=file]", { name: "report.json", mimeType: "application/json", buffer });
    await page.waitForSelector(".lane", PATIENCE);
    await check("a report");
    await page.goto(`${server.url}/console/workloads`);
    await page.click('[data-row="Deployment/default/base"] .time-toggle', PATIENCE);
    await page.click('[data-row="Deployment/default/base"] .time-name', PATIENCE);
    await page.waitForSelector(".details .why, .details .lives li", PATIENCE);
    await page.focus("#main");
    await page.keyboard.press("t");
    await page.waitForSelector("[role=slider]", PATIENCE);
    await check("a workload and the strip");
    expect(found).toEqual([]);
  });

  test("nothing is wider than a phone", async () => {
    const { page } = await opened("/console/storage", { viewport: { width: 360, height: 740 } });
    const wide: string[] = [];
    for (const [path, ready] of PAGES) {
      // oxlint-disable no-await-in-loop -- one page after the other
      await page.goto(`${server.url}${path}`);
      await page.waitForSelector(ready, PATIENCE);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      const view = await page.evaluate<number>("document.querySelector('.view').scrollWidth");
      if (width > 360 || view > 360) wide.push(`${path} ${width} ${view}`);
      // oxlint-enable no-await-in-loop
    }
    expect(wide).toEqual([]);
  });
});

const PAGES = [
  ["/console/storage", "[data-box]"],
  ["/console/storage?tab=table", "[data-item]"],
  ["/console/storage?tab=capacity", ".capacity-table"],
  ["/console/workloads", "[data-row]"],
  ["/console/server", "canvas"],
  ["/console/explore", ".drop"],
  ["/console/plan", ".plan-text"],
] as const;

const finding = (sentence: string): object => ({
  format: 1,
  scenario: { name: "shop", file: "shop.yaml" },
  seed: 7,
  plan: [
    {
      type: "crash",
      at: {
        actor: "operator",
        protocol: "api",
        verb: "create",
        group: "",
        kind: "ConfigMap",
        namespace: "default",
        name: "a",
        occurrence: 0,
      },
      when: "after",
      downMillis: 1000,
    },
  ],
  fault: { kind: "missing", key: "missing s", sentence, step: 0, severity: "fault" },
  replayed: { shown: 3, of: 3 },
  versions: { keelson: "0.1.0", node: "24", platform: "linux" },
});

const findingYaml = (sentence: string): string => `# A finding.\n${JSON.stringify(finding(sentence))}`;

function report(sentence: string): object {
  const moment = (at: number, says: string, kind = "write", isPerturbed = false): object => ({
    seq: at,
    at,
    kind,
    key: says,
    text: says,
    isPerturbed,
  });
  const both = (at: number, says: string, kind?: string): object => ({
    clean: moment(at, says, kind),
    run: moment(at, says, kind),
    isFirst: false,
  });
  return {
    scenario: "shop",
    version: "0.1.0",
    summary: ["1 fault and 0 notices in 12 plans and 40 runs within 3.0 s, seed 7."],
    notices: [],
    findings: [
      {
        finding: finding(sentence),
        file: "missing.yaml",
        steps: ["create the shop"],
        timeLine: [
          both(0, "step: create the shop", "step"),
          both(100, "operator created ConfigMap default/a"),
          both(110, "cluster sees ConfigMap default/a added", "delivery"),
          { run: moment(205, "operator is killed", "life", true), isFirst: false },
          { clean: moment(300, "operator created Secret default/s"), isFirst: true },
        ],
        difference: {
          text: "operator created Secret default/s",
          where: "clean",
          lines: [{ sign: "+", text: "kind: Secret" }],
        },
        owners: [],
        state: [],
        output: [{ actor: "operator", lines: [SCRIPT] }],
        replay: { command: "keelson explore --replay missing.yaml" },
      },
    ],
  };
}
