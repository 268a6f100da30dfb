/**
 * Traces of a server: spans over OTLP/gRPC to a receiver of the test.
 */
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { join } from "node:path";
import { type Http2Server, createServer } from "node:http2";
import { describe, expect, onTestFinished, test } from "vitest";
import { endCall, readCall } from "../../examples/tracing/receiver.ts";
import { resolveOptions } from "../../src/app/options/options.ts";
import { runServer } from "../../src/app/start/server.ts";
import { MAPS, MILLION, map, newHome, ofRequest, portOf, receiving, serverWith, shape, webhook } from "./kit.ts";

const REMOTE = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const parentOf = (flags: string): string => `00-${REMOTE.traceId}-${REMOTE.spanId}-${flags}`;

describe("the spans of requests", () => {
  test(
    "a create with a webhook has them as children, and the webhook gets its parent",
    { timeout: 90_000 },
    async () => {
      const { spans, port } = await receiving();
      const { server, send } = await serverWith(port, MILLION);
      const { headers, url, ca } = await webhook(({ apiVersion, request: { uid } }) => ({
        apiVersion,
        kind: "AdmissionReview",
        response: { uid, allowed: true },
      }));
      const configuration = (kind: string) => ({
        apiVersion: "admissionregistration.k8s.io/v1",
        kind,
        metadata: { name: "conf" },
        webhooks: [
          {
            name: "hook.example.com",
            clientConfig: {
              url,
              caBundle: ca,
            },
            rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      });
      const group = "/apis/admissionregistration.k8s.io/v1";
      await send("POST", `${group}/mutatingwebhookconfigurations`, configuration("MutatingWebhookConfiguration"));
      await send("POST", `${group}/validatingwebhookconfigurations`, configuration("ValidatingWebhookConfiguration"));
      const { code } = await send("POST", MAPS, map("a"), {
        traceparent: parentOf("01"),
        tracestate: "a=1, b=2",
        baggage: "user=kim",
      });
      expect(code).toBe(201);
      await server.close();
      const name = "POST /api/v1/namespaces/{:namespace}/configmaps";
      const trace = ofRequest(spans, name);
      expect(shape(trace)).toEqual([
        `  ${name}`,
        "    authentication",
        "    impersonation",
        "    priorityandfairness",
        "    authorization",
        "    Create",
        "      admission MutatingAdmissionWebhook",
        "        Call mutating webhook",
        "          HTTP POST",
        "      admission ValidatingAdmissionWebhook",
        "        Call validating webhook",
        "          HTTP POST",
        "      Write to store",
        "      SerializeObject",
      ]);
      // The administrator's trace continues, also in calls of webhooks.
      const root = trace.find((span) => span.name === name)!;
      expect(root).toMatchObject({
        ...REMOTE,
        spanId: root.spanId,
        parentId: REMOTE.spanId,
        state: "a=1,b=2",
        kind: 2,
      });
      const posts = trace.filter((span) => span.name === "HTTP POST").map(({ spanId }) => spanId);
      // Controllers make ConfigMaps meanwhile, in traces of their own.
      const got = headers.filter((one) => String(one["traceparent"]).includes(REMOTE.traceId));
      expect(got.map((one) => one["traceparent"])).toEqual(posts.map((id) => `00-${REMOTE.traceId}-${id}-01`));
      expect(got[0]).toMatchObject({ tracestate: "a=1,b=2", baggage: "user=kim" });
      const call = trace.find((span) => span.name === "Call mutating webhook")!;
      expect(call.attributes).toMatchObject({
        configuration: "conf",
        webhook: "hook.example.com",
        operation: "CREATE",
        UID: expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      // A child is within its parent.
      const byId = new Map(trace.map((span) => [span.spanId, span]));
      const outside = trace.filter(({ parentId, start, end }) => {
        const parent = byId.get(parentId);
        return parent !== undefined && (start < parent.start || end > parent.end);
      });
      expect(outside).toEqual([]);
    },
  );

  test("attributes are those of the semantic conventions and of kube-apiserver", async () => {
    const { spans, port } = await receiving();
    const { server, send } = await serverWith(port, MILLION);
    await send("GET", "/api/v1/namespaces?limit=5", undefined, { "audit-id": "my-audit", "user-agent": "me/1" });
    await send("GET", "/readyz");
    expect((await send("GET", `${MAPS}/none`)).code).toBe(404);
    const refused = await fetch(`${server.url}/api`, { headers: { authorization: "Bearer wrong" } });
    expect(refused.status).toBe(401);
    await server.close();
    const list = spans.find(
      ({ name, attributes }) => name === "GET /api/v1/namespaces" && attributes["audit-id"] === "my-audit",
    )!;
    expect(list.attributes).toMatchObject({
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "url.scheme": "http",
      "url.path": "/api/v1/namespaces",
      "http.target": "/api/v1/namespaces?limit=5",
      "server.address": "127.0.0.1",
      "user_agent.original": "me/1",
      "client.address": "127.0.0.1",
    });
    expect(list.resource).toMatchObject({ "service.name": "apiserver" });
    const ofList = spans.filter(({ traceId }) => traceId === list.traceId);
    expect(shape(ofList).slice(-3)).toEqual(["    List", "      cacher.GetList", "      SerializeObject"]);
    const missing = spans.find(({ name }) => name === "GET /api/v1/namespaces/{:namespace}/configmaps/{:name}")!;
    expect([missing.attributes["http.response.status_code"], missing.status]).toEqual([404, 0]);
    // Paths that are no resources are called by their method, and a refused credential has a trace of its own.
    expect(spans.some(({ name, attributes }) => name === "GET" && attributes["url.path"] === "/readyz")).toBe(true);
    expect(spans.filter(({ name, parentId }) => name === "authentication" && parentId === "")).toHaveLength(1);
  });

  test("a link that signs in is not among them", async () => {
    const { spans, port } = await receiving();
    const { server, send } = await serverWith(port, MILLION);
    const link = await send("POST", "/console/links");
    const { pathname, search } = new URL((JSON.parse(link.text) as { url: string }).url);
    // Refused for its origin, the link can still be used.
    expect((await send("GET", pathname + search, undefined, { "sec-fetch-site": "cross-site" })).code).toBe(403);
    await server.close();
    const login = spans.find(({ attributes }) => attributes["url.path"] === pathname)!;
    expect(login.attributes["http.target"]).toBe(pathname);
    expect(JSON.stringify(spans)).not.toContain(new URLSearchParams(search).get("code"));
  });

  test("the span of a watch ends with the watch", async () => {
    const { spans, port } = await receiving();
    const { server, send } = await serverWith(port, MILLION);
    const watching = send("GET", `${MAPS}?watch=1&timeoutSeconds=1`);
    await send("POST", MAPS, map("a"));
    expect((await watching).text).toContain('"ADDED"');
    await server.close();
    const watch = spans.find(({ name }) => name === "WatchServer.HandleHTTP")!;
    expect(watch.end - watch.start).toBeGreaterThan(500);
    const root = spans.find(({ spanId }) => spanId === watch.parentId)!;
    expect(root.name).toBe("GET /api/v1/namespaces/{:namespace}/configmaps");
  });
});

describe("which requests are traced", () => {
  test.each([
    [0, parentOf("00"), false],
    [undefined, parentOf("01"), true],
    [MILLION, parentOf("00"), false],
    [MILLION, "00-00000000000000000000000000000000-00f067aa0ba902b7-01", true],
    [0, "00-00000000000000000000000000000000-00f067aa0ba902b7-01", false],
    [0, `${parentOf("01")}-more`, false],
    [0, parentOf("01").toUpperCase(), false],
    [0, `ff${parentOf("01").slice(2)}`, false],
    [0, `cc${parentOf("01").slice(2)}-later`, true],
    [0, "x".repeat(8000), false],
  ])("at a rate of %s with the parent %s of an administrator", async (rate, traceparent, isTraced) => {
    const { spans, port } = await receiving();
    const { server, send } = await serverWith(port, rate);
    // Controllers in the same process list nodes, too.
    const headers = { traceparent, "user-agent": "me/1" };
    expect((await send("GET", "/api/v1/nodes", undefined, headers)).code).toBe(200);
    await server.close();
    expect(spans.some(({ attributes }) => attributes["user_agent.original"] === "me/1")).toBe(isTraced);
  });

  test("another user's parent is a link of a new trace, and does not decide", async () => {
    const users = join(newHome(), "users.csv");
    writeFileSync(users, 'kims-token,kim,1,"people"\nmonitor-token,prometheus,2,"system:monitoring"\n');
    const { spans, port } = await receiving();
    const { server, send } = await serverWith(port, MILLION, { "token-auth-file": users });
    const get = (token: string) =>
      send("GET", "/version", undefined, { traceparent: parentOf("00"), authorization: `Bearer ${token}` });
    expect([(await get("kims-token")).code, (await get("monitor-token")).code]).toEqual([200, 200]);
    await server.close();
    const traced = spans.filter(({ attributes }) => attributes["url.path"] === "/version");
    expect(traced).toHaveLength(1);
    expect(traced[0]).toMatchObject({ parentId: "", links: [REMOTE] });
    expect(traced[0]!.traceId).not.toBe(REMOTE.traceId);
  });
});

describe("collectors that do not take spans", () => {
  const figure = (text: string, name: string): number =>
    Number(
      text
        .split("\n")
        .find((line) => line.startsWith(`${name} `))
        ?.split(" ")
        .at(-1),
    );
  const lost = (text: string, reason: string): number =>
    figure(text, `keelson_tracing_spans_dropped_total{reason="${reason}"}`);

  test("one that hangs delays no request, a flood is bounded, and the end does not wait for it", async () => {
    const hanging: Http2Server = createServer();
    hanging.on("stream", (stream) => void stream.resume());
    await once(hanging.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void hanging.close());
    const { server, send } = await serverWith(portOf(hanging), MILLION);
    for (let i = 0; i < 40; i++) {
      await Promise.all(Array.from({ length: 25 }, () => send("GET", "/api/v1/namespaces/default")));
    }
    const { text } = await send("GET", "/metrics");
    expect(lost(text, "queue")).toBeGreaterThan(1000);
    expect(figure(text, "keelson_tracing_queued_spans")).toBeLessThanOrEqual(2048);
    const since = performance.now();
    await server.close();
    expect(performance.now() - since).toBeLessThan(6000);
  });

  test.each([3, 14])("one that refuses with the code %s", async (code) => {
    const calls: number[] = [];
    const refusing = createServer();
    refusing.on("stream", (stream) => {
      void readCall(stream).then((spans) => {
        calls.push(spans.length);
        endCall(stream, code);
      });
    });
    await once(refusing.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void refusing.close());
    const { server, send } = await serverWith(portOf(refusing), MILLION);
    for (let i = 0; i < 120; i++) await send("GET", "/api/v1/namespaces/default");
    await expect
      .poll(async () => figure((await send("GET", "/metrics")).text, "keelson_tracing_export_failures_total"))
      .toBeGreaterThan(0);
    expect((await send("GET", "/api/v1/namespaces/default")).code).toBe(200);
    await server.close();
    expect(calls.length).toBeGreaterThan(0);
  });

  test("one that takes its time gets full batches, and the rest at the end", async () => {
    const batches: number[] = [];
    const slow = createServer();
    slow.on("stream", (stream) => {
      void readCall(stream).then((spans) => {
        batches.push(spans.length);
        setTimeout(() => endCall(stream, 0), 20);
      });
    });
    await once(slow.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void slow.close());
    const { server, send } = await serverWith(portOf(slow), MILLION);
    for (let i = 0; i < 30; i++) {
      await Promise.all(Array.from({ length: 20 }, () => send("GET", "/api/v1/namespaces/default")));
    }
    await server.close();
    expect(batches.reduce((sum, spans) => sum + spans, 0)).toBeGreaterThan(600 * 4);
    // Batches that a timer sent, the last one, and the one that the size in bytes has cut.
    expect(batches.filter((spans) => spans < 512).length).toBeLessThanOrEqual(6);
  });

  test("one that takes a part is counted", async () => {
    const taking = createServer();
    // partial_success { rejected_spans: 2, error_message: "no" }
    const answer = Buffer.from([0x0a, 6, 0x08, 2, 0x12, 2, 0x6e, 0x6f]);
    taking.on("stream", (stream) => void readCall(stream).then(() => endCall(stream, 0, answer)));
    await once(taking.listen(0, "127.0.0.1"), "listening");
    onTestFinished(() => void taking.close());
    const { send } = await serverWith(portOf(taking), MILLION);
    for (let i = 0; i < 120; i++) await send("GET", "/api/v1/namespaces/default");
    await expect.poll(async () => lost((await send("GET", "/metrics")).text, "rejected")).toBeGreaterThanOrEqual(2);
  });
});

describe("metrics", () => {
  test("OpenMetrics has exemplars of traced requests; the plain form has none", async () => {
    const { spans, port } = await receiving();
    const { server, send } = await serverWith(port, MILLION);
    await send("GET", "/api/v1/nodes");
    const accept = "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2";
    const open = await send("GET", "/metrics", undefined, { accept });
    const plain = await send("GET", "/metrics", undefined, { accept: "*/*" });
    await server.close();
    expect([open.type, plain.type]).toEqual([
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
      "text/plain; version=0.0.4; charset=utf-8",
    ]);
    const lines = open.text.split("\n").filter((line) => line.includes('resource="nodes"') && line.includes(" # "));
    const [, trace, span] = /# \{trace_id="([0-9a-f]{32})",span_id="([0-9a-f]{16})"\} [\d.e-]+ [\d.]+$/.exec(
      lines[0]!,
    )!;
    expect(spans.find((one) => one.traceId === trace && one.spanId === span)?.name).toBe("GET /api/v1/nodes");
    expect(open.text.endsWith("# EOF\n")).toBe(true);
    expect(plain.text).not.toContain(" # {");
  });
});

test("a file that is not valid is refused with all of its errors", async () => {
  const file = join(newHome(), "wrong.yaml");
  writeFileSync(
    file,
    "apiVersion: v1\nkind: TracingConfiguration\nsamplingRatePerMillion: 1000001\nendpoint: http://localhost:4317\nmore: 1\n",
  );
  const starting = runServer(resolveOptions({ dev: true, port: 0, "tracing-config-file": file }));
  await expect(starting).rejects.toThrow(
    /more: expected one of .*\n {2}apiVersion: expected .*\n.*samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million\n.*unsupported scheme: http/,
  );
});
