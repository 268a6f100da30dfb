/**
 * Spans of calls of other servers: webhooks that authenticate, authorize, convert and receive audit events, and KMS plugins.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KmsProvider } from "../../src/encryption/kms/provider.ts";
import { systemBytes } from "../../src/encryption/random.ts";
import { localPlugin } from "../../src/encryption/testing/local-plugin.ts";
import { SpanContext } from "../../src/tracing/span-context.ts";
import { type FinishedSpan, Tracer } from "../../src/tracing/tracer.ts";
import { ManualClock, seededRandom } from "../../src/util/clock.ts";
import { MAPS, MILLION, newHome, ofRequest, receiving, serverWith, shape, webhook } from "./kit.ts";

/** The kubeconfig of a webhook. */
function kubeconfigOf({ url, ca }: { readonly url: string; readonly ca: string }): string {
  const file = join(newHome(), "webhook.json");
  writeFileSync(
    file,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "hook", cluster: { server: url, "certificate-authority-data": ca } }],
      users: [{ name: "server", user: {} }],
      contexts: [{ name: "hook", context: { cluster: "hook", user: "server" } }],
      "current-context": "hook",
    }),
  );
  return file;
}

/** A webhook that knows the user `kim` and allows everything. */
const openReviews = () =>
  webhook(({ apiVersion, kind, spec: { token } }) =>
    kind === "TokenReview"
      ? {
          apiVersion,
          kind,
          status: { authenticated: token !== "unknown", user: { username: token, groups: groupsOf(token) } },
        }
      : { apiVersion, kind, status: { allowed: true } },
  );
const groupsOf = (token = ""): string[] => (token === "root" ? ["system:masters"] : ["people"]);

const REMOTE = "4bf92f3577b34da6a3ce929d0e0e4736";
const as = (token: string, sampled = true) => ({
  authorization: `Bearer ${token}`,
  traceparent: `00-${REMOTE}-00f067aa0ba902b7-${sampled ? "01" : "00"}`,
  baggage: "team=red",
});

/** A server whose users and rights are those of a webhook. */
async function reviewed(rate: number) {
  const { spans, port } = await receiving();
  const reviews = await openReviews();
  const kubeconfig = kubeconfigOf(reviews);
  const { server, send } = await serverWith(port, rate, {
    "authentication-token-webhook-config-file": kubeconfig,
    "authorization-mode": "RBAC,Webhook",
    "authorization-webhook-config-file": kubeconfig,
  });
  return { spans, server, send, headers: reviews.headers };
}

test("a TokenReview and a SubjectAccessReview are parts of the request, and the webhooks get its context", async () => {
  const { spans, server, send, headers } = await reviewed(MILLION);
  expect((await send("GET", `${MAPS}?limit=1`, undefined, as("kim"))).code).toBe(200);
  // Both reviews are in caches now.
  expect((await send("GET", `${MAPS}?limit=1`, undefined, as("kim"))).code).toBe(200);
  await server.close();
  const roots = spans.filter(({ links }) => links.some(({ traceId }) => traceId === REMOTE));
  expect(roots.map(({ name }) => name)).toEqual(Array(2).fill("GET /api/v1/namespaces/{:namespace}/configmaps"));
  const [first, second] = roots.map(({ traceId }) => spans.filter((span) => span.traceId === traceId));
  const authorized = ["    authorization", "    List", "      cacher.GetList", "      SerializeObject"];
  expect(shape(second!)).toEqual([
    "  GET /api/v1/namespaces/{:namespace}/configmaps",
    "    authentication",
    "    impersonation",
    "    priorityandfairness",
    ...authorized,
  ]);
  expect(shape(first!)).toEqual([
    "  GET /api/v1/namespaces/{:namespace}/configmaps",
    "    authentication",
    "      HTTP POST",
    "    impersonation",
    "    priorityandfairness",
    ...authorized.toSpliced(1, 0, "      HTTP POST"),
  ]);
  const posts = first!.filter(({ name }) => name === "HTTP POST");
  expect(headers.map(({ traceparent }) => traceparent)).toEqual(
    posts.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  );
  expect(headers.map(({ baggage }) => baggage)).toEqual(["team=red", "team=red"]);
  expect(posts[0]).toMatchObject({
    kind: 3,
    attributes: {
      "http.request.method": "POST",
      "server.address": "127.0.0.1",
      "url.full": expect.stringMatching(/review$/),
    },
  });
});

test("an administrator decides whether the request is traced; the review that found this out has a trace of its own", async () => {
  const { spans, server, send, headers } = await reviewed(MILLION);
  expect((await send("GET", MAPS, undefined, as("root"))).code).toBe(200);
  expect((await send("GET", MAPS, undefined, as("root", false))).code).toBe(200);
  await server.close();
  expect(
    shape(
      ofRequest(
        spans.filter(({ traceId }) => traceId === REMOTE),
        "GET /api/v1/namespaces/{:namespace}/configmaps",
      ),
    ),
  ).toEqual([
    "  GET /api/v1/namespaces/{:namespace}/configmaps",
    "    authentication",
    "    impersonation",
    "    priorityandfairness",
    "    authorization",
    "    List",
    "      cacher.GetList",
    "      SerializeObject",
  ]);
  expect(headers).toHaveLength(1);
  const [, traceId = ""] = String(headers[0]!.traceparent).split("-");
  expect(traceId).not.toBe(REMOTE);
  expect(shape(spans.filter((span) => span.traceId === traceId))).toEqual([
    "  GET /api/v1/namespaces/{:namespace}/configmaps",
    "    authentication",
    "      HTTP POST",
  ]);
});

test("a token that the webhook refuses has one trace, with the call", async () => {
  const { spans, server, send, headers } = await reviewed(MILLION);
  expect((await send("GET", MAPS, undefined, as("unknown"))).code).toBe(401);
  await server.close();
  const [, traceId = ""] = String(headers[0]!.traceparent).split("-");
  const trace = spans.filter((span) => span.traceId === traceId);
  expect(shape(trace)).toEqual([
    "  GET /api/v1/namespaces/{:namespace}/configmaps",
    "    authentication",
    "      HTTP POST",
  ]);
  expect(trace.find(({ parentId }) => parentId === "")?.attributes["http.response.status_code"]).toBe(401);
  expect(spans.filter(({ name, parentId }) => name === "authentication" && parentId === "")).toEqual([]);
});

test("webhooks of a request that is not traced get a context that says so", async () => {
  const { spans, server, send, headers } = await reviewed(0);
  expect((await send("GET", MAPS, undefined, as("kim"))).code).toBe(200);
  await server.close();
  const contexts = headers.map(({ traceparent }) => String(traceparent).split("-"));
  expect(contexts.map(([, , , flags]) => flags)).toEqual(["00", "00"]);
  expect(contexts[0]![1]).toBe(contexts[1]![1]);
  expect(spans).toEqual([]);
});

test("a conversion by a webhook is a part of the read that needs it", async () => {
  const { spans, port } = await receiving();
  const { server, send } = await serverWith(port, MILLION);
  const hook = await webhook(({ apiVersion, kind, request: { uid, desiredAPIVersion, objects } }) => ({
    apiVersion,
    kind,
    response: {
      uid,
      result: { status: "Success" },
      convertedObjects: objects.map((one) => ({ ...one, apiVersion: desiredAPIVersion })),
    },
  }));
  const schema = { openAPIV3Schema: { type: "object", properties: { size: { type: "integer" } } } };
  const group = "shop.example.com";
  const name = `ships.${group}`;
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const created = await send("POST", definitions, {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "ships", singular: "ship", kind: "Ship", listKind: "ShipList" },
      versions: [
        { name: "v1", served: true, storage: true, schema },
        { name: "v1beta1", served: true, storage: false, schema },
      ],
      conversion: {
        strategy: "Webhook",
        webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: hook.url, caBundle: hook.ca } },
      },
    },
  });
  expect(created.code).toBe(201);
  const ships = (version: string): string => `/apis/${group}/${version}/namespaces/default/ships`;
  const ship = { apiVersion: `${group}/v1`, kind: "Ship", metadata: { name: "one" }, size: 3 };
  await expect.poll(async () => (await send("POST", ships("v1"), ship)).code).toBe(201);
  // Controllers watch v1, which is preferred and stored.
  expect((await send("GET", `${ships("v1beta1")}/one`)).code).toBe(200);
  await server.close();
  const read = ofRequest(spans, `GET /apis/${group}/v1beta1/namespaces/{:namespace}/ships/{:name}`);
  const names = shape(read);
  expect(names.slice(names.indexOf("    Get"))).toEqual([
    "    Get",
    "      cacher.Get",
    "        Call conversion webhook",
    "          HTTP POST",
    "      SerializeObject",
  ]);
  expect(read.find((span) => span.name === "Call conversion webhook")?.attributes).toMatchObject({
    "custom-resource-definition": name,
    "desired-api-version": `${group}/v1beta1`,
    "object-count": 1,
  });
  const post = read.find((span) => span.name === "HTTP POST")!;
  expect(hook.headers.map(({ traceparent }) => traceparent)).toEqual([`00-${post.traceId}-${post.spanId}-01`]);
});

/** A server that sends the last event of a get of one ConfigMap to a webhook. */
async function audited(rate: number, mode: string) {
  const { spans, port } = await receiving();
  const hook = await webhook(() => ({}));
  const policy = join(newHome(), "policy.json");
  const rule = {
    level: "Metadata",
    verbs: ["get"],
    resources: [{ group: "", resources: ["configmaps"], resourceNames: ["one"] }],
    omitStages: ["RequestReceived"],
  };
  writeFileSync(
    policy,
    JSON.stringify({ apiVersion: "audit.k8s.io/v1", kind: "Policy", rules: [rule, { level: "None" }] }),
  );
  const { server, send } = await serverWith(port, rate, {
    "audit-policy-file": policy,
    "audit-webhook-config-file": kubeconfigOf(hook),
    "audit-webhook-mode": mode,
    // A batch is sent at once, while its request runs.
    ...(mode === "batch" ? { "audit-webhook-batch-max-size": 1 } : {}),
  });
  expect((await send("GET", `${MAPS}/one`)).code).toBe(404);
  await server.close();
  return { spans, headers: hook.headers };
}
const AUDIT_CALL = "Call Audit Events webhook";

test("a batch of audit events has a trace of its own, and the webhook gets its context", async () => {
  const { spans, headers } = await audited(MILLION, "batch");
  const call = spans.find(({ name }) => name === AUDIT_CALL)!;
  expect(call).toMatchObject({ kind: 1, parentId: "", attributes: { name: "webhook", "event-count": 1 } });
  const trace = spans.filter(({ traceId }) => traceId === call.traceId);
  expect(shape(trace)).toEqual([`  ${AUDIT_CALL}`, "    HTTP POST"]);
  const post = trace.find(({ name }) => name === "HTTP POST")!;
  expect(headers.map(({ traceparent }) => traceparent)).toEqual([`00-${post.traceId}-${post.spanId}-01`]);
});

test("a list of audit events that a request waits for is a part of the request", async () => {
  const { spans, headers } = await audited(MILLION, "blocking-strict");
  const trace = ofRequest(spans, "GET /api/v1/namespaces/{:namespace}/configmaps/{:name}");
  const names = shape(trace);
  expect(names.slice(names.indexOf(`    ${AUDIT_CALL}`))).toEqual([`    ${AUDIT_CALL}`, "      HTTP POST"]);
  expect(trace.find(({ name }) => name === AUDIT_CALL)?.attributes["event-count"]).toBe(1);
  const post = trace.find(({ name }) => name === "HTTP POST")!;
  expect(headers.map(({ traceparent }) => traceparent)).toEqual([`00-${post.traceId}-${post.spanId}-01`]);
});

test.each(["batch", "blocking"])(
  "an audit webhook in mode %s gets a context that says that nothing is traced",
  async (mode) => {
    const { spans, headers } = await audited(0, mode);
    expect(headers.map(({ traceparent }) => String(traceparent).slice(-3))).toEqual(["-00"]);
    expect(spans).toEqual([]);
  },
);

test("a read that calls a KMS plugin has a span; one whose seed is known has none", async () => {
  const spans: FinishedSpan[] = [];
  const clock = new ManualClock();
  const random = seededRandom(1);
  const context = new SpanContext();
  const sink = { add: (span: FinishedSpan) => void spans.push(span), dropped: () => {} };
  const tracer = new Tracer({ clock, random, ratio: 1, context, sink });
  const parts = { name: "plug", clock, random, bytes: systemBytes, currentSpan: context.current };
  const provider = (): KmsProvider =>
    new KmsProvider({ ...parts, plugin: localPlugin({ keyId: "one", healthz: "ok" }) });
  const [writer, reader] = [provider(), provider()];
  await Promise.all([writer.start(), reader.start()]);
  const stored = writer.encrypt(Buffer.from("{}"), "/a");
  const request = {
    name: () => "GET",
    attributes: () => ({}),
    remote: undefined,
    isTrusted: false,
    baggage: "",
    at: 0,
  };
  const span = tracer.begin(request);
  await span.run(async () => reader.decrypt(stored, "/a"));
  await span.run(async () => reader.decrypt(stored, "/a"));
  expect(spans.map(({ name, parentId, attributes }) => ({ name, parentId, attributes }))).toEqual([
    {
      name: "TransformFromStorage with envelopeTransformer",
      parentId: span.spanId,
      attributes: { "transformer.provider.name": "plug" },
    },
  ]);
});
