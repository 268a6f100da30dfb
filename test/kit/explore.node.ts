/** A test as readers write it for `node:test`; `explore.test.ts` runs it. */
import { match, rejects } from "node:assert/strict";
import { it } from "node:test";
import { defineController } from "../../src/runtime/index.ts";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { explore } from "../../src/testing/index.ts";

const copies = (isCareful: boolean) => () =>
  defineController({
    name: "copies",
    for: ConfigMap,
    owns: [Secret],
    predicate: ({ object }) => object.metadata.name === "a",
    async reconcile({ object, create, apply }) {
      if (isCareful) await apply(Secret, { metadata: { name: object.metadata.name }, data: {} });
      else await create(Secret, { metadata: { generateName: "a-" }, data: {} });
    },
  });

const scenario = {
  name: "copies",
  steps: [{ apply: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } }],
};

it("finds what is made twice", async () => {
  const result = await explore(scenario, { controllers: copies(false), only: ["crash"], plans: 4 });
  await rejects(async () => result.assertNone(), /Secret/);
  match(result.text, /copies is killed/);
});

it("accuses nobody who does it right", async () => {
  (await explore(scenario, { controllers: copies(true), only: ["crash"], plans: 4 })).assertNone();
});
