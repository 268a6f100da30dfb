import { expect, test } from "vitest";
import { Client } from "./client.ts";
import { Discovery, preferredKinds } from "./discovery.ts";
import { FakeServer } from "./testing/fake-transport.ts";

const resource = (plural: string, kind: string, subresources: readonly string[] = []): object => ({
  resource: plural,
  responseKind: { kind },
  scope: "Namespaced",
  singularResource: kind.toLowerCase(),
  verbs: ["get", "list"],
  subresources: subresources.map((subresource) => ({ subresource, verbs: ["get"] })),
});

const group = (name: string | undefined, versions: Readonly<Record<string, object[]>>): object => ({
  metadata: { name },
  versions: Object.entries(versions).map(([version, resources]) => ({ version, resources })),
});

const CORE = { items: [group(undefined, { v1: [resource("pods", "Pod", ["status"])] })] };
const apps = (...more: object[]): object => ({
  items: [group("apps", { v1: [resource("events", "Event")], v1beta1: [resource("events", "Event"), ...more] })],
});

test("discovery reads two aggregated documents, and again only what has changed; listeners hear of that", async () => {
  const server = new FakeServer();
  const discovery = new Discovery(new Client(server.transport, { userAgent: "test" }));
  const heard: number[] = [];
  using _ = discovery.on((kinds) => void heard.push(kinds.length));
  const response = async (core: object | undefined, named: object | undefined, tag: string) => {
    const reading = discovery.read();
    for (const body of [core, named]) {
      const call = await server.next();
      expect(call.request.headers["accept"]).toContain("as=APIGroupDiscoveryList");
      if (body) call.json(body, 200, { etag: tag });
      else call.text("", 304);
    }
    return reading;
  };
  const first = await response(CORE, apps(), '"1"');
  expect(first.map(({ group: of, version, plural }) => `${of}/${version}/${plural}`)).toEqual([
    "/v1/pods",
    "apps/v1/events",
    "apps/v1beta1/events",
  ]);
  expect(first[0]!.subresources.get("status")).toEqual(["get"]);
  expect(preferredKinds(first)).toHaveLength(2);
  expect(await response(undefined, undefined, '"1"')).toEqual(first);
  expect(server.calls.slice(2).map(({ request }) => request.headers["if-none-match"])).toEqual(['"1"', '"1"']);
  expect(heard).toEqual([3]);
  await response(undefined, apps(resource("olds", "Old")), '"2"');
  expect([heard, discovery.kinds.length]).toEqual([[3, 4], 4]);
});
