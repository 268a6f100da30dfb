import { beforeEach, describe, expect, test } from "vitest";
import { masters } from "../admin.ts";
import type { Decision, Identity } from "../contract.ts";
import { Rbac, rbacOf } from "./rbac.ts";
import { RolesOfTest, pathRule, question, rule } from "./testing/roles.ts";
import { systemClock } from "../../util/clock.ts";

const kim: Identity = { user: "kim", groups: ["team", "system:authenticated"] };
const account: Identity = { user: "system:serviceaccount:n:a", groups: ["system:serviceaccounts"] };

let roles: RolesOfTest;
let rbac: Rbac;

beforeEach(() => {
  roles = new RolesOfTest();
  rbac = new Rbac(roles, systemClock.loop);
});

const decide = async (identity: Identity, text: string, namespace?: string): Promise<Decision> =>
  rbac.authorize(identity, question(text, namespace));
const may = async (text: string, namespace = "n", identity = kim): Promise<boolean> =>
  (await decide(identity, text, namespace)).allowed;

/** Gives the user kim rules in the namespace `n`. */
const give = (...rules: Parameters<typeof rule>[0][]): void => {
  roles.role("n", "r", ...rules.map(rule));
  roles.binding("n", "b", "Role r", "User kim");
};

describe("what a rule allows", () => {
  test("RBAC-24: any rule of any bound role is enough; each is tested by itself", async () => {
    give("get pods", "list services");
    roles.clusterRole("c", rule("watch nodes"));
    roles.binding("", "c", "ClusterRole c", "Group team");
    expect(await Promise.all(["get pods", "list services", "watch nodes"].map((text) => may(text)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(await Promise.all(["list pods", "get services", "get nodes"].map((text) => may(text)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  test("RBAC-25: verbs match exactly, and * anywhere in the list", async () => {
    give("GET,list pods", "get,* secrets");
    expect([await may("get pods"), await may("GET pods"), await may("lis pods")]).toEqual([false, true, false]);
    for (const verb of ["delete", "escalate", "odd"]) expect(await may(`${verb} secrets`)).toBe(true);
  });

  test("RBAC-26: groups match exactly", async () => {
    give("get a core", "get b *", "get c x.*", "get d core,x.io");
    expect([await may("get a"), await may("get a x.io")]).toEqual([true, false]);
    expect([await may("get b"), await may("get b x.io")]).toEqual([true, true]);
    expect([await may("get c x.io"), await may("get c x.*")]).toEqual([false, true]);
    expect([await may("get d"), await may("get d x.io"), await may("get d y.io")]).toEqual([true, true, false]);
  });

  test("RBAC-27: resources and subresources", async () => {
    give("get pods", "list pods/log", "watch *", "patch */scale", "create pods/*,*/*");
    const all = async (...texts: string[]): Promise<boolean[]> => Promise.all(texts.map((text) => may(text)));
    expect(await all("get pods", "get pods/log", "get Pods", "get pod")).toEqual([true, false, false, false]);
    expect(await all("list pods", "list pods/log")).toEqual([false, true]);
    expect(await all("watch pods", "watch pods/log")).toEqual([true, true]);
    expect(await all("patch pods", "patch pods/scale", "patch x/scale")).toEqual([false, true, true]);
    expect(await all("create pods/log", "create pods/*", "create x/*")).toEqual([false, true, true]);
  });

  test("RBAC-27: a resource name with a slash is not a subresource", async () => {
    give("get */log");
    expect(await may("get pods/log")).toBe(true);
    const odd = { ...question("get pods", "n"), resource: "pods/log" };
    expect((await rbac.authorize(kim, odd)).allowed).toBe(false);
  });

  test("RBAC-28: names", async () => {
    give("get pods core a,b", "list pods core ''", "watch pods core *");
    expect([await may("get pods core a"), await may("get pods core c"), await may("get pods")]).toEqual([
      true,
      false,
      false,
    ]);
    expect([await may("list pods"), await may("list pods core a")]).toEqual([true, false]);
    expect([await may("watch pods"), await may("watch pods core *")]).toEqual([false, true]);
  });

  test("RBAC-28: a long list of names is a set", async () => {
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`);
    give(`get pods core ${names.join(",")}`);
    expect([await may("get pods core n499"), await may("get pods core n500")]).toEqual([true, false]);
  });

  test("RBAC-29: version, UID and extra are ignored", async () => {
    give("get pods");
    const request = { ...question("get pods", "n"), version: "v9" };
    expect((await rbac.authorize({ ...kim, uid: "7", extra: { a: ["b"] } }, request)).allowed).toBe(true);
  });

  test("RBAC-30: paths", async () => {
    roles.clusterRole("c", pathRule("get /a,/b/*,/c**,/d*e"), pathRule("* /all"));
    roles.binding("", "c", "ClusterRole c", "User kim");
    const of = async (...paths: string[]): Promise<boolean[]> =>
      Promise.all(paths.map((path) => may(`get ${path}`, "")));
    expect(await of("/a", "/a/", "/b/", "/b/x/y", "/b", "/c", "/cx")).toEqual([
      true,
      false,
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(await of("/de", "/d*e", "/dxe")).toEqual([false, true, false]);
    expect([await may("put /all", ""), await may("put /a", "")]).toEqual([true, false]);
    roles.clusterRole("c", pathRule("get *"));
    expect(await of("/", "/anything")).toEqual([true, true]);
  });

  test("RBAC-31: rules for objects do not match paths, and paths need a ClusterRoleBinding", async () => {
    roles.clusterRole("c", rule("* * *"), pathRule("get /metrics"));
    roles.binding("n", "b", "ClusterRole c", "User kim");
    expect(await may("get /metrics", "")).toBe(false);
    roles.binding("", "b", "ClusterRole c", "User kim");
    expect([await may("get /metrics", ""), await may("get /version", "")]).toEqual([true, false]);
  });

  test("RBAC-32: a ClusterRole of a RoleBinding applies in that namespace", async () => {
    roles.clusterRole("c", rule("get pods,nodes"));
    roles.binding("n", "b", "ClusterRole c", "User kim");
    expect([await may("get pods"), await may("get pods", "m"), await may("get pods", "")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await may("get nodes")).toBe(true);
  });
});

describe("the subjects of a binding", () => {
  test("RBAC-33: users, groups and accounts match by case", async () => {
    roles.role("n", "r", rule("get pods"));
    const allowed = async (subject: string, who: Identity): Promise<boolean> => {
      roles.binding("n", "b", "Role r", subject);
      return may("get pods", "n", who);
    };
    expect([await allowed("User kim", kim), await allowed("User Kim", kim)]).toEqual([true, false]);
    expect([await allowed("Group team", kim), await allowed("Group kim", kim)]).toEqual([true, false]);
    expect(await allowed("User team", kim)).toBe(false);
    expect(await allowed("ServiceAccount n/a", account)).toBe(true);
    expect(await allowed("ServiceAccount a", account)).toBe(true);
    expect(await allowed("ServiceAccount m/a", account)).toBe(false);
    expect(await allowed("User system:serviceaccount:n:a", account)).toBe(true);
    expect(await allowed("Group system:serviceaccounts", account)).toBe(true);
  });

  test("RBAC-34: a missing role grants nothing and hides nothing, and counts when it is created", async () => {
    roles.binding("n", "a", "Role none", "User kim");
    roles.binding("", "a", "ClusterRole gone", "User kim");
    give("get pods");
    expect(await may("get pods")).toBe(true);
    const refused = await decide(kim, "list pods", "n");
    expect(refused).toMatchObject({ allowed: false, reason: expect.stringMatching(/^RBAC: .*"gone".*"none"/) });
    expect(refused.denied).toBeUndefined();
    roles.role("n", "none", rule("list pods"));
    expect(await may("list pods")).toBe(true);
  });

  test("RBAC-34: of many missing roles a few are named", async () => {
    for (let i = 0; i < 50; i++) roles.binding("n", `b${i}`, `Role none${i}`, "User kim");
    const { reason } = await decide(kim, "get pods", "n");
    expect(reason).toContain("40 more");
    expect(reason.length).toBeLessThan(1000);
  });

  test("RBAC-35: members of system:masters may do everything; the user of that name may not", async () => {
    const master = { user: "root", groups: ["system:masters"] };
    expect(await decide(master, "delete nodes")).toEqual({ allowed: true, reason: "" });
    expect(await may("get pods", "n", { user: "system:masters", groups: [] })).toBe(false);
    expect(masters.authorize(master, question("get /x"))).toEqual({ allowed: true, reason: "" });
    expect(masters.authorize(kim, question("get /x"))).toEqual({ allowed: false, reason: "" });
  });

  test("RBAC-37: the reason names binding, role and subject; bindings of the cluster come first", async () => {
    give("get pods");
    expect((await decide(kim, "get pods", "n")).reason).toBe(
      'RBAC: allowed by RoleBinding "b/n" of Role "r" to User "kim"',
    );
    roles.clusterRole("c", rule("get pods"));
    roles.binding("", "c", "ClusterRole c", "User other", "Group team", "User kim");
    expect((await decide(kim, "get pods", "n")).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "c" of ClusterRole "c" to Group "team"',
    );
    roles.binding("n", "d", "Role r", "ServiceAccount a");
    expect((await decide(account, "get pods", "n")).reason).toBe(
      'RBAC: allowed by RoleBinding "d/n" of Role "r" to ServiceAccount "a/n"',
    );
    expect((await decide(kim, "list pods", "n")).reason).toBe("");
  });

  test("RBAC-37: of several bindings the reason names the first", async () => {
    give("get pods");
    roles.role("n", "s", rule("get pods"));
    roles.binding("n", "a", "Role s", "Group team");
    roles.binding("n", "c", "Role s", "User kim");
    expect((await decide(kim, "get pods", "n")).reason).toContain('"a/n"');
  });
});

describe("changes", () => {
  test("RBAC-36: created roles and bindings count, deleted ones do not", async () => {
    expect(await may("get pods")).toBe(false);
    give("get pods");
    expect(await may("get pods")).toBe(true);
    roles.role("n", "r", rule("list pods"));
    expect([await may("get pods"), await may("list pods")]).toEqual([false, true]);
    roles.remove("RoleBinding", "n", "b");
    expect(await may("list pods")).toBe(false);
    roles.binding("n", "b", "Role r", "User kim");
    roles.remove("Role", "n", "r");
    expect(await may("list pods")).toBe(false);
  });

  test("RBAC-36: a binding with another subject applies to that one only", async () => {
    give("get pods");
    expect(await may("get pods")).toBe(true);
    roles.binding("n", "b", "Role r", "Group others");
    expect(await may("get pods")).toBe(false);
    expect(await may("get pods", "n", { user: "pat", groups: ["others"] })).toBe(true);
  });

  test("RBAC-36: where the changes are not known any more, everything is read again", async () => {
    give("get pods");
    expect(await may("get pods")).toBe(true);
    roles.remove("RoleBinding", "n", "b");
    roles.binding("n", "other", "Role r", "User pat");
    roles.forgotten = 3;
    expect(await may("get pods")).toBe(false);
    expect(await may("get pods", "n", { user: "pat", groups: [] })).toBe(true);
  });

  test("a decision is direct where nothing has to be read, and a change reads only the changed objects", async () => {
    for (let i = 0; i < 20; i++) {
      roles.role("n", `r${i}`, rule(`get things${i}`));
      roles.binding("n", `b${i}`, `Role r${i}`, "User kim");
    }
    await decide(kim, "get things0", "n");
    roles.reads.clear();
    expect(rbac.authorize(kim, question("get things19", "n"))).toMatchObject({ allowed: true });
    expect(Object.fromEntries(roles.reads)).toEqual({});
    roles.role("n", "r3", rule("list things3"));
    expect(rbac.authorize(kim, question("list things3", "n"))).toMatchObject({ allowed: true });
    expect(Object.fromEntries(roles.reads)).toEqual({ "roles.rbac.authorization.k8s.io": 1 });
  });

  test("nothing is read before the first decision", async () => {
    give("get pods");
    await decide({ user: "root", groups: ["system:masters"] }, "get pods", "n");
    expect(roles.reads.size).toBe(0);
  });

  test("after too many changes everything is read again, with decisions in between", async () => {
    give("get pods");
    expect(await may("get pods")).toBe(true);
    for (let i = 0; i < 40; i++) roles.binding("m", `b${i % 7}`, "Role r", `User u${i}`);
    const answers = Promise.all([may("get pods"), may("get pods", "m")]);
    roles.role("n", "r", rule("list pods"));
    expect(await answers).toEqual([true, false]);
    expect([await may("get pods"), await may("list pods")]).toEqual([false, true]);
  });
});

describe("listed rights", () => {
  test("RBAC-53: are the rules of the roles, those of the cluster first, and the missing roles", async () => {
    give("get pods core a");
    roles.clusterRole("c", rule("list nodes"), pathRule("get /metrics"));
    roles.binding("", "c", "ClusterRole c", "Group team");
    const resourceRules = [rule("list nodes"), rule("get pods core a")];
    const pathRules = [pathRule("get /metrics")];
    expect(await rbac.rightsOf(kim, "n")).toEqual({ resourceRules, pathRules, incomplete: false });
    expect(await rbac.rightsOf(kim, "m")).toMatchObject({ resourceRules: resourceRules.slice(0, 1), pathRules });
    roles.binding("m", "x", "Role none", "User kim");
    expect(await rbac.rightsOf(kim, "m")).toMatchObject({ error: expect.stringContaining('"none"') });
  });

  test("decisions and escalation checks of a cluster share one index", () => {
    expect(rbacOf(roles, systemClock.loop)).toBe(rbacOf(roles, systemClock.loop));
  });
});

test("similar names are not confused, also in the caches", async () => {
  roles.role("n", "r", rule("get pods"));
  roles.binding("n", "b", "Role r", "User a", "Group a1:b");
  const of = (user: string, ...groups: string[]): Promise<boolean> => may("get pods", "n", { user, groups });
  expect([await of("a1:b"), await of("a", "b"), await of("x", "a1:b"), await of("x", "a", "b")]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("a user with very many groups gets decisions, and is not cached", async () => {
  give("get pods");
  const groups = Array.from({ length: 5000 }, (_, i) => `g${i}`);
  expect(await may("get pods", "n", { user: "x", groups: [...groups, "team"] })).toBe(false);
  roles.binding("n", "c", "Role r", "Group g4999");
  expect(await may("get pods", "n", { user: "x", groups })).toBe(true);
});
