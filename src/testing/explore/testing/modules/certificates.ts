/** An exploration as a module: the operator of certificates. */
import { defineExploration, type ExplorationModule } from "../../explored.ts";
import { asking, certificates } from "../certificates.ts";

const exploration: ExplorationModule = defineExploration({
  scenario: asking,
  programs: { operator: { controllers: certificates } },
});
export default exploration;
