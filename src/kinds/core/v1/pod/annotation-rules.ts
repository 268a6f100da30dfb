/**
 * Annotations of Pods and templates that Kubernetes reads: they must be well formed.
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import { type Value, isObject } from "../../../../value/value.ts";
import { mirrorKey } from "./mirror.ts";
import { appArmorOf, checkProfileAnnotations } from "./profile-annotations.ts";
import type { PodSpec } from "./spec-schema.ts";
import { type TolerationValue, checkTolerations } from "./toleration-rules.ts";

type Annotations = Readonly<Record<string, string>>;

/**
 * A Pod of a node has the node, a cost is a number, tolerations are tolerations, and profiles are profiles.
 *
 * @param at the path of the annotations
 */
export function checkAnnotations(
  annotations: Annotations,
  spec: PodSpec,
  at: string,
  errors: FieldErrors,
  ctx: ApiContext,
): void {
  const { labelDomain } = ctx.dialect;
  const mirror = mirrorKey(ctx.dialect);
  if (annotations[mirror] !== undefined && !spec.nodeName) {
    errors.invalid(`${at}[${mirror}]`, annotations[mirror], "expected a nodeName together with it");
  }
  const cost = `controller.${labelDomain}/pod-deletion-cost`;
  if (annotations[cost] !== undefined && !isCost(annotations[cost])) {
    errors.invalid(`${at}[${cost}]`, annotations[cost], "expected a whole number of 32 bits");
  }
  const tolerations = `scheduler.alpha.${labelDomain}/tolerations`;
  if (annotations[tolerations]) checkOldTolerations(annotations[tolerations], at, tolerations, errors);
  checkProfileAnnotations(annotations, spec, at, errors, ctx);
}

/** Annotations of AppArmor, and that of a static Pod, are immutable. */
export function checkKeptAnnotations(
  annotations: Annotations = {},
  old: Annotations = {},
  errors: FieldErrors,
  { dialect }: ApiContext,
): void {
  const appArmor = appArmorOf(dialect);
  for (const key in { ...old, ...annotations }) {
    if (annotations[key] === old[key] || !(key.startsWith(appArmor) || key === mirrorKey(dialect))) continue;
    errors.forbidden(`metadata.annotations[${key}]`, "expected the annotation to stay as it is");
  }
}

const isCost = (text: string): boolean => /^(?:0|-\d+|[1-9]\d*)$/.test(text) && Math.abs(Number(text) + 0.5) < 2 ** 31;

function checkOldTolerations(text: string, at: string, key: string, errors: FieldErrors): void {
  const tolerations = tolerationsOf(text);
  if (tolerations) checkTolerations(tolerations, `${at}.${key}`, errors);
  else errors.invalid(at, key, "expected a list of tolerations in JSON");
}

function tolerationsOf(text: string): readonly TolerationValue[] | undefined {
  let list: Value;
  try {
    list = JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
  if (list === null) return [];
  return Array.isArray(list) && list.every(isToleration) ? (list as readonly TolerationValue[]) : undefined;
}

const isToleration = (value: Value): boolean =>
  isObject(value) &&
  ["key", "operator", "value", "effect"].every((member) => ["string", "undefined"].includes(typeof value[member]));
