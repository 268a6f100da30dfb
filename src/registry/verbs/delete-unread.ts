/**
 * delete of an object that cannot be read (CRYPT-10): behind a gate, an option and a verb of its own, since its finalizers and dependents
 * are not known.
 *
 * @module
 */
import { FieldErrors } from "../../meta/field-errors.ts";
import { deleted, invalid, notFound } from "../../meta/status.ts";
import { storedBytes } from "../versions/codec.ts";
import { commit } from "../commit/commit.ts";
import type { Caller, DeleteOptions, DeleteResult, Target } from "../contract.ts";
import { type Kind, keyOf } from "../kind/kind.ts";
import { newContext } from "../kind/write.ts";

/** The name of the option, in bodies and queries. */
const OPTION = "ignoreStoreReadErrorWithClusterBreakingPotential";
const EXCLUSIVE = ["propagationPolicy", "orphanDependents", "gracePeriodSeconds", "preconditions"] as const;

/** Whether a delete is one of this kind; without the gate the option is ignored. */
export const isUnread = ({ shared }: Kind, { unread }: DeleteOptions): boolean =>
  unread === true && shared.api.gates.AllowUnsafeMalformedObjectDeletion;

/** Removes the record of an object; 422 where the object can be read. Admission and finalizers are not applied. */
export async function deleteUnread(
  kind: Kind,
  target: Target,
  options: DeleteOptions,
  caller: Caller,
): Promise<DeleteResult> {
  checkAlone(options);
  await caller.permitUnread?.();
  const key = keyOf(kind, target.namespace, target.name);
  const storeKey = kind.stored.prefix + key;
  return commit<DeleteResult>({
    kind,
    target,
    caller,
    ctx: newContext(kind),
    lock: storeKey,
    judge() {
      const entry = kind.cache.get(key);
      if (!entry) throw notFound(kind.ref, target.name);
      const value = storedBytes(entry);
      if (!value)
        throw refused(kind.ref.plural, kind.ref.group, target.name, "the object can be read: delete it without");
      const { namespace, name } = target;
      const write = { type: "delete", key: storeKey, value, expected: entry.revision } as const;
      const status = deleted(kind.ref, name, "");
      return {
        writes: [{ kind, namespace, name, object: undefined, write }],
        result: () => ({ status, code: 200, changed: true, warnings: [] }),
      };
    },
  });
}

/** Refuses the option for a whole collection. */
export function refuseUnread(kind: Kind, options: DeleteOptions): void {
  if (isUnread(kind, options)) throw refused("DeleteOptions", "meta.k8s.io", "", "not for a collection");
}

/** Refuses options that have a meaning only for a readable object. */
function checkAlone(options: DeleteOptions): void {
  const errors = new FieldErrors();
  const given = EXCLUSIVE.filter((name) => options[name] !== undefined);
  for (const name of [...(options.dryRun ? ["dryRun"] : []), ...given]) {
    errors.invalid(OPTION, true, `cannot be set together with ${name}`);
  }
  if (errors.any) throw invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors.causes);
}

function refused(kind: string, group: string, name: string, why: string): Error {
  const errors = new FieldErrors();
  errors.invalid(OPTION, true, why);
  return invalid({ group, kind }, name, errors.causes);
}
