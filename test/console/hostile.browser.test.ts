/** Malicious contents in every view: nothing runs, nothing is loaded, nothing hides or reverses other texts. */
import { once } from "node:events";
import { type Server, createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { authority, serving } from "../../src/pki/certificate.ts";
import { amount } from "../../src/util/testing/amount.ts";
import {
  type TestBrowser,
  type TestPage,
  type TestServer,
  beforeTries,
  buttonOf,
  describeInBrowser,
  editorOf,
  mistakesOf,
  openBrowser,
  openStory,
  replaceText,
  sendObject,
  startServer,
} from "./kit/index.ts";

/** Every way in which a text becomes a program where it is taken for HTML, a URL or a style. */
const SCRIPT = `<img src=x onerror="window.__ran=1"><script>window.__ran=1</script><svg onload="window.__ran=1">`;
/** Turns what follows, hides what is between, and breaks a line where JavaScript thinks so. */
const TURNED = "\u202egnp.exe\u2066\u200b\u2028\u2029\u0007end";
const SHOWN = String.raw`\u{202e}gnp.exe\u{2066}\u{200b}\u{2028}\u{2029}\u{7}end`;
const BAD = `${SCRIPT} ${TURNED}`;
/** The longest name, 253 characters. */
const LONG_NAME = `${"n".repeat(240)}.${"x".repeat(12)}`;
/** The length of the message of an Event, beyond what the API of Events itself permits. */
const MESSAGE = amount("CONSOLE_MESSAGE", 1_000_000, 1_200_000);
const NAMESPACE = "/api/v1/namespaces/default";

/** Runs before the scripts of a page: notes what the content security policy has refused. */
const OBSERVE_POLICY = `
  globalThis.refusals = [];
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
    refusals.push([violatedDirective, blockedURI, sample].join(" ")));
`;

describeInBrowser("contents that mean harm", () => {
  let server: TestServer;
  let browser: TestBrowser;
  let webhook: Server;
  let caBundle = "";

  beforeAll(async () => {
    browser = await openBrowser();
    const term = { now: Date.now(), days: 1 };
    const ca = authority(term);
    webhook = createServer(serving(ca, ["127.0.0.1"], term), (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { request: asked, ...head } = JSON.parse(Buffer.concat(chunks).toString()) as {
          request: { uid: string };
        };
        const status = { message: BAD, reason: SCRIPT, code: 403 };
        response.end(
          JSON.stringify({ ...head, response: { uid: asked.uid, allowed: false, status, warnings: [BAD] } }),
        );
      });
    }).listen(0, "127.0.0.1");
    await once(webhook, "listening");
    caBundle = Buffer.from(ca.cert).toString("base64");
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    webhook?.close();
  });
  beforeTries(async () => {
    server = await startServer({ nodes: "1" });
    await sendObject(server, "POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", {
      metadata: { name: "harm.example.com" },
      webhooks: [
        {
          name: "harm.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: {
            url: `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/`,
            caBundle,
          },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["secrets"] }],
        },
      ],
    });
    const metadata = {
      name: LONG_NAME,
      annotations: { bad: BAD, "x/y.z": BAD },
      labels: { ok: "v" },
      finalizers: ["example.com/harm"],
    };
    await sendObject(server, "POST", `${NAMESPACE}/configmaps`, {
      metadata,
      data: { bad: BAD, lines: `${BAD}\n${BAD}` },
    });
    const { uid } = ((await read(`${NAMESPACE}/configmaps/${LONG_NAME}`)) as { metadata: { uid: string } }).metadata;
    // Of its graph: an owned object, whose name is as long.
    await sendObject(server, "POST", `${NAMESPACE}/configmaps`, {
      metadata: {
        name: `owned-${"o".repeat(247)}`,
        ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: LONG_NAME, uid }],
      },
      data: { bad: BAD },
    });
    // A manager is whatever a client says it is.
    await sendObject(
      server,
      "PATCH",
      `${NAMESPACE}/configmaps/${LONG_NAME}?fieldManager=${encodeURIComponent("<img src=x onerror=__ran=1>")}`,
      { data: { managed: BAD } },
    );
    const about = (kind: string, name: string, message: string, id: string): object => ({
      metadata: { name: id },
      involvedObject: { apiVersion: "v1", kind, name, namespace: "default" },
      reason: SCRIPT,
      message,
      type: "Warning",
      source: { component: BAD },
      count: 3,
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: new Date().toISOString().replace(/\.\d+Z/, "Z"),
    });
    for (const event of [
      about("ConfigMap", LONG_NAME, BAD, "bad"),
      about("ConfigMap", LONG_NAME, `${BAD} ${"m".repeat(MESSAGE)}`, "long"),
    ])
      await sendObject(server, "POST", `${NAMESPACE}/events`, event);
    const tell = async (kind: string, path: string, name: string): Promise<void> => {
      const found = (await read(`${path}/${name}`)) as { metadata: { uid: string } };
      const event = about(kind, name, BAD, `about-${name}`) as { involvedObject: object };
      const involvedObject = { ...event.involvedObject, uid: found.metadata.uid };
      await sendObject(server, "POST", `${NAMESPACE}/events`, { ...event, involvedObject });
    };
    // Storage: a driver, a class and claims that say so.
    await sendObject(server, "POST", "/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: LONG_NAME, annotations: { bad: BAD } },
      provisioner: "harm.example.com",
      parameters: { bad: BAD },
    });
    for (const name of ["claim", LONG_NAME])
      await sendObject(server, "POST", `${NAMESPACE}/persistentvolumeclaims`, {
        metadata: { name, annotations: { bad: BAD } },
        spec: {
          accessModes: ["ReadWriteOnce"],
          storageClassName: LONG_NAME,
          resources: { requests: { storage: "1Gi" } },
        },
      });
    await tell("PersistentVolumeClaim", `${NAMESPACE}/persistentvolumeclaims`, "claim");
    await sendObject(server, "POST", "/api/v1/persistentvolumes", {
      metadata: { name: LONG_NAME },
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "other",
        csi: { driver: "harm.example.com", volumeHandle: BAD },
      },
    });
    // Workloads: images, commands, the cause of a change.
    await sendObject(server, "POST", "/apis/apps/v1/namespaces/default/deployments", {
      metadata: { name: "harm", annotations: { "kubernetes.io/change-cause": BAD } },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "harm" } },
        template: {
          metadata: { labels: { app: "harm" }, annotations: { bad: BAD } },
          spec: {
            containers: [{ name: "c", image: "x", command: [BAD], resources: { requests: { memory: "9999Gi" } } }],
          },
        },
      },
    });
    await tell("Deployment", "/apis/apps/v1/namespaces/default/deployments", "harm");
    await sendObject(server, "POST", `${NAMESPACE}/configmaps`, {
      metadata: { name: "planned" },
      data: { bad: "good" },
    });
    await sendObject(server, "PATCH", "/apis/apps/v1/namespaces/default/deployments/harm/status", {
      status: { conditions: [{ type: "Progressing", status: "False", reason: "Harm", message: BAD }] },
    });
    return server;
  });
  const read = async (path: string): Promise<unknown> => JSON.parse((await server.ask("GET", path)).text);
  const open = async (to: string): Promise<TestPage> => {
    const one = await openStory(browser, server, "/console/");
    await one.page.addInitScript(OBSERVE_POLICY);
    await one.page.goto(server.url + to);
    return one;
  };
  /** Whatever a view shows: nothing ran, nothing was refused that was tried, nothing is wider than the page or came in from elsewhere. */
  const expectHarmless = async (one: TestPage, where: string): Promise<void> => {
    const { page } = one;
    const seen = await page.evaluate<Record<string, unknown>>(`({
      ran: typeof __ran,
      refusals,
      made: document.querySelectorAll("img:not(.cm-widgetBuffer), svg[onload], main script, iframe, object, embed, [onerror], [onload]").length,
      wide: document.documentElement.scrollWidth > innerWidth,
      unseen: [...document.body.innerText.matchAll(/[\\u202a-\\u202e\\u2066\\u2028\\u2029\\u0007]/g)].length,
    })`);
    // Nothing was asked of anybody else, and no picture of the server either.
    const asked = one.requests.filter((url) => !url.startsWith(server.url) || new URL(url).pathname.endsWith("/x"));
    const expected = {
      ran: "undefined",
      refusals: [],
      made: 0,
      wide: false,
      unseen: 0,
      mistakes: [],
      asked: [],
      where,
    };
    expect({ ...seen, mistakes: mistakesOf(one), asked, where }).toEqual(expected);
  };

  test("home and lists", async () => {
    const one = await open("/console/");
    const { page } = one;
    await page.locator(".events .event").first().waitFor();
    await expect.poll(() => page.locator(".events").textContent()).toContain("<img src=x onerror");
    await expect.poll(() => page.locator(".events").textContent()).toContain(SHOWN);
    await expectHarmless(one, "home");
    await page.goto(`${server.url}/console/list/core/v1/events?namespace=default`);
    await page.getByRole("grid").getByText("onerror").first().waitFor();
    await expect.poll(() => page.getByRole("grid").textContent()).toContain(SHOWN);
    await expectHarmless(one, "Events");
    for (const [kind, name] of [
      ["core/v1/configmaps", LONG_NAME],
      ["core/v1/persistentvolumeclaims", LONG_NAME],
      ["apps/v1/deployments", "harm"],
      ["storage.k8s.io/v1/storageclasses", LONG_NAME],
    ] as const) {
      await page.goto(`${server.url}/console/list/${kind}`);
      const cell = page.locator(".table-body .table-name", { hasText: name });
      await cell.waitFor();
      expect(await cell.getAttribute("title")).toBe(name);
      await expectHarmless(one, kind);
    }
    // What the address says is data, too.
    const bad = encodeURIComponent(BAD);
    await page.goto(
      `${server.url}/console/list/core/v1/configmaps?name=${bad}&labels=${bad}&namespace=${bad}&text=${bad}&sort=${bad}`,
    );
    await page.locator(".error-box, .empty").first().waitFor();
    await expectHarmless(one, "a list of a hostile address");
    await page.goto(`${server.url}/console/object/core/v1/configmaps/${bad}/${bad}?tab=${bad}`);
    await page.locator(".error-box, .empty").first().waitFor();
    await expectHarmless(one, "an object of a hostile address");
    await page.goto(`${server.url}/console/new?kind=${bad}&namespace=${bad}`);
    await page.getByText("The server cannot create objects of this kind.").waitFor();
    await expectHarmless(one, "a new object of a hostile address");
  });

  test("an object in all of its tabs, with an Event of a megabyte", async () => {
    const one = await open(`/console/object/core/v1/configmaps/default/${LONG_NAME}`);
    const { page } = one;
    await page.locator(".owner-cell", { hasText: "<img src=x" }).first().waitFor();
    await expectHarmless(one, "YAML");
    for (const [tab, ready] of [
      ["History", ".version"],
      ["Events", ".event-message"],
      ["Graph", ".graph-owned"],
      ["Why", ".why"],
    ] as const) {
      await page.getByRole("tab", { name: tab }).click();
      await page.locator(ready).first().waitFor();
      await expectHarmless(one, tab);
    }
    await page.getByRole("tab", { name: "Events" }).click();
    await page.locator(".event-message").first().waitFor();
    await expect.poll(() => page.locator(".events").textContent()).toContain(SHOWN);
    // A page that lays out a megabyte for each Event of a broken controller is no page any more.
    const longest = await page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('.event-message')].map((cell) => cell.textContent.length))",
    );
    expect(longest).toBeLessThan(20_000);
    await page.getByRole("tab", { name: "YAML" }).click();
    await buttonOf(page, "Edit").click();
    await editorOf(page).waitFor();
    await buttonOf(page, "Try").click();
    await page.getByText("Nothing would change.").waitFor();
    await expectHarmless(one, "the editor");
  });

  test("the Event of a megabyte itself can be opened", async () => {
    const one = await open("/console/object/core/v1/events/default/long");
    await one.page.locator(".owner-cell").first().waitFor();
    await expectHarmless(one, "an Event");
    await expect.poll(() => one.page.locator(".yaml-tab .cm-line").count()).toBeGreaterThan(5);
  });

  test("storage and workloads", async () => {
    const one = await open("/console/storage");
    const { page } = one;
    await page.locator(`[data-box="claims/default/claim"]`).click();
    await page.locator(".details .why").waitFor();
    await expectHarmless(one, "the picture");
    for (const [tab, ready] of [
      ["table", "[data-item]"],
      ["capacity", ".capacity-table"],
    ] as const) {
      await page.goto(`${server.url}/console/storage?tab=${tab}`);
      await page.locator(ready).first().waitFor();
      await expectHarmless(one, tab);
    }
    await page.goto(`${server.url}/console/workloads`);
    await page.locator('[data-row="Deployment/default/harm"] .time-name').click();
    await page.locator(".details").waitFor();
    await expectHarmless(one, "workloads");
    await page.goto(`${server.url}/console/server`);
    await page.locator("canvas").first().waitFor();
    await expectHarmless(one, "the server");
  });

  test("files of findings and plans", async () => {
    const one = await open("/console/explore");
    const { page } = one;
    const file = (name: string, value: unknown): object => ({
      name,
      mimeType: "application/json",
      buffer: Buffer.from(typeof value === "string" ? value : JSON.stringify(value)),
    });
    const crash = {
      actor: BAD,
      protocol: "api",
      verb: "create",
      group: "",
      kind: BAD,
      namespace: BAD,
      name: BAD,
      occurrence: 0,
    };
    await page.setInputFiles(
      "input[type=file]",
      file("finding.yaml", {
        format: 1,
        scenario: { name: BAD, file: BAD },
        seed: 7,
        plan: [{ type: "crash", at: crash, when: "after", downMillis: 1000 }],
        fault: { kind: "missing", key: BAD, sentence: BAD, step: 0, severity: "fault" },
        replayed: { shown: 3, of: 3 },
        versions: { keelson: BAD, node: BAD, platform: BAD },
      }) as never,
    );
    await expect.poll(() => page.locator(".finding").textContent()).toContain("onerror");
    expect(await page.locator(".finding").textContent()).toContain(SHOWN);
    await expectHarmless(one, "a finding");
    await page.setInputFiles("input[type=file]", file(`${SCRIPT.replaceAll("/", "")}.yaml`, `${BAD}: [`) as never);
    await page.locator(".error-box").waitFor();
    await expectHarmless(one, "a file that is none");

    await page.goto(`${server.url}/console/plan`);
    await page.fill(
      ".plan-text",
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "planned" }, data: { bad: BAD } }),
    );
    await page.check("text=take fields over");
    await page.click("button[type=submit]");
    await expect.poll(() => page.locator(".plan-result").textContent()).toContain("onerror");
    await expectHarmless(one, "a plan");
    await page.fill(".plan-text", JSON.stringify({ apiVersion: BAD, kind: BAD, metadata: { name: BAD } }));
    await page.click("button[type=submit]");
    await page.locator(".error-box, .plan-refused").first().waitFor();
    await expectHarmless(one, "a plan of nothing");
    await page.setInputFiles(
      "input[type=file]",
      file("plan.json", {
        kind: "Plan",
        apiVersion: "keelson.dev/v1",
        outcome: "refused",
        resourceVersion: BAD,
        documents: [
          {
            object: { apiVersion: "v1", kind: "ConfigMap", namespace: BAD, name: BAD },
            result: "refused",
            refusedBy: BAD,
            status: { message: BAD },
            warnings: [BAD],
          },
        ],
        pruned: [],
        findings: [],
        restarts: [],
      }) as never,
    );
    await expect.poll(() => page.locator(".plan-result").textContent()).toContain("Refused by");
    await expectHarmless(one, "a saved plan");
  });

  test("the command bar, and what a webhook answers", async () => {
    const one = await open("/console/");
    const { page } = one;
    await page
      .getByRole("link", { name: /ConfigMap/ })
      .first()
      .waitFor();
    await page.keyboard.press(":");
    const command = page.getByRole("combobox", { name: "Command" });
    await command.fill(`cm ${BAD}`);
    await expectHarmless(one, "the command bar");
    await command.fill("cm ./javascript:__ran=1");
    await page.keyboard.press("Enter");
    await page.locator(".error-box, .empty").first().waitFor();
    await expectHarmless(one, "a command");

    // A user who may configure a webhook decides what others read.
    await page.goto(`${server.url}/console/new?kind=core%2Fv1%2Fsecrets`);
    await page.locator(".edit-main", { hasText: "kind: Secret" }).waitFor();
    await replaceText(page, "apiVersion: v1\nkind: Secret\nmetadata:\n  name: refused\n");
    await buttonOf(page, "Try").click();
    await page.locator(".edit-side").getByText("Refused", { exact: true }).waitFor();
    expect(await page.locator(".edit-side").textContent()).toContain("onerror");
    expect(await page.locator(".edit-side").textContent()).toContain(SHOWN);
    await expectHarmless(one, "a refusal");
    await page.goto(`${server.url}/console/plan`);
    await page.fill(".plan-text", "{apiVersion: v1, kind: Secret, metadata: {name: refused}}");
    await page.click("button[type=submit]");
    await expect.poll(() => page.locator(".plan-result").textContent()).toContain("onerror");
    await expectHarmless(one, "a plan that a webhook refuses");
  });

  test("a label that no server lets in, shown all the same", async () => {
    // The server refuses it, and says so without an echo that does anything.
    const answer = await server.ask("POST", `${NAMESPACE}/configmaps`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ metadata: { name: "label", labels: { a: "b\u2028c" } } }),
    });
    expect(answer.code).toBe(422);
    const one = await open(
      `/console/list/core/v1/configmaps?namespace=default&labels=${encodeURIComponent("a=b\u2028c")}`,
    );
    const { page } = one;
    await page.locator(".error-box, .empty").first().waitFor();
    await expectHarmless(one, "a label filter");
    await page.goto(`${server.url}/console/new?kind=core%2Fv1%2Fconfigmaps`);
    await page.locator(".edit-main", { hasText: "kind: ConfigMap" }).waitFor();
    await replaceText(
      page,
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: label\n  labels:\n    a: "b\u2028c"\n',
    );
    await buttonOf(page, "Try").click();
    await page.locator(".edit-side").getByText("Refused", { exact: true }).waitFor();
    await expectHarmless(one, "a label in the editor");
  });

  test("an Event of a megabyte does not travel to a list as a whole", async () => {
    const { items } = (await read(`${NAMESPACE}/events`)) as { items: { message?: string }[] };
    expect(Math.max(...items.map(({ message = "" }) => message.length))).toBeGreaterThan(MESSAGE);
    const one = await open("/console/list/core/v1/events?namespace=default");
    await one.page.getByRole("grid").getByText("onerror").first().waitFor();
    const longest = await one.page.evaluate<number>(
      "Math.max(...[...document.querySelectorAll('.table-body .table-cell')].map((cell) => cell.textContent.length))",
    );
    expect(longest).toBeLessThan(20_000);
    await expectHarmless(one, "a list of long Events");
  });
});
