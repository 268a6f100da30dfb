/** An exploration whose program blocks the loop of its thread. */
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
