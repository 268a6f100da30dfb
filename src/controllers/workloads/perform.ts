/** Performs the plans of workloads: writes and Events in the order of the plan. */
import { type ApiObject, type Client, type Kind, StatusError, isStatus } from "../../client/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import type { Context, Result } from "../../runtime/index.ts";
import { messageOf } from "../../util/error.ts";
import type { Plan, PlannedWrite, Refusal } from "../../workloads/common/plan.ts";

/** The parts of a reconcile that performs a plan. */
export interface Performing {
  readonly client: Client;
  /** Records an Event about the planned object. */
  readonly tell: (type: "Normal" | "Warning", reason: string, note: string, related?: ApiObject) => void;
}

/** The wait after failures, as kube-controller-manager has it (WL-GEN-4). */
export const BACKOFF = { first: "5ms", most: "1000s" } as const;

/**
 * Performs the plan of a reconcile. A plan that takes objects over is performed only while the owner may do so.
 *
 * @param mayAdopt asks the server itself
 */
export async function performFor(
  { client, events }: Pick<Context, "client" | "events">,
  plan: Plan,
  mayAdopt: () => Promise<boolean>,
): Promise<Result> {
  if (plan.adopts && !(await mayAdopt())) return REQUEUE_SOON;
  const tell: Performing["tell"] = (type, ...told) => events[type === "Normal" ? "normal" : "warning"](...told);
  return perform(plan, { client, tell });
}

/** What became of a plan. */
export interface Performed {
  /** Created and updated objects, in the order of the plan. */
  readonly written: readonly ApiObject[];
  readonly refusals: readonly Refusal[];
  /** Whether an object had changed or was gone: the informers will show it, and the plan is made again. */
  readonly isOvertaken: boolean;
}

/** The cause of a create that is refused as its namespace is being deleted. */
const ENDING = "NamespaceTerminating";

/** The largest batch of creates. */
const MAX_BATCH = 64;

/** Writes of a stage side by side: deletions. */
const SIDE_BY_SIDE = 64;

/**
 * Performs a plan and returns when to plan again.
 *
 * @throws the first refusal, after all writes, so that the runtime tries again with backoff (WL-GEN-4)
 */
export async function perform(plan: Plan, parts: Performing): Promise<Result> {
  const { isOvertaken, error } = await new Performance(parts).run(plan);
  if (error !== undefined) throw error;
  if (isOvertaken) return REQUEUE_SOON;
  return plan.againMillis === undefined ? undefined : { requeueAfter: Math.max(1, Math.ceil(plan.againMillis)) };
}

/** Performs a plan and returns what became of it. @throws errors that are no answer of the server */
export async function performed(plan: Plan, parts: Performing): Promise<Performed> {
  const performance = new Performance(parts);
  await performance.run(plan);
  return performance;
}

class Performance implements Performed {
  readonly written: ApiObject[] = [];
  readonly refusals: Refusal[] = [];
  isOvertaken = false;
  /** Whether the namespace is being deleted: nothing can be created in it any more, which is no failure. */
  isEnding = false;
  /** The first refusal. */
  error: StatusError | undefined;
  readonly #parts: Performing;

  constructor(parts: Performing) {
    this.#parts = parts;
  }

  async run({ stages, afterwards }: Plan): Promise<this> {
    for (const stage of stages) {
      if (this.refusals.length > 0 || this.isOvertaken || this.isEnding) break;
      // oxlint-disable-next-line no-await-in-loop -- stages are one after the other
      await this.#stage(stage);
    }
    for (const write of afterwards?.(this.refusals, this.isOvertaken || this.isEnding) ?? []) {
      // oxlint-disable-next-line no-await-in-loop -- in the order of the plan
      await this.#write(write);
    }
    return this;
  }

  async #stage(stage: readonly PlannedWrite[]): Promise<void> {
    const creates = stage.filter(({ verb }) => verb === "create");
    const deletions = stage.filter(({ verb }) => verb === "delete");
    for (const write of stage) {
      if (write.verb === "create" || write.verb === "delete") continue;
      // oxlint-disable-next-line no-await-in-loop -- in the order of the plan
      await this.#write(write);
    }
    for (let at = 0, size = 1; at < creates.length; at += size, size = Math.min(2 * size, MAX_BATCH)) {
      if (this.refusals.length > 0 || this.isEnding) break;
      // oxlint-disable-next-line no-await-in-loop -- a batch begins when the one before was not refused
      await Promise.all(creates.slice(at, at + size).map((write) => this.#write(write)));
    }
    for (let at = 0; at < deletions.length; at += SIDE_BY_SIDE) {
      // oxlint-disable-next-line no-await-in-loop -- as many side by side as one request may take
      await Promise.all(deletions.slice(at, at + SIDE_BY_SIDE).map((write) => this.#write(write)));
    }
  }

  async #write(write: PlannedWrite): Promise<void> {
    if (write.verb === "event") {
      this.#parts.tell(write.type, write.reason, write.note);
      return;
    }
    try {
      const object = await send(this.#parts.client, write);
      if (object) this.written.push(object);
      this.#tellDone(write, object);
    } catch (error) {
      this.#refused(write, error);
    }
  }

  #tellDone(write: PlannedWrite, object: ApiObject | undefined): void {
    if ((write.verb !== "create" && write.verb !== "delete") || !write.told) return;
    const { name } = object?.metadata ?? write.object.metadata;
    const what = `${write.verb === "create" ? "Created" : "Deleted"} ${write.kind.kind.toLowerCase()}: ${name ?? ""}`;
    this.#parts.tell("Normal", write.told.done, what, object);
  }

  #refused(write: PlannedWrite, error: unknown): void {
    if (!(error instanceof StatusError)) throw error;
    // It had changed or is gone, which the informers will show.
    if (write.verb !== "create" && isStatus(error, "Conflict", "NotFound")) {
      this.isOvertaken = true;
      return;
    }
    if (write.verb === "create" && error.status.details?.causes?.some(({ reason }) => reason === ENDING)) {
      this.isEnding = true;
      return;
    }
    this.error ??= error;
    const { reason = "Unknown", message = messageOf(error) } = error.status;
    this.refusals.push({ write, reason, message });
    if ((write.verb === "create" || write.verb === "delete") && write.told) {
      const what = write.verb === "create" ? "creating" : "deleting";
      this.#parts.tell("Warning", write.told.refused, `Error ${what}: ${message}`);
    }
  }
}

/** Sends a write; a deletion returns nothing. */
async function send(client: Client, write: Exclude<PlannedWrite, { verb: "event" }>): Promise<ApiObject | undefined> {
  // The functions that build writes have checked the type.
  const resource = client.resource(write.kind as Kind<ApiObject, "Namespaced">);
  switch (write.verb) {
    case "create":
      return resource.create(write.object);
    case "update":
      return resource.update(write.object);
    case "status":
      return resource.status.update(write.object);
    case "patch":
    case "patchStatus": {
      const { name, namespace = "", uid } = write.object.metadata;
      const metadata = { ...(write.patch["metadata"] as object | undefined), uid };
      const to = write.verb === "patch" ? resource : resource.status;
      return to.patch({ namespace, name }, { ...write.patch, metadata });
    }
    case "delete":
      await resource.delete(write.object, write.options);
      return undefined;
  }
}
