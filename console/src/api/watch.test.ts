import { afterEach, expect, test, vi } from "vitest";
import { FakeTimers } from "../testing/fake-timers.ts";
import type { KubeObject } from "./kube.ts";
import { follow, type Follower } from "./watch.ts";

/** A response of the fake server: JSON, a code, or lines that the test sends. */
type Answer = object | number | ReadableStream<Uint8Array>;

const text = new TextEncoder();

function fakeServer() {
  const asked: URL[] = [];
  const waiting: ((answer: Answer) => void)[] = [];
  const answers: Answer[] = [];
  vi.stubGlobal("fetch", async (path: string) => {
    asked.push(new URL(path, "http://server"));
    const answer = answers.shift() ?? (await new Promise<Answer>((resolve) => waiting.push(resolve)));
    if (typeof answer === "number")
      return new Response(JSON.stringify({ kind: "Status", code: answer }), { status: answer });
    return answer instanceof ReadableStream ? new Response(answer) : Response.json(answer);
  });
  return {
    asked,
    says(answer: Answer): void {
      const next = waiting.shift();
      if (next) next(answer);
      else answers.push(answer);
    },
  };
}

function newWatch() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start: (one) => {
      controller = one;
    },
  });
  return {
    stream,
    event: (type: string, object: object) => controller!.enqueue(text.encode(`${JSON.stringify({ type, object })}\n`)),
    ends: () => controller!.close(),
  };
}

const object = (name: string, resourceVersion: string): KubeObject => ({
  metadata: { name, namespace: "a", resourceVersion },
});
const list = (resourceVersion: string, names: readonly string[], more?: string) => ({
  metadata: { resourceVersion, ...(more ? { continue: more } : {}) },
  items: names.map((name) => object(name, resourceVersion)),
});
const names = (follower: Follower<KubeObject>): string[] =>
  follower.value.value.objects.map(({ metadata }) => metadata.name);

afterEach(() => vi.unstubAllGlobals());

test("a list is read in pages and then follows its watch, which shows what came together at once", async () => {
  const server = fakeServer();
  const timers = new FakeTimers();
  const follower = follow("/api/v1/pods", { query: { labelSelector: "a=b" } }, timers);
  server.says(list("5", ["one", "two"], "next"));
  server.says(list("5", ["three"]));
  const watch = newWatch();
  server.says(watch.stream);
  await vi.waitFor(() => expect(follower.value.value.state).toBe("live"));
  expect(names(follower)).toEqual(["one", "two", "three"]);
  await vi.waitFor(() => expect(server.asked).toHaveLength(3));
  expect(server.asked[1]!.searchParams.get("continue")).toBe("next");
  expect(Object.fromEntries(server.asked[2]!.searchParams)).toMatchObject({
    watch: "1",
    resourceVersion: "5",
    labelSelector: "a=b",
  });
  watch.event("ADDED", object("four", "6"));
  watch.event("DELETED", object("one", "7"));
  watch.event("BOOKMARK", { metadata: { resourceVersion: "9" } });
  await vi.waitFor(() => expect(timers.next).toBe(50));
  expect(names(follower)).toEqual(["one", "two", "three"]);
  await new Promise((resolve) => setTimeout(resolve, 10));
  timers.pass(50);
  expect(names(follower)).toEqual(["two", "three", "four"]);
  expect(follower.value.value.resourceVersion).toBe("9");
  follower.close();
});

test("a watch that ends goes on where it was; one whose version is too old begins with the list", async () => {
  const server = fakeServer();
  const timers = new FakeTimers();
  const follower = follow("/api/v1/pods", {}, timers);
  server.says(list("5", ["one"]));
  const first = newWatch();
  server.says(first.stream);
  await vi.waitFor(() => expect(server.asked).toHaveLength(2));
  first.event("MODIFIED", object("one", "8"));
  first.ends();
  // Not at once: a server may end each stream at once.
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.asked).toHaveLength(2);
  await vi.waitFor(() => {
    timers.pass(250);
    expect(server.asked).toHaveLength(3);
  });
  expect(server.asked[2]!.searchParams.get("resourceVersion")).toBe("8");
  server.says(410);
  server.says(list("20", ["two"]));
  await vi.waitFor(() => expect(names(follower)).toEqual(["two"]));
  follower.close();
});

test("without the server the objects stay and are old, attempts wait longer, and it is live again afterwards", async () => {
  const server = fakeServer();
  const timers = new FakeTimers();
  const follower = follow("/api/v1/pods", {}, timers);
  server.says(list("5", ["one"]));
  await vi.waitFor(() => expect(server.asked).toHaveLength(2));
  for (const wait of [500, 1000, 2000]) {
    server.says(503);
    await vi.waitFor(() => expect(timers.next).toBe(wait));
    expect(follower.value.value).toMatchObject({ state: "stale", failure: { code: 503 } });
    expect(names(follower)).toEqual(["one"]);
    timers.pass(wait);
  }
  server.says(newWatch().stream);
  await vi.waitFor(() => expect(follower.value.value.state).toBe("live"));
  expect(follower.value.value.failure).toBeUndefined();
  follower.close();
});

test("an empty list of metadata, which has no array, is empty", async () => {
  const server = fakeServer();
  const follower = follow("/api/v1/namespaces", { metadataOnly: true }, new FakeTimers());
  server.says({ metadata: { resourceVersion: "5" }, items: null });
  await vi.waitFor(() => expect(follower.value.value).toMatchObject({ state: "live", objects: [] }));
  follower.close();
});

test("what the user may not list has failed, and is not asked for again", async () => {
  const server = fakeServer();
  const timers = new FakeTimers();
  const follower = follow("/api/v1/secrets", {}, timers);
  server.says(403);
  await vi.waitFor(() => expect(follower.value.value).toMatchObject({ state: "failed", failure: { code: 403 } }));
  expect(timers.next).toBeUndefined();
});

test("more objects than are wanted are not read, and a past moment is read once", async () => {
  const server = fakeServer();
  const follower = follow("/api/v1/pods", { at: "4", most: 2 }, new FakeTimers());
  server.says(list("4", ["one", "two"], "next"));
  await vi.waitFor(() => expect(follower.value.value).toMatchObject({ state: "live", truncated: true }));
  expect(server.asked.map(({ searchParams }) => searchParams.get("resourceVersionMatch"))).toEqual(["Exact"]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.asked).toHaveLength(1);
});
