/**
 * Random histories of a Deployment: templates, scale, pauses, undos, Pods that get ready, fail, are deleted or taken away, ReplicaSets
 * that somebody changes. Each write of the controllers is judged when it is sent, and the state when nothing happens any more.
 *
 * @module
 */
import { type Transport, type TransportRequest, attempt, isStatus, keyOf } from "../../../src/client/index.ts";
import { Deployment, Pod, ReplicaSet } from "../../../src/client/kinds/index.ts";
import { deploymentRollout } from "../../../src/controllers/workloads/deployment.ts";
import { replicaSets } from "../../../src/controllers/workloads/replicas.ts";
import type { Manager } from "../../../src/runtime/index.ts";
import { type Random, seededRandom } from "../../../src/util/clock.ts";
import { isActive, isAvailable } from "../../../src/workloads/common/pods.ts";
import { withoutLabel } from "../../../src/workloads/common/template.ts";
import { isRolling, maxSurge, maxUnavailable, wantedBy } from "../../../src/workloads/deployment/shares.ts";
import { World } from "../../runtime/world.ts";
import { WorkloadHands, at, template } from "./workload-hands.ts";

const STEPS = 40;
const MOST = 6;
const IMAGES = ["i1", "i2", "i3"];
const DESIRED = "deployment.kubernetes.io/desired-replicas";
const HASH = "pod-template-hash";
const EXPECTED = ["NotFound", "Conflict", "Invalid"] as const;

/** A template whose Pods are bound and stay a while when they are deleted, in half of the histories. */
const templateOf = (image: string, isBound: boolean) =>
  template(image, isBound ? { nodeName: "n", terminationGracePeriodSeconds: 30 } : {});

/** The state at a moment. */
interface State {
  readonly deployment: Deployment;
  readonly sets: readonly ReplicaSet[];
  readonly pods: readonly Pod[];
}

/** Judges the sizes that the controllers give to ReplicaSets (WL-DEP-11, WL-DEP-14, WL-DEP-16). */
class Judge {
  readonly troubles: string[] = [];
  readonly #world: World;
  readonly #hands: WorkloadHands;

  constructor(world: World, hands: WorkloadHands) {
    this.#world = world;
    this.#hands = hands;
  }

  /** Passes requests on, and judges those that change ReplicaSets. */
  readonly transport =
    (inner: Transport): Transport =>
    async (request) => {
      const isWrite = request.method === "PUT" || request.method === "POST";
      if (!isWrite || !/\/replicasets(?:\/[^/?]+)?(?:\?|$)/.test(request.path)) return inner(request);
      const before = await this.state();
      const answer = await inner(request);
      if (before && answer.status < 300) this.#judge(before, request);
      return answer;
    };

  async state(): Promise<State | undefined> {
    const deployment = await this.#world.resource(Deployment).find(at("w"));
    if (!deployment) return undefined;
    return { deployment, sets: await this.#hands.sets(), pods: await this.#hands.pods() };
  }

  #judge({ deployment, sets, pods }: State, { body = "{}" }: TransportRequest): void {
    const written = JSON.parse(body as string) as ReplicaSet;
    const old = sets.find(({ metadata }) => metadata.name === written.metadata.name);
    const own = sets.filter(({ metadata }) =>
      metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid),
    );
    const wanted = wantedBy(deployment);
    const sizeBefore = old ? (old.spec.replicas ?? 1) : 0;
    const size = written.spec.replicas ?? 1;
    const others = own.filter(({ metadata }) => metadata.name !== written.metadata.name);
    const total = others.reduce((sum, { spec }) => sum + (spec.replicas ?? 1), size);
    const what = `${written.metadata.name} from ${sizeBefore} to ${size}, ${total} in all of ${wanted}`;
    const isScaled = own.some(({ metadata }) => metadata.annotations?.[DESIRED] !== String(wanted));
    // A change of the wanted number is shared out: one grows before another one shrinks.
    if (isScaled) return;
    if (size > sizeBefore && total > wanted + maxSurge(deployment))
      this.troubles.push(`more than surge permits: ${what}`);
    if (size >= sizeBefore || !isRolling(deployment)) return;
    const now = this.#world.clock.now();
    const available = (set: ReplicaSet, most: number): number => {
      const mine = pods.filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === set.metadata.uid);
      const ready = mine.filter((pod) => isActive(pod) && isAvailable(pod, deployment.spec.minReadySeconds ?? 0, now));
      return Math.min(ready.length, most);
    };
    const rest = others.reduce((sum, set) => sum + available(set, set.spec.replicas ?? 1), 0);
    const [were, are] = [sizeBefore, size].map((most) => rest + (old ? available(old, most) : 0)) as [number, number];
    const least = wanted - maxUnavailable(deployment);
    if (are < Math.min(were, least)) this.troubles.push(`fewer available than permitted: ${what}, ${were} to ${are}`);
  }
}

type Action = (story: Story) => Promise<unknown>;

/** One history. */
class Story {
  readonly world: World;
  readonly hands: WorkloadHands;
  readonly judge: Judge;
  readonly isBound: boolean;
  readonly #random: Random;
  readonly #managers: Manager[] = [];
  #started = 0;

  constructor(world: World, random: Random) {
    this.world = world;
    this.hands = new WorkloadHands(world);
    this.judge = new Judge(world, this.hands);
    this.#random = random;
    this.isBound = this.chance(0.5);
  }

  below(most: number): number {
    return Math.floor(this.#random.next() * most);
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }

  /** Starts a manager. */
  async begin(): Promise<void> {
    const client = this.world.cluster.client("manager").with({ through: this.judge.transport });
    const manager = this.world.manager({ client, seed: ++this.#started }).add(deploymentRollout, replicaSets);
    this.#managers.push(manager);
    await manager.start();
  }

  /** Kills a manager, and starts another one. */
  async replace(): Promise<void> {
    this.#managers.shift()?.crash();
    await this.begin();
  }

  get strategy(): object {
    if (this.chance(0.2)) return { type: "Recreate", rollingUpdate: null };
    const maxSurgeOf = this.pick([0, 1, 2, "25%", "100%"])!;
    const most = this.pick([1, 2, "25%", "50%"])!;
    return { type: "RollingUpdate", rollingUpdate: { maxSurge: maxSurgeOf, maxUnavailable: most } };
  }

  patch(spec: object): Promise<unknown> {
    return this.world.resource(Deployment).patch(at("w"), { spec } as never);
  }
}

const podAction =
  (act: (story: Story, pod: Pod) => Promise<unknown>): Action =>
  async (story) => {
    const pod = story.pick(await story.hands.pods());
    if (pod) await act(story, pod);
  };

const setAction =
  (act: (story: Story, set: ReplicaSet) => Promise<unknown>): Action =>
  async (story) => {
    const set = story.pick(await story.hands.sets());
    if (set) await act(story, set);
  };

const pods = ({ world }: Story) => world.resource(Pod);

const ACTIONS: readonly (readonly [number, Action])[] = [
  [4, (story) => story.patch({ template: templateOf(story.pick(IMAGES)!, story.isBound) })],
  [3, (story) => story.patch({ replicas: story.below(MOST + 1) })],
  [2, (story) => story.patch({ paused: story.chance(0.4) })],
  [1, (story) => story.patch({ strategy: story.strategy })],
  [1, (story) => story.patch({ minReadySeconds: story.pick([0, 0, 5]), revisionHistoryLimit: story.pick([0, 1, 10]) })],
  // kubectl rollout undo
  [2, setAction((story, { spec }) => story.patch({ template: withoutLabel(spec.template, HASH) }))],
  [12, (story) => story.hands.ready(undefined, 1 + story.below(3))],
  [2, podAction((story, pod) => story.hands.setReady(pod, "False"))],
  [2, podAction((story, pod) => pods(story).status.patch(keyOf<"Namespaced">(pod), { status: { phase: "Failed" } }))],
  [3, podAction((story, pod) => pods(story).delete(pod))],
  [6, async (story) => story.hands.goneOf(await story.hands.pods())],
  [
    1,
    podAction((story, pod) =>
      pods(story).patch(keyOf<"Namespaced">(pod), { metadata: { labels: { app: "z" } } } as never),
    ),
  ],
  [1, (story) => pods(story).patch(at("free"), { metadata: { labels: { app: "a" } } } as never)],
  [
    1,
    setAction((story, set) =>
      story.world.resource(ReplicaSet).patch(keyOf<"Namespaced">(set), { spec: { replicas: story.below(4) } } as never),
    ),
  ],
  [1, setAction((story, set) => story.world.resource(ReplicaSet).delete(set))],
  [3, (story) => story.world.advance(`${story.below(8)}s`)],
  [1, (story) => story.replace()],
];
const WEIGHED = ACTIONS.flatMap(([weight, action]) => Array<Action>(weight).fill(action));

/** Plays what a seed says; what must not be, a line each. */
export async function playRollout(seed: number): Promise<readonly string[]> {
  await using world = await World.create();
  const random = seededRandom(seed);
  const story = new Story(world, random);
  const { hands, judge } = story;
  await story.begin();
  if (story.chance(0.3)) await story.begin();
  const strategy = story.strategy as { rollingUpdate?: object | null };
  if (strategy.rollingUpdate === null) delete strategy.rollingUpdate;
  await hands.deploy({ replicas: 1 + story.below(5), strategy, template: templateOf("i1", story.isBound) });
  for (let step = 0; step < STEPS; step++) {
    await attempt(story.pick(WEIGHED)!(story), ...EXPECTED);
    await world.settled();
  }
  await story.patch({ paused: false });
  // Pods that are ready make others necessary after minReadySeconds.
  for (let round = 0; round < 2 * MOST; round++) {
    await world.advance("6s");
    await hands.finish();
  }
  const end = await judge.state();
  const troubles = [...judge.troubles, ...(end ? unfinished(end) : ["the Deployment is gone"])];
  const before = await hands.versions();
  await world.advance("24h");
  if (JSON.stringify(await hands.versions()) !== JSON.stringify(before)) troubles.push("something is written at rest");
  // Two managers may make the same ReplicaSet: one of them tries again.
  const failures = world.failures.filter(({ error }) => !isStatus(error, "AlreadyExists"));
  troubles.push(...failures.map(({ key, error }) => `${key} failed: ${String(error)}`));
  return troubles.map((trouble) => `seed ${seed}: ${trouble}`);
}

/** What is wrong with the state after all Pods got ready. */
function unfinished({ deployment, sets, pods: all }: State): readonly string[] {
  const wanted = wantedBy(deployment);
  const image = deployment.spec.template.spec?.containers?.[0]?.image;
  const own = sets.filter(({ metadata }) =>
    metadata.ownerReferences?.some(({ uid }) => uid === deployment.metadata.uid),
  );
  const active = all.filter(
    (pod) => isActive(pod) && own.some(({ metadata }) => metadata.uid === pod.metadata.ownerReferences?.[0]?.uid),
  );
  const right = active.filter(({ spec }) => spec.containers[0]?.image === image);
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, unavailableReplicas = 0 } = deployment.status;
  const counts = { replicas, updatedReplicas, availableReplicas, unavailableReplicas };
  const progress = deployment.status.conditions?.find(({ type }) => type === "Progressing");
  const wrong = (isWrong: boolean, what: string): readonly string[] => (isWrong ? [what] : []);
  return [
    ...wrong(
      active.length !== wanted || right.length !== wanted,
      `${right.length} of ${active.length} Pods for ${wanted}`,
    ),
    ...wrong(
      JSON.stringify(counts) !==
        JSON.stringify({
          replicas: wanted,
          updatedReplicas: wanted,
          availableReplicas: wanted,
          unavailableReplicas: 0,
        }),
      `status ${JSON.stringify(counts)} for ${wanted}`,
    ),
    ...wrong(progress?.reason !== "NewReplicaSetAvailable", `progress ${progress?.status} ${progress?.reason}`),
  ];
}
