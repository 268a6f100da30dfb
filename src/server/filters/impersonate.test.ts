import { describe, expect, test } from "vitest";
import type { Identity } from "../../auth/contract.ts";
import type { RequestInfo } from "../../meta/request-info.ts";
import { noRights, testServer } from "../testing/test-server.ts";
import { DEFAULT_FILTERS } from "./default.ts";

const PATH = "/api/v1/namespaces/n/configmaps";

/** A server whose `tester` may do all, in the name of anybody but `root`; others may only list. */
async function policed() {
  const asked: string[] = [];
  const server = await testServer({
    authenticator: { authenticate: () => ({ user: "tester", groups: ["staff"] }) },
    authorizer: {
      authorize({ user, groups, uid, extra }, { verb, resource, subresource, namespace, name }: RequestInfo) {
        const what = subresource === "" ? resource : `${resource}/${subresource}`;
        asked.push([user, groups.join("+"), uid ?? "", verb, what, namespace, name].join(" "));
        if (extra) asked.push(JSON.stringify(extra));
        const allowed = user === "tester" ? name !== "root" : verb === "list";
        return { allowed, reason: "" };
      },
      rightsOf: noRights,
    },
  });
  return { ...server, asked };
}

describe("impersonation", () => {
  test("AUTHN-43: the rights are those of the other, not of the sender", async () => {
    const { json, asked } = await policed();
    const headers = { "impersonate-user": "jane", "impersonate-group": ["dev", "ops"], "impersonate-uid": "u-1" };
    expect(await json("GET", PATH, { headers })).toMatchObject({ code: 200 });
    expect(await json("DELETE", `${PATH}/a`, { headers })).toMatchObject({
      code: 403,
      body: {
        reason: "Forbidden",
        message:
          'configmaps "a" is forbidden: User "jane" cannot delete resource "configmaps" in API group "" in the namespace "n"',
      },
    });
    expect(asked.slice(0, 5)).toEqual([
      "tester staff  impersonate users  jane",
      "tester staff  impersonate groups  dev",
      "tester staff  impersonate groups  ops",
      "tester staff  impersonate uids  u-1",
      "jane dev+ops+system:authenticated u-1 list configmaps n ",
    ]);
  });

  test("AUTHN-44: who may not impersonate is refused, whatever the sender may do else", async () => {
    const { json } = await policed();
    const response = await json("GET", PATH, { headers: { "impersonate-user": "root" } });
    expect(response).toMatchObject({
      code: 403,
      body: {
        message:
          'users "root" is forbidden: User "tester" cannot impersonate resource "users" in API group "" at the cluster scope',
      },
    });
  });

  test("AUTHN-15, AUTHN-47: a service account has its groups; so has the anonymous user", async () => {
    const { json, asked } = await policed();
    await json("GET", PATH, { headers: { "impersonate-user": "system:serviceaccount:default:robot" } });
    await json("GET", PATH, { headers: { "impersonate-user": "system:anonymous" } });
    expect(asked).toContain("tester staff  impersonate serviceaccounts default robot");
    expect(asked.filter((line) => line.includes(" list ")).map((line) => line.split(" ")[1])).toEqual([
      "system:serviceaccounts+system:serviceaccounts:default+system:authenticated",
      "system:unauthenticated",
    ]);
  });

  test("AUTHN-48: further attributes are asked for one by one, and are those of the other", async () => {
    const { json, asked } = await policed();
    const headers = {
      "impersonate-user": "jane",
      "impersonate-extra-acme.com%2fproject": ["a", "b,c"],
      "impersonate-extra-%": "c",
    };
    expect(await json("GET", PATH, { headers })).toMatchObject({ code: 200 });
    expect(asked).toEqual([
      "tester staff  impersonate users  jane",
      "tester staff  impersonate userextras/acme.com/project  a",
      "tester staff  impersonate userextras/acme.com/project  b,c",
      "tester staff  impersonate userextras/%  c",
      "jane system:authenticated  list configmaps n ",
      '{"acme.com/project":["a","b,c"],"%":["c"]}',
    ]);
  });

  test.each([["group"], ["uid"], ["extra-scopes"]])("%s without a user is 400", async (name) => {
    const { json } = await policed();
    expect(await json("GET", PATH, { headers: { [`impersonate-${name}`]: "dev" } })).toMatchObject({
      code: 400,
      body: { reason: "BadRequest", message: expect.stringContaining("Impersonate-User") },
    });
  });

  test("groups and further attributes are at most a thousand together, and further ones are not authorized", async () => {
    const { json, asked } = await policed();
    const groups = { "impersonate-user": "jane", "impersonate-group": Array<string>(600).fill("g") };
    const most = await json("GET", PATH, {
      headers: { ...groups, "impersonate-extra-scopes": Array<string>(400).fill("s") },
    });
    asked.length = 0;
    const more = await json("GET", PATH, {
      headers: { ...groups, "impersonate-extra-scopes": Array<string>(401).fill("s") },
    });
    expect([most.code, more.code, asked]).toEqual([200, 400, []]);
    expect(more.body.message).toBe(
      "expected at most 1000 values of Impersonate-Group and Impersonate-Extra-* together, found more",
    );
  });

  test.each([
    [
      "AUTHN-47: names with commas, duplicates and empty ones are kept",
      "jane",
      ["a, b", "", "a, b"],
      ["a, b", "", "a, b", "system:authenticated"],
    ],
    [
      "AUTHN-47: a group of those who are known or not is not added to",
      "jane",
      ["system:unauthenticated"],
      ["system:unauthenticated"],
    ],
    [
      "AUTHN-47: an account with groups has no others",
      "system:serviceaccount:n:robot",
      ["g"],
      ["g", "system:authenticated"],
    ],
    [
      "AUTHN-44: what no account can be called is a user",
      "system:serviceaccount:N:robot",
      [],
      ["system:authenticated"],
    ],
    [
      "AUTHN-15: the anonymous user stays anonymous, whatever groups are named",
      "system:anonymous",
      ["g"],
      ["g", "system:unauthenticated"],
    ],
  ])("%s", async (_, user, groups, expected) => {
    const seen: Identity[] = [];
    const { json } = await testServer({
      authorizer: { authorize: (who) => ({ allowed: seen.push(who) > 0, reason: "" }), rightsOf: noRights },
    });
    await json("GET", PATH, { headers: { "impersonate-user": user, "impersonate-group": groups } });
    expect(seen.at(-1)).toEqual({ user, groups: expected });
  });

  test("AUTHN-45: the user is asked about first, then groups, further attributes and the uid; a refusal ends it", async () => {
    const { json, asked } = await policed();
    const headers = {
      "impersonate-uid": "u-1",
      "impersonate-extra-x": ["y", "root", "z"],
      "impersonate-group": "dev",
      "impersonate-user": "jane",
    };
    expect(await json("GET", PATH, { headers })).toMatchObject({
      code: 403,
      body: { details: { group: "authentication.k8s.io", kind: "userextras", name: "root" } },
    });
    expect(asked).toEqual([
      "tester staff  impersonate users  jane",
      "tester staff  impersonate groups  dev",
      "tester staff  impersonate userextras/x  y",
      "tester staff  impersonate userextras/x  root",
    ]);
  });

  test("AUTHN-43: an empty user impersonates no other", async () => {
    const { json, asked } = await policed();
    await json("GET", PATH, { headers: { "impersonate-user": "" } });
    expect(asked).toEqual(["tester staff  list configmaps n "]);
  });

  test("an authorizer that fails has not allowed it: 403, also where it says yes", async () => {
    const { json } = await testServer({
      authorizer: { authorize: () => ({ allowed: true, reason: "", error: "no response" }), rightsOf: noRights },
    });
    expect((await json("GET", PATH)).code).toBe(200);
    expect((await json("GET", PATH, { headers: { "impersonate-user": "jane" } })).code).toBe(403);
  });

  test("AUTHN-50: a place is asked for after the other is known", () => {
    const names = DEFAULT_FILTERS.map(({ name }) => name);
    expect(names.indexOf("impersonate")).toBeLessThan(names.indexOf("fairness"));
  });
});
