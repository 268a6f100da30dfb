/** A test as readers write it for `node:test`; `explore.test.ts` runs it. */
import { match, rejects } from "node:assert/strict";
import { it } from "node:test";
import { defineController } from "../../src/runtime/index.ts";
import { ConfigMap, Secret } from "../../src/client/kinds/index.ts";
import { explore } from "../../src/testing/index.ts";

/** Marks a ConfigMap when it has made a Secret; the careless one takes the Secret for all of the work. */
const copies = (isCareful: boolean) => () =>
  defineController({
    name: "copies",
    for: ConfigMap,
    owns: [Secret],
    predicate: ({ object }) => object.metadata.name === "a",
    async reconcile({ object, owned, create, apply }) {
      const { name } = object.metadata;
      if (owned(Secret).length > 0 && !isCareful) return;
      if (owned(Secret).length === 0) await create(Secret, { metadata: { name }, data: {} });
      await apply(ConfigMap, { metadata: { name }, data: { copied: "yes" } });
    },
  });

const scenario = {
  name: "copies",
  steps: [{ apply: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } } }],
};

it("finds a crash between two writes", async () => {
  const result = await explore(scenario, { controllers: copies(false), only: ["crash"], plans: 4 });
  await rejects(async () => result.assertNone(), /copied/);
  match(result.text, /copies is killed/);
});

it("accuses nobody who does it right", async () => {
  (await explore(scenario, { controllers: copies(true), only: ["crash"], plans: 4 })).assertNone();
});
