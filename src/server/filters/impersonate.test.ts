import { describe, expect, test } from "vitest";
import type { RequestInfo } from "../../meta/request-info.ts";
import { cpuMillis } from "../../util/testing/cpu-time.ts";
import { noRights, testServer } from "../testing/test-server.ts";

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
  test("the rights are those of the other, not of the sender", async () => {
    const { json, asked } = await policed();
    const headers = { "impersonate-user": "jane", "impersonate-group": "dev, ops", "impersonate-uid": "u-1" };
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

  test("who may not impersonate is refused, whatever the sender may do else", async () => {
    const { json } = await policed();
    const answer = await json("GET", PATH, { headers: { "impersonate-user": "root" } });
    expect(answer).toMatchObject({
      code: 403,
      body: {
        message:
          'users "root" is forbidden: User "tester" cannot impersonate resource "users" in API group "" at the cluster scope',
      },
    });
  });

  test("a service account has its groups; nobody known has his own", async () => {
    const { json, asked } = await policed();
    await json("GET", PATH, { headers: { "impersonate-user": "system:serviceaccount:default:robot" } });
    await json("GET", PATH, { headers: { "impersonate-user": "system:anonymous" } });
    expect(asked).toContain("tester staff  impersonate serviceaccounts default robot");
    expect(asked.filter((line) => line.includes(" list ")).map((line) => line.split(" ")[1])).toEqual([
      "system:serviceaccounts+system:serviceaccounts:default+system:authenticated",
      "system:unauthenticated",
    ]);
  });

  test("further attributes are asked for one by one, and are those of the other", async () => {
    const { json, asked } = await policed();
    const headers = {
      "impersonate-user": "jane",
      "impersonate-extra-acme.com%2Fproject": "a, b",
      "impersonate-extra-%": "c",
    };
    expect(await json("GET", PATH, { headers })).toMatchObject({ code: 200 });
    expect(asked).toEqual([
      "tester staff  impersonate users  jane",
      "tester staff  impersonate userextras/acme.com/project  a",
      "tester staff  impersonate userextras/acme.com/project  b",
      "tester staff  impersonate userextras/%  c",
      "jane system:authenticated  list configmaps n ",
      '{"acme.com/project":["a","b"],"%":["c"]}',
    ]);
  });

  test.each([["group"], ["uid"], ["extra-scopes"]])("%s without a user is 400", async (name) => {
    const { json } = await policed();
    expect(await json("GET", PATH, { headers: { [`impersonate-${name}`]: "dev" } })).toMatchObject({
      code: 400,
      body: { reason: "BadRequest", message: expect.stringContaining("Impersonate-User") },
    });
  });

  test("groups and further attributes are at most a thousand together, and nobody is asked about more", async () => {
    const { json, asked } = await policed();
    const groups = { "impersonate-user": "jane", "impersonate-group": "g,".repeat(600) };
    const most = await json("GET", PATH, { headers: { ...groups, "impersonate-extra-scopes": "s,".repeat(400) } });
    asked.length = 0;
    const more = await json("GET", PATH, { headers: { ...groups, "impersonate-extra-scopes": "s,".repeat(401) } });
    expect([most.code, more.code, asked]).toEqual([200, 400, []]);
    expect(more.body.message).toBe(
      "expected at most 1000 values of Impersonate-Group and Impersonate-Extra-* together, found 1001",
    );
  });

  test("a header of nothing but blanks is read in one go", async () => {
    const { json } = await policed();
    const began = cpuMillis();
    await json("GET", PATH, { headers: { "impersonate-group": `a${" ".repeat(1_000_000)}b` } });

    expect(cpuMillis() - began).toBeLessThan(1000);
  });
});
