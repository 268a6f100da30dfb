import { expect, test } from "vitest";
import { ManualClock } from "../util/clock.ts";
import { Client } from "./client.ts";
import { StatusError } from "./errors.ts";
import { Pod } from "./kinds/index.ts";
import { type Call, FakeServer, settle } from "./testing/fake-transport.ts";
import type { WaitError } from "./wait.ts";

const KEY = { namespace: "team", name: "a" };

const pod = (resourceVersion: number, phase: string, ready = "False", uid = "u") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { ...KEY, uid, resourceVersion: String(resourceVersion) },
  status: { phase, conditions: [{ type: "Ready", status: ready }] },
});

function setUp() {
  const server = new FakeServer();
  const clock = new ManualClock();
  return { server, clock, pods: new Client(server.transport, { userAgent: "test", clock }).resource(Pod) };
}

const listed = (call: Call, version: number, ...items: readonly object[]): void =>
  call.json({ metadata: { resourceVersion: String(version) }, items });

/** The failure of a wait, observed from the start. */
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "it did not fail",
    (error: unknown) => error,
  );

test("a wait lists one object, watches it from there and gives it as soon as it has the condition", async () => {
  const { server, pods } = setUp();
  const wait = pods.waitFor(KEY, "Ready");
  const list = await server.next();
  expect([list.path, list.query]).toEqual(["/api/v1/namespaces/team/pods", { fieldSelector: "metadata.name=a" }]);
  listed(list, 5, pod(4, "Pending"));
  const watch = await server.next();
  expect(watch.query).toMatchObject({ watch: "true", fieldSelector: "metadata.name=a", resourceVersion: "5" });
  const stream = watch.stream();
  stream.event("MODIFIED", pod(6, "Running"));
  stream.event("MODIFIED", pod(7, "Running", "True"));
  expect((await wait).metadata.resourceVersion).toBe("7");
  expect(stream.aborted).toBe(true);
});

test.each<[string, string]>([
  ["Ready=False", "1"],
  ["ready=true", "2"],
])("a condition %s is compared as kubectl does", async (condition, version) => {
  const { server, pods } = setUp();
  const wait = pods.waitFor(KEY, condition);
  listed(await server.next(), 1, pod(1, "Running"));
  if (version !== "1") (await server.next()).stream().event("MODIFIED", pod(2, "Running", "True"));
  expect((await wait).metadata.resourceVersion).toBe(version);
});

test("an object that is not there yet is waited for; one that is deleted meanwhile ends the wait", async () => {
  const { server, pods } = setUp();
  const failure = failureOf(pods.waitFor(KEY, ({ status }) => status.phase === "Running"));
  listed(await server.next(), 1);
  const stream = (await server.next()).stream();
  stream.event("ADDED", pod(2, "Pending"));
  stream.event("DELETED", pod(3, "Pending"));
  expect(await failure).toMatchObject({
    name: "WaitError",
    reason: "Deleted",
    message: "expected team/a of pods to be as it is waited for, it was deleted",
    object: { metadata: { resourceVersion: "2" } },
  });
});

test("a watch that ends or breaks goes on where it was; after 410 a new list comes first", async () => {
  const { server, clock, pods } = setUp();
  const wait = pods.waitFor(KEY, "Ready");
  listed(await server.next(), 1, pod(1, "Pending"));
  const first = (await server.next()).stream();
  first.event("BOOKMARK", { ...pod(8, ""), status: {} });
  first.end();
  const second = await server.next();
  expect(second.query).toMatchObject({ watch: "true", resourceVersion: "8" });
  second.stream().break();
  await settle();
  clock.advance(1000);
  const third = await server.next();
  expect(third.query).toMatchObject({ watch: "true", resourceVersion: "8" });
  third.refuse(410, "Expired");
  await settle();
  clock.advance(1000);
  const list = await server.next();
  expect(list.query).toEqual({ fieldSelector: "metadata.name=a" });
  listed(list, 9, pod(9, "Running", "True"));
  expect((await wait).metadata.resourceVersion).toBe("9");
});

test("the time ends a wait with what was last seen, or with why nothing is known", async () => {
  const { server, clock, pods } = setUp();
  const seen = failureOf(pods.waitFor(KEY, "Ready", { timeout: "5s" }));
  listed(await server.next(), 1, pod(1, "Pending"));
  (await server.next()).stream();
  await settle();
  clock.advance(5000);
  expect(await seen).toMatchObject({
    reason: "Timeout",
    message: "expected team/a of pods to have the condition Ready within 5 s",
    object: { metadata: { resourceVersion: "1" } },
  });
  const busy = failureOf(pods.waitFor(KEY, "Ready", { timeout: "1s" }));
  (await server.next()).refuse(503, "ServiceUnavailable");
  await settle();
  clock.advance(1000);
  expect(await busy).toMatchObject({ reason: "Timeout", cause: expect.any(StatusError) as unknown });
  expect(((await busy) as WaitError).message).toContain("503");
});

test("what the server refuses, and what a function throws, is thrown at once", async () => {
  const { server, pods } = setUp();
  const refused = failureOf(pods.waitFor(KEY, "Ready"));
  (await server.next()).refuse(403, "Forbidden");
  expect(await refused).toMatchObject({ name: "StatusError", status: { code: 403 } });
  const own = new Error("mine");
  const thrown = failureOf(
    pods.waitFor(KEY, () => {
      throw own;
    }),
  );
  listed(await server.next(), 1, pod(1, "Pending"));
  expect(await thrown).toBe(own);
});

test("a wait can be given up, and what is no condition or no key is refused", async () => {
  const { server, pods } = setUp();
  const abort = new AbortController();
  const given = failureOf(pods.waitFor(KEY, "Ready", { signal: abort.signal }));
  listed(await server.next(), 1);
  (await server.next()).stream();
  await settle();
  abort.abort(new Error("enough"));
  expect(await given).toMatchObject({ message: "enough" });
  await expect(pods.waitFor(KEY, "a=b=c")).rejects.toThrow(
    'expected a condition such as Ready or Ready=False, got "a=b=c"',
  );
  await expect(pods.waitFor({ namespace: "", name: "a" }, "Ready")).rejects.toThrow("expected a namespace");
  expect(server.waiting).toBe(0);
});

test("a wait for a deletion ends when the object is gone, or is another one of its name", async () => {
  const { server, pods } = setUp();
  const gone = pods.waitForDelete(KEY);
  listed(await server.next(), 1, pod(1, "Running"));
  (await server.next()).stream().event("DELETED", pod(2, "Running"));
  expect(await gone).toBeUndefined();
  const other = pods.waitForDelete(KEY, { uid: "u" });
  listed(await server.next(), 3, pod(3, "Pending", "False", "v"));
  expect(await other).toBeUndefined();
});
