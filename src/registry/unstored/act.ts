/**
 * Kinds whose objects are created and not stored. They have paths of their own (reviews), or are subresources of an object
 * (`serviceaccounts/NAME/token`, `pods/NAME/eviction`). They support only create.
 *
 * An {@link Action} carries the create out. It is found by the group and kind of the object. The create passes admission
 * first, as any create does:
 *
 *     decode -> ownership -> admission (mutate) -> validate -> admission (validate) -> action
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { ApiError, type ObjectRef, badRequest, invalid, methodNotAllowed } from "../../meta/status.ts";
import { apiVersionOf } from "../../meta/versions.ts";
import type { ApiContext, ResourceDefinition, WriteContext } from "../../schema/definition.ts";
import { walkerOf } from "../../schema/walker.ts";
import type { CompiledKind } from "../../schema/write/decode.ts";
import { atOnce } from "../../util/steps.ts";
import { isObject } from "../../value/value.ts";
import { withoutLock } from "../commit/object-locks.ts";
import type { AskResult, Body, Caller, Resource, Target, WriteOptions } from "../contract.ts";
import { type Action, type ActionRequest, type Actions, actionKey } from "../kind/action.ts";
import type { Kind, SharedParts } from "../kind/kind.ts";
import { placeObject } from "../kind/metadata.ts";
import { newContext, withWarnings } from "../kind/write.ts";
import { decodeBody } from "../objects/decode.ts";
import { valueKind } from "../objects/lens.ts";
import { managerOf, ownCreated } from "../objects/ownership.ts";
import { unstoredResult } from "../objects/results.ts";
import { ObjectRequest } from "../pipeline/admission-request.ts";
import { currentOf } from "../versions/view.ts";
import { unstored } from "./unstored.ts";

/** One path whose creates are carried out by an action. */
interface ActionPath {
  /** The kind of the body. */
  readonly form: CompiledKind;
  /** The resource of the path, its version, and whether its objects are in namespaces. */
  readonly ref: ObjectRef;
  readonly version: string;
  readonly namespaced: boolean;
  readonly action: Action;
  readonly shared: Pick<SharedParts, "admission" | "locks" | "lookup">;
}

function actionOf(actions: Actions, definition: ResourceDefinition): Action {
  const action = actions.get(actionKey(definition));
  if (!action) throw new Error(`expected an action for ${actionKey(definition)}`);
  return action;
}

/** The parts of a kind that is never stored which decoding needs; compiled on first use. */
const decodable = (definition: ResourceDefinition, { dialect }: ApiContext): CompiledKind => ({
  definition,
  apiVersion: apiVersionOf(definition.group, definition.version),
  get walker() {
    return walkerOf(definition.schema, { dialect });
  },
});

/** The resource of a kind with a path of its own. */
export function actionResource(definition: ResourceDefinition, shared: SharedParts): Resource {
  const { group, version, plural, kind } = definition;
  const path: ActionPath = {
    form: decodable(definition, shared.api),
    ref: { group, plural, kind },
    version,
    namespaced: definition.scope === "Namespaced",
    action: actionOf(shared.actions, definition),
    shared,
  };
  const neverStored = (): never => {
    throw new ApiError("InternalError", `${kind} is never stored`);
  };
  return {
    ...unstored(definition),
    ask(target, body, options, caller) {
      const ctx: WriteContext = { ...shared.api, warnings: [] };
      const object = decodeBody(path.form, body, options, ctx);
      caller.sent?.(object);
      placeObject(path, object, target);
      return act(path, { object, caller, target, options, ctx, parent: neverStored, errors: new FieldErrors() });
    },
    object: neverStored,
    parse: neverStored,
    blame: neverStored,
  };
}

/** A create on a subresource, of the kind that the subresource takes. 404 when the object of the path does not exist. */
export async function actBelow(
  kind: Kind,
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
  const action = actionOf(shared.actions, takes);
  const path: ActionPath = { form, ref, version: definition.version, namespaced, action, shared };
  const parent = () => currentOf(kind, target);
  return act(path, { object, caller, target, options, ctx, parent, errors: new FieldErrors() });
}

/** Reads a body in another version of the kind as one in the known version. */
function inOneVersion(body: Body, others: readonly string[], apiVersion: string): Body {
  const { value } = body;
  if (!isObject(value) || !others.some((other) => other === value["apiVersion"])) return body;
  return { ...body, value: { ...value, apiVersion } };
}

async function act(path: ActionPath, request: ActionRequest): Promise<AskResult> {
  const { object, ctx, options } = request;
  return withWarnings(ctx, async () => {
    await admit(path, request);
    const status = await path.action.handle(request);
    refuseInvalid(path, request);
    if (status) return { status, code: 201, changed: !options.dryRun, warnings: ctx.warnings };
    return unstoredResult(object, 201, ctx);
  });
}

const admit = (path: ActionPath, request: ActionRequest): Promise<void> => {
  const { admission, locks, lookup } = path.shared;
  return withoutLock(locks, async (hold) => {
    const admitted = new ObjectRequest({ ...path, ...request }, { hold, lookup }, "CREATE", request.object, undefined);
    await admission.mutate(admitted);
    keepPath(path, request);
    path.action.validate?.(request);
    refuseInvalid(path, request);
    await admission.validate(admitted);
  });
};

function refuseInvalid({ form }: ActionPath, { errors }: ActionRequest): void {
  if (errors.any) throw invalid({ group: form.definition.group, kind: "" }, "", errors.causes);
}

/** Restores the members that no step of admission may change: the kind of the object, its name and its namespace. */
function keepPath(path: ActionPath, { object, target }: ActionRequest): void {
  object.apiVersion = path.form.apiVersion;
  object.kind = path.form.definition.kind;
  object.metadata ??= {};
  placeObject(path, object, { ...target, name: "" });
}
