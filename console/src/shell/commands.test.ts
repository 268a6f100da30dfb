import { expect, test } from "vitest";
import type { Kind } from "../api/discovery.ts";
import { groupKinds } from "./groups.ts";
import { suggest, type CommandContext } from "./commands.ts";

const kind = (group: string, resource: string, name: string, shortNames: string[] = [], namespaced = true): Kind => ({
  group,
  version: "v1",
  resource,
  kind: name,
  singular: name.toLowerCase(),
  shortNames,
  categories: [],
  namespaced,
  verbs: ["list", "get"],
  subresources: [],
});
const KINDS = [
  kind("", "configmaps", "ConfigMap", ["cm"]),
  kind("", "events", "Event", ["ev"]),
  kind("", "namespaces", "Namespace", ["ns"], false),
  kind("", "pods", "Pod", ["po"]),
  kind("apps", "deployments", "Deployment", ["deploy"]),
  kind("events.k8s.io", "events", "Event", ["ev"]),
  kind("example.com", "podlike", "PodLike"),
];
const CONTEXT: CommandContext = {
  kinds: KINDS,
  namespaces: ["default", "kube-system", "kube-public"],
  route: { view: "home" },
};
const first = (text: string, more: Partial<CommandContext> = {}) => suggest(text, { ...CONTEXT, ...more })[0];
const goes = (text: string, more: Partial<CommandContext> = {}) => {
  const command = first(text, more)?.command;
  return command?.type === "go" ? command.to : undefined;
};
const list = (resource: string, more: object = {}) => ({ view: "list", group: "", version: "v1", resource, ...more });

test("a kind is found by its short name, its plural, its kind and a beginning", () => {
  for (const text of ["cm", "configmaps", "ConfigMap", "configmap", "config"])
    expect(goes(text)).toEqual(list("configmaps"));
  expect(goes("deploy")).toEqual({ ...list("deployments"), group: "apps" });
  expect(goes("events.events.k8s.io")).toMatchObject({ group: "events.k8s.io" });
  expect(goes("pod")).toMatchObject({ resource: "pods" });
  expect(suggest("po", CONTEXT).map(({ text }) => text)).toEqual(["po", "podlike"]);
});

test("behind a kind stand a namespace, a name, labels, or an object", () => {
  expect(goes("cm kube-system")).toEqual(list("configmaps", { namespace: "kube-system" }));
  expect(goes("po /web")).toEqual(list("pods", { name: "web" }));
  expect(goes("po app=web tier!=x default")).toEqual(list("pods", { labels: "app=web,tier!=x", namespace: "default" }));
  expect(goes("po default/web-0")).toEqual({
    view: "object",
    group: "",
    version: "v1",
    resource: "pods",
    namespace: "default",
    name: "web-0",
  });
  expect(goes("cm any-name-that-is-typed")).toEqual(list("configmaps", { namespace: "any-name-that-is-typed" }));
  expect(suggest("cm kube", CONTEXT).map(({ text }) => text)).toEqual(["cm kube", "cm kube-system", "cm kube-public"]);
});

test("the namespace stays from list to list, until another one or all are meant", () => {
  const route = { view: "list", group: "", version: "v1", resource: "pods", namespace: "kube-public" } as const;
  expect(goes("cm", { route })).toEqual(list("configmaps", { namespace: "kube-public" }));
  expect(goes("cm all", { route })).toEqual(list("configmaps"));
  expect(goes("ns", { route })).toEqual(list("namespaces"));
  expect(goes("ns default", { route: { ...route, labels: "a=b" } })).toEqual(
    list("pods", { namespace: "default", labels: "a=b" }),
  );
  expect(goes("ns all", { route })).toEqual(list("pods"));
  expect(goes("ns unlisted", { namespaces: [] })).toEqual(list("pods", { namespace: "unlisted" }));
});

test("views and preferences are commands too", () => {
  expect(goes("storage")).toEqual({ view: "storage" });
  expect(first("theme d")?.command).toEqual({ type: "theme", theme: "dark" });
  expect(first("now")?.command).toEqual({ type: "now" });
  expect(suggest("", CONTEXT).length).toBeGreaterThan(5);
  expect(suggest("no-such-thing", CONTEXT)).toEqual([]);
});

test("kinds stand by group, those that are looked for most first, and are searched by every name", () => {
  expect(groupKinds(KINDS, "").map(({ title }) => title)).toEqual(["core", "apps", "example.com", "events.k8s.io"]);
  expect(groupKinds(KINDS, "cm").flatMap(({ kinds }) => kinds.map(({ resource }) => resource))).toEqual(["configmaps"]);
  expect(groupKinds(KINDS, "example").map(({ title }) => title)).toEqual(["example.com"]);
  expect(groupKinds([{ ...KINDS[0]!, verbs: ["create"] }], "")).toEqual([]);
});
