/**
 * A check of Pod Security: a rule of one level, in one form or several by version, which forbids some Pods.
 *
 * @module
 */
import type { ContainerValue } from "../../kinds/core/v1/pod/container-schema.ts";
import { containersOf } from "../../kinds/core/v1/pod/containers.ts";
import type { PodSpec } from "../../kinds/core/v1/pod/spec-schema.ts";
import type { Dialect } from "../../meta/dialect.ts";

/** The part of a Pod, or of a template, that checks read. */
export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** Of all three lists, in the order in which they start. */
  readonly containers: readonly ContainerValue[];
  readonly dialect: Dialect;
}

/** Why a check forbids a Pod. */
export interface Violation {
  /** A short text: `host namespaces`. */
  readonly reason: string;
  /** Details: `hostNetwork=true`; empty for none. */
  readonly detail: string;
}

/** Returns the violation of a Pod; undefined where it is allowed. */
export type CheckPod = (pod: CheckedPod) => Violation | undefined;

/** A form of a check. */
export interface Revision {
  /** The minor number of the first version that has this form. */
  readonly since: number;
  readonly check: CheckPod;
}

/** A check. */
export interface Check {
  readonly id: string;
  readonly level: "baseline" | "restricted";
  /** The checks of the level `baseline` that do not run where this one does. */
  readonly overrides?: readonly string[];
  /** By version, the oldest first. */
  readonly revisions: readonly Revision[];
}

/** The parts of a Pod or a template that checks read. */
export const checkedPod = (
  metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined } | undefined,
  spec: PodSpec,
  dialect: Dialect,
): CheckedPod => ({
  annotations: metadata?.annotations ?? {},
  spec,
  containers: containersOf(spec).map(([container]) => container),
  dialect,
});

/** The names of the containers for which a test is true. */
export const namesOf = (pod: CheckedPod, test: (container: ContainerValue) => boolean): string[] =>
  pod.containers.filter(test).map(({ name }) => name);

/** The first text for a count of one, the second for any other. */
export const plural = (one: string, more: string, { length }: { readonly length: number }): string =>
  length === 1 ? one : more;

/** Texts in quotes. */
export const quoted = (texts: readonly string[]): string => `"${texts.join('", "')}"`;

/** Names of containers as a message shows them: `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural("container", "containers", names)} ${quoted(names)}`;

/** Distinct texts, in order. */
export const sorted = (texts: Iterable<string>): string[] => [...new Set(texts)].toSorted();

/** The objects that set a forbidden value, `pod and container "a"`; empty where none does. */
export const settersText = (isOfPod: boolean, containers: readonly string[]): string =>
  [...(isOfPod ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(" and ");

/** A check that allows Pods of Windows, where its fields have no meaning. */
export const exceptOnWindows =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);

/** A check that allows Pods with a user namespace of their own. */
export const exceptInUserNamespace =
  (check: CheckPod): CheckPod =>
  (pod) =>
    pod.spec.hostUsers === false ? undefined : check(pod);
