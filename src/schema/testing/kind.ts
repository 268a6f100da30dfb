/**
 * Writes of one kind as the registry does them, with the registry's own steps (`schema/write/`): decode, defaults,
 * prepare, and all rules, those of metadata included. Ownership, admission and storage are not here.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import type { FieldErrors } from "../../meta/field-errors.ts";
import { type Gate, gatesOf } from "../../meta/gates.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import { atOnce } from "../../util/steps.ts";
import { type ValueObject, clone } from "../../value/value.ts";
import type { ApiContext, ApiObject, DefinitionFactory, ResourceDefinition, WriteContext } from "../definition.ts";
import { compileWalker } from "../walker.ts";
import { type CompiledKind, complete, walk } from "../write/decode.ts";
import { longRules, prepareCreate, prepareUpdate, warn } from "../write/prepare.ts";

/** The result of a write. */
export interface Outcome {
  readonly object: ApiObject;
  /** The errors, each once, sorted: `FieldValueInvalid data[a b]`. */
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
  readonly unknown: readonly string[];
  /** The path of the first value of a wrong type; undefined when all types are correct. */
  readonly mismatch: string | undefined;
}

/** A context for a dialect with some gates set. */
export const contextOf = (dialect: Dialect, gates: Partial<Record<Gate, boolean>> = {}): ApiContext => ({
  dialect,
  gates: gatesOf(dialect, gates),
  clock: new ManualClock(),
  random: seededRandom(1),
});

/** One kind, ready for writes in the namespace `n`. */
export class KindUnderTest {
  readonly definition: ResourceDefinition;
  readonly #ctx: ApiContext;
  readonly #kind: CompiledKind;

  constructor(definition: ResourceDefinition, ctx: ApiContext) {
    this.definition = definition;
    this.#ctx = ctx;
    const { group, version, schema } = definition;
    const walker = compileWalker(schema, { dialect: ctx.dialect });
    this.#kind = { definition, apiVersion: apiVersionOf(group, version), walker };
  }

  /** A kind of a group by its plural, in the only or the named version. */
  static of(factory: DefinitionFactory, plural: string, ctx: ApiContext, version?: string): KindUnderTest {
    const found = factory(ctx).find((d) => d.plural === plural && (version === undefined || d.version === version));
    if (!found) throw new Error(`expected the group to have ${plural}`);
    return new KindUnderTest(found, ctx);
  }

  /** POST of a body; its name is `x` unless it has metadata. */
  create(body: object): Outcome {
    return this.#write(body, (object, ctx) => {
      const errors = prepareCreate(this.#kind, object, ctx);
      finish(longRules(this.#kind, object, undefined, "", errors, ctx));
      finish(warn(this.#kind, object, undefined, "", ctx));
      return errors;
    });
  }

  /** PUT of a body over `old`, on the object or on a subresource. */
  update(old: ApiObject, body: object, subresource = ""): Outcome {
    return this.#write(body, (object, ctx) => {
      const errors = prepareUpdate(this.#kind, object, old, subresource, ctx);
      finish(longRules(this.#kind, object, old, subresource, errors, ctx));
      finish(warn(this.#kind, object, old, subresource, ctx));
      return errors;
    });
  }

  /** PUT of `old` with some of its members, at the top or in `spec`, set to others. */
  change(old: ApiObject, changes: object): Outcome {
    return this.update(old, { ...clone(old as unknown as ValueObject), ...changes });
  }

  /** The cells of an object in a wide table, behind its name, at the time of the context's clock. */
  cells(object: ApiObject): unknown[] {
    return this.columns(object).map(([, cell]) => cell);
  }

  /** The cells with the names of their columns. */
  columns(object: ApiObject): [string, unknown][] {
    const now = this.#ctx.clock.now();
    return (this.definition.columns ?? []).map(({ name, cell }) => [name, cell(object, now)]);
  }

  #write(body: object, prepare: (object: ApiObject, ctx: WriteContext) => FieldErrors): Outcome {
    const sent = { metadata: { name: "x" }, ...clone(body as ValueObject) };
    const ctx: WriteContext = { ...this.#ctx, warnings: [] };
    const walked = walk(this.#kind, sent);
    const { object, unknown, mismatch } = walked;
    if (mismatch) return { object, causes: [], warnings: [], unknown, mismatch: mismatch.path };
    complete(this.#kind, walked, ctx);
    if (this.definition.scope === "Namespaced") object.metadata.namespace ??= "n";
    const errors = prepare(object, ctx);
    const causes = [...new Set(errors.causes.map(({ reason, field }) => `${reason} ${field}`))].toSorted();
    return { object, causes, warnings: ctx.warnings, unknown, mismatch: undefined };
  }
}

/** Runs all steps. */
function finish(steps: ReturnType<typeof longRules>): void {
  if (steps) void atOnce(steps);
}
