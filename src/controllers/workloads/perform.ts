/** Performs the plans of workloads: writes and Events in the order of the plan. */
import { type ApiObject, type Client, type Kind, StatusError, isStatus } from "../../client/index.ts";
import { REQUEUE_SOON } from "../../runtime/writes.ts";
import type { Context, Result } from "../../runtime/index.ts";
import type { Plan, PlannedWrite, Refusal, Told } from "../../workloads/common/plan.ts";
import { isEnding, refusalText } from "./refusal.ts";

/** The parts of a reconcile that performs a plan. */
export interface Performing {
  readonly client: Client;
  /** Records an Event about the planned object. */
  readonly tell: (type: "Normal" | "Warning", reason: string, note: string, related?: ApiObject) => void;
}

/** The wait after failures, as in kube-controller-manager (WL-GEN-4). */
export const BACKOFF = { first: "5ms", most: "1000s" } as const;

/**
 * Performs the plan of a reconcile. A plan that adopts objects is performed only while the owner may do so.
 *
 * @param mayAdopt reads the owner from the server
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

/** The result of a plan. */
export interface Performed {
  /** Created and updated objects, in the order of the plan. */
  readonly written: readonly ApiObject[];
  readonly refusals: readonly Refusal[];
  /** The first refusal, which is thrown at the end. */
  readonly error: StatusError | undefined;
  /** Whether an object had changed or was deleted: the informers will show that, and the plan is made again. */
  readonly isOvertaken: boolean;
}

/** The largest batch of creates. */
const MAX_BATCH = 64;

/** Concurrent writes of a stage: deletions. */
const SIDE_BY_SIDE = 64;

/**
 * Performs a plan and returns when to plan again.
 *
 * @throws the first refusal or the obstacle, after all writes, so that the runtime retries with backoff (WL-GEN-4)
 */
export async function perform(plan: Plan, parts: Performing): Promise<Result> {
  const { isOvertaken, error } = await new Performance(parts).run(plan);
  if (error !== undefined) throw error;
  if (isOvertaken) return REQUEUE_SOON;
  if (plan.obstacle !== undefined) throw new Error(plan.obstacle);
  return plan.againMillis === undefined ? undefined : { requeueAfter: Math.max(1, Math.ceil(plan.againMillis)) };
}

/** Performs a plan and returns its result. @throws errors that are no response of the server */
export async function performed(plan: Plan, parts: Performing): Promise<Performed> {
  const performance = new Performance(parts);
  await performance.run(plan);
  return performance;
}

class Performance implements Performed {
  readonly written: ApiObject[] = [];
  readonly refusals: Refusal[] = [];
  isOvertaken = false;
  /** Whether the namespace is being deleted: creates in it are refused then, which is no failure. */
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
    const creates = stage.filter(isCreate);
    const deletions = stage.filter(({ verb }) => verb === "delete");
    for (const write of stage) {
      if (isCreate(write) || write.verb === "delete") continue;
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

  /** Whether a write was done. */
  async #write(write: PlannedWrite): Promise<boolean> {
    if (write.verb === "event") {
      this.#parts.tell(write.type, write.reason, write.note);
      return true;
    }
    if (write.verb === "series") return this.#series(write.writes);
    try {
      const object = await send(this.#parts.client, write);
      if (object) this.written.push(object);
      this.#tellDone(write, object);
      return true;
    } catch (error) {
      if (await this.#exists(write, error)) return true;
      this.#refused(write, error);
      return false;
    }
  }

  /** Whether the object to create exists already from an earlier create, as memory shows once it has caught up. */
  async #exists(write: SentWrite, error: unknown): Promise<boolean> {
    if (write.verb !== "create" || !write.isSame || !isStatus(error, "AlreadyExists")) return false;
    const { name = "", namespace = "" } = write.object.metadata;
    const found = await this.#parts.client
      .resource(write.kind as Kind<ApiObject, "Namespaced">)
      .find({ name, namespace });
    if (!found || !write.isSame(found)) return false;
    this.written.push(found);
    return true;
  }

  async #series(writes: readonly PlannedWrite[]): Promise<boolean> {
    for (const write of writes) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      if (!(await this.#write(write))) return false;
    }
    return true;
  }

  #tellDone(write: SentWrite, object: ApiObject | undefined): void {
    const told = toldOf(write);
    if (!told) return;
    const { name = "" } = object?.metadata ?? write.object.metadata;
    const [done] = WORDS[write.verb];
    this.#parts.tell("Normal", told.done, told.doneNote ?? `${done} ${write.kind.kind.toLowerCase()}: ${name}`, object);
  }

  #refused(write: SentWrite, error: unknown): void {
    if (!(error instanceof StatusError)) throw error;
    // It had changed or is deleted, which the informers will show.
    if (write.verb !== "create" && isStatus(error, "Conflict", "NotFound")) {
      this.isOvertaken = true;
      return;
    }
    if (write.verb === "create" && isEnding(error)) {
      this.isEnding = true;
      return;
    }
    this.error ??= error;
    const { reason = "Unknown" } = error.status;
    const message = refusalText(error);
    this.refusals.push({ write, reason, message });
    const told = toldOf(write);
    if (!told || told.untold?.includes(reason)) return;
    const [, doing] = WORDS[write.verb];
    this.#parts.tell("Warning", told.refused, `${told.refusedNote ?? `Error ${doing}: `}${message}`);
  }
}

/** A write that is one request. */
type SentWrite = Exclude<PlannedWrite, { verb: "event" | "series" }>;

const isCreate = ({ verb }: PlannedWrite): boolean => verb === "create" || verb === "series";

const toldOf = (write: SentWrite): Told | undefined => ("told" in write ? write.told : undefined);

/** The verbs in the texts of Events. */
const WORDS: Readonly<Record<SentWrite["verb"], readonly [done: string, doing: string]>> = {
  create: ["Created", "creating"],
  update: ["Updated", "updating"],
  status: ["Updated", "updating"],
  patch: ["Updated", "updating"],
  delete: ["Deleted", "deleting"],
};

/** Sends a write; a deletion returns nothing. */
async function send(client: Client, write: SentWrite): Promise<ApiObject | undefined> {
  // The functions that build writes have checked the type.
  const resource = client.resource(write.kind as Kind<ApiObject, "Namespaced">);
  switch (write.verb) {
    case "create":
      return resource.create(write.object);
    case "update":
      return resource.update(write.object);
    case "status":
      return resource.status.update(write.object);
    case "patch": {
      const { name, namespace = "", uid } = write.object.metadata;
      const metadata = { ...(write.patch["metadata"] as object | undefined), uid };
      return resource.patch({ namespace, name }, { ...write.patch, metadata });
    }
    case "delete":
      await resource.delete(write.object, write.options);
      return undefined;
  }
}
