/**
 * The steps of a history, drawn by chance: a list of plain values, each of which can be played wherever the world stands.
 *
 * @module
 */
import type { CodeName } from "../../src/csi/driver-error.ts";
import { type SeededRandom, seededRandom } from "../../src/util/clock.ts";
import { type CallFault, METHODS } from "./array.ts";
import { ACTORS, type Actor, NODES, type WriteFault } from "./world.ts";

/** Claims by name: `a` and `b` are for one node, `m` for many; `copy` is a second volume of the disk of `a`, `r` one of a snapshot. */
export const CLAIMS = ["a", "b", "m", "copy", "r"] as const;
export type ClaimName = (typeof CLAIMS)[number];

/** What people, machines and chance do. */
export type Deed =
  | { readonly do: "claim" | "unclaim"; readonly claim: ClaimName }
  | { readonly do: "pod"; readonly pod: string; readonly claim: ClaimName; readonly node: string }
  /** Deleted by its agent, or at once while its node may have its volumes yet. */
  | { readonly do: "unpod" | "drop"; readonly pod: string }
  | { readonly do: "snapshot" | "unsnapshot" }
  | { readonly do: "start" | "crash"; readonly who: Actor }
  /** A node that is not heard of, is switched off for good, or whose object is deleted. */
  | { readonly do: "unready" | "off" | "unnode"; readonly node: (typeof NODES)[number] }
  | { readonly do: "pass" | "suspend"; readonly ms: number }
  | { readonly do: "fail"; readonly method: (typeof METHODS)[number]; readonly fault: CallFault }
  | { readonly do: "lose"; readonly who: Actor; readonly fault: Readonly<WriteFault> };

/** A deed; what follows may come before all that it has woken is at rest. */
export type Step = Deed & { readonly soon?: true };

const PODS = ["p0", "p1", "p2", "p3", "p4", "p5"];
const PASSES = [1000, 10_000, 61_000, 125_000, 420_000];
const SLEEPS = [120_000, 700_000];
/** Codes that do not say that nothing was done. */
const OPEN: readonly CodeName[] = ["Canceled", "DeadlineExceeded", "Aborted", "Unavailable"];
const REFUSED: readonly CodeName[] = [
  ...OPEN,
  "Internal",
  "InvalidArgument",
  "ResourceExhausted",
  "FailedPrecondition",
];

/** What is there, as far as a history says: what chance chooses from. */
interface Scene {
  readonly pods: Set<string>;
  readonly claims: Set<ClaimName>;
  readonly down: Set<Actor>;
}

type One = <T>(of: readonly T[]) => T;
type Draw = (one: One, scene: Scene, random: SeededRandom) => Deed;

/** One of those, or any where there is none. */
const oneOf = <T>(one: One, those: ReadonlySet<T>, all: readonly T[]): T => one(those.size > 0 ? [...those] : all);
const others = <T>(all: readonly T[], those: ReadonlySet<T>): ReadonlySet<T> => new Set(all).difference(those);

/** How often each deed is drawn, beside others. */
const DEEDS: readonly (readonly [number, Draw])[] = [
  [8, (one, { claims }) => ({ do: "claim", claim: oneOf(one, others(CLAIMS, claims), CLAIMS) })],
  [4, (one, { claims }) => ({ do: "unclaim", claim: oneOf(one, claims, CLAIMS) })],
  [22, (one, { pods, claims }) => drawPod(one, oneOf(one, others(PODS, pods), PODS), claims)],
  [13, (one, { pods }) => ({ do: "unpod", pod: oneOf(one, pods, PODS) })],
  [5, (one, { pods }) => ({ do: "drop", pod: oneOf(one, pods, PODS) })],
  [3, () => ({ do: "snapshot" })],
  [2, () => ({ do: "unsnapshot" })],
  [8, (one, { down }) => ({ do: "start", who: oneOf(one, down, ACTORS) })],
  [4, (one) => ({ do: "crash", who: one(ACTORS) })],
  [2, (one) => ({ do: "unready", node: one(NODES) })],
  [1, (one) => ({ do: "off", node: one(NODES) })],
  [1, (one) => ({ do: "unnode", node: one(NODES) })],
  [11, (one) => ({ do: "pass", ms: one(PASSES) })],
  [2, (one) => ({ do: "suspend", ms: one(SLEEPS) })],
  [10, (one, _scene, random) => ({ do: "fail", method: one(METHODS), fault: drawFault(one, random) })],
  [5, (one, _scene, random) => ({ do: "lose", who: one(ACTORS), fault: drawLoss(one, random) })],
];

/** Mostly of claims that are there, and of the disk that two of them have. */
function drawPod(one: One, pod: string, claims: ReadonlySet<ClaimName>): Deed {
  const shared = (["a", "copy"] as const).filter((name) => claims.has(name));
  const claim = one<ClaimName>([...claims, ...shared, ...shared, one(CLAIMS)]);
  return { do: "pod", pod, claim, node: one(NODES) };
}

function drawFault(one: One, random: SeededRandom): CallFault {
  const when = one(["before", "after"] as const);
  if (random.next() < 0.3) return { when, how: one(["never", "crash"] as const) };
  return { when, how: one(when === "before" ? REFUSED : OPEN) };
}

const drawLoss = (one: One, random: SeededRandom): WriteFault => ({
  nth: 1 + Math.floor(random.next() * 4),
  when: one(["before", "after"] as const),
  how: one(["lost", "crash"] as const),
});

const LENGTH = 40;
const TOTAL = DEEDS.reduce((sum, [weight]) => sum + weight, 0);

/** The history of a seed: everybody runs and some claims are there, then what chance wants. */
export function drawHistory(seed: number): readonly Step[] {
  const random = seededRandom(seed);
  const one: One = (of) => of[Math.floor(random.next() * of.length)]!;
  const scene: Scene = { pods: new Set(), claims: new Set(), down: new Set() };
  const steps: Step[] = (["a", "m"] as const).map((claim) => ({ do: "claim", claim }));
  for (const step of steps) note(scene, step);
  while (steps.length < LENGTH) {
    const step = drawStep(one, scene, random);
    note(scene, step);
    steps.push(step);
  }
  return steps;
}

function drawStep(one: One, scene: Scene, random: SeededRandom): Step {
  let lot = random.next() * TOTAL;
  const [, draw] = DEEDS.find(([weight]) => (lot -= weight) < 0) ?? DEEDS[0]!;
  const deed = draw(one, scene, random);
  return random.next() < 0.25 ? { ...deed, soon: true } : deed;
}

function note({ pods, claims, down }: Scene, step: Deed): void {
  if (step.do === "claim") claims.add(step.claim);
  if (step.do === "unclaim") claims.delete(step.claim);
  if (step.do === "pod") pods.add(step.pod);
  if (step.do === "unpod" || step.do === "drop") pods.delete(step.pod);
  if (step.do === "start") down.delete(step.who);
  if (step.do === "crash") down.add(step.who);
  if (step.do === "unready" || step.do === "off") down.add(step.node);
  if (step.do === "fail" && step.fault.how === "crash") for (const who of victims(step.method)) down.add(who);
  if (step.do === "lose" && step.fault.how === "crash") down.add(step.who);
}

/** Who may be killed at a call. */
const victims = (method: string): readonly Actor[] => (method.startsWith("node") ? NODES : ["sidecars"]);

/** Ways to make a step simpler: what is shortest is what has no chance in it. */
export function simpler(step: Step): readonly Step[] {
  const { soon, ...deed } = step;
  const ways: Step[] = soon ? [deed as Step] : [];
  if (step.do === "fail" && step.fault.how !== "Unavailable") {
    ways.push({ ...step, fault: { ...step.fault, how: "Unavailable" } });
  }
  if (step.do === "pass" || step.do === "suspend") {
    const shorter = (step.do === "pass" ? PASSES : SLEEPS).filter((ms) => ms < step.ms);
    ways.push(...shorter.map((ms) => ({ ...step, ms })));
  }
  return ways;
}

/** How a history is printed, so that it can be played again. */
export const textOf = (steps: readonly Step[]): string =>
  `[\n${steps.map((step) => `  ${JSON.stringify(step)},\n`).join("")}]`;
