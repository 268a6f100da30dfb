import { afterEach, expect, test } from "vitest";
import { Secret } from "../../client/kinds/index.ts";
import { type Controller, defineController } from "../../runtime/index.ts";
import { asks, closeLaboratories, eventOfWeb, playPlan, writesOf } from "./testing/certificates.ts";

afterEach(closeLaboratories);

/** Creates a Secret as long as it sees a request for one; the collector deletes objects without an owner. */
const keepers = (): Controller =>
  defineController({
    name: "keepers",
    for: asks,
    owns: [Secret],
    async reconcile({ owned, create }) {
      if (owned(Secret).length === 0) await create(Secret, { metadata: { generateName: "cert-" }, data: {} });
    },
  });

test("a program that tries again and again while its watches stand still soon sees what is stored", async () => {
  const run = await playPlan([{ type: "gap", at: eventOfWeb("DELETED") }], { controllers: keepers });
  const tries = writesOf(run).length;
  expect(tries).toBeGreaterThan(20);
  expect(tries).toBeLessThan(50);
  expect(run.complaints).toEqual([]);
  expect(run.states.at(-1)!.state.objects).toEqual([]);
});
