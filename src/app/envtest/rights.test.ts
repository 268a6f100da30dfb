import { expect, test } from "vitest";
import { ANONYMOUS } from "../../auth/contract.ts";
import { requestInfo } from "../../meta/request-info.ts";
import { firstRoles } from "./rights.ts";

const someone = { user: "someone", groups: ["team", "system:authenticated"] };
const master = { user: "admin", groups: ["system:masters", "system:authenticated"] };

const PODS = ["GET", "/api/v1/namespaces/default/pods"] as const;
const REVIEW = ["POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"] as const;

const may = (identity: typeof someone | typeof ANONYMOUS, [method, path]: readonly [string, string]): unknown => {
  const decision = firstRoles.authorize(
    identity,
    requestInfo(method, path, () => false),
  );
  return "allowed" in decision && decision.allowed;
};

test.each([
  [["GET", "/healthz"], true, true],
  [["GET", "/livez"], true, true],
  [["GET", "/version/"], true, true],
  [["GET", "/api"], false, true],
  [["GET", "/apis/apps/v1"], false, true],
  [["GET", "/openapi/v3"], false, true],
  [["GET", "/metrics"], false, false],
  [["POST", "/api"], false, false],
  [REVIEW, false, true],
  [PODS, false, false],
] as const)("%j: strangers %j, who is known %j, masters always", (request, stranger, known) => {
  expect([may(ANONYMOUS, request), may(someone, request), may(master, request)]).toEqual([stranger, known, true]);
});
