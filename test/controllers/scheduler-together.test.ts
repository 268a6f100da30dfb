/** Near which Pods one must be, far from which, and how they are spread: in simple forms. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Namespace, Pod } from "../../src/client/kinds/index.ts";
import type { NewObject } from "../../src/client/index.ts";
import { HOSTNAME, Stage } from "./model/stage.ts";

let stage: Stage;
beforeEach(async () => {
  stage = await Stage.create();
  await stage.node("a", { labels: { zone: "z1" } });
  await stage.node("b", { labels: { zone: "z1" } });
  await stage.node("c", { labels: { zone: "z2" } });
});
afterEach(() => stage[Symbol.asyncDispose]());

const term = (app: string, topologyKey: string, more: object = {}) => ({
  labelSelector: { matchLabels: { app } },
  topologyKey,
  ...more,
});
const near = (...terms: object[]) => ({ podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } });
const far = (...terms: object[]) => ({ podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } });
const app = (name: string) => ({ metadata: { labels: { app: name } } });
const on = (node: string) => ({ nodeSelector: { [HOSTNAME]: node } });

describe("near and far", () => {
  test("a pod goes into the zone of those that it must be near to, once they are there", async () => {
    await stage.pod("p", { affinity: near(term("db", "zone")) });
    expect(await stage.why("p")).toContain("3 node(s) didn't match pod affinity rules");
    await stage.pod("db", { ...app("db"), ...on("c") });
    await stage.pass();
    expect(await stage.nodeOf("p")).toBe("c");
  });

  test("the first of those that want to be together goes anywhere, the others follow", async () => {
    const words = { ...app("web"), affinity: near(term("web", "zone")) };
    await stage.pod("p", { ...words, ...on("c") });
    expect(await stage.nodeOf("p")).toBe("c");
    await stage.pod("q", words);
    expect(await stage.nodeOf("q")).toBe("c");
  });

  test("a pod keeps away from others, and others from it", async () => {
    await stage.pod("p", { ...app("web"), affinity: far(term("web", "zone")), ...on("a") });
    await stage.pod("q", { ...app("web"), affinity: far(term("web", "zone")) });
    expect(await stage.nodeOf("q")).toBe("c");
    await stage.pod("r", { ...app("web"), ...on("b") });
    expect(await stage.why("r")).toContain("1 node(s) didn't satisfy existing pods' anti-affinity rules");
    await stage.pod("s", { ...app("web"), affinity: far(term("web", HOSTNAME)), ...on("a") });
    expect(await stage.why("s")).toContain("1 node(s) didn't match pod anti-affinity rules");
    await stage.remove("p");
    await stage.pass();
    expect(await stage.nodeOf("r")).toBe("b");
  });

  test("only pods of the namespaces that are meant count", async () => {
    await stage.world.resource(Namespace).create({ metadata: { name: "other" } } as NewObject<Namespace>);
    const spec = { nodeName: "c", containers: [{ name: "c", image: "i" }] };
    const db = { metadata: { name: "db", namespace: "other", labels: { app: "db" } }, spec };
    await stage.world.resource(Pod).create(db as NewObject<Pod>);
    await stage.pod("p", { affinity: near(term("db", "zone")) });
    expect(await stage.nodeOf("p")).toBeUndefined();
    await stage.pod("q", { affinity: near(term("db", "zone", { namespaces: ["other"] })) });
    expect(await stage.nodeOf("q")).toBe("c");
    await stage.pod("r", { affinity: near(term("db", "zone", { namespaceSelector: {} })) });
    expect(await stage.nodeOf("r")).toBe("c");
    const named = { namespaceSelector: { matchLabels: { x: "y" } } };
    await stage.pod("s", { affinity: near(term("db", "zone", named)) });
    expect(await stage.why("s")).toContain("this scheduler does not look at namespaceSelector of spec.affinity");
  });
});

describe("spreading", () => {
  const spread = (more: object = {}) => ({
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "zone",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
        ...more,
      },
    ],
  });

  test("no zone gets more than the emptiest one and maxSkew", async () => {
    for (const name of ["p1", "p2", "p3", "p4"]) await stage.pod(name, { ...app("web"), ...spread() });
    const nodes = await Promise.all(["p1", "p2", "p3", "p4"].map((name) => stage.nodeOf(name)));
    expect(nodes.filter((node) => node === "c")).toHaveLength(2);
    await stage.pod("q", { ...app("web"), ...spread(), affinity: far(term("none", "zone")) });
    await stage.pod("r", { ...app("web"), ...spread({ nodeAffinityPolicy: "Ignore" }), ...on("c") });
    const first = await stage.nodeOf("q");
    expect(await stage.nodeOf("r")).toBe(first === "c" ? undefined : "c");
  });

  test("places that the pod itself does not want do not count, nor do those without the label", async () => {
    await stage.node("plain");
    for (const name of ["p", "q", "r"]) await stage.pod(name, { ...app("web"), ...spread(), ...on("c") });
    expect([await stage.nodeOf("p"), await stage.nodeOf("q"), await stage.nodeOf("r")]).toEqual(["c", "c", "c"]);
    await stage.pod("s", { ...app("web"), ...spread(), ...on("plain") });
    expect(await stage.why("s")).toContain("1 node(s) didn't match pod topology spread constraints");
  });

  test("with fewer places than there must be the emptiest counts as empty", async () => {
    await stage.pod("p", { ...app("web"), ...spread({ minDomains: 3 }), ...on("c") });
    await stage.pod("x", { ...app("web"), ...on("a") });
    await stage.pod("q", { ...app("web"), ...spread({ minDomains: 3, nodeAffinityPolicy: "Ignore" }), ...on("c") });
    expect(await stage.nodeOf("p")).toBe("c");
    expect(await stage.why("q")).toContain("didn't match pod topology spread constraints");
  });
});
