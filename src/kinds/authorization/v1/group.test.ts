import { expect, test } from "vitest";
import { neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { authorizationGroup } from "./group.ts";

const ctx = contextOf(neutral);
const kinds = authorizationGroup(ctx).map((definition) => new KindUnderTest(definition, ctx));

test("DEC-36: what a client asks reaches the answer as it was asked", () => {
  const resourceAttributes = { namespace: "n", verb: "get", group: "g", resource: "secrets", name: "a" };
  for (const name of ["SelfSubjectAccessReview", "SubjectAccessReview"]) {
    const kind = kinds.find((k) => k.definition.kind === name)!;
    const { object, unknown } = kind.create({ spec: { resourceAttributes } });
    expect(object).toMatchObject({ spec: { resourceAttributes }, status: { allowed: false } });
    expect(unknown).toEqual([]);
  }
});
