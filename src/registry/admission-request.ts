/**
 * A write as the steps of admission see it.
 *
 * @module
 */
import type { AdmissionOptions, AdmissionRequest } from "../admission/contract.ts";
import type { Identity } from "../auth/contract.ts";
import type { ObjectRef } from "../meta/status.ts";
import type { ApiObject, WriteContext } from "../schema/definition.ts";
import type { Lookup } from "../schema/lookup.ts";
import type { CompiledKind } from "../schema/write/decode.ts";
import type { Hold } from "../util/keyed-lock.ts";
import type { Value } from "../value/value.ts";
import type { Judging } from "./commit.ts";
import type { Caller, Target } from "./contract.ts";
import { decodeAnswered } from "./decode.ts";

/** What a request to write is about. */
export interface RequestParts {
  /** The resource of the path, its version, and whether its objects are in namespaces. */
  readonly ref: ObjectRef;
  readonly version: string;
  readonly namespaced: boolean;
  /** The kind of the object. */
  readonly form: CompiledKind;
  readonly target: Target;
  readonly options: AdmissionOptions;
  readonly caller: Caller;
  readonly ctx: WriteContext;
}

/** See the head of this file. */
export class ObjectRequest implements AdmissionRequest {
  readonly operation: AdmissionRequest["operation"];
  readonly object: ApiObject | undefined;
  readonly old: ApiObject | undefined;
  readonly #parts: RequestParts;
  readonly #attempt: Pick<Judging, "hold" | "lookup">;

  constructor(
    parts: RequestParts,
    attempt: Pick<Judging, "hold" | "lookup">,
    operation: AdmissionRequest["operation"],
    object: ApiObject | undefined,
    old: ApiObject | undefined,
  ) {
    this.#parts = parts;
    this.#attempt = attempt;
    this.operation = operation;
    this.object = object;
    this.old = old;
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

  note(key: string, value: string): void {
    this.#parts.caller.note?.(key, value);
  }

  replace(value: Value): void {
    const { form, ctx } = this.#parts;
    if (this.object) putInPlace(this.object, decodeAnswered(form, value, ctx));
  }
}

/** The object stays the one that everybody holds; its members become those of another. */
function putInPlace(object: ApiObject, other: ApiObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, other);
}
