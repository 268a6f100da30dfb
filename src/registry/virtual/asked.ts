/**
 * Kinds that are asked, not stored: a create is answered from what the server knows, and nothing else is possible. They
 * have paths of their own (reviews) or lie below an object (`serviceaccounts/NAME/token`).
 *
 * What answers is an {@link Action}, found by the group and kind of the question. A kind that is asked says so in its
 * definition; that a kind has the name of one of ours means nothing.
 *
 * @module
 */
import type { ApiContext, ApiObject, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import { walkerOf } from "../../schema/walker.ts";
import { atOnce } from "../../util/steps.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import { ApiError, badRequest, invalid, methodNotAllowed, notFound } from "../../meta/status.ts";
import type { Body, Caller, Resource, Target, WriteOptions, WriteResult } from "../contract.ts";
import { decodeBody } from "../decode.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { type Kind, keyOf } from "../kind.ts";
import { valueKind } from "../lens.ts";
import { placeObject } from "../metadata.ts";
import { managerOf, ownCreated } from "../ownership.ts";
import { newContext } from "../pipeline.ts";
import { unstoredResult } from "../results.ts";
import { objectOf } from "../versions/view.ts";

/** A question under way. */
export interface Question {
  /** The question as it was sent, decoded and defaulted; the answer is written into it. */
  readonly object: ApiObject;
  readonly caller: Caller;
  readonly target: Target;
  readonly ctx: WriteContext;
  /** The object below which it was asked, for a subresource; read only. */
  readonly parent: ApiObject | undefined;
  /** What is wrong with the question: 422 when something is. */
  readonly errors: FieldErrors;
}

/** Answers a question: fills the answer in, or refuses by throwing an `ApiError`. */
export type Action = (question: Question) => void | Promise<void>;

/** Actions by the group and kind of what they answer: `authentication.k8s.io/TokenRequest`. */
export type Actions = ReadonlyMap<string, Action>;

/** The key of a kind in {@link Actions}. */
export const actionKey = ({ group, kind }: Pick<ResourceDefinition, "group" | "kind">): string => `${group}/${kind}`;

/** What is needed to decode a kind that is never stored. */
const decodable = (definition: ResourceDefinition, { dialect }: ApiContext) => ({
  definition,
  apiVersion: apiVersionOf(definition.group, definition.version),
  walker: walkerOf(definition.schema, { dialect }),
});

function actionOf(actions: Actions, definition: ResourceDefinition): Action {
  const action = actions.get(actionKey(definition));
  if (!action) throw new Error(`expected an action that answers ${actionKey(definition)}`);
  return action;
}

/** A resource whose create is a question; nothing else is possible. */
export function askedResource(definition: ResourceDefinition, api: ApiContext, actions: Actions): Resource {
  const kind = decodable(definition, api);
  const action = actionOf(actions, definition);
  const ref = { group: definition.group, plural: definition.plural, kind: definition.kind };
  const refuse = (method: string) => (): Promise<never> => Promise.reject(methodNotAllowed(ref, method));
  const neverStored = (): never => {
    throw new ApiError("InternalError", `${definition.kind} is never stored`);
  };
  return {
    definition,
    storage: undefined,
    async create(target, body, options, caller) {
      const ctx: WriteContext = { ...api, warnings: [] };
      const object = decodeBody(kind, body, options, ctx);
      await ask(action, { object, caller, target, ctx, parent: undefined, errors: new FieldErrors() }, definition);
      return unstoredResult(object, 201, ctx);
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
    bookmark: {},
    object: neverStored,
    blame: neverStored,
  };
}

async function ask(action: Action, question: Question, { group }: ResourceDefinition): Promise<void> {
  await action(question);
  const { errors } = question;
  if (errors.any) throw invalid({ group, kind: "" }, "", errors.causes);
}

/** A create below an object: a question of the kind that the subresource takes. 404 when there is no such object. */
export async function createBelow(
  kind: Kind,
  actions: Actions,
  target: Target,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<WriteResult> {
  const { definition } = kind;
  const taken = definition.subresources?.[target.subresource]?.takes;
  if (!taken) throw methodNotAllowed(kind.ref, "create");
  const ctx = newContext(kind);
  const entry = kind.cache.get(keyOf(kind, target.namespace, target.name));
  if (body.value === null) throw badRequest(`expected a ${taken.kind} as body, got none`);
  const asked = valueKind(kind, taken);
  const object = decodeBody(asked, body, options, ctx);
  placeObject(kind, object, { ...target, name: "" });
  if (!entry) throw notFound(kind.ref, target.name);
  const parent = objectOf(kind, entry);
  delete object.metadata.managedFields;
  atOnce(ownCreated(asked, object, managerOf(options, caller), target.subresource));
  await ask(actionOf(actions, taken), { object, caller, target, ctx, parent, errors: new FieldErrors() }, taken);
  return unstoredResult(object, 201, ctx);
}
