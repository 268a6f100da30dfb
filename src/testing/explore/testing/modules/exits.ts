/** An exploration whose program ends the whole thread where it finds its work half done: after a crash between its two writes. */
import { exit } from "node:process";
import { ConfigMap, Secret } from "../../../../client/kinds/index.ts";
import { defineController } from "../../../../runtime/index.ts";
import { defineExploration, type ExplorationModule } from "../../explored.ts";
import { asking, asks } from "../certificates.ts";

const halting = defineController({
  name: "halting",
  for: asks,
  owns: [Secret],
  async reconcile({ object, owned, create, apply }) {
    if (owned(Secret).length > 0 && object.data?.["ready"] === undefined) exit(7);
    if (owned(Secret).length === 0) await create(Secret, { metadata: { generateName: "cert-" }, data: {} });
    await apply(ConfigMap, { metadata: { name: object.metadata.name }, data: { ready: "yes" } });
  },
});

const exploration: ExplorationModule = defineExploration({
  scenario: asking,
  programs: { operator: { controllers: () => halting } },
});
export default exploration;
