/**
 * connect: a connection from an object to a program. Nothing is stored; admission runs.
 *
 * @module
 */
import type { ApiObject } from "../../schema/definition.ts";
import { ObjectRequest } from "../pipeline/admission-request.ts";
import type { Caller, Target } from "../contract.ts";
import type { Kind } from "../kind/kind.ts";
import { withoutLock } from "../commit/object-locks.ts";
import { newContext, withWarnings } from "../kind/write.ts";

/** Runs admission for a connection. Rejects where a step refuses it. */
export function connect(kind: Kind, target: Target, options: ApiObject, caller: Caller): Promise<void> {
  const { ref, definition, namespaced, shared } = kind;
  const { admission, locks, lookup } = shared;
  const ctx = newContext(kind, caller);
  const parts = { ref, version: definition.version, namespaced, target, options: { dryRun: false }, caller, ctx };
  return withWarnings(ctx, () =>
    withoutLock(locks, async (hold) => {
      const request = new ObjectRequest(parts, { hold, lookup }, "CONNECT", options, undefined);
      await admission.mutate(request);
      await admission.validate(request);
    }),
  );
}
