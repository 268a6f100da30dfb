/** The memory of the controller of simulated Pods during a term: it could be read from the objects again. */
import { claimsOfPod } from "../claims/pod-claims.ts";
import { keyOf, keyText, parseKey } from "../client/index.ts";
import { type Node, PersistentVolumeClaim, Pod, VolumeAttachment } from "../client/kinds/index.ts";
import { type Informer, type ObjectEvent, type SourceParts, sharedInformer } from "../runtime/index.ts";
import { addTo, removeFrom } from "../runtime/sets-by-key.ts";
import { DISK_PRESSURE_ANNOTATION, NODE_ANNOTATION, PULLS_ANNOTATION, STOPPED_ANNOTATION } from "./contract.ts";
import { isFinal } from "./life/summary.ts";
import { PodAddresses } from "./nodes/addresses.ts";
import { simulatedNodeSpec } from "./nodes/controller.ts";
import { fullSince, isSimulated } from "./nodes/marks.ts";
import { isAtRest } from "./rest.ts";
import type { ClusterView, SimulationState } from "./state.ts";

/** Indexes Pods by node. */
export const nodeOfPod = ({ spec }: Pod): string | undefined => spec.nodeName || undefined;

/** The informers of the controller. */
export const lifeSpecs = {
  pods: sharedInformer(Pod, { indexes: { node: nodeOfPod } }),
  nodes: simulatedNodeSpec,
  claims: sharedInformer(PersistentVolumeClaim),
  attachments: sharedInformer(VolumeAttachment),
};

/** The prefix of the keys of nodes, whose full disks put Pods out. */
export const NODE_KEY = "node:";

const MARKS = [NODE_ANNOTATION, STOPPED_ANNOTATION, PULLS_ANNOTATION, DISK_PRESSURE_ANNOTATION];

/** The memory of the controller of simulated Pods. */
export class LifeMemory implements Disposable, ClusterView {
  readonly addresses = new PodAddresses();
  /** Tries of mounts by the uid of the Pod. */
  readonly mountTries = new Map<string, number>();
  /** Why Pods are put out, by uid. */
  readonly evictions = new Map<string, string>();
  /** The last round of evictions by node. */
  readonly turns = new Map<string, number>();
  readonly #state: SimulationState;
  readonly #pods: Informer<Pod, "Namespaced", "node">;
  readonly #nodes: Informer<Node, "Cluster", never>;
  readonly #add: (key: string) => void;
  readonly #subscriptions = new DisposableStack();
  /** Keys of Pods that wait, by claim and by node. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor({ own }: SourceParts, add: (key: string) => void, state: SimulationState) {
    this.#state = state;
    this.#add = add;
    this.#pods = own(lifeSpecs.pods);
    this.#nodes = own(lifeSpecs.nodes);
    const wake = (what: string): void => {
      const waiting = this.#waiting.get(what);
      this.#waiting.delete(what);
      for (const key of waiting ?? []) add(key);
    };
    this.#subscriptions.use(this.#pods.on((event) => this.#podChanged(event)));
    this.#subscriptions.use(this.#nodes.on((event) => this.#nodeChanged(event)));
    const claimChanged = ({ type, object }: ObjectEvent<PersistentVolumeClaim>): void => {
      wake(`claim ${keyText(keyOf(object))}`);
      if (type === "deleted") state.files.forget(`claim ${object.metadata.uid}`);
    };
    this.#subscriptions.use(own(lifeSpecs.claims).on(claimChanged));
    this.#subscriptions.use(own(lifeSpecs.attachments).on(({ object }) => wake(`node ${object.spec.nodeName}`)));
    state.view = this;
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
    if (this.#state.view !== this) return;
    this.#state.view = undefined;
    this.#state.endRuns();
  }

  pod(namespace: string, name: string): Pod | undefined {
    return this.#pods.get({ namespace, name });
  }

  /** The Pod of a key. */
  podOf(key: string): Pod | undefined {
    return this.#pods.get(parseKey(key));
  }

  pods(): readonly Pod[] {
    return this.#pods.list();
  }

  podsOn(node: string): readonly Pod[] {
    return this.#pods.by("node", node);
  }

  node(name: string): Node | undefined {
    return this.#nodes.get({ name });
  }

  requeue(pod: Pod): void {
    this.#add(keyText(keyOf(pod)));
  }

  /** Looks at a Pod again when one of its claims, or an attachment of its node, changes. */
  awaitVolumes(pod: Pod): void {
    const key = keyText(keyOf(pod));
    for (const what of volumesOf(pod)) addTo(this.#waiting, what, key);
  }

  #podChanged(event: ObjectEvent<Pod>): void {
    const { object: pod } = event;
    if (!pod.spec.nodeName) return;
    if (event.type === "deleted" || (event.type === "changed" && event.old.metadata.uid !== pod.metadata.uid)) {
      const gone = event.type === "changed" ? event.old : pod;
      this.addresses.free(gone);
      this.mountTries.delete(gone.metadata.uid);
      this.evictions.delete(gone.metadata.uid);
      for (const what of volumesOf(gone)) removeFrom(this.#waiting, what, keyText(keyOf(gone)));
      this.#state.forget(gone);
      if (event.type === "deleted") return;
    }
    const node = this.node(pod.spec.nodeName);
    if (node && !isSimulated(node)) return;
    this.addresses.note(pod);
    if (isFinal(pod.status.phase)) this.#state.endScripts(pod);
    if (!node || this.#isAtRest(pod)) return;
    this.requeue(pod);
  }

  #isAtRest(pod: Pod): boolean {
    if (this.#state.stages.has("Pod")) return false;
    return isAtRest(pod, this.#state.isScripted);
  }

  #nodeChanged(event: ObjectEvent<Node>): void {
    const { object: node } = event;
    const { name } = node.metadata;
    if (event.type === "deleted") this.turns.delete(name);
    if (event.type === "deleted" || !isSimulated(node)) return;
    if (fullSince(node) !== undefined) this.#add(`${NODE_KEY}${name}`);
    if (event.type === "changed" && marksOf(event.old) === marksOf(node)) return;
    for (const pod of this.podsOn(name)) {
      this.addresses.note(pod);
      if (!this.#isAtRest(pod)) this.requeue(pod);
    }
  }
}

/** The missing volumes that a Pod waits for: its claims, and attachments of its node. */
const volumesOf = (pod: Pod): readonly string[] => [
  ...claimsOfPod(pod).map((claim) => `claim ${keyText(claim)}`),
  `node ${pod.spec.nodeName ?? ""}`,
];

const marksOf = ({ metadata, spec }: Node): string =>
  JSON.stringify([...MARKS.map((mark) => metadata.annotations?.[mark]), spec.podCIDR]);
