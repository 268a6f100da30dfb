import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import type { PodSpec, PodVolume } from "./spec-schema.ts";

/** What the rules of a container see of its Pod. */
export interface ContainerCheck {
  readonly errors: FieldErrors;
  readonly ctx: ApiContext;
  readonly spec: PodSpec;
  /** Whether it is a template of Pods, which may leave some to who makes Pods of it. */
  readonly isTemplate: boolean;
  /** The volumes that are right, by name. */
  readonly volumes: ReadonlyMap<string, PodVolume>;
  /** All volumes, by name. */
  sent(): ReadonlyMap<string, PodVolume>;
  /** The names of the Pod's resource claims. */
  readonly claims: ReadonlySet<string>;
}
