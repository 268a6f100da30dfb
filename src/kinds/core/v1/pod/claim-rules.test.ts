import { describe, expect, test } from "vitest";
import { Pods } from "../testing/pods.ts";
import { benches } from "../testing/volumes.ts";

describe.each(benches.map((bench) => [bench.dialect.name, new Pods(bench)] as const))("claims, %s", (_name, pods) => {
  test.each([
    [
      [
        { name: "a", resourceClaimName: "x.y" },
        { name: "b", resourceClaimTemplateName: "x" },
      ],
      [],
    ],
    [[{ resourceClaimName: "x" }], ["Required resourceClaims[0].name"]],
    [[{ name: "a.b", resourceClaimName: "x" }], ["Invalid resourceClaims[0].name"]],
    [
      [
        { name: "a", resourceClaimName: "x" },
        { name: "a", resourceClaimName: "y" },
      ],
      ["Duplicate resourceClaims[1].name"],
    ],
    [[{ name: "a" }], ["Invalid resourceClaims[0]"]],
    [[{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "x" }], ["Invalid resourceClaims[0]"]],
    [[{ name: "a", resourceClaimName: "" }], ["Invalid resourceClaims[0].resourceClaimName"]],
    [[{ name: "a", resourceClaimTemplateName: "A" }], ["Invalid resourceClaims[0].resourceClaimTemplateName"]],
  ])("KIND-PodSpec-8: the claims %j", (resourceClaims, expected) => {
    expect(pods.refused({ resourceClaims })).toEqual(expected);
    expect(pods.refusedTemplate({ resourceClaims })).toEqual(expected);
  });
});
