/** The filters against a slow model, over clusters that are drawn by chance. */
import { expect, test } from "vitest";
import { keyText } from "../../src/client/index.ts";
import { claimOfVolume } from "../../src/claims/claim-ref.ts";
import { SchedulerState } from "../../src/controllers/scheduler/scheduler-state.ts";
import { decide } from "../../src/controllers/scheduler/decide.ts";
import { podInfoOf } from "../../src/controllers/scheduler/pod-info.ts";
import { Evaluation } from "../../src/controllers/scheduler/evaluation.ts";
import { schedulerNames } from "../../src/controllers/scheduler/names.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { type Random, seededRandom, systemClock } from "../../src/util/clock.ts";
import { type Cluster, modelFit } from "./model/placing.ts";

/* oxlint-disable typescript/no-explicit-any -- objects are plain JSON here */
const RUNS = Number(process.env["RUNS"] ?? 400);
const FIRST = Number(process.env["SEED"]) * 100_000;
const ZONE = "topology.kubernetes.io/zone";
const HOSTNAME = "kubernetes.io/hostname";
const DRIVERS = ["d.example.com", "e.example.com"];
const names = schedulerNames(kubernetes);

class Draw {
  readonly #random: Random;
  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }
  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }
  chance(share: number): boolean {
    return this.#random.next() < share;
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
  some<T>(most: number, make: (i: number) => T): T[] {
    return Array.from({ length: this.below(most + 1) }, (_, i) => make(i));
  }
}

const meta = (name: string, more: object = {}) => ({
  name,
  namespace: "default",
  uid: `uid-${name}`,
  creationTimestamp: "",
  ...more,
});
const gi = (draw: Draw): string => `${1 + draw.below(4)}Gi`;

function drawNode(draw: Draw, i: number): any {
  const name = `n${i}`;
  const labels: Record<string, string> = { [HOSTNAME]: name };
  if (draw.chance(0.8)) labels["x"] = String(draw.below(3));
  if (draw.chance(0.6)) labels[ZONE] = `z${draw.below(2)}`;
  const taints = draw.chance(0.2)
    ? [{ key: "k", value: "v", effect: draw.pick(["NoSchedule", "PreferNoSchedule", "NoExecute"]) }]
    : undefined;
  const spec = { ...(draw.chance(0.1) ? { unschedulable: true } : {}), ...(taints ? { taints } : {}) };
  return {
    metadata: { ...meta(name), labels },
    spec,
    status: { allocatable: { cpu: String(1 + draw.below(4)), pods: String(draw.below(4) + 1) } },
  };
}

function drawTerm(draw: Draw): any {
  const requirement = (): object =>
    draw.pick([
      { key: "x", operator: "In", values: [String(draw.below(3)), String(draw.below(3))] },
      { key: "x", operator: "NotIn", values: [String(draw.below(3))] },
      { key: "x", operator: draw.pick(["Exists", "DoesNotExist"]) },
      { key: "x", operator: draw.pick(["Gt", "Lt"]), values: ["1"] },
      { key: HOSTNAME, operator: "In", values: [`n${draw.below(4)}`] },
    ]);
  const matchExpressions = draw.some(2, requirement);
  const matchFields = draw.chance(0.2)
    ? [{ key: "metadata.name", operator: draw.pick(["In", "NotIn"]), values: [`n${draw.below(4)}`] }]
    : [];
  return { matchExpressions, matchFields };
}

function drawVolume(draw: Draw, i: number): any {
  const name = `v${i}`;
  const terms = [drawTerm(draw), ...draw.some(1, () => drawTerm(draw))];
  return {
    metadata: { ...meta(name), labels: draw.chance(0.3) ? { [ZONE]: draw.pick(["z0", "z1", "z0__z1"]) } : {} },
    spec: {
      capacity: { storage: gi(draw) },
      accessModes: draw.pick([["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteOncePod"]]),
      storageClassName: draw.pick(["static", "delayed", "delayed", "now"]),
      csi: { driver: draw.pick(DRIVERS), volumeHandle: `h-${name}` },
      ...(draw.chance(0.7) ? { nodeAffinity: { required: { nodeSelectorTerms: terms } } } : {}),
      ...(draw.chance(0.1) ? { claimRef: { namespace: "default", name: "another", uid: "other" } } : {}),
    },
    status: { phase: draw.chance(0.9) ? "Available" : "Released" },
  };
}

function drawClaim(draw: Draw, i: number, volumes: any[]): any {
  const name = `c${i}`;
  const claim = {
    metadata: meta(name, draw.chance(0.04) ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) as any,
    spec: {
      accessModes: draw.pick([["ReadWriteOnce"], ["ReadOnlyMany"], ["ReadWriteOncePod"]]),
      resources: { requests: { storage: gi(draw) } },
      storageClassName: draw.pick(["static", "delayed", "delayed", "delayed", "now"]),
    } as any,
    status: { phase: "Pending" },
  };
  const free = volumes.filter((volume) => !volume.spec.claimRef);
  if (draw.chance(0.4) && free.length > 0) {
    const volume = draw.pick(free);
    claim.spec.volumeName = volume.metadata.name;
    claim.metadata.annotations = { "pv.kubernetes.io/bind-completed": "yes" };
    claim.status.phase = draw.chance(0.95) ? "Bound" : "Lost";
    volume.spec.claimRef = { namespace: "default", name, uid: claim.metadata.uid };
    volume.status.phase = "Bound";
  } else if (draw.chance(0.1))
    claim.metadata.annotations = { "volume.kubernetes.io/selected-node": `n${draw.below(4)}` };
  return claim;
}

const drawPod = (draw: Draw, name: string, nodeName?: string): any => ({
  metadata: meta(name),
  spec: {
    ...(nodeName ? { nodeName } : {}),
    ...(draw.chance(0.2) ? { nodeSelector: { x: String(draw.below(3)) } } : {}),
    ...(draw.chance(0.3) ? { tolerations: [draw.pick([{ key: "k", value: "v" }, { operator: "Exists" }])] } : {}),
    containers: [
      { name: "c", image: "i", resources: { requests: draw.chance(0.5) ? { cpu: String(1 + draw.below(2)) } : {} } },
    ],
    volumes: [...new Set(draw.some(3, () => `c${draw.below(5)}`))].map((claimName) => ({
      name: claimName,
      persistentVolumeClaim: { claimName },
    })),
  },
  status: { phase: nodeName && draw.chance(0.1) ? "Succeeded" : "Pending" },
});

function drawCluster(draw: Draw): Cluster {
  const nodes = Array.from({ length: 1 + draw.below(4) }, (_, i) => drawNode(draw, i));
  const volumes = draw.some(6, (i) => drawVolume(draw, i));
  const claims = Array.from({ length: 5 }, (_, i) => drawClaim(draw, i, volumes)).filter(() => draw.chance(0.95));
  const allowed = draw.chance(0.3)
    ? [{ matchLabelExpressions: draw.some(2, () => ({ key: "x", values: [String(draw.below(3))] })) }]
    : undefined;
  const drivers = DRIVERS.filter(() => draw.chance(0.5)).map((name) => ({
    metadata: meta(name),
    spec: { storageCapacity: draw.chance(0.6) },
  }));
  return {
    nodes,
    volumes,
    claims,
    drivers,
    classes: [
      {
        metadata: meta("static"),
        provisioner: "kubernetes.io/no-provisioner",
        volumeBindingMode: "WaitForFirstConsumer",
      },
      {
        metadata: meta("delayed"),
        provisioner: DRIVERS[0],
        volumeBindingMode: "WaitForFirstConsumer",
        ...(allowed ? { allowedTopologies: allowed } : {}),
      },
      { metadata: meta("now"), provisioner: DRIVERS[0], volumeBindingMode: "Immediate" },
    ],
    capacities: draw.some(3, (i) => ({
      metadata: meta(`k${i}`),
      storageClassName: draw.pick(["delayed", "delayed", "static"]),
      ...(draw.chance(0.8)
        ? { nodeTopology: draw.chance(0.5) ? {} : { matchLabels: { x: String(draw.below(3)) } } }
        : {}),
      ...(draw.chance(0.8) ? { capacity: gi(draw) } : {}),
      ...(draw.chance(0.3) ? { maximumVolumeSize: gi(draw) } : {}),
    })),
    csiNodes: nodes
      .filter(() => draw.chance(0.5))
      .map(({ metadata }) => ({
        metadata: meta(metadata.name),
        spec: {
          drivers: DRIVERS.map((name) => ({
            name,
            nodeID: "x",
            topologyKeys: [],
            ...(draw.chance(0.7) ? { allocatable: { count: draw.below(3) } } : {}),
          })),
        },
      })),
    attachments:
      volumes.length === 0
        ? []
        : draw.some(2, (i) => {
            const volume = draw.pick(volumes);
            return {
              metadata: meta(`a${i}`),
              spec: {
                attacher: volume.spec.csi.driver,
                nodeName: draw.pick(nodes).metadata.name,
                source: { persistentVolumeName: volume.metadata.name },
              },
            };
          }),
    pods: draw.some(4, (i) => drawPod(draw, `old${i}`, draw.pick(nodes).metadata.name)),
  };
}

function boardOf(cluster: Cluster): SchedulerState {
  const named = (list: any[], name: string): any => list.find((one) => one.metadata.name === name);
  const state = new SchedulerState(
    {
      claim: (key) => cluster.claims.find((one) => keyText(one.metadata) === key),
      volume: (name) => named(cluster.volumes, name),
      storageClass: (name) => named(cluster.classes, name),
      driver: (name) => named(cluster.drivers, name),
      capacities: (name) => cluster.capacities.filter((one) => one.storageClassName === name),
      volumesNaming: (claim) => cluster.volumes.filter((one) => claimOfVolume(one) === claim),
      attachmentsOn: (node) => cluster.attachments.filter(({ spec }) => spec.nodeName === node),
    },
    names,
  );
  for (const volume of cluster.volumes) state.setVolume(volume);
  for (const csiNode of cluster.csiNodes) state.setCsiNode(csiNode);
  for (const node of cluster.nodes) state.setNode(node);
  for (const pod of cluster.pods) state.setPod(pod);
  return state;
}

test(
  `SUP-19, SCHED-7..10, 18, 19, 22..29, 36..46: over ${RUNS} clusters the filters say what the rules say`,
  { timeout: 120_000 },
  async () => {
    const seen = { fits: 0, not: 0, planned: 0 };
    for (let run = 0; run < RUNS; run++) {
      const draw = new Draw(FIRST + run);
      const cluster = drawCluster(draw);
      const state = boardOf(cluster);
      for (let i = 0; i < 3; i++) {
        const pod = drawPod(draw, `new${i}`);
        const evaluation = new Evaluation(podInfoOf(pod, names), state);
        const ours: Record<string, unknown> = {};
        const model: Record<string, unknown> = {};
        for (const node of state.nodes) {
          const fits = !evaluation.everywhere && evaluation.fits(node);
          // The order of the filters changes nothing.
          expect(!evaluation.everywhere && !evaluation.obstaclesOn(node)).toBe(fits);
          expect(!evaluation.everywhere && evaluation.lacksOn(node).length === 0).toBe(fits);
          const { matched, provisioned } = evaluation.planOn(node);
          const plan = [
            ...matched.map(({ claim, volume }) => [claim.metadata.name, volume.metadata.name]),
            ...provisioned.map(({ metadata }) => [metadata.name, ""]),
          ];
          if (fits) ours[node.name] = Object.fromEntries(plan);
          if (fits && plan.length > 0) seen.planned++;
          seen[fits ? "fits" : "not"]++;
        }
        for (const node of cluster.nodes) {
          const plan = modelFit(cluster, pod, node);
          if (plan) model[node.metadata.name] = plan;
        }
        expect(ours, `cluster ${FIRST + run}, pod ${i}: ${JSON.stringify(pod.spec)}`).toEqual(model);
        const decision = await decide(evaluation.info, state, draw.below(9), systemClock.loop.slice());
        expect(decision.is).toBe(Object.keys(model).length > 0 ? "placed" : "waits");
        const chosen = decision.is === "placed" ? [decision.node] : [];
        expect(Object.keys(model)).toEqual(expect.arrayContaining(chosen));
      }
    }
    // What is drawn is neither all of one sort nor all of the other.
    expect(Math.min(seen.fits, seen.not, seen.planned)).toBeGreaterThan(RUNS / 8);
  },
);
