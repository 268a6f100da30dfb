import { afterEach, expect, test, vi } from "vitest";
import type { Kind } from "../api/discovery.ts";
import type { Timers } from "../api/timers.ts";
import { followMany, joined, slim } from "./follow-many.ts";

test("an object is kept without managedFields and the copy of kubectl, and with all else", () => {
  const metadata = { name: "a", labels: { x: "y" } };
  const full = {
    kind: "Pod",
    metadata: {
      ...metadata,
      managedFields: [{ manager: "x" }],
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", own: "1" },
    },
    spec: { nodeName: "n" },
  };
  expect(slim(full)).toEqual({
    kind: "Pod",
    metadata: { ...metadata, annotations: { own: "1" } },
    spec: { nodeName: "n" },
  });
  expect(slim({ metadata: { name: "b" } })).toEqual({ metadata: { name: "b" } });
});

afterEach(() => void vi.unstubAllGlobals());

const kind = (resource: string): Kind => ({
  group: "",
  version: "v1",
  resource,
  kind: resource,
  singular: "",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs: [],
  subresources: [],
});
const metadataOf = (objects: readonly { readonly metadata: { readonly name: string } }[] = []): string[] =>
  objects.map(({ metadata }) => metadata.name);

/** A server with one object of each kind, whose watches stay open until they are aborted. */
function fakeServer(): { readonly asked: string[]; revision: number } {
  const server = { asked: [] as string[], revision: 1 };
  vi.stubGlobal("fetch", (url: string, { signal }: RequestInit) => {
    server.asked.push(url.split("?")[0]!.slice("/api/v1/".length) + (url.includes("watch=1") ? " watch" : ""));
    if (url.includes("watch=1")) {
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(new Error("aborted"))));
    }
    if (url.includes("/secrets")) {
      const status = { kind: "Status", status: "Failure", message: "not for you", code: 403 };
      return Promise.resolve(new Response(JSON.stringify(status), { status: 403 }));
    }
    const metadata = { resourceVersion: String(server.revision) };
    return Promise.resolve(Response.json({ metadata, items: [{ metadata: { name: `n${server.revision}` } }] }));
  });
  return server;
}

/** Timers that run when a test says so. */
function fakeTimers(): Timers & { run(): void } {
  const due = new Set<() => void>();
  return {
    after: (_, call) => {
      due.add(call);
      return () => due.delete(call);
    },
    random: { next: () => 0.5, uuid: () => "" },
    run() {
      const calls = [...due];
      due.clear();
      for (const call of calls) call();
    },
  };
}

test("with few connections only the first lists are watched, and the others are read again", async () => {
  const server = fakeServer();
  const timers = fakeTimers();
  const kinds = { first: kind("pods"), second: kind("nodes"), third: kind("secrets"), none: undefined };
  const followed = followMany({ kinds, namespace: "team", most: 10 }, { timers, watches: 1 });
  const namesOf = (name: string): unknown =>
    followed.value.value.lists[name]?.objects.map(({ metadata }) => metadata.name);
  await vi.waitFor(() => expect(followed.value.value.isLoading).toBe(false));
  expect([namesOf("first"), namesOf("second"), namesOf("none")]).toEqual([["n1"], ["n1"], []]);
  expect(followed.value.value.lists["third"]).toMatchObject({ state: "failed", failure: { code: 403 } });
  await vi.waitFor(() => expect(server.asked).toContain("namespaces/team/pods watch"));
  server.revision = 2;
  await vi.waitFor(() => {
    timers.run();
    expect(namesOf("second")).toEqual(["n2"]);
  });
  expect(namesOf("first")).toEqual(["n1"]);
  expect(server.asked.filter((one) => one.includes("watch"))).toEqual(["namespaces/team/pods watch"]);
  followed.close();
});

test("at a moment nothing is watched or read again", async () => {
  const server = fakeServer();
  const timers = fakeTimers();
  const followed = followMany(
    { kinds: { a: kind("pods"), b: kind("nodes") }, at: "7", most: 10 },
    { timers, watches: 0 },
  );
  await vi.waitFor(() => expect(followed.value.value.isLoading).toBe(false));
  timers.run();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.asked.toSorted()).toEqual(["nodes", "pods"]);
  followed.close();
});

test("a list that is refused for all namespaces is read in those that the user may read", async () => {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, { signal }: RequestInit) => {
    const [path = ""] = url.split("?");
    asked.push(path);
    if (url.includes("watch=1"))
      return new Promise((_, reject) => signal!.addEventListener("abort", () => reject(new Error("aborted"))));
    if (!path.includes("/namespaces/"))
      return Promise.resolve(Response.json({ kind: "Status", code: 403 }, { status: 403 }));
    const items = [{ metadata: { name: path.split("/")[4]! } }];
    return Promise.resolve(Response.json({ metadata: { resourceVersion: "1" }, items }));
  });
  const names = Array.from({ length: 60 }, (_, i) => `n${i}`);
  const followed = followMany(
    { kinds: { pods: kind("pods"), jobs: kind("jobs"), nodes: { ...kind("nodes"), namespaced: false } }, most: 100 },
    {
      timers: fakeTimers(),
      watches: Infinity,
      readable: async ({ resource }) => ({
        namespaces: resource === "pods" ? names : [],
        unknown: 3,
        listed: true,
      }),
    },
  );
  await vi.waitFor(() => expect(followed.value.value.isLoading).toBe(false));
  const { pods, jobs, nodes } = followed.value.value.lists;
  expect(metadataOf(pods?.objects)).toEqual(names.slice(0, 24));
  expect(pods?.within).toEqual({ namespaces: names.slice(0, 24), more: 60 - 24 + 3 });
  expect([jobs?.state, jobs?.failure?.code, nodes?.state]).toEqual(["failed", 403, "failed"]);
  expect(asked.filter((path) => path === "/api/v1/pods").length).toBe(1);
  followed.close();
});

test("lists of single namespaces are one list, without those that are refused meanwhile", () => {
  const list = (name: string, state: "live" | "stale" | "failed" | "loading", truncated = false) => ({
    namespace: name,
    list: { objects: [{ metadata: { name } }], state, truncated, resourceVersion: "1" },
  });
  const both = joined([list("a", "live"), list("b", "failed")], 2);
  expect([metadataOf(both.objects), both.state, both.within]).toEqual([["a"], "live", { namespaces: ["a"], more: 2 }]);
  expect(joined([list("a", "stale"), list("b", "live", true)], 0)).toMatchObject({ state: "stale", truncated: true });
  expect(joined([list("a", "stale"), list("b", "loading")], 0).state).toBe("loading");
  expect(joined([list("a", "failed")], 0)).toMatchObject({ state: "failed", objects: [] });
});
