import { describe, expect, test } from "vitest";
import { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { findExactKind, findKind } from "./find-kind.ts";

const resource = (name: string, kind: string, shortNames: readonly string[] = [], scope = "Namespaced"): object => ({
  resource: name,
  responseKind: { kind },
  singularResource: kind.toLowerCase(),
  scope,
  shortNames,
  verbs: ["get"],
});

type Versions = Readonly<Record<string, readonly object[]>>;

const group = (name: string | undefined, versions: Versions): object => ({
  metadata: { name },
  versions: Object.entries(versions).map(([version, resources]) => ({ version, resources, freshness: "Current" })),
});

const CORE = [
  resource("configmaps", "ConfigMap", ["cm"]),
  { ...resource("events", "Event", ["ev"]), subresources: [{ subresource: "odd", verbs: ["get"] }] },
];

const DOCUMENTS: Readonly<Record<string, object>> = {
  "/api": { items: [group(undefined, { v1: CORE })] },
  "/apis": {
    items: [
      group("events.example.com", { v1: [resource("events", "Event", ["ev"])] }),
      group("storage.example.com", {
        v1: [resource("classes", "Class", ["cl"], "Cluster")],
        v1beta1: [resource("classes", "Class"), resource("olds", "Old")],
      }),
    ],
  },
};

const transport: Transport = async ({ path }) => ({
  status: DOCUMENTS[path] ? 200 : 404,
  body: (async function* () {
    yield Buffer.from(JSON.stringify(DOCUMENTS[path] ?? { kind: "Status", reason: "NotFound", message: `no ${path}` }));
  })(),
});
const client = new Client(transport, { userAgent: "test" });

describe("a kind is found", () => {
  test.each([
    ["cm", "/v1/configmaps"],
    ["configmap", "/v1/configmaps"],
    ["configmaps", "/v1/configmaps"],
    ["ConfigMap", "/v1/configmaps"],
    ["ev", "/v1/events"],
    ["events.events.example.com", "events.example.com/v1/events"],
    ["events.events", "events.example.com/v1/events"],
    ["Class", "storage.example.com/v1/classes"],
    ["class.storage", "storage.example.com/v1/classes"],
    ["olds", "storage.example.com/v1beta1/olds"],
  ])("by the name %s", async (asked, expected) => {
    const { group: of, version, plural } = await findKind(client, asked);
    expect(`${of}/${version}/${plural}`.replace(/^\/\//, "/")).toBe(expected);
  });

  test.each(["nothing", "cm.apps", "odd", "configmaps/status", "events.event"])("not by the name %s", async (asked) => {
    await expect(findKind(client, asked)).rejects.toThrow(`the server has no kind called ${JSON.stringify(asked)}`);
  });

  test("by its apiVersion and kind", async () => {
    expect(await findExactKind(client, "storage.example.com/v1beta1", "Old")).toMatchObject({ plural: "olds" });
    expect(await findExactKind(client, "v1", "ConfigMap")).toMatchObject({ group: "", scope: "Namespaced" });
    expect(await findExactKind(client, "storage.example.com/v1", "Class")).toMatchObject({ scope: "Cluster" });
    await expect(findExactKind(client, "v9", "ConfigMap")).rejects.toThrow("no kind ConfigMap of v9");
    await expect(findExactKind(client, "v1", "configmap")).rejects.toThrow("no kind configmap of v1");
  });
});
