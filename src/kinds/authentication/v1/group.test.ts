import { expect, test } from "vitest";
import { kubernetes, neutral } from "../../../meta/dialect.ts";
import { KindUnderTest, contextOf } from "../../../schema/testing/kind.ts";
import { authenticationGroup } from "./group.ts";

const kindsOf = (dialect: typeof neutral): KindUnderTest[] => {
  const ctx = contextOf(dialect);
  return authenticationGroup(ctx).map((definition) => new KindUnderTest(definition, ctx));
};

test("SUP-7, LIM-11: a request for a token is for an hour by default", () => {
  for (const dialect of [neutral, kubernetes]) {
    const request = kindsOf(dialect).find((kind) => kind.definition.kind === "TokenRequest")!;
    expect(request.create({}).object["spec"]).toMatchObject({ expirationSeconds: 3600 });
    expect(request.create({ spec: { expirationSeconds: 600 } }).object["spec"]).toMatchObject({
      expirationSeconds: 600,
    });
    expect(request.create({ spec: { audiences: "x" } }).mismatch).toBe("spec.audiences");
  }
});
