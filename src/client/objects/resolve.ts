/**
 * Applies an object and resolves the conflicts with other managers, until there are none. A forced apply is bound to the version of the
 * object for which the decisions were made, so only fields of these decisions are taken over.
 *
 * @module
 */
import type { ApplyConflictReport, ConflictReport, WayOutReport } from "../../meta/ownership-reports.ts";
import { StatusError, isStatus } from "../errors.ts";
import type { ApiObject } from "../kind.ts";
import { ObjectError } from "./object-error.ts";

/** How to resolve a conflict. */
export type Choice = WayOutReport["choice"];

/** Decides a conflict. */
export type Decide = (conflict: ConflictReport, report: ApplyConflictReport) => Promise<Choice> | Choice;

/** A way out that changes the body. */
export type WayOutPatch = NonNullable<WayOutReport["patch"]>;

/** A text that is applied, and that the ways out change. */
export interface ConflictingText {
  /** Returns the object in YAML, with `resourceVersion` if given. */
  text(resourceVersion?: string): string | Promise<string>;
  /** Applies operations of RFC 6902; indices of lists are those before the first operation. */
  change(patch: WayOutPatch): void | Promise<void>;
}

/** An applied object, with its decisions. */
export interface Applied {
  readonly object: ApiObject;
  readonly decisions: readonly { readonly field: string; readonly choice: Choice }[];
}

/** Sends an apply of a text; a conflict is a {@link StatusError} with {@link StatusError.conflict}. */
export type SendApply = (text: string, force: boolean) => Promise<ApiObject>;

/** How often the object may change meanwhile. */
const MAX_ATTEMPTS = 10;

/** Applies a text and resolves its conflicts. @throws StatusError ObjectError for what cannot be applied */
export async function applyAndResolve(manifest: ConflictingText, send: SendApply, decide: Decide): Promise<Applied> {
  const decisions = new Map<string, Choice>();
  let bound: string | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      const object = await send(await manifest.text(bound), bound !== undefined);
      return { object, decisions: [...decisions].map(([field, choice]) => ({ field, choice })) };
    } catch (error) {
      if (!(error instanceof StatusError) || attempt === MAX_ATTEMPTS) throw error;
      // The object has changed since the decisions: try again without force.
      const hasChanged = bound !== undefined && isStatus(error, "Conflict");
      bound = undefined;
      if (hasChanged) continue;
      if (error.conflict === undefined) throw error;
      const decided = await decideConflicts(error.conflict, decide, decisions);
      await manifest.change(decided.patch);
      if (decided.takes) bound = error.conflict.object.resourceVersion;
    }
  }
}

/** Decides every conflict: the changes of the text, and whether fields are taken over. */
async function decideConflicts(
  report: ApplyConflictReport,
  decide: Decide,
  decisions: Map<string, Choice>,
): Promise<{ readonly patch: WayOutPatch; readonly takes: boolean }> {
  const patch: WayOutPatch[number][] = [];
  let takes = false;
  for (const conflict of report.conflicts) {
    const choice = await decide(conflict, report);
    decisions.set(conflict.field, choice);
    if (choice === "take") {
      takes = true;
      continue;
    }
    const way = conflict.waysOut.find((one) => one.choice === choice);
    if (way?.patch === undefined)
      throw new ObjectError(`${conflict.field} is not in the file in this form; change the file`);
    patch.push(...way.patch);
  }
  return { patch, takes };
}

/** Whether a conflict may be resolved in a way: to keep or share a field, the body must have it in a form that can be changed. */
export const offersChoice = ({ waysOut }: ConflictReport, choice: Choice): boolean => {
  const way = waysOut.find((one) => one.choice === choice);
  return way !== undefined && (choice === "take" || way.patch !== undefined);
};
