/** What is cached for users: bounded in bytes, whatever texts their requests contain. */
import { describe, expect, test } from "vitest";
import { NO_REQUEST, type RequestInfo } from "../../meta/request-info.ts";
import { bytesInUse } from "../../util/testing/heap.ts";
import { ANONYMOUS, type Identity } from "../contract.ts";
import { roleName } from "./binding.ts";
import { Rbac } from "./rbac.ts";
import { RolesOfTest, rule } from "./testing/roles.ts";
import { systemClock } from "../../util/clock.ts";

const MB = 1_000_000;
const account: Identity = { user: "system:serviceaccount:n:a", groups: ["system:serviceaccounts"] };

/** A request with a name in a member; the name is cut out of a longer text, as names in a path are. */
const requestFor = (at: keyof RequestInfo, name: string): RequestInfo => ({
  ...NO_REQUEST,
  isResource: true,
  verb: "get",
  version: "v1",
  resource: "pods",
  namespace: "n",
  [at]: `/before/${name}/behind`.split("/")[2],
});

const MEMBERS = ["namespace", "group", "resource", "subresource", "verb", "name", "version"] as const;

/** The bytes of the cache after requests of a user with one role. */
async function keptFor(ask: (rbac: Rbac) => Promise<void>): Promise<number> {
  const roles = new RolesOfTest();
  roles.clusterRole("c", rule("get nodes"));
  roles.binding("", "c", "ClusterRole c", "Group system:serviceaccounts", "Group system:unauthenticated");
  const rbac = new Rbac(roles, systemClock.loop);
  await rbac.authorize(account, requestFor("name", "first"));
  const before = bytesInUse();
  await ask(rbac);
  const kept = bytesInUse() - before;
  await rbac.authorize(account, requestFor("name", "last"));
  return kept;
}

const long = (i: number): string => `${i}${"n".repeat(MB)}`;
const short = (i: number): string => `${i}${"n".repeat(194)}`;

describe.each([
  ["anonymous", ANONYMOUS],
  ["an account", account],
])("the cache of decisions of %s", (_, identity) => {
  test("has no names of a megabyte", async () => {
    const kept = await keptFor(async (rbac) => {
      for (const member of MEMBERS)
        for (let i = 0; i < 20; i++) await rbac.authorize(identity, requestFor(member, long(i)));
    });
    expect(kept).toBeLessThan(2 * MB);
  });

  test("has a bound with names of 200 bytes", async () => {
    const kept = await keptFor(async (rbac) => {
      for (const member of MEMBERS)
        for (let i = 0; i < 20_000; i++) await rbac.authorize(identity, requestFor(member, short(i)));
    });
    expect(kept).toBeLessThan(12 * MB);
  });

  test("has a bound with names of 60 bytes of namespaces and kinds together", async () => {
    const kept = await keptFor(async (rbac) => {
      for (let i = 0; i < 150_000; i++) {
        const [namespace, resource] = [`${i % 500}${"n".repeat(57)}`, `${i}${"r".repeat(54)}`];
        await rbac.authorize(identity, { ...requestFor("name", "x"), namespace, resource });
      }
    });
    expect(kept).toBeLessThan(40 * MB);
  });
});

test.each([
  ["users", (name: string): Identity => ({ user: name, groups: [] })],
  ["groups", (name: string): Identity => ({ user: "u", groups: [name] })],
])("the cache of %s that come once has a bound", async (_, identityOf) => {
  const kept = await keptFor(async (rbac) => {
    const ask = async (name: string): Promise<void> =>
      void (await rbac.authorize(identityOf(name), requestFor("name", "x")));
    for (let i = 0; i < 40; i++) await ask(long(i));
    for (let i = 0; i < 50_000; i++) await ask(short(i));
  });
  expect(kept).toBeLessThan(40 * MB);
});

test("roles of escalation checks that do not exist are not cached", async () => {
  const kept = await keptFor(async (rbac) => {
    for (let i = 0; i < 40; i++) expect(await rbac.rulesOf(roleName("Role", "n", long(i)))).toBeUndefined();
  });
  expect(kept).toBeLessThan(2 * MB);
});

test("long names of roles whose bindings are deleted leave the cache", async () => {
  const roles = new RolesOfTest();
  const rbac = new Rbac(roles, systemClock.loop);
  const ask = async (): Promise<boolean> => (await rbac.authorize(account, requestFor("name", "x"))).allowed;
  await ask();
  const before = bytesInUse();
  for (let i = 0; i < 40; i++) {
    roles.binding("n", "b", `Role ${long(i)}`, `User ${account.user}`);
    expect(await ask()).toBe(false);
    roles.remove("RoleBinding", "n", "b");
    await ask();
  }
  expect(bytesInUse() - before).toBeLessThan(4 * MB);
});

test("a reason is made once for a binding, however many decisions it makes", async () => {
  const roles = new RolesOfTest();
  roles.role("n", "r", rule("get * *"));
  roles.binding("n", long(0), "Role r", `User ${account.user}`);
  const rbac = new Rbac(roles, systemClock.loop);
  await rbac.authorize(account, requestFor("name", "first"));
  const before = bytesInUse();
  for (let i = 0; i < 40; i++) {
    expect((await rbac.authorize(account, requestFor("resource", `kind-${i}`))).reason).toContain("RBAC: allowed by");
  }
  expect(bytesInUse() - before).toBeLessThan(4 * MB);
});
