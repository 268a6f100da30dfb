/**
 * Pod Security: labels of a namespace set the level that its Pods are held to, for refusals, warnings and audit annotations.
 * Pods are refused; of the templates of workloads there are only warnings and annotations, since Pods are made of them. A namespace is
 * refused with labels that are invalid, and gets a warning where its Pods violate its new level. It decides from the objects alone; between
 * requests it keeps only the parsed labels of namespaces.
 *
 * @module
 */
import type { Pod } from "../../kinds/core/v1/pod/defaults.ts";
import type { PodSpec } from "../../kinds/core/v1/pod/spec-schema.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import type { Dialect } from "../../meta/dialect.ts";
import { invalid } from "../../meta/status.ts";
import { guardOf } from "../../schema/api-object.ts";
import type { ApiObject } from "../../schema/definition.ts";
import { addWarnings } from "../../schema/warnings.ts";
import type { Clock } from "../../util/clock.ts";
import { type AdmissionRequest, type AdmissionStep, concerns, refusal } from "../contract.ts";
import { type CheckedPod, type Violation, checkedPod } from "./check.ts";
import { detailsText, violationsOf } from "./evaluator.ts";
import {
  type LevelVersion,
  type Mode,
  PolicyLabels,
  type PodSecurityPolicy,
  compareLevels,
  isPrivileged,
  isSame,
  shown,
} from "./levels.ts";
import type { PodSecurityMetrics } from "./metrics.ts";
import { namespaceWarnings } from "./namespace-pods.ts";

const PODS = { group: "", plural: "pods" };
const NAMESPACES = { group: "", plural: "namespaces" };

/** Resources whose objects have a template of Pods. */
const WORKLOADS = [
  { group: "", plural: "replicationcontrollers" },
  { group: "", plural: "podtemplates" },
  { group: "apps", plural: "replicasets" },
  { group: "apps", plural: "deployments" },
  { group: "apps", plural: "statefulsets" },
  { group: "apps", plural: "daemonsets" },
  { group: "batch", plural: "jobs" },
  { group: "batch", plural: "cronjobs" },
];

/** Subresources of Pods that do not change what the containers run. */
const IGNORED: ReadonlySet<string> = new Set(["binding", "eviction", "status"]);

const isPod = guardOf<Pod>("Pod");

/** The parts that the step needs. */
export interface PodSecurityParts {
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly metrics: PodSecurityMetrics;
}

/** A policy with the errors of the labels that define it. */
interface ReadPolicy {
  readonly policy: PodSecurityPolicy;
  readonly errors: FieldErrors;
}

/** The step PodSecurity. */
export const podSecurity = (parts: PodSecurityParts): AdmissionStep => {
  const step = new PodSecurity(parts);
  return {
    name: "PodSecurity",
    resources: [PODS, NAMESPACES, ...WORKLOADS],
    validate(request) {
      const { operation, object } = request;
      if (!object || (operation !== "CREATE" && operation !== "UPDATE")) return undefined;
      if (concerns(request, NAMESPACES)) return step.validateNamespace(request, object);
      return concerns(request, PODS) ? step.validatePod(request, object) : step.validateWorkload(request, object);
    },
  };
};

class PodSecurity {
  readonly #parts: PodSecurityParts;
  readonly #labels: PolicyLabels;
  /** Keyed by the labels object of a namespace, which the cache keeps. */
  readonly #policies = new WeakMap<object, ReadPolicy>();
  readonly #unlabelled: ReadPolicy;

  constructor(parts: PodSecurityParts) {
    this.#parts = parts;
    this.#labels = new PolicyLabels(parts.dialect.labelDomain);
    this.#unlabelled = this.#read({});
  }

  /** Refuses invalid labels, and warns of Pods that violate a new level. */
  validateNamespace(request: AdmissionRequest, object: ApiObject): Promise<void> | undefined {
    if (request.subresource !== "") return undefined;
    const { policy, errors } = this.#read(object.metadata.labels ?? {});
    const old = request.old && this.#read(request.old.metadata.labels ?? {});
    if (errors.any && !(old && isEqual(errors, old.errors))) throw invalid(request.ref, request.name, errors.causes);
    if (!old || !isTightened(policy.enforce, old.policy.enforce)) return undefined;
    return namespaceWarnings({ ...this.#parts, lookup: request.lookup }, request.name, policy.enforce).then((texts) =>
      addWarnings(request, texts),
    );
  }

  /** Refuses a Pod that violates the level for `enforce`. */
  validatePod(request: AdmissionRequest, object: ApiObject): void {
    if (IGNORED.has(request.subresource) || !isPod(object)) return;
    const read = this.#policyOf(request);
    if (!read.errors.any && isPrivileged(read.policy)) return this.#allowAll(request, read.policy);
    if (request.operation === "UPDATE" && isPod(request.old) && !hasNewImage(object.spec, request.old.spec)) return;
    this.#evaluate(request, read, checkedPod(object.metadata, object.spec, this.#parts.dialect), true);
  }

  /** Warns of a template that violates the level for `warn`, and notes one that violates the level for `audit`. */
  validateWorkload(request: AdmissionRequest, object: ApiObject): void {
    if (request.subresource !== "") return;
    const read = this.#policyOf(request);
    const { audit, warn } = read.policy;
    if (!read.errors.any && audit.level === "privileged" && warn.level === "privileged") return;
    const template = templateOf(object);
    if (!template?.spec) return;
    this.#evaluate(request, read, checkedPod(template.metadata, template.spec, this.#parts.dialect), false);
  }

  #policyOf({ lookup, namespace }: AdmissionRequest): ReadPolicy {
    const labels = lookup.get("namespaces", "", namespace)?.metadata.labels;
    if (!labels) return this.#unlabelled;
    let read = this.#policies.get(labels);
    if (!read) this.#policies.set(labels, (read = this.#read(labels)));
    return read;
  }

  #read(labels: Readonly<Record<string, string>>): ReadPolicy {
    const errors = new FieldErrors();
    return { policy: this.#labels.read(labels, errors), errors };
  }

  #allowAll(request: AdmissionRequest, { enforce }: PodSecurityPolicy): void {
    this.#parts.metrics.allowed(enforce, request);
    request.note(this.#labels.annotation("enforce-policy"), "privileged:latest");
  }

  #evaluate(request: AdmissionRequest, { policy, errors }: ReadPolicy, pod: CheckedPod, isEnforced: boolean): void {
    const { metrics } = this.#parts;
    const evaluate = evaluator(pod);
    const deny = (mode: Mode): string | undefined => {
      const text = detailsText(evaluate(policy[mode]));
      if (text === "") return undefined;
      metrics.evaluated("deny", policy[mode], mode, request);
      return `PodSecurity "${shown(policy[mode])}": ${text}`;
    };
    if (errors.any) this.#noteErrors(request, errors);
    if (isEnforced) request.note(this.#labels.annotation("enforce-policy"), shown(policy.enforce));
    const refused = isEnforced ? deny("enforce") : undefined;
    if (isEnforced && refused === undefined) metrics.evaluated("allow", policy.enforce, "enforce", request);
    const noted = deny("audit");
    if (noted !== undefined) request.note(this.#labels.annotation("audit-violations"), `would violate ${noted}`);
    if (refused !== undefined) throw refusal(request, `violates ${refused}`);
    const warned = deny("warn");
    if (warned !== undefined) addWarnings(request, [`would violate ${warned}`]);
  }

  #noteErrors(request: AdmissionRequest, errors: FieldErrors): void {
    const texts = errors.causes.map(({ field, message }) => `${field}: ${message}`);
    const all = texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
    request.note(this.#labels.annotation("error"), `Failed to parse policy: ${all}`);
    this.#parts.metrics.failed(request);
  }
}

/** Evaluates a Pod once for each level and version. */
function evaluator(pod: CheckedPod): (by: LevelVersion) => readonly Violation[] {
  const found = new Map<string, readonly Violation[]>();
  return (by) => {
    const key = shown(by);
    const violations = found.get(key) ?? violationsOf(by, pod);
    found.set(key, violations);
    return violations;
  };
}

const isEqual = (a: FieldErrors, b: FieldErrors): boolean => JSON.stringify(a.causes) === JSON.stringify(b.causes);

/** Whether an update can add violations. */
function isTightened(now: LevelVersion, before: LevelVersion): boolean {
  if (isSame(now, before) || now.level === "privileged") return false;
  return now.version !== before.version || compareLevels(now.level, before.level) > 0;
}

/** Whether an update adds a container or changes an image: other fields that are checked cannot change. */
function hasNewImage(spec: PodSpec, old: PodSpec): boolean {
  const lists = ["containers", "initContainers"] as const;
  const isChanged = lists.some((list) => {
    const [now = [], before = []] = [spec[list], old[list]];
    return now.length !== before.length || now.some(({ image }, i) => image !== before[i]?.image);
  });
  return isChanged || hasNewEphemeral(spec, old);
}

function hasNewEphemeral(
  { ephemeralContainers: now = [] }: PodSpec,
  { ephemeralContainers: before = [] }: PodSpec,
): boolean {
  const images = new Map(before.map(({ name, image }) => [name, image]));
  return now.some(({ name, image }) => !images.has(name) || images.get(name) !== image);
}

interface Template {
  readonly metadata?: { readonly annotations?: Record<string, string> };
  readonly spec?: PodSpec;
}

interface WithTemplate {
  readonly template?: Template;
  readonly spec?: {
    readonly template?: Template;
    readonly jobTemplate?: { readonly spec?: { readonly template?: Template } };
  };
}

/** The template of Pods in a workload; undefined where it has none. */
function templateOf(object: ApiObject): Template | undefined {
  const { template, spec } = object as ApiObject & WithTemplate;
  return template ?? spec?.template ?? spec?.jobTemplate?.spec?.template;
}
