import { afterEach, expect, test } from "vitest";
import { AuditMetrics, compileRules, readPolicy } from "../audit/index.ts";
import { alwaysAllow } from "../auth/admin.ts";
import { kubernetes } from "../meta/dialect.ts";
import { gatesOf } from "../meta/gates.ts";
import { audit, withFilter } from "../server/index.ts";
import type { Write } from "../storage/contract.ts";
import { openMemoryStore } from "../storage/memory/store.ts";
import { ManualClock } from "../util/clock.ts";
import { nextPass } from "../util/testing/pass.ts";
import { createCluster } from "./cluster.ts";

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

const identity = { user: "kim", groups: ["system:masters"] };

/** A cluster that audits responses, the annotations that it tells, and a hook before each write to its store. */
async function audited() {
  const notes: Readonly<Record<string, string>>[] = [];
  const policy = readPolicy(
    "{apiVersion: audit.k8s.io/v1, kind: Policy, omitStages: [RequestReceived], rules: [{level: Metadata}]}",
  );
  const filter = audit({
    rules: compileRules(policy),
    metrics: new AuditMetrics(),
    sink: { write: (event) => notes.push(event.stage.annotations ?? {}) > 0 },
  });
  const clock = new ManualClock();
  const store = await openMemoryStore();
  const hook = { before: async (): Promise<void> => {} };
  const write = store.write.bind(store);
  store.write = (record: Write) => hook.before().then(() => write(record));
  const cluster = await createCluster({
    store,
    clock,
    dialect: kubernetes,
    gates: { ...gatesOf(kubernetes), CoordinatedLeaderElection: true },
    authorizer: () => alwaysAllow,
    server: { filters: withFilter(filter, { after: "authenticate" }) },
  });
  open.push({ [Symbol.asyncDispose]: () => cluster.close() });
  const ask = async (method: string, url: string, body?: object): Promise<number> => {
    const headers = { "content-type": "application/json" };
    const response = await cluster.server.inject({ method, url, headers, body: JSON.stringify(body), identity });
    await response.text();
    return response.code;
  };
  return { ask, clock, hook, notes };
}

test("AUDIT-19: the time of the store is recorded for a write, also for one that fails", async () => {
  const { ask, clock, hook, notes } = await audited();
  hook.before = async () => {
    await nextPass();
    clock.advance(600);
  };
  const path = "/api/v1/namespaces/default/configmaps";
  expect(await ask("POST", path, { metadata: { name: "a" } })).toBe(201);
  hook.before = async () => {
    await nextPass();
    clock.advance(700);
    throw new Error("the disk has gone");
  };
  expect(await ask("DELETE", `${path}/a`)).toBe(500);
  hook.before = async () => {};
  expect(await ask("DELETE", `${path}/a`)).toBe(200);
  const key = "apiserver.latency.k8s.io/etcd";
  expect(notes.map((note) => note[key])).toEqual(["600ms", "700ms", undefined]);
});

test("AUDIT-19: a deprecated version is recorded, and the release that removes it", async () => {
  const { ask, notes } = await audited();
  expect(await ask("GET", "/apis/coordination.k8s.io/v1alpha2/leasecandidates")).toBe(200);
  expect(await ask("GET", "/apis/coordination.k8s.io/v1/leases")).toBe(200);
  const told = { "k8s.io/deprecated": "true", "k8s.io/removed-release": "1.38" };
  expect(notes[0]).toMatchObject(told);
  for (const key of Object.keys(told)) expect(notes[1]).not.toHaveProperty([key]);
});
