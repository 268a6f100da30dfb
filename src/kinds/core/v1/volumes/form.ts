/**
 * The forms of volume sources: a form is the schema of a member, its defaults and its rules.
 *
 * Most kinds of volume have two forms, one in a PersistentVolume and one in a Pod; a family puts them side by side
 * (doc 3, "PV source members" and "Volume members"). Nothing here knows which families exist, see `sources.ts`.
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { Static, TSchema } from "../../../../meta/types.ts";
import type { ApiContext } from "../../../../schema/definition.ts";

/** A value before it is validated: any member can be missing. */
export type Loose<T> = T extends readonly (infer E)[]
  ? readonly Loose<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Loose<T[K]> | undefined }
    : T;

/** A JSON object whose members are not known to the compiler, because their names depend on the dialect. */
export type Members = Record<string, unknown>;

/** The context for the rules of a source: errors, the dialect and the owner. */
export class SourceCheck {
  readonly errors: FieldErrors;
  readonly ctx: ApiContext;
  /** The name of the PersistentVolume, or of the volume in the Pod. */
  readonly owner: string;
  /** The name of the Pod, empty in a PersistentVolume. */
  readonly pod: string;

  constructor(errors: FieldErrors, ctx: ApiContext, owner: string, pod = "") {
    this.errors = errors;
    this.ctx = ctx;
    this.owner = owner;
    this.pod = pod;
  }

  /** Whether restrictions of Kubernetes apply (POL-4). */
  get strict(): boolean {
    return this.ctx.dialect.rules.enforceUndocumented;
  }

  /** The member must be present and not empty; a list that is always printed is null when it is unset. */
  need(field: string, value: string | readonly unknown[] | null | undefined): void {
    if (!value || value.length === 0) this.errors.required(field);
  }

  /** As {@link need}, for a member that only Kubernetes requires (POL-3). */
  needUndocumented(field: string, value: string | readonly unknown[] | null | undefined): void {
    if (this.ctx.dialect.rules.requireUndocumented) this.need(field, value);
  }

  /** A number between two limits, both included. */
  range(field: string, value: number | undefined, least: number, most: number): void {
    if (value !== undefined && (value < least || value > most)) {
      this.errors.invalid(field, value, `expected a number from ${least} to ${most}`);
    }
  }

  /** One value of an enumeration. */
  oneOf(field: string, value: string | undefined, values: readonly string[]): void {
    if (value !== undefined && !values.includes(value)) this.errors.notSupported(field, value, values);
  }

  /** A text that matches one of the name rules. */
  text(field: string, value: string, rule: (text: string) => string | undefined): void {
    const why = rule(value);
    if (why !== undefined) this.errors.invalid(field, value, why);
  }
}

/** One form of a source. */
export interface SourceForm {
  readonly schema: TSchema;
  validate(source: Members, at: string, check: SourceCheck): void;
  /** Writes defaults that depend on other members; changes `source`. */
  readonly defaults: ((source: Members, ctx: ApiContext) => void) | undefined;
}

/** A kind of volume: its member name, and its forms in a PersistentVolume and in a Pod. */
export interface SourceFamily {
  readonly member: string;
  readonly pv?: SourceForm;
  readonly inline?: SourceForm;
  /** The name that error paths use for the member; `member` by default. */
  readonly errorName?: string;
  /** The name that the path of a second source uses; `member` by default. */
  readonly clashName?: string;
  /** The form that Kubernetes accepts besides another source, where there is one. */
  readonly mayBeSecond?: "pv";
  /** The text of a deprecation Warning, and its forms. */
  readonly deprecated?: { readonly text: string; readonly pv: boolean; readonly inline: boolean };
}

/** Makes a form; the rules see the source with every member optional. */
export function form<T extends TSchema>(
  schema: T,
  validate: (source: Loose<Static<T>>, at: string, check: SourceCheck) => void,
  defaults?: (source: Members, ctx: ApiContext) => void,
): SourceForm {
  return { schema, validate: validate as SourceForm["validate"], defaults };
}
