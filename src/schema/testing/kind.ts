/**
 * Writes of one kind as the registry makes them, without a registry: decode, defaults, prepare, and all rules, those of
 * metadata included. Ownership, admission and storage are not here.
 *
 * @module
 */
import type { Dialect } from "../../meta/dialect.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { type Gate, gatesOf } from "../../meta/gates.ts";
import { subdomainName } from "../../meta/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../meta/object-meta-rules.ts";
import { ManualClock, seededRandom } from "../../util/clock.ts";
import { type ValueObject, clone } from "../../value/value.ts";
import type { ApiContext, ApiObject, DefinitionFactory, ResourceDefinition, WriteContext } from "../definition.ts";
import { type Walker, compileWalker } from "../walker.ts";

/** What a write came to. */
export interface Outcome {
  readonly object: ApiObject;
  /** What was wrong, each once, sorted: `FieldValueInvalid data[a b]`. */
  readonly causes: readonly string[];
  readonly warnings: readonly string[];
  readonly unknown: readonly string[];
  /** Where the first value of a wrong type stands, undefined when all fit. */
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
  readonly #walker: Walker;

  constructor(definition: ResourceDefinition, ctx: ApiContext) {
    this.definition = definition;
    this.#ctx = ctx;
    this.#walker = compileWalker(definition.schema, { dialect: ctx.dialect });
  }

  /** A kind of a group by its plural, in the only or the named version. */
  static of(factory: DefinitionFactory, plural: string, ctx: ApiContext, version?: string): KindUnderTest {
    const found = factory(ctx).find((d) => d.plural === plural && (version === undefined || d.version === version));
    if (!found) throw new Error(`expected the group to have ${plural}`);
    return new KindUnderTest(found, ctx);
  }

  /** POST of a body; its name is `x` unless it has metadata. */
  create(body: object): Outcome {
    return this.#write(body, (object, errors, ctx) => {
      this.definition.prepareForCreate?.(object, ctx);
      this.#walker.settle(object);
      validateObjectMeta(object.metadata, errors, this.#metaRules());
      this.definition.validate?.(object, errors, ctx);
      return this.definition.warnings?.(object, undefined, ctx) ?? [];
    });
  }

  /** PUT of a body over `old`, on the object or on a subresource. */
  update(old: ApiObject, body: object, subresource = ""): Outcome {
    const rules = subresource ? this.definition.subresources![subresource]! : this.definition;
    return this.#write(body, (object, errors, ctx) => {
      rules.prepareForUpdate?.(object, old, ctx);
      this.#walker.settle(object);
      validateObjectMetaUpdate(object.metadata, old.metadata, errors, this.#metaRules());
      rules.validateUpdate?.(object, old, errors, ctx);
      return subresource ? [] : (this.definition.warnings?.(object, old, ctx) ?? []);
    });
  }

  /** PUT of `old` with some of its members, at the top or in `spec`, set to others. */
  change(old: ApiObject, changes: object): Outcome {
    return this.update(old, { ...clone(old as unknown as ValueObject), ...changes });
  }

  /** The cells of an object in a wide table, behind its name, at the time of the context's clock. */
  cells(object: ApiObject): unknown[] {
    return (this.definition.columns ?? []).map((column) => column.cell(object, this.#ctx.clock.now()));
  }

  #metaRules(): Parameters<typeof validateObjectMeta>[2] {
    return {
      namespaced: this.definition.scope === "Namespaced",
      nameRule: this.definition.nameRule ?? subdomainName,
      dialect: this.#ctx.dialect,
    };
  }

  #write(
    body: object,
    rules: (object: ApiObject, errors: FieldErrors, ctx: WriteContext) => readonly string[],
  ): Outcome {
    const { group, version, kind, scope } = this.definition;
    const report = this.#walker.newReport();
    const sent = { metadata: { name: "x" }, ...clone(body as ValueObject) };
    const object = this.#walker.decode(sent, report);
    const ctx: WriteContext = { ...this.#ctx, warnings: [] };
    const { unknown, mismatches } = report;
    if (mismatches[0]) return { object, causes: [], warnings: [], unknown, mismatch: mismatches[0].path };
    object.apiVersion = group === "" ? version : `${group}/${version}`;
    object.kind = kind;
    if (scope === "Namespaced") object.metadata.namespace ??= "n";
    this.definition.convert?.(object, ctx);
    this.#walker.applyDefaults(object);
    this.definition.defaults?.(object, ctx);
    const errors = new FieldErrors();
    const told = rules(object, errors, ctx);
    const causes = [...new Set(errors.causes.map(({ reason, field }) => `${reason} ${field}`))].toSorted();
    return { object, causes, warnings: [...ctx.warnings, ...told], unknown, mismatch: undefined };
  }
}
