/** Evaluates a policy in a worker thread; see `evaluation.ts`. */
import type { Inputs } from "../../cel/environments/admission.ts";
import type { AccessDecision, AccessRequest, Decide } from "../../cel/library/authorization.ts";
import { asObject } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { systemClock } from "../../util/clock.ts";
import { type Steps, atOnce } from "../../util/steps.ts";
import { decodeOwnJson } from "../../value/json.ts";
import type { ValueObject } from "../../value/value.ts";
import { accessKey } from "../rules/decision-cache.ts";
import { MutationFault, type MutatingPolicy, madeBy, readMutatingPolicy } from "./mutation.ts";
import { type AskedAccess, type PolicyResult, type PolicyTask, askedOf, inputsIn } from "./policy-task.ts";
import { type ValidatingPolicy, evaluateValidations, readValidatingPolicy } from "./validation.ts";

/** Bounds the policies that are kept compiled, and the characters of their texts; the last one is always kept. */
const MAX_POLICIES = 64;
const MAX_CHARACTERS = 1 << 20;
const policies = new Map<string, ValidatingPolicy | MutatingPolicy>();

/** The placeholder for a decision that the thread cannot request. */
const NOT_KNOWN: AccessDecision = { allowed: false, reason: "" };

/** Executes a task. */
export function run(task: PolicyTask): PolicyResult {
  const known = new Map(task.known);
  const asked = new Map<string, AskedAccess>();
  const decide: Decide = (request: AccessRequest) => {
    const key = accessKey(request);
    const decision = known.get(key);
    if (!decision) asked.set(key, askedOf(request));
    return decision ?? NOT_KNOWN;
  };
  try {
    const result = atOnce(evaluated(task, { ...inputsIn(task.inputs), decide }));
    return { result: Buffer.from(JSON.stringify(result)), asked: [...asked.values()] };
  } catch (error) {
    if (!(error instanceof MutationFault)) throw error;
    return { result: Buffer.from("null"), fault: error.message, asked: [...asked.values()] };
  }
}

function* evaluated({ policy, what, index = 0 }: PolicyTask, inputs: Inputs): Steps<unknown> {
  if (what === "validations") {
    return yield* evaluateValidations(policyFor(policy, readValidatingPolicy), inputs, systemClock);
  }
  const { conditions, expressions, bind } = yield* policyFor(policy, readMutatingPolicy).compiled();
  if (what === "conditions") return yield* conditions.steps(inputs);
  return madeBy(expressions[index]!, bind(inputs));
}

/** The compiled policy of a text; a text always has the same sort of policy. */
function policyFor<P extends ValidatingPolicy | MutatingPolicy>(text: string, read: (object: ApiObject) => P): P {
  const policy =
    (policies.get(text) as P | undefined) ?? read(asObject(decodeOwnJson(Buffer.from(text)) as ValueObject));
  policies.delete(text);
  policies.set(text, policy);
  let characters = 0;
  for (const [i, known] of [...policies.keys()].toReversed().entries()) {
    characters += known.length;
    if (i > 0 && (i >= MAX_POLICIES || characters > MAX_CHARACTERS)) policies.delete(known);
  }
  return policy;
}
