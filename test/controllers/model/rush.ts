/**
 * Random schedules of Pods that come and go at once, with volumes that are there, that are made and that are shared, while nodes change
 * and schedulers end and begin. After every quiet what must not be is told.
 *
 * @module
 */
import { attempt } from "../../../src/client/index.ts";
import {
  CSINode,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttachment,
} from "../../../src/client/kinds/index.ts";
import { seededRandom } from "../../../src/util/clock.ts";
import { type Cluster, modelFit } from "./placing.ts";
import { Stage, at, only } from "./stage.ts";

const NODES = ["a", "b", "c", "d"];
const LIMIT = 3;
const ROUNDS = 4;
const SELECTED = "volume.kubernetes.io/selected-node";
const EXPECTED = ["NotFound", "AlreadyExists", "Conflict", "Invalid", "Forbidden"] as const;

/** Plays what a seed says; a line for each thing that must not be, and how many Pods were placed. */
export async function playRush(
  seed: number,
): Promise<{ readonly troubles: readonly string[]; readonly placed: number }> {
  await using stage = await Stage.create();
  const random = seededRandom(seed);
  const below = (most: number): number => Math.floor(random.next() * most);
  const chance = (share: number): boolean => random.next() < share;
  for (const name of NODES) {
    await stage.node(name, { labels: { x: String(below(2)) }, room: { cpu: "4", pods: "5" } });
    await stage.csiNode(name, LIMIT);
  }
  await stage.lateClass("static");
  await stage.lateClass("late");
  const tried = (work: Promise<unknown>): Promise<unknown> => attempt(work, ...EXPECTED);
  const claim = (name: string): Promise<unknown> => {
    const accessModes = chance(0.15) ? ["ReadWriteOncePod"] : ["ReadWriteOnce"];
    return stage.claim(name, { storageClassName: chance(0.6) ? "static" : "late", accessModes });
  };
  const volume = (name: string): Promise<unknown> =>
    stage.volume(name, {
      storageClassName: chance(0.7) ? "static" : "late",
      accessModes: ["ReadWriteOnce", "ReadWriteOncePod"],
      ...only(NODES[below(4)]!, ...(chance(0.3) ? [NODES[below(4)]!] : [])),
    });
  let made = 0;
  const pod = (): Promise<unknown> => {
    const claims = [...new Set(Array.from({ length: below(3) }, () => `c${below(10)}`))];
    const nodeSelector = chance(0.2) ? { x: String(below(2)) } : {};
    return stage.pod(`p${made++}`, {
      claims,
      nodeSelector,
      requests: { cpu: `${1 + below(2)}` },
      preemptionPolicy: "Never",
    });
  };
  const actions: readonly (() => Promise<unknown>)[] = [
    pod,
    pod,
    pod,
    () => claim(`c${below(10)}`),
    () => claim(`c${below(10)}`),
    () => volume(`v${below(12)}`),
    () => volume(`v${below(12)}`),
    () => stage.remove(`p${below(made + 1)}`),
    () =>
      stage.world
        .resource(Node)
        .patch(
          { name: NODES[below(4)]! },
          { metadata: { labels: { x: String(below(2)) } }, spec: { unschedulable: chance(0.2) } },
        ),
  ];
  for (let i = 0; i < 6; i++) await tried(volume(`v${i}`));
  for (let round = 0; round < ROUNDS; round++) {
    const underWay = Array.from({ length: 12 }, () => tried(actions[below(actions.length)]!()));
    if (chance(0.3)) await stage.restart();
    await Promise.all(underWay);
    for (let i = 0; i < 3; i++) {
      await stage.world.advance("10s");
      await provision(stage, chance);
    }
    await stage.world.advance("20s");
    const troubles = await troublesOf(stage);
    if (troubles.length > 0)
      return { troubles: troubles.map((one) => `rush ${seed}, round ${round}: ${one}`), placed: 0 };
  }
  const { items } = await stage.world.resource(Pod).list();
  return { troubles: [], placed: items.filter(({ spec }) => spec.nodeName).length };
}

/** A provisioner that creates requested volumes, and sometimes fails. */
async function provision(stage: Stage, chance: (share: number) => boolean): Promise<void> {
  const { items } = await stage.world.resource(PersistentVolumeClaim).list();
  for (const { metadata, spec } of items) {
    const node = metadata.annotations?.[SELECTED];
    if (node === undefined || spec.volumeName) continue;
    const give: Promise<unknown> = chance(0.2)
      ? stage.world
          .resource(PersistentVolumeClaim)
          .patch(at(metadata.name), { metadata: { annotations: { [SELECTED]: null } } })
      : stage.provision(metadata.name, { ...only(node), accessModes: spec.accessModes });
    await attempt(give, ...EXPECTED);
  }
}

async function troublesOf({ world }: Stage): Promise<readonly string[]> {
  const list = async (kind: never): Promise<never[]> => (await world.resource(kind).list()).items as never[];
  const kinds = [Node, CSINode, Pod, PersistentVolumeClaim, PersistentVolume, StorageClass, VolumeAttachment];
  const [nodes, csiNodes, pods, claims, volumes, classes, attachments] = (await Promise.all(
    kinds.map((kind) => list(kind as never)),
  )) as unknown as [
    Node[],
    CSINode[],
    Pod[],
    PersistentVolumeClaim[],
    PersistentVolume[],
    StorageClass[],
    VolumeAttachment[],
  ];
  const cluster: Cluster = {
    nodes,
    csiNodes,
    pods,
    claims,
    volumes,
    classes,
    attachments,
    drivers: [],
    capacities: [],
  };
  const troubles: string[] = [];
  const named = Map.groupBy(
    claims.filter(({ spec }) => spec.volumeName),
    ({ spec }) => spec.volumeName,
  );
  for (const [name, those] of named) if (those.length > 1) troubles.push(`volume ${name} has ${those.length} claims`);
  const claimOf = (name: string): PersistentVolumeClaim | undefined =>
    claims.find(({ metadata }) => metadata.name === name);
  const namesOf = (pod: Pod): string[] =>
    (pod.spec.volumes ?? []).flatMap((one) => one.persistentVolumeClaim?.claimName ?? []);
  for (const { metadata } of nodes) {
    const there = pods.filter(({ spec }) => spec.nodeName === metadata.name);
    const cpu = there.reduce((sum, { spec }) => sum + Number(spec.containers[0]!.resources?.requests?.["cpu"] ?? 0), 0);
    if (cpu > 4) troubles.push(`node ${metadata.name} gives ${cpu} of 4 cpu`);
    if (there.length > 5) troubles.push(`node ${metadata.name} has ${there.length} pods`);
    const used = new Set(there.flatMap(namesOf).map((name) => claimOf(name)?.spec.volumeName));
    if (used.size > LIMIT) troubles.push(`node ${metadata.name} has ${used.size} volumes`);
    for (const pod of there) {
      for (const name of namesOf(pod)) {
        const found = volumes.find((one) => one.metadata.name === claimOf(name)?.spec.volumeName);
        const terms = found?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
        const isReached = terms.some(({ matchExpressions }) => matchExpressions?.[0]?.values?.includes(metadata.name));
        if (!isReached) troubles.push(`pod ${pod.metadata.name} on ${metadata.name} cannot reach ${name}`);
      }
    }
  }
  for (const one of claims.filter(({ spec }) => spec.accessModes?.includes("ReadWriteOncePod"))) {
    const users = pods.filter((pod) => pod.spec.nodeName && namesOf(pod).includes(one.metadata.name));
    if (users.length > 1) troubles.push(`claim ${one.metadata.name} is used by ${users.length} pods`);
  }
  for (const pod of pods.filter(({ spec }) => !spec.nodeName)) {
    const isAwaited = namesOf(pod).some(
      (name) => claimOf(name)?.metadata.annotations?.[SELECTED] && !claimOf(name)!.spec.volumeName,
    );
    const fits = nodes.filter((node) => modelFit(cluster, pod, node)).map(({ metadata }) => metadata.name);
    if (fits.length > 0 && !isAwaited) troubles.push(`pod ${pod.metadata.name} waits, and fits ${fits.join(", ")}`);
  }
  return troubles;
}
