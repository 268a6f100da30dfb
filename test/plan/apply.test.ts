/** `keelson apply` without `--atomic`: what is printed about each document, and when. */
import { expect, test } from "vitest";
import type { AdmissionStep } from "../../src/admission/contract.ts";
import { ConfigMap } from "../../src/client/kinds/index.ts";
import { createCluster as createCore } from "../../src/cluster/index.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { openMemoryStore } from "../../src/storage/memory/store.ts";
import { createCluster } from "../../src/testing/index.ts";
import { applyEach } from "../../src/cli/apply-run.ts";

const map = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace: "default" },
  data: { k: "v" },
});

test("a document that the store refuses in the end is reported as refused", async () => {
  const store = await openMemoryStore();
  const step: AdmissionStep = {
    name: "Others",
    async validate({ operation }) {
      if (operation !== "UPDATE") return;
      const { key, value, revision } = (await store.range("/core/configmaps/default/a")).records[0]!;
      await store.write({ type: "update", key, value, expected: revision });
    },
  };
  await using cluster = await createCore({ store, dialect: kubernetes, steps: [step] });
  const apply = async (data: object) => {
    const made = await applyEach(
      cluster.client("test"),
      [{ ...map("a"), data }],
      { fieldManager: "deployer" },
      () => {},
    );
    return made.documents.map(({ result, status }) => [result, status?.code]);
  };
  expect(await apply({ k: "v" })).toEqual([["created", undefined]]);
  expect(await apply({ k: "w" })).toEqual([["refused", 409]]);
});

test("each document is reported as it is applied; a refused or failed one does not delay the others", async () => {
  await using cluster = await createCluster();
  const events: string[] = [];
  const client = cluster.client().with({
    through: (transport) => async (request) => {
      events.push("request");
      if (events.length === 6) throw new Error("socket hang up");
      if (events.length === 8) return transport({ ...request, path: "/keelson/v1/nothing" });
      return transport(request);
    },
  });
  const documents = ["a", "B", "c", "d", "e"].map(map);
  const report = await applyEach(client, documents, { fieldManager: "deployer" }, ({ object, result, refusedBy }) =>
    events.push([object?.name, result, refusedBy].join(" ").trim()),
  );
  expect(events).toEqual([
    "request",
    "request",
    "a created",
    "request",
    "B refused validation",
    "request",
    "c refused connection",
    "request",
    "d refused server",
    "request",
    "e created",
  ]);
  expect(report).toMatchObject({
    outcome: "committed",
    documents: [
      { document: 0 },
      { document: 1, status: { code: 422 } },
      { document: 2, status: { message: "socket hang up; it is not known whether it is stored: apply it again" } },
      { document: 3, status: { code: 404 } },
      { document: 4 },
    ],
  });
  const { items } = await cluster.client().resource(ConfigMap).list({ namespace: "default" });
  const names = items.map(({ metadata }) => metadata.name).filter((name) => name.length === 1);
  expect(names).toEqual(["a", "e"]);
});
