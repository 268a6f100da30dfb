import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { AuditEvent, AuditMetrics } from "../../audit/index.ts";
import { SpanContext } from "../../tracing/span-context.ts";
import { type FinishedSpan, Tracer } from "../../tracing/tracer.ts";
import { ManualClock, seededRandom, systemClock } from "../../util/clock.ts";
import { silentLog } from "../../util/log.ts";
import { resolveOptions } from "../options/options.ts";
import { startServer } from "../start/start.ts";
import { openAuditFile } from "./audit-file.ts";
import { openAuditWebhook } from "./audit-webhook.ts";
import { openAudit } from "./open-audit.ts";
import { RotatingFile } from "./rotating-file.ts";

const path = mkdtempSync(join(tmpdir(), "keelson-audit-"));
afterAll(() => rmSync(path, { recursive: true, force: true }));

const POLICY = join(path, "policy.yaml");
writeFileSync(POLICY, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n");

const event = (auditID: string, responseObject?: string): AuditEvent =>
  new AuditEvent(
    {
      level: "RequestResponse",
      auditID,
      requestURI: "/",
      verb: "get",
      user: undefined,
      sourceIPs: [],
      userAgent: "",
      received: 0,
    },
    { stage: "ResponseComplete", at: 0, responseObject },
  );

const partsOf = (clock = systemClock) => ({
  clock,
  log: silentLog,
  metrics: new AuditMetrics(),
  random: seededRandom(1),
});

/** How many events were lost on their way to a plugin. */
async function lost({ collector }: AuditMetrics, plugin: string): Promise<number> {
  const errors = (await collector()).find(({ name }) => name === "apiserver_audit_error_total")!;
  return errors.samples.find(({ labels }) => labels?.["plugin"] === plugin)?.value ?? 0;
}

const linesOf = (file: string): string[] => readFileSync(file, "utf8").split("\n").slice(0, -1);

test("AUDIT-24: a server writes one line of JSON for each event, in a file for its owner alone, without credentials", async () => {
  const file = join(path, "server.log");
  const options = { dev: true, port: 0, insecureHttp: true, controllers: ["none"] };
  const server = await startServer({ ...options, auditPolicyFile: POLICY, auditLogPath: file });
  const headers = { authorization: `Bearer ${server.pki.adminToken}`, "audit-id": "mine" };
  await (await fetch(`${server.url}/api/v1/namespaces/default`, { headers })).text();
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  await server.close();
  const events = linesOf(file).map(
    (line) => JSON.parse(line) as { auditID: string; stage: string; requestURI: string },
  );
  const mine = events.filter(({ requestURI }) => requestURI === "/api/v1/namespaces/default");
  expect(mine).toMatchObject([
    { auditID: "mine", stage: "RequestReceived" },
    { auditID: "mine", stage: "ResponseComplete", objectRef: { resource: "namespaces", name: "default" } },
  ]);
  expect(readFileSync(file, "utf8")).not.toContain(server.pki.adminToken);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(metrics).toMatch(/apiserver_audit_event_total \d+/);
});

test("AUDIT-1: without a policy nothing is opened; an invalid policy is reported with the paths of its errors", async () => {
  await using open = new AsyncDisposableStack();
  const optionsOf = (policy: string) =>
    resolveOptions({ dev: true, "audit-policy-file": policy, "audit-log-path": join(path, "never.log") }).audit;
  expect(openAudit(optionsOf(""), partsOf(), open)).toBeUndefined();
  expect(readdirSync(path)).not.toContain("never.log");
  const wrong = join(path, "wrong.yaml");
  writeFileSync(wrong, "apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: All}]\n");
  expect(() => openAudit(optionsOf(wrong), partsOf(), open)).toThrow(
    /wrong\.yaml to be an audit policy:\n {2}rules\[0\]\.level/,
  );
  expect(() => openAudit(optionsOf(join(path, "none.yaml")), partsOf(), open)).toThrow(/--audit-policy-file/);
});

test("AUDIT-24: a large file is rotated and compressed, and the oldest files are removed", async () => {
  const file = join(path, "rotated.log");
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const rotation = { maxBytes: 100, maxAgeMillis: 0, maxBackups: 2, compress: true };
  const rotating = new RotatingFile(file, rotation, { clock, log: silentLog });
  for (let i = 0; i < 5; i++) {
    rotating.write(`${String(i).repeat(80)}\n`);
    clock.advance(1000);
  }
  await rotating[Symbol.asyncDispose]();
  expect(readFileSync(file, "utf8")).toBe(`${"4".repeat(80)}\n`);
  const aside = readdirSync(path).filter((name) => name.startsWith("rotated-"));
  expect(aside).toEqual(["rotated-2026-01-01T00-00-03.000.log.gz", "rotated-2026-01-01T00-00-04.000.log.gz"]);
  expect(gunzipSync(readFileSync(join(path, aside[1]!))).toString()).toBe(`${"3".repeat(80)}\n`);
  expect(aside.map((name) => statSync(join(path, name)).mode & 0o777)).toEqual([0o600, 0o600]);
});

test("AUDIT-24: rotated files that are too old are removed when the file is opened", async () => {
  const file = join(path, "old.log");
  writeFileSync(join(path, "old-2026-01-01T00-00-00.000.log"), "");
  writeFileSync(join(path, "old-2026-01-09T00-00-00.000.log"), "");
  const clock = new ManualClock(Date.UTC(2026, 0, 10));
  const rotation = { maxBytes: 100, maxAgeMillis: 2 * 86_400_000, maxBackups: 0, compress: false };
  await new RotatingFile(file, rotation, { clock, log: silentLog })[Symbol.asyncDispose]();
  expect(readdirSync(path).filter((name) => name.startsWith("old-"))).toEqual(["old-2026-01-09T00-00-00.000.log"]);
});

const fileOptions = (said: object) =>
  resolveOptions({ dev: true, "audit-log-path": join(path, "events.log"), ...said }).audit.file!;

test("AUDIT-25: in mode batch no request waits, and buffered events are written on close", async () => {
  const options = fileOptions({
    "audit-log-path": join(path, "batch.log"),
    "audit-log-mode": "batch",
    "audit-log-batch-max-size": 10,
    "audit-log-batch-max-wait": "1h",
  });
  const open = new AsyncDisposableStack();
  const sink = openAuditFile(options, partsOf(), open);
  expect(sink.write(event("a"))).toBe(true);
  expect(linesOf(options.path)).toEqual([]);
  await open.disposeAsync();
  expect(linesOf(options.path)).toHaveLength(1);
});

test("AUDIT-25, AUDIT-26: a lost event fails the request in strict mode only; both blocking modes count it", async () => {
  const small = {
    "audit-log-truncate-enabled": true,
    "audit-log-truncate-max-event-size": 10,
    "audit-log-truncate-max-batch-size": 10,
  };
  for (const [mode, kept] of [
    ["blocking-strict", false],
    ["blocking", true],
  ] as const) {
    await using open = new AsyncDisposableStack();
    const parts = partsOf();
    const sink = openAuditFile(fileOptions({ ...small, "audit-log-mode": mode }), parts, open);
    expect(sink.write(event("a"))).toBe(kept);
    expect(await lost(parts.metrics, "truncate")).toBe(1);
  }
});

test("AUDIT-26: an event that is too large is written without its objects", async () => {
  await using open = new AsyncDisposableStack();
  const options = fileOptions({ "audit-log-path": join(path, "cut.log"), "audit-log-truncate-enabled": true });
  void openAuditFile(options, partsOf(), open).write(event("a", `"${"x".repeat(200_000)}"`));
  expect(JSON.parse(linesOf(options.path)[0]!)).toMatchObject({ annotations: { "audit.k8s.io/truncated": "true" } });
});

test("AUDIT-24: the older format is a line of text", async () => {
  await using open = new AsyncDisposableStack();
  const options = fileOptions({ "audit-log-path": join(path, "legacy.log"), "audit-log-format": "legacy" });
  void openAuditFile(options, partsOf(), open).write(event("a"));
  expect(linesOf(options.path)[0]).toMatch(/^1970-01-01T00:00:00\.000000Z AUDIT: id="a" stage="ResponseComplete"/);
});

test("refuses audit options that contradict each other", () => {
  const refusal = (said: object) => () => resolveOptions({ dev: true, "audit-log-path": "x", ...said });
  expect(refusal({ "audit-log-mode": "batch", "audit-log-batch-throttle-enable": true })).toThrow(/throttle-qps/);
  expect(refusal({ "audit-log-truncate-max-batch-size": 1 })).toThrow(/max-batch-size to be at least/);
  expect(refusal({ "audit-log-maxage": "x" })).toThrow(/audit-log-maxage/);
});

/** A receiver of events, and a kubeconfig that leads there. */
async function receiver(respond: (tries: number) => { code: number; location?: string }) {
  const bodies: string[] = [];
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => (body += piece.toString()));
    request.on("end", () => {
      bodies.push(`${request.url} ${request.headers.authorization} ${body}`);
      const { code, location } = respond(bodies.length);
      response.writeHead(code, location === undefined ? {} : { location }).end("{}");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const file = join(path, `hook-${port}.yaml`);
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: `http://127.0.0.1:${port}/events` } }],
      users: [{ name: "u", user: { token: "told" } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
  );
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  return {
    bodies,
    port,
    options: (said: object) => resolveOptions({ dev: true, "audit-webhook-config-file": file, ...said }).audit.webhook!,
    [Symbol.asyncDispose]: close,
  };
}

test("AUDIT-24, AUDIT-25: a webhook gets lists of events, and the buffered ones on close", async () => {
  await using hook = await receiver(() => ({ code: 200 }));
  const open = new AsyncDisposableStack();
  const sink = openAuditWebhook(hook.options({}), partsOf(), open);
  void sink.write(event("a"));
  void sink.write(event("b"));
  await open.disposeAsync();
  expect(hook.bodies).toHaveLength(1);
  expect(hook.bodies[0]).toMatch(/^\/events Bearer told \{/);
  const list = JSON.parse(hook.bodies[0]!.slice("/events Bearer told ".length)) as object;
  expect(list).toMatchObject({
    kind: "EventList",
    apiVersion: "audit.k8s.io/v1",
    items: [{ auditID: "a" }, { auditID: "b" }],
  });
});

test("AUDIT-24: a failed request to a webhook is retried", async () => {
  await using hook = await receiver((tries) => ({ code: tries < 3 ? 503 : 200 }));
  await using open = new AsyncDisposableStack();
  const parts = partsOf();
  const sink = openAuditWebhook(
    hook.options({ "audit-webhook-mode": "blocking-strict", "audit-webhook-initial-backoff": "1ms" }),
    parts,
    open,
  );
  expect(await sink.write(event("a"))).toBe(true);
  expect(hook.bodies).toHaveLength(3);
  expect(await lost(parts.metrics, "webhook")).toBe(0);
});

test("CVE-2020-8561: a redirect of a webhook is not followed, the event counts as lost", async () => {
  await using target = await receiver(() => ({ code: 200 }));
  await using hook = await receiver(() => ({ code: 307, location: `http://127.0.0.1:${target.port}/secret` }));
  await using open = new AsyncDisposableStack();
  const parts = partsOf();
  const sink = openAuditWebhook(
    hook.options({ "audit-webhook-mode": "blocking-strict", "audit-webhook-initial-backoff": "1ms" }),
    parts,
    open,
  );
  expect(await sink.write(event("a"))).toBe(false);
  expect(target.bodies).toEqual([]);
  expect(await lost(parts.metrics, "webhook")).toBe(1);
});

test("AUDIT-25: a request waits for a webhook in mode blocking, and continues if it fails", async () => {
  await using open = new AsyncDisposableStack();
  await using hook = await receiver(() => ({ code: 500 }));
  const options = hook.options({ "audit-webhook-mode": "blocking", "audit-webhook-initial-backoff": "1ms" });
  const kept = openAuditWebhook(options, partsOf(), open).write(event("a"));
  expect(kept).toBeInstanceOf(Promise);
  expect(await kept).toBe(true);
});

test("a list of events that could not be sent has a span that has failed, with each attempt", async () => {
  await using hook = await receiver(() => ({ code: 503 }));
  const open = new AsyncDisposableStack();
  const spans: FinishedSpan[] = [];
  const parts = partsOf();
  const context = new SpanContext();
  const sink = { add: (span: FinishedSpan) => void spans.push(span), dropped: () => {} };
  const { inTrace } = new Tracer({ ...parts, context, ratio: 1, sink });
  const options = hook.options({ "audit-webhook-initial-backoff": "1ms", "audit-webhook-batch-max-size": 1 });
  const traced = { ...parts, currentSpan: context.current, inTrace };
  void openAuditWebhook(options, traced, open).write(event("a"));
  await expect.poll(() => spans.length).toBe(6);
  await open.disposeAsync();
  expect(spans.map(({ name, failure }) => [name, failure])).toEqual([
    ...Array<unknown>(5).fill(["HTTP POST", undefined]),
    ["Call Audit Events webhook", "expected a status of 200, got 503"],
  ]);
});
