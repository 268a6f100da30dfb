/** Whether Pods tolerate the taints of nodes. */
import type { Pod } from "../../client/kinds/index.ts";

/** A toleration of a Pod. */
export type Toleration = NonNullable<Pod["spec"]["tolerations"]>[number];

/** A taint of a node. */
export interface Taint {
  readonly key: string;
  readonly value?: string | undefined;
  readonly effect: string;
}

/** Whether a toleration matches a taint. */
export function tolerates({ key = "", operator = "", value = "", effect = "" }: Toleration, taint: Taint): boolean {
  if (effect !== "" && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  if (operator === "Exists") return true;
  return key !== "" && (operator === "" || operator === "Equal") && value === (taint.value ?? "");
}

/** Up to this number tolerations are compared one by one; with more, those with the key and value of a taint are looked up. */
const FEW = 8;

/** Whether one of the tolerations of an immutable object matches a taint. */
export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (tolerations.length <= FEW) return tolerations.some((toleration) => tolerates(toleration, taint));
  let known = compiled.get(tolerations);
  if (!known) compiled.set(tolerations, (known = compile(tolerations)));
  return known(taint);
}

type Tolerated = (taint: Taint) => boolean;

const compiled = new WeakMap<readonly Toleration[], Tolerated>();

/** Indexes tolerations by their key and value, as {@link tolerates} compares them: there may be tens of thousands. */
function compile(tolerations: readonly Toleration[]): Tolerated {
  const effects = new Map<string, Set<string>>();
  for (const { key = "", operator = "", value = "", effect = "" } of tolerations) {
    const isAny = operator === "Exists";
    if (!isAny && (key === "" || (operator !== "" && operator !== "Equal"))) continue;
    const about = isAny ? key : pairOf(key, value);
    const known = effects.get(about);
    if (known) known.add(effect);
    else effects.set(about, new Set([effect]));
  }
  return ({ key, value = "", effect }) =>
    ["", key, pairOf(key, value)].some((about) => {
      const known = effects.get(about);
      return known !== undefined && (known.has("") || known.has(effect));
    });
}

/** A separator: neither a key nor a value contains a space. */
const pairOf = (key: string, value: string): string => `${key} ${value}`;
