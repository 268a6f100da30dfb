/** Admission webhooks that hang, lie, and send too much: HOOK-24. */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { alwaysAllow } from "../../src/auth/admin.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { authority, serving } from "../../src/pki/certificate.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { SliceMeter, expectNotLong } from "../../src/util/testing/slices.ts";

const GROUP = "/apis/admissionregistration.k8s.io/v1";
const MAPS = "/api/v1/namespaces/default/configmaps";
const identity = { user: "attacked", groups: ["system:masters"] };

const term = { now: Date.now(), days: 1 };
const ca = authority(term);
const stranger = authority(term);
let hooks: Worker;
let cluster: Cluster;
let urls: { readonly hook: string; readonly silent: string; readonly plain: string; readonly nobody: string };

beforeAll(async () => {
  hooks = new Worker(new URL("broken-hooks.ts", import.meta.url), { workerData: serving(ca, ["127.0.0.1"], term) });
  const [ports] = (await once(hooks, "message")) as [[number, number, number]];
  const [hook, silent, plain, nobody] = [...ports, 1].map((port) => `https://127.0.0.1:${port}`) as [
    string,
    string,
    string,
    string,
  ];
  urls = { hook, silent, plain, nobody };
});
beforeEach(async () => {
  cluster = await createCluster({ store: await openMemoryStore(), dialect: kubernetes, authorizer: () => alwaysAllow });
});
afterEach(() => cluster.close(0));
afterAll(() => hooks.terminate());

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly warnings: unknown;
}

async function send(method: string, url: string, body: object): Promise<Answer> {
  const headers = { "content-type": "application/json" };
  const answer = await cluster.server.inject({ method, url, headers, body: JSON.stringify(body), identity });
  return { code: answer.code, text: await answer.text(), warnings: answer.headers["warning"] };
}

const create = (name: string, hook?: string) =>
  send("POST", MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, labels: hook === undefined ? {} : { hook } },
    data: { k: "v" },
  });

const LATE = "context deadline exceeded";

/** A webhook for the objects that have a label of its value. */
const webhook = (hook: string, url: string, failurePolicy: string, authorities = ca) => ({
  name: `${hook}.example.com`,
  clientConfig: { url, caBundle: Buffer.from(authorities.cert).toString("base64") },
  rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
  objectSelector: { matchLabels: { hook } },
  failurePolicy,
  timeoutSeconds: 10,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
});

async function configure(type: "Mutating" | "Validating", name: string, webhooks: readonly object[]): Promise<void> {
  const { code, text } = await send("POST", `${GROUP}/${type.toLowerCase()}webhookconfigurations`, {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${type}WebhookConfiguration`,
    metadata: { name },
    webhooks,
  });
  if (code !== 201) throw new Error(`expected the configuration to be created: ${text}`);
}

describe("a webhook", () => {
  test.each([
    ["that does not answer", "hook/hang", LATE],
    ["that answers without an end", "hook/drip", LATE],
    ["that never begins with TLS", "silent/", LATE],
    ["that speaks no TLS", "plain/", "failed to call webhook"],
    ["that is not there", "nobody/", "connection refused"],
    ["that answers another uid", "hook/uid", "expected response.uid="],
    ["that answers 16 MiB", "hook/huge", "got more"],
    ["that answers values of 200,000 levels", "hook/deep", "failed to call webhook"],
    ["that redirects", "hook/redirect", "got 307"],
    ["that answers 500", "hook/500", "got 500"],
    ["that answers no JSON", "hook/text", "failed to call webhook"],
    ["that answers nothing", "hook/empty", "failed to call webhook"],
    ["that hangs up", "hook/hangup", "failed to call webhook"],
    ["that hangs up in the middle", "hook/half", "failed to call webhook"],
    ["whose head is too long", "hook/head", "failed to call webhook"],
  ])("HOOK-24: %s is 500 under Fail, and is left out under Ignore", async (_, place, words) => {
    const [server = "", path = ""] = place.split("/");
    const url = `${urls[server as keyof typeof urls]}/${path}`;
    const name = `${server}-${path || "root"}`;
    const timeoutSeconds = words === LATE ? 1 : 10;
    const hooksOf = ["Fail", "Ignore"].map((policy) => ({
      ...webhook(`${name}-${policy.toLowerCase()}`, url, policy),
      timeoutSeconds,
    }));
    await configure("Validating", name, hooksOf);
    const meter = new SliceMeter();
    const failed = await create(`${name}-a`, `${name}-fail`);
    expect(failed.code).toBe(500);
    expect(failed.text).toContain(String.raw`failed calling webhook \"${name}-fail.example.com\"`);
    expect(failed.text).toContain(words);
    expect((await create(`${name}-b`, `${name}-ignore`)).code).toBe(201);
    expectNotLong(meter.stop());
  });

  test("HOOK-24: a certificate of another authority is not accepted", async () => {
    await configure("Validating", "stranger", [webhook("stranger", `${urls.hook}/allow`, "Fail", stranger)]);
    const { code, text } = await create("stranger", "stranger");
    expect(code).toBe(500);
    expect(text).toContain("x509: certificate signed by unknown authority");
  });

  test("HOOK-23: a warning that is too long is cut, and the others are sent", async () => {
    await configure("Validating", "warns", [webhook("warns", `${urls.hook}/warn`, "Fail")]);
    const { code, warnings } = await create("warns", "warns");
    expect([code, warnings]).toEqual([201, [`299 - "${"w".repeat(256)}"`, '299 - "fine"']]);
  });

  test.each([
    ["a patch of 20,000 operations", "operations", [500, 201]],
    ["a patch whose copies double the object each time", "nested", [500, 500]],
  ])("HOOK-25: %s does not change the object", async (_, path, codes) => {
    const policies = ["Fail", "Ignore"];
    const hooksOf = policies.map((policy) =>
      webhook(`${path}-${policy.toLowerCase()}`, `${urls.hook}/${path}`, policy),
    );
    await configure("Mutating", path, hooksOf);
    const meter = new SliceMeter();
    const answers = [await create(`${path}-a`, `${path}-fail`), await create(`${path}-b`, `${path}-ignore`)];
    expect(answers.map(({ code }) => code)).toEqual(codes);
    expectNotLong(meter.stop());
  });
});

test("a server with 300 webhooks that hang, lie, redirect and send 16 MiB serves other writes, with no long slice", async () => {
  const paths = ["hang", "uid", "huge", "redirect", "drip", "hangup"];
  for (let i = 0; i < 3; i++) {
    const all = Array.from({ length: 100 }, (_, n) => ({
      ...webhook("broken", `${urls.hook}/${paths[n % paths.length]}`, "Ignore"),
      name: `w${n}.example.com`,
      timeoutSeconds: 1,
    }));
    await configure("Validating", `many-${i}`, all);
  }
  const meter = new SliceMeter();
  let isBrokenDone = false;
  const broken = Promise.all(Array.from({ length: 4 }, (_, i) => create(`many-${i}`, "broken"))).then((answers) => {
    isBrokenDone = true;
    return answers.map(({ code }) => code);
  });
  let served = 0;
  while (!isBrokenDone) {
    expect((await create(`fine-${served}`)).code).toBe(201);
    served++;
  }
  expect(served).toBeGreaterThan(10);
  expect(await broken).toEqual([201, 201, 201, 201]);
  expectNotLong(meter.stop());
});
