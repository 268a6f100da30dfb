import fc from "fast-check";
import { expect, test } from "vitest";
import { kubernetes } from "../meta/dialect.ts";
import { binderNames } from "./annotations.ts";
import { isAvailable, covers, fits, modesText, objections, bucketOf } from "./fit.ts";
import { someClaim, someVolume } from "./testing/arbitraries.ts";

test("CTL-BIND-12: a volume without objections is one that the binder would choose", () => {
  const names = binderNames(kubernetes);
  fc.assert(
    fc.property(someVolume, someClaim, (volume, claim) => {
      const isChosen =
        isAvailable(volume) &&
        bucketOf(volume, names) === bucketOf(claim, names) &&
        covers(modesText(volume), claim) &&
        fits(volume, claim);
      expect(objections(volume, claim, names).length === 0).toBe(isChosen);
    }),
    { numRuns: 500 },
  );
});
