import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ApiContext } from "../../../../schema/definition.ts";
import type { PodSpec, PodVolume } from "./spec-schema.ts";

/** The parts of a Pod that the rules of a container need. */
export interface ContainerCheck {
  readonly errors: FieldErrors;
  readonly ctx: ApiContext;
  readonly spec: PodSpec;
  /** Whether it is a template of Pods, in which the creator of Pods may fill in members. */
  readonly isTemplate: boolean;
  /** The valid volumes, by name. */
  readonly volumes: ReadonlyMap<string, PodVolume>;
  /** All volumes, by name. */
  sent(): ReadonlyMap<string, PodVolume>;
  /** The names of the Pod's resource claims. */
  readonly claims: ReadonlySet<string>;
}
