import { describe, expect, test } from "vitest";
import type { RequestInfo } from "../../meta/request-info.ts";
import { testServer } from "../testing/test-server.ts";

const PATH = "/api/v1/namespaces/default/configmaps";

/** A server whose `tester` may do all, in the name of anybody but `root`; others may only list. */
function policed() {
  const asked: string[] = [];
  const server = testServer({
    authenticator: { authenticate: () => ({ user: "tester", groups: ["staff"] }) },
    authorizer: {
      authorize({ user, groups, uid }, { verb, resource, namespace, name }: RequestInfo) {
        asked.push([user, groups.join("+"), uid ?? "", verb, resource, namespace, name].join(" "));
        const allowed = user === "tester" ? name !== "root" : verb === "list";
        return allowed ? { allowed } : { allowed, reason: `${user} may not ${verb} ${resource}` };
      },
    },
  });
  return { ...server, asked };
}

describe("impersonation", () => {
  test("the rights are those of the other, not of the sender", async () => {
    const { json, asked } = policed();
    const headers = { "impersonate-user": "jane", "impersonate-group": "dev, ops", "impersonate-uid": "u-1" };
    expect(await json("GET", PATH, { headers })).toMatchObject({ code: 200 });
    expect(await json("DELETE", `${PATH}/a`, { headers })).toMatchObject({
      code: 403,
      body: { reason: "Forbidden", message: expect.stringContaining("jane may not delete configmaps") },
    });
    expect(asked.slice(0, 5)).toEqual([
      "tester staff  impersonate users  jane",
      "tester staff  impersonate groups  dev",
      "tester staff  impersonate groups  ops",
      "tester staff  impersonate uids  u-1",
      "jane dev+ops+system:authenticated u-1 list configmaps default ",
    ]);
  });

  test("who may not impersonate is refused, whatever the sender may do else", async () => {
    const { json } = policed();
    const answer = await json("GET", PATH, { headers: { "impersonate-user": "root" } });
    expect(answer).toMatchObject({ code: 403, body: { message: expect.stringContaining("impersonate users") } });
  });

  test("a service account has its groups; nobody known has his own", async () => {
    const { json, asked } = policed();
    await json("GET", PATH, { headers: { "impersonate-user": "system:serviceaccount:default:robot" } });
    await json("GET", PATH, { headers: { "impersonate-user": "system:anonymous" } });
    expect(asked).toContain("tester staff  impersonate serviceaccounts default robot");
    expect(asked.filter((line) => line.includes(" list ")).map((line) => line.split(" ")[1])).toEqual([
      "system:serviceaccounts+system:serviceaccounts:default+system:authenticated",
      "system:unauthenticated",
    ]);
  });

  test("groups without a user are 400", async () => {
    const { json } = policed();
    expect(await json("GET", PATH, { headers: { "impersonate-group": "dev" } })).toMatchObject({
      code: 400,
      body: { reason: "BadRequest", message: expect.stringContaining("Impersonate-User") },
    });
  });
});
