import { expect, test } from "vitest";
import { FieldErrors } from "../../../../meta/field-errors.ts";
import { leastCpu } from "../../../../util/testing/cpu-time.ts";
import { expectNotLong } from "../../../../util/testing/slices.ts";
import { validateAddresses } from "./families.ts";
import type { ServiceSpec } from "./schema.ts";

test("as many families as a list may have are compared in a turn that is not long", async () => {
  // As they come from a body: no two texts are one in memory.
  const ipFamilies = Array.from({ length: 16_384 }, (_, i) => Buffer.from(`family-${i}`).toString());
  const errors = new FieldErrors();
  expectNotLong(
    await leastCpu(() => validateAddresses({ ipFamilies } as unknown as ServiceSpec, undefined, errors)),
    25,
  );
  expect(errors.causes).toHaveLength(1000);
});
