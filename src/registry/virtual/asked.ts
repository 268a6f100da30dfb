/**
 * Kinds that are asked, not stored: a create is answered from what the server knows or by something that it does, and
 * nothing else is possible. They have paths of their own (reviews) or lie below an object (`serviceaccounts/NAME/token`,
 * `pods/NAME/eviction`).
 *
 * What answers is an {@link Action}, found by the group and kind of the question. A kind that is asked says so in its
 * definition; that a kind has the name of one of ours means nothing. A question passes admission as any create does,
 * before anything comes of it:
 *
 *     decode -> ownership -> admission (mutate) -> judge -> admission (validate) -> answer
 *
 * @module
 */
import type { ApiContext, ApiObject, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import type { CompiledKind } from "../../schema/write/decode.ts";
import { walkerOf } from "../../schema/walker.ts";
import { atOnce } from "../../util/steps.ts";
import { isObject } from "../../value/value.ts";
import { FieldErrors } from "../../meta/field-errors.ts";
import {
  ApiError,
  type ObjectRef,
  type Status,
  badRequest,
  invalid,
  methodNotAllowed,
  notFound,
} from "../../meta/status.ts";
import type { AskResult, Body, Caller, Resource, Target, WriteOptions } from "../contract.ts";
import { ObjectRequest } from "../admission-request.ts";
import { decodeBody } from "../decode.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import { type Kind, type SharedParts, keyOf } from "../kind.ts";
import { valueKind } from "../lens.ts";
import { placeObject } from "../metadata.ts";
import { managerOf, ownCreated } from "../ownership.ts";
import { newContext, withWarnings } from "../write.ts";
import { unstoredResult } from "../results.ts";
import { withoutLock } from "../object-locks.ts";
import { objectOf } from "../versions/view.ts";
import { unstored } from "./unstored.ts";

/** A question under way. */
export interface Question {
  /** The question as it was sent, decoded and defaulted; the answer is written into it. */
  readonly object: ApiObject;
  readonly caller: Caller;
  readonly target: Target;
  readonly options: WriteOptions;
  readonly ctx: WriteContext;
  /** The object below which it was asked, as it is now; read only. Throws 404 where there is none. */
  readonly parent: () => ApiObject;
  /** What is wrong with the question: 422 when something is. */
  readonly errors: FieldErrors;
}

/** What answers a question. Either part refuses by throwing an `ApiError`. */
export interface Action {
  /** Refuses what is wrong with the question itself, before those hear of it who may only refuse it. */
  judge?(question: Question): void;
  /** Fills the answer in, or does what was asked for and says how that went. */
  answer(question: Question): void | Status | Promise<void | Status>;
}

/** Actions by the group and kind of what they answer: `authentication.k8s.io/TokenRequest`. */
export type Actions = ReadonlyMap<string, Action>;

/** The key of a kind in {@link Actions}. */
export const actionKey = ({ group, kind }: Pick<ResourceDefinition, "group" | "kind">): string => `${group}/${kind}`;

function actionOf(actions: Actions, definition: ResourceDefinition): Action {
  const action = actions.get(actionKey(definition));
  if (!action) throw new Error(`expected an action that answers ${actionKey(definition)}`);
  return action;
}

/** What is asked on one path. */
interface Asked {
  /** The kind of the question. */
  readonly form: CompiledKind;
  /** The resource of the path, its version, and whether it is one of namespaces. */
  readonly ref: ObjectRef;
  readonly version: string;
  readonly namespaced: boolean;
  readonly action: Action;
  readonly shared: Pick<SharedParts, "admission" | "locks" | "lookup">;
}

/** What is needed to decode a kind that is never stored; compiled when it is first asked. */
const decodable = (definition: ResourceDefinition, { dialect }: ApiContext): CompiledKind => ({
  definition,
  apiVersion: apiVersionOf(definition.group, definition.version),
  get walker() {
    return walkerOf(definition.schema, { dialect });
  },
});

/** A resource whose create is a question; nothing else is possible. */
export function askedResource(definition: ResourceDefinition, shared: SharedParts, actions: Actions): Resource {
  const { group, version, plural, kind } = definition;
  const ref = { group, plural, kind };
  const asked: Asked = {
    form: decodable(definition, shared.api),
    ref,
    version,
    namespaced: definition.scope === "Namespaced",
    action: actionOf(actions, definition),
    shared,
  };
  const neverStored = (): never => {
    throw new ApiError("InternalError", `${kind} is never stored`);
  };
  return {
    ...unstored(definition),
    ask(target, body, options, caller) {
      const ctx: WriteContext = { ...shared.api, warnings: [] };
      const object = decodeBody(asked.form, body, options, ctx);
      caller.sent?.(object);
      placeObject(asked, object, target);
      return ask(asked, { object, caller, target, options, ctx, parent: neverStored, errors: new FieldErrors() });
    },
    object: neverStored,
    blame: neverStored,
  };
}

/** A create below an object: a question of the kind that the subresource takes. 404 when there is no such object. */
export async function askBelow(
  kind: Kind,
  actions: Actions,
  target: Target,
  body: Body,
  options: WriteOptions,
  caller: Caller,
): Promise<AskResult> {
  const { definition, ref, namespaced, shared } = kind;
  const { takes, takesAlso = [] } = definition.subresources?.[target.subresource] ?? {};
  if (!takes) throw methodNotAllowed(ref, "create");
  const ctx = newContext(kind);
  if (body.value === null) throw badRequest(`expected a ${takes.kind} as body, got none`);
  const form = valueKind(kind, takes);
  const object = decodeBody(form, inOneVersion(body, takesAlso, form.apiVersion), options, ctx);
  caller.sent?.(object);
  placeObject(kind, object, { ...target, name: "" });
  delete object.metadata.managedFields;
  atOnce(ownCreated(form, object, managerOf(options, caller), target.subresource));
  const asked: Asked = {
    form,
    ref,
    version: definition.version,
    namespaced,
    action: actionOf(actions, takes),
    shared,
  };
  const parent = (): ApiObject => currentOf(kind, target);
  return ask(asked, { object, caller, target, options, ctx, parent, errors: new FieldErrors() });
}

/** An object as it is now; 404 where there is none. */
export function currentOf(kind: Kind, { namespace, name }: Pick<Target, "namespace" | "name">): ApiObject {
  const entry = kind.cache.get(keyOf(kind, namespace, name));
  if (!entry) throw notFound(kind.ref, name);
  return objectOf(kind, entry);
}

/** A body that says another version of the same is read as the one that is known. */
function inOneVersion(body: Body, others: readonly string[], apiVersion: string): Body {
  const { value } = body;
  if (!isObject(value) || !others.includes(value["apiVersion"] as string)) return body;
  return { ...body, value: { ...value, apiVersion } };
}

async function ask(asked: Asked, question: Question): Promise<AskResult> {
  const { object, ctx } = question;
  const { action, shared } = asked;
  return withWarnings(ctx, async () => {
    await withoutLock(shared.locks, async (hold) => {
      const { admission, lookup } = shared;
      const request = new ObjectRequest({ ...asked, ...question }, { hold, lookup }, "CREATE", object, undefined);
      await admission.mutate(request);
      keepPlace(asked, question);
      action.judge?.(question);
      refuseWrong(asked, question);
      await admission.validate(request);
    });
    const status = await action.answer(question);
    refuseWrong(asked, question);
    if (status) return { status, code: 201, changed: !question.options.dryRun, warnings: ctx.warnings };
    return unstoredResult(object, 201, ctx);
  });
}

function refuseWrong({ form }: Asked, { errors }: Question): void {
  if (errors.any) throw invalid({ group: form.definition.group, kind: "" }, "", errors.causes);
}

/** What no step of admission may change: what is asked, and where. */
function keepPlace(asked: Asked, { object, target }: Question): void {
  object.apiVersion = asked.form.apiVersion;
  object.kind = asked.form.definition.kind;
  object.metadata ??= {};
  placeObject(asked, object, { ...target, name: "" });
}
