import { describe, expect, test } from "vitest";
import { requestInfo } from "../meta/request-info.ts";
import { mastersAuthorizer } from "./admin.ts";
import type { Identity } from "./contract.ts";

describe("mastersAuthorizer", () => {
  const decide = (groups: readonly string[], method: string, path: string): unknown => {
    const identity: Identity = { user: "u", groups };
    return mastersAuthorizer.authorize(
      identity,
      requestInfo(method, path, () => false),
    );
  };

  test("DEC-36: masters may do everything", () => {
    expect(decide(["system:masters"], "DELETE", "/api/v1/namespaces/default")).toEqual({ allowed: true, reason: "" });
    expect(decide(["a", "system:masters"], "GET", "/metrics")).toEqual({ allowed: true, reason: "" });
  });

  test("DEC-36: other users may do nothing, and the reason names the group", () => {
    expect(decide(["system:authenticated"], "GET", "/api/v1/configmaps")).toEqual({
      allowed: false,
      reason: "expected a member of system:masters",
    });
    for (const path of ["/healthz", "/livez", "/readyz", "/version", "/version/"]) {
      expect(decide([], "GET", path)).toMatchObject({ allowed: true });
      expect(decide([], "POST", path)).toMatchObject({ allowed: false });
    }
    expect(decide([], "GET", "/livez/ping")).toMatchObject({ allowed: false });
    expect(decide([], "GET", "/metrics")).toEqual({ allowed: false, reason: "expected a member of system:masters" });
  });
});
