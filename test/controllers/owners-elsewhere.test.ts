/** Anybody may write the uid of an owner into an object of another namespace: no controller counts or touches that object (WL-GEN-1). */
import { afterEach, beforeEach, expect, test } from "vitest";
import type { NewObject } from "../../src/client/index.ts";
import {
  ControllerRevision,
  DaemonSet,
  Namespace,
  Node,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "../../src/client/kinds/index.ts";
import { daemonSet } from "../../src/controllers/workloads/daemonset.ts";
import { deploymentRollout } from "../../src/controllers/workloads/deployment.ts";
import { replicaSets } from "../../src/controllers/workloads/replicas.ts";
import { statefulSet } from "../../src/controllers/workloads/statefulset.ts";
import { World } from "../runtime/world.ts";
import { WorkloadHands, at, template } from "./model/workload-hands.ts";

let world: World;
let hands: WorkloadHands;
beforeEach(async () => {
  world = await World.create();
  hands = new WorkloadHands(world);
  await world.resource(Namespace).create({ metadata: { name: "evil" } });
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  if (world.warnings.length > 0) throw new Error(world.warnings.join("\n"));
});

const selector = { matchLabels: { app: "a" } };
type Owner = { readonly apiVersion: string; readonly kind: string; readonly metadata: { name: string; uid: string } };
const referenceTo = ({ apiVersion, kind, metadata: { name, uid } }: Owner) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
});
/** Creates a Pod in the namespace `evil` that names an owner of `default`. */
const forge = async (owner: Owner, name: string, spec: object = {}) => {
  const metadata = { namespace: "evil", name, labels: { app: "a" }, ownerReferences: [referenceTo(owner)] };
  await world.resource(Pod).create({ metadata, spec: { ...template().spec, ...spec } } as NewObject<Pod>);
  await world.settled();
};
const podsOf = async (namespace: string) => (await world.resource(Pod).list({ namespace })).items;

test("WL-GEN-1: Pods of another namespace are no replicas of a ReplicaSet", async () => {
  await world.run(replicaSets);
  const set = await hands.replicaSet({ replicas: 2 });
  for (const name of ["x", "y", "z"]) await forge(set, name);
  await hands.patch(ReplicaSet, "r", { spec: { replicas: 4 } });
  expect(await podsOf("default")).toHaveLength(4);
  expect(await podsOf("evil")).toHaveLength(3);
  expect((await world.resource(ReplicaSet).get(at("r"))).status.replicas).toBe(4);
});

test("WL-GEN-1: ReplicaSets of another namespace are none of a Deployment", async () => {
  await world.run(deploymentRollout);
  const deployment = await hands.deploy({ replicas: 3 });
  const metadata = { namespace: "evil", name: "r", labels: { app: "a" }, ownerReferences: [referenceTo(deployment)] };
  const spec = { replicas: 5, selector, template: template("other") };
  await world.resource(ReplicaSet).create({ metadata, spec } as NewObject<ReplicaSet>);
  await world.settled();
  await hands.scale(4);
  const all = (await world.resource(ReplicaSet).list({})).items;
  const sizes = Object.fromEntries(all.map((one) => [one.metadata.namespace, one.spec.replicas]));
  expect(sizes).toEqual({ default: 4, evil: 5 });
});

test("WL-GEN-1: Pods and revisions of another namespace are none of a StatefulSet", async () => {
  await world.run(statefulSet);
  const object = { metadata: at("s"), spec: { replicas: 1, selector, template: template(), serviceName: "s" } };
  const set = await world.resource(StatefulSet).create({
    ...object,
    spec: { ...object.spec, podManagementPolicy: "Parallel" },
  } as NewObject<StatefulSet>);
  await world.settled();
  await forge(set, "s-1");
  const metadata = { namespace: "evil", name: "x", labels: { app: "a" }, ownerReferences: [referenceTo(set)] };
  const revision = { metadata, revision: 7, data: { spec: { template: {} } } };
  await world.resource(ControllerRevision).create(revision as unknown as NewObject<ControllerRevision>);
  await world.settled();
  await hands.patch(StatefulSet, "s", { spec: { replicas: 2 } });
  expect((await podsOf("default")).map((one) => one.metadata.name).toSorted()).toEqual(["s-0", "s-1"]);
  const own = (await world.resource(ControllerRevision).list({ namespace: "default" })).items;
  expect(own.map((one) => one.revision)).toEqual([1]);
});

test("WL-GEN-1: Pods of another namespace are none of a DaemonSet", async () => {
  await world.resource(Node).create({ metadata: { name: "n" } } as NewObject<Node>);
  const object = { metadata: at("d"), spec: { selector, template: template() } };
  const set = await world.resource(DaemonSet).create(object as NewObject<DaemonSet>);
  await forge(set, "x", { nodeName: "n" });
  await world.run(daemonSet);
  await world.settled();
  expect(await podsOf("default")).toHaveLength(1);
  expect(await podsOf("evil")).toHaveLength(1);
});
