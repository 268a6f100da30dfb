/**
 * Resources that are asked, not stored: a create is answered from what the server knows, and nothing else is possible.
 *
 * @module
 */
import type { ApiContext, ApiObject, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import { compileWalker } from "../../schema/walker.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { ApiError, invalid, methodNotAllowed } from "../../meta/status.ts";
import type { Caller, Resource, Target } from "../contract.ts";
import { type Decodable, decodeBody } from "../decode.ts";
import { apiVersionOf } from "../kind.ts";
import { pretended } from "../results.ts";

/** Fills in the answer of a review; adds what is wrong with the question to `errors`. Changes `object`. */
export type Review = (object: ApiObject, caller: Caller, errors: FieldErrors, target: Target) => void | Promise<void>;

/** What is needed to decode and answer one kind of question. */
export function reviewKind(definition: ResourceDefinition, api: ApiContext): Decodable {
  return {
    definition,
    apiVersion: apiVersionOf(definition.group, definition.version),
    walker: compileWalker(definition.schema, { dialect: api.dialect }),
  };
}

/** A resource whose create is answered by `review`. */
export function createOnly(definition: ResourceDefinition, api: ApiContext, review: Review): Resource {
  const kind = reviewKind(definition, api);
  const ref = { group: definition.group, plural: definition.plural, kind: definition.kind };
  const refuse = (method: string) => (): Promise<never> => Promise.reject(methodNotAllowed(ref, method));
  const neverStored = (): never => {
    throw new ApiError("InternalError", `${definition.kind} is never stored`);
  };
  return {
    definition,
    async create(target, body, options, caller) {
      const ctx: WriteContext = { ...api, warnings: [] };
      const object = decodeBody(kind, body, options, ctx);
      const errors = new FieldErrors();
      await review(object, caller, errors, target);
      if (errors.any) throw invalid({ group: definition.group, kind: "" }, "", errors.causes);
      return pretended(object, 201, ctx);
    },
    get: refuse("get"),
    list: refuse("list"),
    watch: refuse("watch"),
    update: refuse("update"),
    patch: refuse("patch"),
    delete: refuse("delete"),
    deleteCollection: refuse("deletecollection"),
    history: refuse("history"),
    view: (entry) => entry.bytes,
    itemOffset: 0,
    blank: {},
    object: neverStored,
    blame: neverStored,
  };
}
