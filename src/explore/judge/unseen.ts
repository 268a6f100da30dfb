/**
 * Writes that hit another object than the intended one.
 * A program that names an object only by its name, without a precondition on uid or resourceVersion, may hit one that was created since
 * under the same name. It had seen the object if a watch delivered it, or if a response to its reads or writes contained it, in this life.
 * An object that it never saw is another one if the program had seen one of that name before, or if another actor made it.
 *
 * @module
 */
import type { ChangeEntry, RequestEntry, Trace } from "../contract/trace.ts";
import type { RunNames } from "./names.ts";
import { realKey, type Sight } from "./seen.ts";
import { isProgram, type Suspect } from "./suspect.ts";

const WRITES = new Set(["delete", "update", "patch"]);

/** Returns deletes, updates and patches of a run that hit an object which their program had never seen. */
export function unseenWrites(
  trace: Trace,
  sight: Sight,
  names: RunNames,
  stepAt: (seq: number) => number,
): readonly Suspect[] {
  const suspects: Suspect[] = [];
  for (const entry of trace) {
    if (entry.type !== "request" || !isBlindWrite(entry)) continue;
    const change = sight.changeOf(entry);
    if (!change || sight.hasSeen(entry, change.object, change.uid, change.seq)) continue;
    const history = sight.changes.get(realKey(change.object))!;
    if (!isAnother(entry, change, history, sight)) continue;
    suspects.push({
      kind: "deleted-unseen",
      identity: names.identity(change.object),
      severity: "fault",
      step: stepAt(change.seq),
      seq: change.seq,
      actors: [entry.actor],
      verb: entry.verb,
    });
  }
  return suspects;
}

/** Whether an object differs from the one of its name that its writer knew, or is not its own. */
function isAnother(request: RequestEntry, change: ChangeEntry, history: readonly ChangeEntry[], sight: Sight): boolean {
  const created = history.find(({ uid }) => uid === change.uid)!;
  if (created.change === "created" && created.actor !== request.actor) return true;
  const others = new Set(
    history.filter(({ seq, uid }) => seq < change.seq && uid !== change.uid).map(({ uid }) => uid),
  );
  const lives = Array.from({ length: request.life + 1 }, (_, life) => ({ actor: request.actor, life }));
  return [...others].some((uid) => lives.some((life) => sight.hasSeen(life, change.object, uid, change.seq)));
}

interface Sent {
  readonly preconditions?: { readonly uid?: unknown; readonly resourceVersion?: unknown };
  readonly metadata?: { readonly uid?: unknown; readonly resourceVersion?: unknown };
}

/** Whether a request changed an object that it named by its name alone. */
function isBlindWrite({ actor, verb, protocol, object, changed, subresource, sent }: RequestEntry): boolean {
  if (!changed || protocol !== "api" || !isProgram(actor) || object.name === undefined || !WRITES.has(verb))
    return false;
  if (subresource === "status") return false;
  if (Array.isArray(sent)) return !sent.some(isTest);
  const { preconditions, metadata } = (typeof sent === "object" && sent !== null ? sent : {}) as Sent;
  const condition = verb === "delete" ? preconditions : metadata;
  return !condition?.uid && !condition?.resourceVersion;
}

const isTest = (operation: unknown): boolean => {
  const { op, path } = (operation ?? {}) as { op?: unknown; path?: unknown };
  return op === "test" && (path === "/metadata/uid" || path === "/metadata/resourceVersion");
};
