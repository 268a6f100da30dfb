import { afterEach, expect, test, vi } from "vitest";
import type { Kind } from "../api/discovery.ts";
import type { Timers } from "../api/timers.ts";
import { followMany, slim } from "./follow-many.ts";

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
  const followed = followMany({ kinds, namespace: "team", most: 10 }, timers, 1);
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
  const followed = followMany({ kinds: { a: kind("pods"), b: kind("nodes") }, at: "7", most: 10 }, timers, 0);
  await vi.waitFor(() => expect(followed.value.value.isLoading).toBe(false));
  timers.run();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(server.asked.toSorted()).toEqual(["nodes", "pods"]);
  followed.close();
});
