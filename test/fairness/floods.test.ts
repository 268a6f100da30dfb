import { afterAll, beforeAll, expect, test } from "vitest";
import { alwaysAllow } from "../../src/auth/admin.ts";
import { type Cluster, createCluster } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { kitPlugins } from "../../src/testing/plugins.ts";

// The short form of `bench/fairness.ts`: what counts is what a read waits for, so that other programs of the machine change
// nothing.
const OBJECTS = 2000;
const CM = "/api/v1/namespaces/default/configmaps";
let cluster: Cluster;

beforeAll(async () => {
  cluster = await createCluster({
    store: await openMemoryStore(),
    dialect: kubernetes,
    plugins: kitPlugins(),
    authenticator: () => ({
      authenticate: ({ header }) => ({ user: header("authorization"), groups: ["system:authenticated"] }),
    }),
    authorizer: () => alwaysAllow,
  });
  const made = Array.from({ length: OBJECTS }, (_, i) =>
    ask("admin", "POST", CM, { metadata: { name: `c-${i}` }, data: { pad: "x".repeat(900) } }),
  );
  await Promise.all(made);
}, 30_000);

afterAll(() => cluster.close(0));

/** Sends a request as a user and reads the response; returns its code. */
async function ask(user: string, method: string, url: string, body?: object): Promise<number> {
  const answer = await cluster.server.inject({
    method,
    url,
    headers: {
      authorization: user,
      "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
    },
    ...(user === "admin" ? { identity: { user, groups: ["system:masters"] } } : {}),
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  await answer.bytes();
  return answer.code;
}

const FLOOD = 100;

/** How many requests of a flood got a response before a read of another user that came right after them. */
async function answeredBefore(flood: (i: number) => Promise<unknown>): Promise<number> {
  let answered = 0;
  const flooding = Array.from({ length: FLOOD }, async (_, i) => {
    await flood(i);
    answered++;
  });
  // From a socket it would be heard in the next pass of the event loop.
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(await ask("reader", "GET", `${CM}/c-1`)).toBe(200);
  const before = answered;
  await Promise.all(flooding);
  return before;
}

test("APF-18: a read that comes behind a flood of lists is answered before most of them", async () => {
  expect(await answeredBefore(() => ask("flood", "GET", CM))).toBeLessThan(10);
});

test("APF-18: so is one that comes behind a flood of watches", async () => {
  expect(await answeredBefore(() => ask("flood", "GET", `${CM}?watch=1&timeoutSeconds=1`))).toBeLessThan(10);
});

test("APF-18: so is one that comes behind a flood of writes, though there are seats for all of them", async () => {
  const write = (i: number) => ask("flood", "PATCH", `${CM}/c-${i}`, { data: { value: String(i) } });
  expect(await answeredBefore(write)).toBeLessThan(FLOOD / 2);
});
