/**
 * A write as the steps of admission see it.
 *
 * @module
 */
import type { AdmissionOptions, AdmissionRequest, AdmissionTrace, ResourceVersion } from "../../admission/contract.ts";
import type { Identity } from "../../auth/contract.ts";
import type { ObjectRef } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { CompiledKind } from "../../schema/write/decode.ts";
import { type Hold, whileHeld } from "../../util/keyed-lock.ts";
import type { Span } from "../../util/span.ts";
import type { Value } from "../../value/value.ts";
import type { Judging } from "../commit/commit.ts";
import type { Caller, Target } from "../contract.ts";
import { decodeReturned } from "../objects/decode.ts";
import type { Kind, StoredResource } from "../kind/kind.ts";

/** The subject of a write request. */
export interface RequestParts {
  /** The resource of the path, its version, and whether its objects are in namespaces. */
  readonly ref: ObjectRef;
  readonly version: string;
  readonly namespaced: boolean;
  /** The kind of the object; undefined for the options of a connection. */
  readonly form?: CompiledKind;
  readonly target: Target;
  readonly options: AdmissionOptions;
  readonly caller: Caller;
  readonly ctx: WriteContext;
  /** The versions of the kind, where it is stored. */
  readonly stored?: Pick<StoredResource, "versions" | "converter">;
}

/** A write as the steps of admission see it. */
export class ObjectRequest implements AdmissionRequest {
  readonly operation: AdmissionRequest["operation"];
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly ref: ObjectRef;
  readonly version: string;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly nameInPath: string;
  readonly subresource: string;
  readonly options: AdmissionOptions;
  readonly isPlanned: boolean;
  readonly identity: Identity;
  readonly warnings: string[];
  readonly hold: Hold;
  readonly #parts: RequestParts;
  readonly #attempt: Pick<Judging, "hold" | "lookup" | "transaction">;
  /** The request of which this one shows another version. */
  readonly #original: ObjectRequest | undefined;
  #isReinvocation = false;
  #span: Span | undefined = undefined;

  constructor(
    parts: RequestParts,
    attempt: Pick<Judging, "hold" | "lookup" | "transaction">,
    operation: AdmissionRequest["operation"],
    object: ApiObject | undefined,
    old: ApiObject | undefined,
    original?: ObjectRequest,
  ) {
    const { target, caller } = parts;
    this.operation = operation;
    this.object = object;
    this.old = old;
    this.ref = parts.ref;
    this.version = parts.version;
    this.namespaced = parts.namespaced;
    this.namespace = target.namespace;
    this.nameInPath = target.name;
    this.subresource = target.subresource;
    this.isPlanned = caller.isPlan ?? false;
    this.options = this.isPlanned ? { ...parts.options, dryRun: true } : parts.options;
    this.identity = caller;
    this.warnings = parts.ctx.warnings;
    this.hold = attempt.hold;
    this.#parts = parts;
    this.#attempt = attempt;
    this.#original = original;
  }

  get name(): string {
    return this.nameInPath || (this.object?.metadata.name ?? "");
  }

  get shownName(): string {
    return this.name || (this.object?.metadata.generateName ?? "");
  }

  get equivalents(): readonly ResourceVersion[] {
    const { stored } = this.#parts;
    return stored && this.operation !== "CONNECT"
      ? equivalentsOf(stored, this.ref, this.version, this.subresource)
      : [];
  }

  get lookup(): Lookup {
    return this.#attempt.lookup;
  }

  get transaction(): object | undefined {
    return this.#attempt.transaction;
  }

  get isReinvocation(): boolean {
    return this.#original?.isReinvocation ?? this.#isReinvocation;
  }

  reinvoke(): void {
    if (this.#original) this.#original.reinvoke();
    else this.#isReinvocation = true;
  }

  get trace(): AdmissionTrace | undefined {
    return this.#parts.caller.trace;
  }

  get span(): Span | undefined {
    return this.#span ?? this.#original?.span ?? this.#parts.caller.span;
  }

  set span(span: Span | undefined) {
    this.#span = span;
  }

  note(key: string, value: string, level?: "Request"): void {
    this.#parts.caller.note?.(key, value, level);
  }

  replace(value: Value): void | Promise<void> {
    const { form, ctx, stored } = this.#parts;
    if (!this.object) return undefined;
    putInPlace(this.object, form ? decodeReturned(form, value, ctx) : (value as unknown as ApiObject));
    const original = this.#original;
    if (!original) return undefined;
    const { object: shown } = original;
    const { form: own } = original.#parts;
    if (!shown || !own || !stored) return undefined;
    const back = stored.converter.convert(copyOf(this.object), own.apiVersion, shown);
    if (!(back instanceof Promise)) return putInPlace(shown, back);
    return whileHeld(this.hold, back).then((object) => putInPlace(shown, object));
  }

  as(apiVersion: string): AdmissionRequest | undefined | Promise<AdmissionRequest> {
    const { ref, version, form, stored } = this.#parts;
    if (apiVersion === form?.apiVersion || apiVersion === apiVersionOf(ref.group, version)) return this;
    const other = stored?.versions.get(apiVersion);
    // A view of a lens has no other versions.
    return other && form?.definition.kind === other.definition.kind ? this.#in(other) : undefined;
  }

  async #in(other: Kind): Promise<AdmissionRequest> {
    const { ref, definition, stored, apiVersion } = other;
    const convert = async (object: ApiObject | undefined): Promise<ApiObject | undefined> =>
      object && whileHeld(this.hold, stored.converter.convert(copyOf(object), apiVersion));
    const [object, old] = await Promise.all([convert(this.object), convert(this.old)]);
    const parts = { ...this.#parts, ref, version: definition.version, form: other };
    return new ObjectRequest(parts, this.#attempt, this.operation, object, old, this);
  }
}

/** The served versions of a resource but for one, as far as they have a subresource. */
function equivalentsOf(
  { versions }: Pick<StoredResource, "versions">,
  ref: ObjectRef,
  version: string,
  subresource: string,
): readonly ResourceVersion[] {
  const has = ({ subresources = {} }: ResourceDefinition): boolean =>
    subresource === "" || Object.hasOwn(subresources, subresource);
  return [...versions.values()]
    .map(({ definition }) => definition)
    .filter((definition) => definition.served !== false && has(definition))
    .filter((definition) => definition.version !== version || definition.group !== ref.group)
    .map(({ group, version: other, plural, kind }) => ({ group, version: other, plural, kind }));
}

/** Replaces the members of an object, which other code refers to, by those of another. */
function putInPlace(object: ApiObject, other: ApiObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, other);
}
