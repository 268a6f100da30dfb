/**
 * Validates writes of the group in steps, and in a worker thread where that takes long.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";
import type { ApiObject, WriteContext } from "../../schema/definition.ts";
import { runRules } from "../../schema/write/run-rules.ts";
import type { Steps } from "../../util/steps.ts";
import { siblingModule } from "../../util/worker-threads.ts";
import { same } from "../rules/same.ts";
import type { ObjectTask } from "./rules-job.ts";
import { type RuledKind, validateObject } from "./rules.ts";

const MODULE = siblingModule(import.meta.url, "rules-job");
/** The queue of all writes of the group, where too many are validated at once. */
const SENDER = {};

const bytesOf = (object: ApiObject): Uint8Array => Buffer.from(JSON.stringify(object));

/** Whether a write changes neither the webhooks nor the spec, so that the rules hold as before. */
const isUnchanged = (object: ApiObject, old: ApiObject | undefined): boolean =>
  old !== undefined && same(object["spec"], old["spec"]) && same(object["webhooks"], old["webhooks"]);

/** The rules of a kind, as the function of its definition; writes of a status have rules of their own. */
export const rulesOf = (kind: RuledKind) =>
  function* (
    object: ApiObject,
    old: ApiObject | undefined,
    subresource: string,
    errors: FieldErrors,
    ctx: WriteContext,
  ): Steps<void | Promise<void>> {
    if (subresource !== "" || isUnchanged(object, old)) return undefined;
    const input = (): ObjectTask => ({
      dialect: ctx.dialect.name,
      kind,
      object: bytesOf(object),
      old: old && bytesOf(old),
    });
    const rules = () => validateObject(kind, object, old, errors, ctx.dialect);
    return yield* runRules(rules, { module: MODULE, input, sender: SENDER }, errors, ctx);
  };
