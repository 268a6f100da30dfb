/**
 * Writes as the registry makes them, without a registry: decode, defaults, prepare and rules of one definition.
 *
 * Ownership, admission, storage and the rules of metadata are not here.
 *
 * @module
 */
import type { Dialect } from "../../../meta/dialect.ts";
import { FieldErrors } from "../../../meta/field-errors.ts";
import { type Gate, gatesOf } from "../../../meta/gates.ts";
import { ManualClock, seededRandom } from "../../../util/clock.ts";
import { type ValueObject, clone } from "../../../value/value.ts";
import type { ApiContext, ApiObject, DefinitionFactory, ResourceDefinition, WriteContext } from "../../definition.ts";
import { type Walker, compileWalker } from "../../walker.ts";

/** What a write came to. */
export interface Written {
  readonly object: ApiObject;
  /** What was wrong, each once and in order of the field: `FieldValueInvalid spec.drivers`. */
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
  /** Members that the schema does not know. */
  readonly unknown: readonly string[];
  /** The first value of a wrong type, undefined when all fit. */
  readonly mismatch: string | undefined;
}

/** A context for a dialect with some gates set. */
export const contextOf = (dialect: Dialect, gates: Partial<Record<Gate, boolean>> = {}): ApiContext => ({
  dialect,
  gates: gatesOf(dialect, gates),
  clock: new ManualClock(),
  random: seededRandom(1),
});

/** One kind of a group, ready for writes. */
export class Writer {
  readonly definition: ResourceDefinition;
  readonly #ctx: ApiContext;
  readonly #walker: Walker;

  constructor(factory: DefinitionFactory, plural: string, ctx: ApiContext, version?: string) {
    const found = factory(ctx).find((d) => d.plural === plural && (version === undefined || d.version === version));
    if (!found) throw new Error(`Expected the group to have ${plural}`);
    this.definition = found;
    this.#ctx = ctx;
    this.#walker = compileWalker(found.schema, { dialect: ctx.dialect });
  }

  /** POST of a body without apiVersion, kind and, where it does not matter, metadata. */
  create(body: object): Written {
    return this.#write(body, (object, errors, ctx) => {
      this.definition.prepareForCreate?.(object, ctx);
      this.#walker.settle(object);
      this.definition.validate?.(object, errors, ctx);
      return this.definition.warnings?.(object, undefined, ctx) ?? [];
    });
  }

  /** PUT of a body over `old`, on the object or on a subresource. */
  update(old: ApiObject, body: object, subresource = ""): Written {
    const rules = subresource ? this.definition.subresources?.[subresource] : this.definition;
    if (!rules) throw new Error(`Expected ${this.definition.kind} to have ${subresource}`);
    return this.#write(body, (object, errors, ctx) => {
      rules.prepareForUpdate?.(object, old, ctx);
      this.#walker.settle(object);
      rules.validateUpdate?.(object, old, errors, ctx);
      return subresource ? [] : (this.definition.warnings?.(object, old, ctx) ?? []);
    });
  }

  #write(
    body: object,
    rules: (object: ApiObject, errors: FieldErrors, ctx: WriteContext) => readonly string[],
  ): Written {
    const { group, version, kind } = this.definition;
    const walker = this.#walker;
    const report = walker.newReport();
    const sent = { apiVersion: `${group}/${version}`, kind, metadata: { name: "x" }, ...clone(body as ValueObject) };
    const object = walker.decode(sent, report);
    const ctx: WriteContext = { ...this.#ctx, warnings: [] };
    const { unknown, mismatches } = report;
    const first = mismatches[0];
    if (first) return { object, causes: [], warnings: [], unknown, mismatch: `${first.path}: ${first.expected}` };
    this.definition.convert?.(object, ctx);
    walker.applyDefaults(object);
    this.definition.defaults?.(object, ctx);
    const errors = new FieldErrors();
    const told = rules(object, errors, ctx);
    const causes = [...new Set(errors.causes.map(({ reason, field }) => `${reason} ${field}`))];
    return { object, causes, warnings: [...ctx.warnings, ...told], unknown, mismatch: undefined };
  }
}
