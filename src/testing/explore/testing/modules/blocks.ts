/** An exploration whose program does not let the loop of its thread go on. */
import { defineExploration, type ExplorationModule } from "../../explored.ts";
import { asking } from "../certificates.ts";

const exploration: ExplorationModule = defineExploration({
  scenario: asking,
  programs: {
    operator: {
      main: async () => {
        for (;;);
      },
    },
  },
});
export default exploration;
