/**
 * Why a fault comes about, as far as the trace shows it: "it takes the existence of Secret default/a for the work being done".
 *
 * A mechanism is named only where the evidence for it is in the traces; none is better than a guess.
 *
 * @module
 */
import type { Perturbation } from "../contract/plan.ts";
import type { RequestEntry, TraceEntry } from "../contract/trace.ts";
import { kindText, objectText } from "../names.ts";
import { refusalText, requestText } from "./clauses.ts";
import { type Identity, kindKey } from "./names.ts";
import { Sight } from "./seen.ts";
import { isProgram, type Suspect } from "./suspect.ts";
import type { RunView } from "./view.ts";

/** The facts about a run compared with a clean one. */
export class Evidence {
  readonly clean: RunView;
  readonly run: RunView;

  constructor(clean: RunView, run: RunView) {
    this.clean = clean;
    this.run = run;
  }

  /** The entry where a perturbation was met. */
  begin(perturbation: number): number {
    const met = this.run.record.trace.find(
      (entry) => (entry.type === "request" || entry.type === "perturbation") && entry.perturbation === perturbation,
    );
    return met?.seq ?? 0;
  }

  /** The entry where a held delivery was released. */
  end(perturbation: number): number {
    const ended = this.run.record.trace.find(
      (entry) => entry.type === "perturbation" && entry.perturbation === perturbation && entry.phase === "ended",
    );
    return ended?.seq ?? Infinity;
  }

  /** The requests of programs for an object after a moment. */
  requests(identity: Identity, after: number, verb?: string): readonly RequestEntry[] {
    return this.run.record.trace.filter(
      (entry): entry is RequestEntry =>
        entry.type === "request" &&
        entry.seq > after &&
        isProgram(entry.actor) &&
        (verb === undefined || entry.verb === verb) &&
        this.isFor(entry, identity),
    );
  }

  isFor(entry: RequestEntry, identity: Identity): boolean {
    const { object, generateName } = entry;
    if (kindKey(object) !== kindKey(identity)) return false;
    const name =
      object.name === undefined ? `${this.run.names.name(generateName ?? "")}*` : this.run.names.name(object.name);
    return name === identity.name;
  }

  /** Whether an object was made as often as in the clean run, and then deleted. */
  wasDeleted(identity: Identity): boolean {
    return (
      changesOf(this.run, identity, "deleted").length > changesOf(this.clean, identity, "deleted").length &&
      this.creates(this.run, identity) >= this.creates(this.clean, identity)
    );
  }

  /** How often an object was created. */
  creates(view: RunView, identity: Identity): number {
    return changesOf(view, identity, "created").length;
  }

  /** The program that makes or deletes an object in a run. */
  actor(view: RunView, identity: Identity, change: "created" | "deleted"): string | undefined {
    return changesOf(view, identity, change).findLast(({ actor }) => actor !== "user")?.actor;
  }
}

const changesOf = (view: RunView, identity: Identity, change: "created" | "deleted" | "updated") =>
  view.record.trace.filter(
    (entry): entry is TraceEntry & { type: "change" } =>
      entry.type === "change" && entry.change === change && view.names.identity(entry.object).key === identity.key,
  );

/** Names why a suspect comes about; undefined where the traces do not show it. */
export function mechanismOf(suspect: Suspect, plan: readonly Perturbation[], evidence: Evidence): string | undefined {
  if (suspect.kind === "deleted-unseen")
    return "it names the object by its name alone, without a precondition on its uid";
  const { identity } = suspect;
  if (!identity || suspect.healed) return undefined;
  if (suspect.kind === "missing" && evidence.wasDeleted(identity)) return undefined;
  for (const [i, perturbation] of plan.entries()) {
    const begin = evidence.begin(i);
    const mechanism =
      suspect.kind === "missing"
        ? ofMissing(identity, perturbation, begin, evidence)
        : suspect.kind === "leaked" || suspect.kind === "made-twice"
          ? ofLeaked(identity, perturbation, evidence)
          : ofOthers(suspect, identity, perturbation, { begin, end: evidence.end(i) }, evidence);
    if (mechanism !== undefined) return mechanism;
  }
  return undefined;
}

const RESTARTS = new Set<Perturbation["type"]>(["crash", "stale-restart", "lead-changes"]);

function ofMissing(
  identity: Identity,
  perturbation: Perturbation,
  begin: number,
  evidence: Evidence,
): string | undefined {
  const tries = evidence.requests(identity, begin, "create");
  const exists = tries.findLast(({ reason }) => reason === "AlreadyExists");
  if (exists && tries.every(({ changed }) => !changed)) return `it takes "already exists" for a failure`;
  if (tries.length > 0) return undefined;
  if (RESTARTS.has(perturbation.type) && "at" in perturbation && "verb" in perturbation.at) {
    const { at } = perturbation;
    if (at.subresource === "status") return `it takes the status of ${objectText(at)} for the work being done`;
    const isOther = at.name !== undefined && (at.kind !== identity.kind || at.name !== identity.name);
    if ((at.verb === "create" || at.verb === "apply") && isOther && sawAfterwards(perturbation.at, begin, evidence))
      return `it takes the existence of ${objectText(at)} for the work being done`;
    return "it does not make up for it when it starts again";
  }
  if (perturbation.type === "refused") return `it does not try again after ${refusalText(perturbation.with)}`;
  if (perturbation.type === "answer-lost") return "it does not try again after the lost response";
  if (perturbation.type === "gap")
    return "it makes it only when it sees a state between, and not from the state that it lists";
  return undefined;
}

/** Whether a later start of a program has seen the object of a request. */
function sawAfterwards(
  at: {
    readonly actor: string;
    readonly group: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name?: string;
  },
  begin: number,
  { run }: Evidence,
): boolean {
  const { trace } = run.record;
  const sight = new Sight(trace);
  const key = `${at.group}|${at.kind}|${at.namespace ?? ""}|${at.name ?? ""}`;
  const objects = [...sight.changes.values()].map(([first]) => first!.object);
  const restarts = trace.filter(
    (entry) => entry.type === "life" && entry.seq > begin && entry.actor === at.actor && entry.event === "started",
  );
  return restarts.some((entry) =>
    objects.some(
      (object) =>
        run.names.identity(object).key === key &&
        sight.lastSeen({ actor: at.actor, life: entry.type === "life" ? entry.life : 0 }, object, trace.length) !==
          undefined,
    ),
  );
}

function ofLeaked(identity: Identity, perturbation: Perturbation, evidence: Evidence): string | undefined {
  const { run, clean } = evidence;
  const twice = evidence.creates(run, identity) > evidence.creates(clean, identity);
  const isGenerated = identity.name.includes("*");
  switch (perturbation.type) {
    case "answer-lost":
    case "refused":
    case "crash":
    case "lead-changes":
    case "repeated":
      if (twice && isGenerated && "verb" in perturbation.at && perturbation.at.verb === "create")
        return "it does not look for what its first create made, and makes another one";
      return perturbation.type === "crash" &&
        perturbation.victim === undefined &&
        evidence.actor(clean, identity, "deleted") === perturbation.at.actor
        ? "it does not remove it after a restart"
        : undefined;
    case "lag":
    case "stale-restart":
      return twice && isGenerated ? "its cache did not show its own write yet, and it makes another one" : undefined;
    case "gap": {
      const { actor, group, kind } = perturbation.at;
      const sawDeletion = clean.record.trace.some(
        (entry) =>
          entry.type === "delivery" &&
          entry.actor === actor &&
          entry.change === "DELETED" &&
          entry.object.group === group &&
          entry.object.kind === kind,
      );
      return sawDeletion && evidence.actor(clean, identity, "deleted") === actor
        ? `it removes it only when it sees the deletion of ${kindText(perturbation.at)}, and not from the state that it lists`
        : undefined;
    }
    case "resync":
      return twice ? "it takes an object that it sees again for a new one" : undefined;
    default:
      return undefined;
  }
}

function ofOthers(
  suspect: Suspect,
  identity: Identity,
  perturbation: Perturbation,
  { begin, end }: { readonly begin: number; readonly end: number },
  evidence: Evidence,
): string | undefined {
  const deletes = suspect.kind === "data-lost" || suspect.kind === "deleted-needlessly";
  switch (perturbation.type) {
    case "stale-restart":
      return deletes ? "it acted on a state that was older than what it had seen before" : undefined;
    case "lag": {
      const cache = `a cache of ${kindText(perturbation.at)} that was behind`;
      if (deletes) return `it acted on ${cache}`;
      const writes = evidence.requests(identity, begin).filter(({ changed }) => changed);
      return writes.length > 0 && writes.every(({ seq }) => seq < end)
        ? `it wrote what it saw in ${cache}, and does not look again`
        : undefined;
    }
    case "refused": {
      const { at } = perturbation;
      const refused = evidence.run.record.trace[begin];
      const again =
        refused?.type === "request" &&
        evidence
          .requests(identity, begin + perturbation.times - 1)
          .some((it) => it.verb === at.verb && it.subresource === at.subresource);
      const isSame = at.kind === identity.kind && at.name === identity.name;
      return isSame && !again
        ? `it does not send the ${requestText(at)} again after ${refusalText(perturbation.with)}`
        : undefined;
    }
    case "crash": {
      const isStatus = perturbation.victim === undefined && suspect.path?.startsWith(".status") === true;
      return isStatus && evidence.requests(identity, begin).every(({ subresource }) => subresource !== "status")
        ? "it does not write the status again after a restart"
        : undefined;
    }
    default:
      return undefined;
  }
}
