/** No plan holds the event loop: many documents, large ones, and many fields of large objects. */
import { describe, test } from "vitest";
import { type Manifest, planDocuments } from "../../src/client/index.ts";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { createCluster } from "../../src/testing/index.ts";
import { expectNoLongSlice } from "../../src/util/testing/slices.ts";

const OPTIONS = { fieldManager: "deployer", force: true };

const map = (name: string, fields: number, value: string): Manifest => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: Object.fromEntries(Array.from({ length: fields }, (_, i) => [`field-${i}`, value])),
});

describe("a plan", () => {
  test.each<[string, readonly Manifest[], readonly Manifest[]]>([
    ["of 1,000 new objects", [], Array.from({ length: 1000 }, (_, i) => map(`m-${i}`, 10, "x"))],
    [
      "that changes all of 300 objects",
      Array.from({ length: 300 }, (_, i) => map(`m-${i}`, 20, "x")),
      Array.from({ length: 300 }, (_, i) => map(`m-${i}`, 20, "y")),
    ],
    ["that changes 8,000 fields of one object", [map("large", 8000, "x")], [map("large", 8000, "y")]],
    ["that removes 8,000 fields of one object", [map("large", 8000, "x")], [map("large", 1, "y")]],
    ["of one object of a megabyte", [], [map("large", 1, "x".repeat(1_000_000))]],
  ])("%s has no long slice", { timeout: 120_000 }, async (_, stored, documents) => {
    await using cluster = await createCluster({ controllers: "none" });
    const client = cluster.client();
    for (const { metadata, ...rest } of stored) await client.resource(ConfigMap).apply({ ...rest, metadata }, OPTIONS);
    await expectNoLongSlice(
      () => undefined,
      () => planDocuments(client, documents, OPTIONS),
    );
  });
});
