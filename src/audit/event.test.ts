import { expect, test } from "vitest";
import { AuditEvent, type EventHead, legacyText } from "./event.ts";
import { truncateEvent } from "./sink.ts";
import { userAgentOf, sourceIPsOf } from "./client-info.ts";

const HEAD: EventHead = {
  level: "RequestResponse",
  auditID: "id-1",
  requestURI: '/api/v1/pods?a="b"',
  verb: "list",
  user: { user: "jane", groups: ["devs"], extra: {} },
  sourceIPs: ["10.0.0.1"],
  userAgent: "kubectl",
  received: Date.UTC(2026, 0, 31, 10, 20, 30) + 123.4567,
};

const OBJECT = {
  resource: "pods",
  namespace: "",
  name: "",
  uid: "",
  apiGroup: "",
  apiVersion: "v1",
  resourceVersion: "",
  subresource: "",
};

test("AUDIT-12, AUDIT-14: an event is one line of JSON without empty members, its times have microseconds", () => {
  const event = new AuditEvent(HEAD, {
    stage: "ResponseComplete",
    at: HEAD.received + 1,
    object: OBJECT,
    status: { code: 200 },
    requestObject: '{"a":1}',
    annotations: { b: "2", a: 'x"' },
  });
  expect(event.json).not.toContain("\n");
  expect(JSON.parse(event.json)).toEqual({
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "RequestResponse",
    auditID: "id-1",
    stage: "ResponseComplete",
    requestURI: '/api/v1/pods?a="b"',
    verb: "list",
    user: { username: "jane", groups: ["devs"] },
    sourceIPs: ["10.0.0.1"],
    userAgent: "kubectl",
    objectRef: { resource: "pods", apiVersion: "v1" },
    responseStatus: { metadata: {}, code: 200 },
    requestObject: { a: 1 },
    requestReceivedTimestamp: "2026-01-31T10:20:30.123456Z",
    stageTimestamp: "2026-01-31T10:20:30.124456Z",
    annotations: { a: 'x"', b: "2" },
  });
});

test("AUDIT-11, AUDIT-15: an unknown user is an empty object, and a failure has its reason and details", () => {
  const status = { status: "Failure", message: "no", reason: "Invalid", details: { name: "x" }, code: 422 };
  const { json } = new AuditEvent({ ...HEAD, user: undefined }, { stage: "Panic", at: HEAD.received, status });
  expect(JSON.parse(json)).toMatchObject({ user: {}, responseStatus: { metadata: {}, ...status } });
});

test("AUDIT-24: the legacy format is one line of the most important members", () => {
  const stage = { stage: "ResponseComplete", at: HEAD.received, object: OBJECT, status: { code: 200 } } as const;
  expect(legacyText(new AuditEvent(HEAD, stage))).toBe(
    '2026-01-31T10:20:30.123456Z AUDIT: id="id-1" stage="ResponseComplete" ip="10.0.0.1" method="list" user="jane" groups="\\"devs\\"" as="<self>" asgroups="<lookup>" user-agent="kubectl" namespace="<none>" uri="/api/v1/pods?a=\\"b\\"" response="200"',
  );
});

test("AUDIT-26: an event that is too large loses its objects, and is dropped where it is still too large", () => {
  const event = new AuditEvent(HEAD, { stage: "ResponseComplete", at: 0, responseObject: `"${"x".repeat(2000)}"` });
  expect(truncateEvent(event, { maxEventSize: 5000, maxBatchSize: 9000 })).toBe(event);
  const cut = truncateEvent(event, { maxEventSize: 1000, maxBatchSize: 9000 })!;
  expect(JSON.parse(cut.json)).toMatchObject({ annotations: { "audit.k8s.io/truncated": "true" } });
  expect(cut.json).not.toContain("responseObject");
  expect(truncateEvent(event, { maxEventSize: 100, maxBatchSize: 9000 })).toBeUndefined();
});

test("AUDIT-21: addresses are those of the headers, then the peer; invalid ones are left out", () => {
  expect(sourceIPsOf("", "", "::ffff:127.0.0.1")).toEqual(["127.0.0.1"]);
  expect(sourceIPsOf("1.2.3.4, 5.6.7.8", "9.9.9.9", "127.0.0.1")).toEqual([
    "1.2.3.4",
    "5.6.7.8",
    "9.9.9.9",
    "127.0.0.1",
  ]);
  expect(sourceIPsOf("1.2.3.4, bad, 2001:db8::1", "1.2.3.4", "::1")).toEqual(["1.2.3.4", "2001:db8::1", "::1"]);
  expect(sourceIPsOf("127.0.0.1", "", "127.0.0.1")).toEqual(["127.0.0.1"]);
  expect(sourceIPsOf("1.2.3.400, 1.2.3", "x:y", "")).toEqual([]);
});

test("AUDIT-22: the user agent is truncated to 1024 characters", () => {
  expect(userAgentOf("x".repeat(1024))).toHaveLength(1024);
  expect(userAgentOf("x".repeat(1025))).toBe(`${"x".repeat(1024)}...TRUNCATED`);
});
