import { expect, test } from "vitest";
import type { Kind } from "../../api/discovery.ts";
import { type ActedOn, offersOf, patchOf } from "./actions.ts";

const kind = (group: string, resource: string, verbs: readonly string[], scale = false): Kind => ({
  group,
  version: "v1",
  resource,
  kind: resource,
  singular: "",
  shortNames: [],
  categories: [],
  namespaced: true,
  verbs,
  subresources: scale ? [{ name: "scale", verbs: ["get", "patch"] }] : [],
});
const object: ActedOn = { metadata: { name: "x" } };
const actions = (of: Kind, spec: ActedOn["spec"] = {}) => offersOf(of, { ...object, spec }).map(({ action }) => action);

test("what a kind offers follows from its verbs, its subresources and its state", () => {
  const all = ["get", "patch", "delete"];
  expect(actions(kind("", "configmaps", all))).toEqual(["delete"]);
  expect(actions(kind("", "configmaps", ["get"]))).toEqual([]);
  expect(actions(kind("apps", "deployments", all, true))).toEqual(["scale", "restart", "pause", "delete"]);
  expect(actions(kind("apps", "deployments", all, true), { paused: true })).toContain("resume");
  expect(actions(kind("", "nodes", all), { unschedulable: true })).toEqual(["uncordon", "delete"]);
  expect(actions(kind("batch", "jobs", all), { suspend: true })).toEqual(["unsuspend", "delete"]);
  expect(actions(kind("example.com", "webs", all, true))).toEqual(["scale", "delete"]);
});

test("an action is a small patch", () => {
  expect(patchOf("scale", "", 3)).toEqual({ spec: { replicas: 3 } });
  expect(patchOf("uncordon", "", 0)).toEqual({ spec: { unschedulable: false } });
  expect(JSON.stringify(patchOf("restart", "2026-01-01T00:00:00Z", 0))).toContain(
    'restartedAt":"2026-01-01T00:00:00Z"',
  );
});
