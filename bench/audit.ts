/**
 * What audit costs a request: CPU time of a `get` without audit, and with policies of each level that write to a file.
 *
 * Requests come through the in-process transport; the file is a real one, written before each answer. The servers take
 * turns, so that a busy machine disturbs all of them alike; the best of several rounds counts.
 *
 *     node bench/audit.ts [requests per round] [rounds]
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditMetrics, compileRules, readPolicy } from "../src/audit/index.ts";
import { openAuditFile } from "../src/app/audit/audit-file.ts";
import { resolveOptions } from "../src/app/options/options.ts";
import { alwaysAllow } from "../src/auth/admin.ts";
import { createCluster } from "../src/cluster/index.ts";
import { neutral } from "../src/meta/dialect.ts";
import { requestInfo } from "../src/meta/request-info.ts";
import { DEFAULT_FILTERS, type Filter, audit, withFilter } from "../src/server/index.ts";
import { openMemoryStore } from "../src/storage/memory/store.ts";
import { systemClock } from "../src/util/clock.ts";
import { silentLog } from "../src/util/log.ts";

const REQUESTS = Number(process.argv[2] ?? 20_000);
const ROUNDS = Number(process.argv[3] ?? 7);
const URL = "/api/v1/namespaces/default/configmaps/a";
const identity = { user: "bench", groups: ["system:masters"] };

const directory = mkdtempSync(join(tmpdir(), "keelson-bench-audit-"));
await using open = new AsyncDisposableStack();
open.defer(() => rmSync(directory, { recursive: true }));

const policyOf = (rules: string) => readPolicy(`{apiVersion: audit.k8s.io/v1, kind: Policy, ${rules}}`);

function auditing(name: string, rules: string): readonly Filter[] {
  const path = join(directory, `${name}.log`);
  const metrics = new AuditMetrics();
  const { file } = resolveOptions({ dev: true, "audit-log-path": path }).audit;
  const sink = openAuditFile(file!, { clock: systemClock, log: silentLog, metrics }, open);
  const filter = audit({ rules: compileRules(policyOf(rules)), sink, metrics });
  return withFilter(filter, { after: "authenticate" });
}

/** Answers one `get`. */
type Get = () => Promise<unknown>;

async function server(filters: readonly Filter[]): Promise<Get> {
  const cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: neutral,
    authorizer: () => alwaysAllow,
    server: { filters },
  });
  open.defer(() => cluster.close());
  const headers = { "user-agent": "kubectl/v1.35.0 (linux/amd64) kubernetes/abc", "content-type": "application/json" };
  const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" } });
  await cluster.server.inject({ method: "POST", url: URL.slice(0, -2), headers, body, identity });
  return async () => (await cluster.server.inject({ url: URL, headers, identity })).bytes();
}

/** Microseconds of CPU of one request. */
async function costOf(get: Get): Promise<number> {
  const before = process.cpuUsage();
  for (let i = 0; i < REQUESTS; i++) await get();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}

const servers = new Map<string, Get>([
  ["without audit", await server(DEFAULT_FILTERS)],
  ["level None", await server(auditing("none", "rules: [{level: None}]"))],
  [
    "level Metadata, the answer",
    await server(auditing("one", "omitStages: [RequestReceived], rules: [{level: Metadata}]")),
  ],
  ["level Metadata, both stages", await server(auditing("metadata", "rules: [{level: Metadata}]"))],
  ["level RequestResponse", await server(auditing("all", "rules: [{level: RequestResponse}]"))],
]);

const best = new Map([...servers.keys()].map((name) => [name, Infinity]));
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, get] of servers) best.set(name, Math.min(best.get(name)!, await costOf(get)));
}
const without = best.get("without audit")!;
for (const [name, cost] of best) {
  console.log(`${name.padEnd(30)} ${cost.toFixed(1).padStart(6)} us CPU  +${(cost - without).toFixed(1)}`);
}

/** Rules as the documents of Kubernetes propose them, the one that decides last. */
const usual = Array.from(
  { length: 20 },
  (_, i) =>
    `{level: None, verbs: [get, watch], users: ["system:u${i}"], resources: [{group: "g${i}.io", resources: [a, b/*]}]}`,
);
const rules = compileRules(policyOf(`rules: [${usual.join()}, {level: Metadata}]`));
const info = requestInfo("GET", URL, () => false);
for (let i = 0; i < 200_000; i++) rules(info, identity);
const before = process.cpuUsage();
for (let i = 0; i < 1_000_000; i++) rules(info, identity);
console.log(`the level of a request, 21 rules  ${String(process.cpuUsage(before).user / 1000).slice(0, 3)} ns`);
