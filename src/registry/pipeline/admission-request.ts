/**
 * A write as the steps of admission see it.
 *
 * @module
 */
import type { AdmissionOptions, AdmissionRequest } from "../../admission/contract.ts";
import type { Identity } from "../../auth/contract.ts";
import type { ObjectRef } from "../../meta/status.ts";
import { copyOf } from "../../schema/api-object.ts";
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import type { Lookup } from "../../schema/lookup.ts";
import type { CompiledKind } from "../../schema/write/decode.ts";
import { type Hold, whileHeld } from "../../util/keyed-lock.ts";
import type { Value } from "../../value/value.ts";
import type { Judging } from "../commit/commit.ts";
import type { Caller, Target } from "../contract.ts";
import { decodeAnswered } from "../objects/decode.ts";
import type { Kind, StoredResource } from "../kind/kind.ts";

/** What a request to write is about. */
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

/** What the request knows of the attempt to carry it out. */
type Around = Pick<Judging, "hold" | "lookup">;

/** See the head of this file. */
export class ObjectRequest implements AdmissionRequest {
  readonly operation: AdmissionRequest["operation"];
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly #parts: RequestParts;
  readonly #attempt: Around;
  /** The request that this one shows in another version. */
  readonly #original: ObjectRequest | undefined;
  #isReinvocation = false;

  constructor(
    parts: RequestParts,
    attempt: Around,
    operation: AdmissionRequest["operation"],
    object: ApiObject | undefined,
    old: ApiObject | undefined,
    original?: ObjectRequest,
  ) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.operation = operation;
    this.object = object;
    this.old = old;
    this.#original = original;
  }

  get ref(): ObjectRef {
    return this.#parts.ref;
  }

  get version(): string {
    return this.#parts.version;
  }

  get namespaced(): boolean {
    return this.#parts.namespaced;
  }

  get namespace(): string {
    return this.#parts.target.namespace;
  }

  get name(): string {
    return this.nameInPath || (this.object?.metadata.name ?? "");
  }

  get nameInPath(): string {
    return this.#parts.target.name;
  }

  get shownName(): string {
    return this.name || (this.object?.metadata.generateName ?? "");
  }

  get subresource(): string {
    return this.#parts.target.subresource;
  }

  get options(): AdmissionOptions {
    return this.#parts.options;
  }

  get identity(): Identity {
    return this.#parts.caller;
  }

  get lookup(): Lookup {
    return this.#attempt.lookup;
  }

  get warnings(): string[] {
    return this.#parts.ctx.warnings;
  }

  get hold(): Hold {
    return this.#attempt.hold;
  }

  get isReinvocation(): boolean {
    return this.#original?.isReinvocation ?? this.#isReinvocation;
  }

  reinvoke(): void {
    if (this.#original) this.#original.reinvoke();
    else this.#isReinvocation = true;
  }

  note(key: string, value: string): void {
    this.#parts.caller.note?.(key, value);
  }

  replace(value: Value): void | Promise<void> {
    const { form, ctx, stored } = this.#parts;
    if (!this.object) return undefined;
    putInPlace(this.object, form ? decodeAnswered(form, value, ctx) : (value as unknown as ApiObject));
    const original = this.#original;
    if (!original) return undefined;
    const { apiVersion } = original.#parts.form!;
    const back = stored!.converter.convert(copyOf(this.object), apiVersion, original.object);
    if (!(back instanceof Promise)) return putInPlace(original.object!, back);
    return whileHeld(this.hold, back).then((object) => putInPlace(original.object!, object));
  }

  as(apiVersion: string): AdmissionRequest | undefined | Promise<AdmissionRequest> {
    const { form, stored } = this.#parts;
    if (apiVersion === form?.apiVersion) return this;
    const other = stored?.versions.get(apiVersion);
    return other && this.#in(other);
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

/** The object stays the one that everybody holds; its members become those of another. */
function putInPlace(object: ApiObject, other: ApiObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, other);
}
