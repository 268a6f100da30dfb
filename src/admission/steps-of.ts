/**
 * Which steps of a chain are asked about a resource, and for what: found once, not at each write.
 *
 * @module
 */
import type { ObjectRef } from "../meta/status.ts";
import type { Admission, AdmissionStep } from "./contract.ts";

/** A step that does something. */
type Doing<Member extends "mutate" | "validate" | "commit"> = AdmissionStep & Required<Pick<AdmissionStep, Member>>;

/** The steps that concern one resource, in their order, by what they do. */
export interface StepsOf {
  readonly mutate: readonly Doing<"mutate">[];
  readonly validate: readonly Doing<"validate">[];
  readonly commit: readonly Doing<"commit">[];
}

/** What was found, for as long as the chain and the kind are there. */
const known = new WeakMap<Admission, WeakMap<ObjectRef, StepsOf>>();

/** The steps of a chain that concern a resource. */
export function stepsOf(chain: Admission, ref: ObjectRef): StepsOf {
  let byRef = known.get(chain);
  if (!byRef) known.set(chain, (byRef = new WeakMap()));
  let steps = byRef.get(ref);
  if (!steps) byRef.set(ref, (steps = find(chain, ref)));
  return steps;
}

function find(chain: Admission, { group, plural }: ObjectRef): StepsOf {
  const concerned = chain.filter(
    ({ resources }) => !resources || resources.some((one) => one.group === group && one.plural === plural),
  );
  return {
    mutate: concerned.filter((step): step is Doing<"mutate"> => step.mutate !== undefined),
    validate: concerned.filter((step): step is Doing<"validate"> => step.validate !== undefined),
    commit: concerned.filter((step): step is Doing<"commit"> => step.commit !== undefined),
  };
}
