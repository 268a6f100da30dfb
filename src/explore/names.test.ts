import { describe, expect, test } from "vitest";
import { kindText, NormalNames, objectText } from "./names.ts";
import { PointCounter } from "./points.ts";

const stored = (name: string, generateName?: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, uid: "u", resourceVersion: "1", ...(generateName !== undefined && { generateName }) },
});

describe("normal names", () => {
  const names = new NormalNames();
  names.learn(stored("web-x8k2p", "web-"));
  names.learn(stored("web-x8k2p-b7cd4", "web-x8k2p-"));
  names.learn(stored("fixed"));

  test.each([
    ["web-x8k2p", "web-*"],
    ["web-x8k2p-config", "web-*-config"],
    ["data.web-x8k2p.local", "data.web-*.local"],
    ["web-x8k2p-b7cd4", "web-*-*"],
    ["myweb-x8k2p", "myweb-x8k2p"],
    ["web-x8k2pq", "web-x8k2pq"],
    ["fixed", "fixed"],
    ["pvc-6f1c2f3e-0d1b-4a53-9f0e-0123456789ab", "pvc-*"],
    ["a-web-x8k2p-web-x8k2p", "a-web-*-web-*"],
    ["", ""],
    ["--.", "--."],
  ])("%s is %s", (name, normal) => expect(names.name(name)).toBe(normal));

  test("names in texts are replaced", () => {
    expect(names.text("Pod default/web-x8k2p: web-x8k2p-b7cd4 is new.")).toBe("Pod default/web-*: web-*-* is new.");
  });

  test("a name that is learned later is replaced from then on", () => {
    const later = new NormalNames();
    expect(later.name("a-x")).toBe("a-x");
    later.learn(stored("a-x", "a-"));
    expect(later.name("a-x")).toBe("a-*");
  });

  test("a long text of many parts costs a time that is linear in it", () => {
    const text = `${"a-".repeat(200_000)}a`;
    expect(names.text(text)).toBe(text);
  }, 5_000);
});

test("objects for people", () => {
  expect(kindText({ group: "apps", kind: "Deployment" })).toBe("Deployment.apps");
  expect(objectText({ group: "", kind: "ConfigMap", namespace: "default", name: "a" })).toBe("ConfigMap default/a");
  expect(objectText({ group: "csi", kind: "Volume", name: "v" })).toBe("Volume v");
  expect(objectText({ group: "", kind: "Node" })).toBe("Node");
});

test("points are counted by what is alike, with generated names as one", () => {
  const names = new NormalNames();
  const counter = new PointCounter(names);
  const create = {
    actor: "op",
    protocol: "api" as const,
    verb: "create",
    object: { group: "", kind: "Pod", namespace: "default" },
    generateName: "web-",
  };
  expect(counter.request(create)).toMatchObject({ name: "web-*", occurrence: 0 });
  names.learn(stored("web-x8k2p", "web-"));
  expect(counter.request(create)).toMatchObject({ name: "web-*", occurrence: 1 });
  const get = { ...create, verb: "get", generateName: undefined as never };
  delete (get as { generateName?: string }).generateName;
  expect(counter.request({ ...get, object: { ...get.object, name: "web-x8k2p" } })).toMatchObject({
    name: "web-*",
    occurrence: 0,
  });
  const delivery = { actor: "op", change: "ADDED" as const, object: { group: "", kind: "Pod", name: "web-x8k2p" } };
  expect(counter.delivery(delivery)).toEqual({
    actor: "op",
    group: "",
    kind: "Pod",
    name: "web-*",
    change: "ADDED",
    occurrence: 0,
  });
  expect(counter.delivery(delivery).occurrence).toBe(1);
  expect(counter.delivery({ ...delivery, actor: "other" }).occurrence).toBe(0);
});
