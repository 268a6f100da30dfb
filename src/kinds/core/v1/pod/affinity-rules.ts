/**
 * The rules of affinity: the nodes and Pods near which a Pod should run, and those far from which (KIND-PodSpec-11, KIND-PodSpec-12).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import { dnsLabel, qualifiedName } from "../../../../meta/names.ts";
import { validateLabelSelector } from "../../../../schema/validation/label-selector.ts";
import { validateNodeSelector, validateWish } from "../../../rules/node-selector.ts";
import { type KeyedSelector, checkLabelKeys } from "./label-keys.ts";
import type { PodSpec } from "./spec-schema.ts";

type Affinity = NonNullable<PodSpec["affinity"]>;
type PodTerm = NonNullable<
  NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]
>[number];

const MUST = "requiredDuringSchedulingIgnoredDuringExecution";
const WISH = "preferredDuringSchedulingIgnoredDuringExecution";

/** Reports the faults of an affinity at `at`. */
export function checkAffinity(affinity: Affinity, at: string, errors: FieldErrors): void {
  const node = affinity.nodeAffinity;
  if (node?.[MUST]) validateNodeSelector(node[MUST], `${at}.nodeAffinity.${MUST}`, errors);
  node?.[WISH]?.forEach(({ weight, preference }, i) => {
    const entry = `${at}.nodeAffinity.${WISH}[${i}]`;
    checkWeight(`${entry}.weight`, weight, errors);
    validateWish(preference ?? {}, `${entry}.preference`, errors);
  });
  for (const kind of ["podAffinity", "podAntiAffinity"] as const) {
    affinity[kind]?.[MUST]?.forEach((term, i) => checkPodTerm(term, `${at}.${kind}.${MUST}[${i}]`, errors));
    affinity[kind]?.[WISH]?.forEach(({ weight, podAffinityTerm }, i) => {
      const entry = `${at}.${kind}.${WISH}[${i}]`;
      checkWeight(`${entry}.weight`, weight, errors);
      checkPodTerm(podAffinityTerm, `${entry}.podAffinityTerm`, errors);
    });
  }
}

function checkWeight(field: string, weight: number | undefined, errors: FieldErrors): void {
  if (weight === undefined || weight < 1 || weight > 100) {
    errors.invalid(field, weight ?? 0, "expected a number from 1 to 100");
  }
}

function checkPodTerm(term: Partial<PodTerm>, at: string, errors: FieldErrors): void {
  if (term.labelSelector) validateLabelSelector(term.labelSelector, `${at}.labelSelector`, errors);
  if (term.namespaceSelector) validateLabelSelector(term.namespaceSelector, `${at}.namespaceSelector`, errors);
  (term.namespaces ?? []).forEach((name, i) => {
    const wrong = dnsLabel(name);
    // Faults of the namespaces are reported at the field as a whole.
    if (wrong !== undefined) errors.invalid(`${at}.namespace`, name, `namespaces[${i}]: ${wrong}`);
  });
  checkLabelKeys(term as KeyedSelector, at, errors);
  const { topologyKey = "" } = term;
  if (topologyKey === "") errors.required(`${at}.topologyKey`);
  const wrong = qualifiedName(topologyKey);
  if (wrong !== undefined) errors.invalid(`${at}.topologyKey`, topologyKey, wrong);
}
