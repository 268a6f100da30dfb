/**
 * Plays a history and says what was wrong: after every step, when all is in order again, and when all is gone.
 *
 * @module
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type NewObject, attempt } from "../../src/client/index.ts";
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, VolumeAttachment } from "../../src/client/kinds/index.ts";
import { attachNames } from "../../src/claims/attachment.ts";
import { kubernetes } from "../../src/meta/dialect.ts";
import { formatTime } from "../../src/meta/time.ts";
import { nodeIdOf } from "./array.ts";
import { Absences, faultOf, judgeOf, mountsOf } from "./judge.ts";
import type { ClaimName, Deed, Step } from "./steps.ts";
import { ACCOUNT, ACTORS, CLASS, NODES, PICTURES, type Sabotage, StorageWorld, snapshots } from "./world.ts";

/** What a history came to. */
export interface Outcome {
  /** What was wrong; undefined where nothing was. */
  readonly wrong: string | undefined;
  readonly kills: number;
  /** Calls and writes that failed. */
  readonly failures: number;
  readonly calls: number;
}

/** Longer than anybody waits after failures. */
const LONG_MS = 200_000;

/** Enough where nothing has failed. */
const SHORT_MS = 20_000;

/** Plays a history from the beginning. */
export async function playHistory(steps: readonly Step[], sabotage?: Sabotage): Promise<Outcome> {
  const absences = new Absences();
  await using world = await StorageWorld.create((of) => judgeOf(of, absences) as never, sabotage);
  const wrong = await new Play(world, absences).run(steps);
  const { array, kills, losses } = world;
  return { wrong, kills, failures: array.failed + losses, calls: array.heard };
}

/** Where a claim is, and how it is used. */
const spaceOf = (claim: ClaimName): string => (claim === "copy" ? "other" : "default");
const modesOf = (claim: ClaimName): readonly string[] => [claim === "m" ? "ReadWriteMany" : "ReadWriteOnce"];
const SIZE = { requests: { storage: "1Gi" } };
const SNAPSHOT = { namespace: "default", name: "s" };

class Play {
  readonly #world: StorageWorld;
  readonly #absences: Absences;

  constructor(world: StorageWorld, absences: Absences) {
    this.#world = world;
    this.#absences = absences;
  }

  async run(steps: readonly Step[]): Promise<string | undefined> {
    const world = this.#world;
    for (const who of ACTORS) await world.start(who);
    await world.settled();
    for (const step of steps) {
      await this.#do(step);
      const wrong = step.soon ? world.array.broken[0] : await this.#look();
      if (wrong !== undefined) return wrong;
    }
    return (await this.#look()) ?? (await this.#mend()) ?? (await this.#clear());
  }

  async #look(): Promise<string | undefined> {
    await this.#world.settled();
    return faultOf(this.#world, this.#absences);
  }

  async #pass(ms: number): Promise<string | undefined> {
    await this.#world.pass(ms);
    return this.#look();
  }

  async #do(step: Deed): Promise<unknown> {
    const world = this.#world;
    switch (step.do) {
      case "claim":
        return this.#claim(step.claim);
      case "unclaim":
        return gone(world.resource(PersistentVolumeClaim).delete(keyOf(step.claim)));
      case "pod":
        return this.#pod(step);
      case "unpod":
      case "drop":
        return this.#endPod(step.pod, step.do === "drop");
      case "snapshot":
        return this.#snapshot();
      case "unsnapshot":
        return gone(world.resource(snapshots.snapshot).delete(SNAPSHOT));
      case "start":
        return this.#start(step.who);
      case "crash":
        return world.crash(step.who);
      case "unready":
        return this.#unready(step.node);
      case "off":
        return this.#switchOff(step.node);
      case "unnode":
        return gone(world.resource(Node).delete({ name: step.node }));
      case "pass":
        return world.pass(step.ms);
      case "suspend":
        return world.clock.suspend(step.ms);
      case "fail":
        return world.array.fail(step.method, step.fault);
      case "lose":
        return world.lose(step.who, { ...step.fault });
    }
  }

  async #claim(claim: ClaimName): Promise<unknown> {
    if (claim === "copy") return this.#copy();
    const dataSource = { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: SNAPSHOT.name };
    const spec = { storageClassName: CLASS, ...(claim === "r" ? { dataSource } : {}) };
    return this.#makeClaim(claim, spec);
  }

  #makeClaim(claim: ClaimName, spec: object): Promise<unknown> {
    const object = { metadata: keyOf(claim), spec: { accessModes: modesOf(claim), resources: SIZE, ...spec } };
    return made(this.#world.resource(PersistentVolumeClaim).create(object as NewObject<PersistentVolumeClaim>));
  }

  /** The disk of `a` for another namespace: kept when its claim goes, and named by a second volume. */
  async #copy(): Promise<unknown> {
    const volumes = this.#world.resource(PersistentVolume);
    const claim = await this.#world.resource(PersistentVolumeClaim).find(keyOf("a"));
    if (claim?.status.phase !== "Bound" || claim.metadata.deletionTimestamp !== undefined) return undefined;
    const name = claim.spec.volumeName!;
    const { spec } = await volumes.patch({ name }, { spec: { persistentVolumeReclaimPolicy: "Retain" } });
    const { csi, capacity, accessModes } = spec;
    const copy = `copy-of-${csi!.volumeHandle}`;
    const claimRef = { ...keyOf("copy"), apiVersion: "v1", kind: "PersistentVolumeClaim" };
    const more = { persistentVolumeReclaimPolicy: "Retain", storageClassName: "", claimRef };
    const object = { metadata: { name: copy }, spec: { csi, capacity, accessModes, ...more } };
    const isNew = await made(volumes.create(object as NewObject<PersistentVolume>));
    const isUsed = await this.#world.resource(PersistentVolumeClaim).find(keyOf("copy"));
    // One whose claim has gone is given to the next.
    if (!isNew && !isUsed)
      await volumes.patch({ name: copy }, { spec: { claimRef: { uid: null, resourceVersion: null } } } as never);
    return this.#makeClaim("copy", { storageClassName: "", volumeName: copy });
  }

  #pod({ pod, claim, node }: Extract<Deed, { do: "pod" }>): Promise<unknown> {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: claim } }];
    const volumeMounts = [{ name: "data", mountPath: "/data" }];
    const containers = [{ name: "c", image: "i", volumeMounts }];
    const spec = {
      nodeName: node,
      serviceAccountName: ACCOUNT,
      automountServiceAccountToken: false,
      containers,
      volumes,
    };
    const metadata = { namespace: spaceOf(claim), name: pod };
    return made(this.#world.resource(Pod).create({ metadata, spec } as NewObject<Pod>));
  }

  async #endPod(name: string, isAtOnce: boolean): Promise<void> {
    const options = isAtOnce ? { gracePeriodSeconds: 0 } : {};
    for (const namespace of ["default", "other"])
      await gone(this.#world.resource(Pod).delete({ namespace, name }, options));
  }

  #snapshot(): Promise<unknown> {
    const source = { persistentVolumeClaimName: "a" };
    const object = { metadata: SNAPSHOT, spec: { volumeSnapshotClassName: PICTURES, source } };
    return made(this.#world.resource(snapshots.snapshot).create(object as never));
  }

  /** A node that is started has no mark any more that says that it is off. */
  async #start(who: (typeof ACTORS)[number]): Promise<void> {
    if (isNode(who)) await gone(this.#world.resource(Node).patch({ name: who }, { spec: { taints: null } }));
    await this.#world.start(who);
  }

  async #unready(node: string): Promise<void> {
    this.#world.crash(node as (typeof NODES)[number]);
    const lastTransitionTime = formatTime(this.#world.clock.now());
    const condition = { type: "Ready", status: "False", reason: "NodeStatusUnknown", lastTransitionTime };
    const status = { conditions: [condition] };
    await gone(this.#world.resource(Node).status.patch({ name: node }, { status }, { strategic: true }));
  }

  async #switchOff(node: string): Promise<void> {
    await this.#unready(node);
    this.#world.array.switchOff(node);
    const taints = [{ key: attachNames(kubernetes).outOfService, effect: "NoExecute" }];
    await gone(this.#world.resource(Node).patch({ name: node }, { spec: { taints } }));
  }

  /** Nothing fails any more: what is wanted comes to be. */
  async #mend(): Promise<string | undefined> {
    this.#world.heal();
    for (const who of ACTORS) await this.#start(who);
    const early = await this.#pass(SHORT_MS);
    // Who could not begin at first begins now.
    for (const who of ACTORS) await this.#start(who);
    return early ?? (await this.#pass(LONG_MS)) ?? this.#missing();
  }

  async #missing(): Promise<string | undefined> {
    const claims = await this.#world.list(PersistentVolumeClaim);
    const unbound = claims.find((claim) => claim.status.phase !== "Bound" && !isFromNothing(claim) && !isGoing(claim));
    if (unbound) return `the claim ${unbound.metadata.name} is not bound in the end`;
    const pods = await this.#world.list(Pod);
    const ending = pods.find(({ metadata }) => metadata.deletionTimestamp !== undefined);
    if (ending) return `the Pod ${ending.metadata.name} does not end`;
    const waiting = await this.#waiting(pods, claims);
    return waiting && `the Pod ${waiting.metadata.name} has no volume in the end`;
  }

  /** A Pod without a volume, although no other node has it and no other Pod that may have it alone. */
  async #waiting(pods: readonly Pod[], claims: readonly PersistentVolumeClaim[]): Promise<Pod | undefined> {
    const volumes = await this.#world.list(PersistentVolume);
    const claimOf = ({ spec, metadata: { namespace } }: Pod): PersistentVolumeClaim | undefined => {
      const name = spec.volumes![0]!.persistentVolumeClaim!.claimName;
      return claims.find(({ metadata }) => metadata.name === name && metadata.namespace === namespace);
    };
    const diskOf = (pod: Pod): string | undefined => {
      const name = claimOf(pod)?.spec.volumeName;
      return volumes.find(({ metadata }) => metadata.name === name)?.spec.csi?.volumeHandle;
    };
    const isMounted = ({ spec, metadata }: Pod): boolean =>
      mountsOf(this.#world.array.kernel(spec.nodeName!).published, metadata.uid).length > 0;
    return pods.find((pod) => {
      const [claim, disk] = [claimOf(pod), diskOf(pod)];
      if (claim?.status.phase !== "Bound" || isGoing(claim) || isMounted(pod)) return false;
      const rivals = pods.filter((one) => diskOf(one) === disk && one.spec.nodeName !== pod.spec.nodeName);
      return !rivals.some(isMounted);
    });
  }

  /** Everything goes, and nothing is left. */
  async #clear(): Promise<string | undefined> {
    const world = this.#world;
    for (const { metadata } of await world.list(Pod)) await gone(world.resource(Pod).delete(spotOf(metadata)));
    await gone(world.resource(snapshots.snapshot).delete(SNAPSHOT));
    for (const { metadata } of await world.list(PersistentVolumeClaim)) {
      await gone(world.resource(PersistentVolumeClaim).delete(spotOf(metadata)));
    }
    return (await this.#pass(LONG_MS)) ?? (await this.#dropRetained()) ?? (await this.#pass(SHORT_MS)) ?? this.#left();
  }

  /** What is retained is removed by hand. */
  async #dropRetained(): Promise<undefined> {
    const world = this.#world;
    for (const { metadata, spec } of await world.list(PersistentVolume)) {
      if (spec.persistentVolumeReclaimPolicy !== "Retain") continue;
      await gone(world.resource(PersistentVolume).delete({ name: metadata.name }));
      world.array.disks.delete(spec.csi!.volumeHandle);
    }
    return undefined;
  }

  async #left(): Promise<string | undefined> {
    const world = this.#world;
    const { disks, pictures } = world.array;
    const kinds = [
      Pod,
      PersistentVolumeClaim,
      PersistentVolume,
      VolumeAttachment,
      snapshots.content,
      snapshots.snapshot,
    ];
    const left: string[] = [];
    for (const kind of kinds) {
      for (const { metadata } of await world.list(kind as typeof Pod)) left.push(`${kind.kind} ${metadata.name}`);
    }
    left.push(...disks.keys(), ...pictures.keys());
    for (const node of NODES) left.push(...(await this.#leftOn(node)));
    return left.length > 0 ? `what is left in the end: ${left.join(", ")}` : undefined;
  }

  async #leftOn(node: string): Promise<readonly string[]> {
    const { staged, published } = this.#world.array.kernel(node);
    const { status } = await this.#world.resource(Node).get({ name: node });
    const folders = [join(this.#world.rootOf(node), "pods")];
    return [
      ...[...staged.keys(), ...published.keys()].map((path) => `a mount at ${path}`),
      ...(status.volumesInUse ?? []).map((name) => `${name} in use on ${nodeIdOf(node)}`),
      ...(status.volumesAttached ?? []).map(({ name }) => `${name} attached to ${nodeIdOf(node)}`),
      ...folders
        .flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : []))
        .map((uid) => `a folder of ${uid}`),
    ];
  }
}

const keyOf = (claim: ClaimName) => ({ namespace: spaceOf(claim), name: claim });
const spotOf = ({ namespace = "", name }: { readonly namespace?: string; readonly name: string }) => ({
  namespace,
  name,
});
const isNode = (who: string): who is (typeof NODES)[number] => (NODES as readonly string[]).includes(who);
const isGoing = ({ metadata }: PersistentVolumeClaim): boolean => metadata.deletionTimestamp !== undefined;
/** A claim whose snapshot may be gone. */
const isFromNothing = ({ spec }: PersistentVolumeClaim): boolean => spec.dataSource !== undefined;

/** Whether it was made: it may be there already. */
const made = async (work: Promise<unknown>): Promise<boolean> => (await attempt(work, "AlreadyExists")).ok;
const gone = (work: Promise<unknown>): Promise<unknown> => attempt(work, "NotFound", "Conflict");
