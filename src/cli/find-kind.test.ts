import { describe, expect, test } from "vitest";
import { Client } from "../client/client.ts";
import type { Transport } from "../client/transport.ts";
import { findExactKind, findKind } from "./find-kind.ts";

const resource = (name: string, kind: string, shortNames: readonly string[] = [], namespaced = true): object => ({
  name,
  singularName: kind.toLowerCase(),
  kind,
  namespaced,
  shortNames,
});

const group = (name: string, ...versions: string[]): object => ({
  name,
  preferredVersion: { version: versions[0] },
  versions: versions.toReversed().map((version) => ({ version })),
});

const DOCUMENTS: Readonly<Record<string, object>> = {
  "/api": { versions: ["v1"] },
  "/api/v1": {
    resources: [
      resource("configmaps", "ConfigMap", ["cm"]),
      resource("configmaps/status", "Odd"),
      resource("events", "Event", ["ev"]),
    ],
  },
  "/apis": { groups: [group("events.example.com", "v1"), group("storage.example.com", "v1", "v1beta1")] },
  "/apis/events.example.com/v1": { resources: [resource("events", "Event", ["ev"])] },
  "/apis/storage.example.com/v1": { resources: [resource("classes", "Class", ["cl"], false)] },
  "/apis/storage.example.com/v1beta1": { resources: [resource("classes", "Class"), resource("olds", "Old")] },
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
  ])("that people call %s", async (asked, expected) => {
    const { group: of, version, plural } = await findKind(client, asked);
    expect(`${of}/${version}/${plural}`.replace(/^\/\//, "/")).toBe(expected);
  });

  test.each(["nothing", "cm.apps", "odd", "configmaps/status", "events.event"])("never for %s", async (asked) => {
    await expect(findKind(client, asked)).rejects.toThrow(`the server has no kind called ${JSON.stringify(asked)}`);
  });

  test("by its apiVersion and kind, as objects carry them", async () => {
    expect(await findExactKind(client, "storage.example.com/v1beta1", "Old")).toMatchObject({ plural: "olds" });
    expect(await findExactKind(client, "v1", "ConfigMap")).toMatchObject({ group: "", namespaced: true });
    expect(await findExactKind(client, "storage.example.com/v1", "Class")).toMatchObject({ namespaced: false });
    await expect(findExactKind(client, "v9", "ConfigMap")).rejects.toThrow("no kind ConfigMap of v9");
    await expect(findExactKind(client, "v1", "configmap")).rejects.toThrow("no kind configmap of v1");
  });
});
