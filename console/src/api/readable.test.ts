import { afterEach, expect, test, vi } from "vitest";
import { forgetReadable, namespacesOfUser, permits, readableNamespaces } from "./readable.ts";

const PODS = { group: "", resource: "pods" };
const list = { verbs: ["list"], apiGroups: [""], resources: ["pods"] };

test("a rule permits a kind by its group, its plural and the verb, but not for single names", () => {
  expect(permits([list], "list", PODS)).toBe(true);
  expect(permits([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }], "list", PODS)).toBe(true);
  for (const rule of [
    { ...list, verbs: ["get"] },
    { ...list, apiGroups: ["apps"] },
    { ...list, resources: ["pods/log"] },
    { ...list, resourceNames: ["one"] },
    { verbs: ["list"] },
  ])
    expect(permits([rule], "list", PODS)).toBe(false);
});

test("a service account is looked for in its namespace, every user in default", () => {
  expect(namespacesOfUser("system:serviceaccount:team:dev")).toEqual(["team", "default"]);
  expect(namespacesOfUser("system:serviceaccount:default:dev")).toEqual(["default"]);
  expect(namespacesOfUser("kim")).toEqual(["default"]);
});

afterEach(() => {
  vi.unstubAllGlobals();
  forgetReadable();
});

/** A server with these namespaces, of which the user may list Pods in some; without a list they may not be listed. */
function fakeServer(all: readonly string[] | undefined, readable: readonly string[]): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string, { body }: RequestInit) => {
    const [path = ""] = url.split("?");
    const { namespace = "" } =
      typeof body === "string" ? (JSON.parse(body) as { spec: { namespace?: string } }).spec : {};
    asked.push(path.slice(path.lastIndexOf("/") + 1) + (namespace && ` ${namespace}`));
    if (path.endsWith("/session")) return Promise.resolve(Response.json({ user: "system:serviceaccount:team:dev" }));
    if (path.endsWith("/namespaces")) {
      if (!all) return Promise.resolve(Response.json({ kind: "Status", code: 403 }, { status: 403 }));
      const items = all.map((name) => ({ metadata: { name } }));
      return Promise.resolve(Response.json({ metadata: { remainingItemCount: 7 }, items }));
    }
    const resourceRules = readable.includes(namespace) ? [list] : [];
    return Promise.resolve(Response.json({ status: { resourceRules, incomplete: namespace === "odd" } }));
  });
  return asked;
}

test("the rules of every namespace are read once, and again after they were forgotten", async () => {
  const asked = fakeServer(["a", "b", "odd"], ["b"]);
  const expected = { namespaces: ["b", "odd"], unknown: 7, listed: true };
  expect(await readableNamespaces(PODS)).toEqual(expected);
  expect(await readableNamespaces({ group: "apps", resource: "deployments" })).toMatchObject({ namespaces: ["odd"] });
  expect(asked.length).toBe(4);
  forgetReadable();
  expect(await readableNamespaces(PODS)).toEqual(expected);
  expect(asked.length).toBe(8);
});

test("where namespaces may not be listed, that of the service account is looked at", async () => {
  const asked = fakeServer(undefined, ["team"]);
  expect(await readableNamespaces(PODS)).toEqual({ namespaces: ["team"], unknown: 0, listed: false });
  expect(asked).toContain("selfsubjectrulesreviews team");
});
