/**
 * The scheduler of Kubernetes, unmodified, where Pods have volumes of a CSI driver: with external-provisioner and
 * external-attacher beside it, and the server's own controllers between them. Nothing runs on the nodes.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Found } from "./beside.ts";
import { built } from "./built.ts";
import { findScheduler, startScheduler } from "./scheduler/program.ts";
import { SIDECARS_SOURCE } from "./sidecars/programs.ts";
import { DRIVER, World } from "./sidecars/world.ts";

const scheduler = await findScheduler();
const bin = scheduler && (await built(SIDECARS_SOURCE));

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
const VOLUMES = "/api/v1/persistentvolumes";
const STORAGE = "/apis/storage.k8s.io/v1";
const HOST = "kubernetes.io/hostname";
const PLACE = `topology.${DRIVER}/node`;
const SELECTED = "volume.kubernetes.io/selected-node";
const at = (name: string): string => `${PODS}/${name}`;

const isPlaced = ({ spec }: Found): boolean => spec.nodeName !== undefined;
const placing = ({ status }: Found): Found => status.conditions?.find((one: Found) => one.type === "PodScheduled");

describe.skipIf(bin === undefined)("kube-scheduler and volumes of a driver", { timeout: 120_000 }, () => {
  let world: World;
  let said: { readonly log: string };

  const makeNode = async (name: string, drives: number): Promise<void> => {
    const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
    await world.create(NODES, { metadata: { name, annotations, labels: { [HOST]: name, [PLACE]: name } } });
    const capacity = { cpu: "8", memory: "8Gi", pods: "20" };
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "by hand" }];
    await world.merge(`${NODES}/${name}/status`, { status: { capacity, allocatable: capacity, conditions } });
    const drivers = [{ name: DRIVER, nodeID: name, topologyKeys: [PLACE], allocatable: { count: drives } }];
    await world.create(`${STORAGE}/csinodes`, { metadata: { name }, spec: { drivers } });
  };
  const makeClaim = (name: string, storage = "1Gi", spec: object = {}): Promise<Found> =>
    world.create(CLAIMS, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        storageClassName: "waiting",
        resources: { requests: { storage } },
        ...spec,
      },
    });
  const makePod = (name: string, claims: readonly string[], spec: object = {}): Promise<Found> => {
    const volumes = claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } }));
    return world.create(PODS, {
      metadata: { name },
      spec: { containers: [{ name: "c", image: "i" }], volumes, ...spec },
    });
  };
  const placed = async (...pod: Parameters<typeof makePod>): Promise<string> => {
    await makePod(...pod);
    return (await world.once(at(pod[0]), isPlaced)).spec.nodeName;
  };
  /** What is said of a Pod that waits, once it speaks of something. */
  const obstacle = async (name: string, text: string): Promise<void> => {
    await world.once(at(name), (pod) => placing(pod)?.status === "False" && placing(pod).message.includes(text));
    expect((await world.get(at(name))).spec.nodeName).toBeUndefined();
  };
  const on = (host: string): object => ({ nodeSelector: { [HOST]: host } });
  const end = async (...names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => world.delete(at(name), { gracePeriodSeconds: 0 })));
  };
  const affinityOf = async (claim: string): Promise<Found> => {
    const { volumeName } = (await world.get(`${CLAIMS}/${claim}`)).spec;
    return (await world.get(`${VOLUMES}/${volumeName}`)).spec.nodeAffinity.required.nodeSelectorTerms;
  };

  beforeAll(async () => {
    world = await World.start(bin!, "--enable-admission-plugins", "Priority");
    await makeNode("one", 3);
    await makeNode("two", 3);
    const spec = { attachRequired: true, storageCapacity: true };
    await world.create(`${STORAGE}/csidrivers`, { metadata: { name: DRIVER }, spec });
    const makeClass = (name: string, more: object): Promise<Found> =>
      world.create(`${STORAGE}/storageclasses`, { metadata: { name }, provisioner: DRIVER, ...more });
    await makeClass("waiting", { volumeBindingMode: "WaitForFirstConsumer" });
    await makeClass("immediate", { volumeBindingMode: "Immediate" });
    const allowedTopologies = [{ matchLabelExpressions: [{ key: PLACE, values: ["two"] }] }];
    await makeClass("second", { volumeBindingMode: "WaitForFirstConsumer", allowedTopologies });
    world.sidecar("provisioner");
    world.sidecar("attacher");
    // The scheduler chooses by what the provisioner has told.
    await world.once(
      `${STORAGE}/namespaces/default/csistoragecapacities`,
      ({ items }) => items.filter((one: Found) => one.storageClassName === "waiting" && one.capacity).length === 2,
    );
    said = startScheduler(world, scheduler!);
  });
  afterAll(() => world?.stop());

  test("SCHED-30, SCHED-31, CTL-MODE-2: a claim that waits is provisioned on the node that is chosen, then the Pod is placed", async () => {
    await makeClaim("first");
    expect((await world.get(`${CLAIMS}/first`)).status.phase).toBe("Pending");
    const node = await placed("first", ["first"]);
    const claim = await world.get(`${CLAIMS}/first`);
    expect(claim.status.phase).toBe("Bound");
    expect(claim.metadata.annotations[SELECTED]).toBe(node);
    expect(await affinityOf("first")).toEqual([{ matchExpressions: [{ key: PLACE, operator: "In", values: [node] }] }]);
    await world.once(`${STORAGE}/volumeattachments`, ({ items }) =>
      items.some((one: Found) => one.spec.nodeName === node && one.status?.attached),
    );
    await end("first");
  });

  test("SCHED-18: a Pod whose claim is bound goes where its volume can be", async () => {
    const { spec } = await world.get(`${CLAIMS}/first`);
    const [term] = (await world.get(`${VOLUMES}/${spec.volumeName}`)).spec.nodeAffinity.required.nodeSelectorTerms;
    const [home] = term.matchExpressions[0].values;
    expect(await placed("returns", ["first"])).toBe(home);
    await makePod("elsewhere", ["first"], on(home === "one" ? "two" : "one"));
    await obstacle("elsewhere", "didn't match PersistentVolume's node affinity");
    await end("returns", "elsewhere");
  });

  test("SCHED-12, SCHED-15: a Pod whose claim is not there, or not bound, waits until it is", async () => {
    await makePod("early", ["coming"]);
    await obstacle("early", 'persistentvolumeclaim "coming" not found');
    await makeClaim("coming", "1Gi", { storageClassName: "immediate" });
    await world.once(at("early"), isPlaced);
    world.fail("CreateVolume", "INTERNAL");
    await makeClaim("unready", "1Gi", { storageClassName: "immediate" });
    await makePod("unready", ["unready"]);
    await obstacle("unready", "unbound immediate PersistentVolumeClaims");
    world.fail("CreateVolume", undefined);
    const pod = await world.once(at("unready"), isPlaced);
    expect(placing(pod).status).toBe("True");
    await end("early", "unready");
  });

  test("SCHED-28: a class that allows some places only has its Pods there", async () => {
    await makeClaim("there", "1Gi", { storageClassName: "second" });
    expect(await placed("there", ["there"])).toBe("two");
    await makeClaim("nowhere", "1Gi", { storageClassName: "second" });
    await makePod("nowhere", ["nowhere"], on("one"));
    await obstacle("nowhere", "didn't find available persistent volumes to bind");
    expect((await world.get(`${CLAIMS}/nowhere`)).metadata.annotations?.[SELECTED]).toBeUndefined();
    await end("there", "nowhere");
  });

  test("SCHED-34, SCHED-36, SCHED-37: a claim for more than there is room for waits", async () => {
    await makeClaim("vast", "200Gi");
    await makePod("vast", ["vast"]);
    await obstacle("vast", "did not have enough free storage");
    expect((await world.get(`${CLAIMS}/vast`)).metadata.annotations?.[SELECTED]).toBeUndefined();
    await end("vast");
  });

  test("SCHED-32, CTL-MODE-5: where the driver has no room after all the Pod is considered again", async () => {
    world.fail("CreateVolume", "RESOURCE_EXHAUSTED");
    await makeClaim("roomless");
    await makePod("roomless", ["roomless"]);
    await world.event("default", "roomless", "ProvisioningFailed");
    expect(isPlaced(await world.get(at("roomless")))).toBe(false);
    world.fail("CreateVolume", undefined);
    const pod = await world.once(at("roomless"), isPlaced);
    expect((await world.get(`${CLAIMS}/roomless`)).metadata.annotations[SELECTED]).toBe(pod.spec.nodeName);
    await end("roomless");
  });

  test("SCHED-42, SCHED-43: a node takes no more volumes than its driver can attach, and others when one has gone", async () => {
    await world.once(`${STORAGE}/volumeattachments`, ({ items }) => items.length === 0);
    const names = ["a", "b", "c"];
    await Promise.all(names.map((name) => makeClaim(`full-${name}`)));
    for (const name of names) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await placed(`full-${name}`, [`full-${name}`], on("one"))).toBe("one");
    }
    await makeClaim("full-d");
    await makePod("full-d", ["full-d"], on("one"));
    await obstacle("full-d", "exceed max volume count");
    await end("full-a");
    await world.once(at("full-d"), isPlaced);
    await end("full-b", "full-c", "full-d");
  });

  test("SCHED-46, SCHED-47, SCHED-48: a volume for one Pod alone goes to who matters more", async () => {
    await world.create("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "urgent" }, value: 1000 });
    await makeClaim("single", "1Gi", { accessModes: ["ReadWriteOncePod"] });
    const node = await placed("holder", ["single"]);
    await makePod("equal", ["single"]);
    await obstacle("equal", "ReadWriteOncePod access mode already in-use by another pod");
    await end("equal");
    await makePod("urgent", ["single"], { priorityClassName: "urgent" });
    await world.once(at("holder"), ({ metadata }) => metadata.deletionTimestamp !== undefined);
    await world.event("default", "holder", "Preempted");
    await world.once(at("urgent"), ({ status }) => status.nominatedNodeName === node);
    await end("holder");
    expect((await world.once(at("urgent"), isPlaced)).spec.nodeName).toBe(node);
    await end("urgent");
  });

  test("SCHED-17, CTL-EPH-1: a volume of the Pod's own is made from its template where the Pod goes", async () => {
    const spec = {
      accessModes: ["ReadWriteOnce"],
      storageClassName: "waiting",
      resources: { requests: { storage: "1Gi" } },
    };
    const volumes = [{ name: "scratch", ephemeral: { volumeClaimTemplate: { spec } } }];
    expect(await placed("own", [], { volumes, ...on("two") })).toBe("two");
    const claim = await world.get(`${CLAIMS}/own-scratch`);
    expect(claim.metadata.annotations[SELECTED]).toBe("two");
    await end("own");
    await world.gone(`${CLAIMS}/own-scratch`);
  });

  test("it has met nothing that it complains of", () => {
    expect(said.log).not.toMatch(/could not find the requested resource|[Ff]ailed to (?:list|watch)/);
  });
});
