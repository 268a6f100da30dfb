/**
 * Maintains the flow schemas and priority levels of fairness: mandatory ones exist (APF-2), the status of every schema shows whether its
 * level exists (APF-7), and fairness gets each new configuration.
 *
 * All actions follow from the current objects, so several servers of a store may run it.
 *
 * @module
 */
import { AUTOUPDATE, type Provided, providedLevels, providedSchemas } from "../kinds/flowcontrol/v1/provided.ts";
import type { FlowSchema } from "../kinds/flowcontrol/v1/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/v1/priority-level-configuration.ts";
import type { FlowConfiguration } from "../fairness/index.ts";
import { type StatusReason, hasReason } from "../meta/status.ts";
import { formatTime } from "../meta/time.ts";
import { type BuiltRegistry, RetryingWatch, type Resource, SYSTEM } from "../registry/index.ts";
import type { ApiContext, ApiObject } from "../schema/definition.ts";
import type { Activity } from "../util/activity.ts";
import type { Timer } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { WorkQueue } from "../util/work-queue.ts";
import { guardOf, asValue } from "../schema/api-object.ts";
import { type Value, equal } from "../value/value.ts";

const GROUP = "flowcontrol.apiserver.k8s.io";
const SCHEMAS = `flowschemas.${GROUP}`;
const LEVELS = `prioritylevelconfigurations.${GROUP}`;
const PRODUCER = "api-priority-and-fairness-config-producer-v1";
const CONSUMER = "api-priority-and-fairness-config-consumer-v1";
const MANDATORY_MS = 60_000;

/** The parts that it needs. */
export interface FlowObjectsParts extends Pick<BuiltRegistry, "kinds" | "lookup"> {
  readonly api: ApiContext;
  readonly log: Log;
  readonly activity?: Pick<Activity, "begin"> | undefined;
  /** Called with every new configuration. */
  readonly changed: (configuration: FlowConfiguration) => void;
  /** The configuration that fairness has already. */
  readonly configuration?: FlowConfiguration | undefined;
}

const isSchema = guardOf<FlowSchema>("FlowSchema");
const isLevel = guardOf<PriorityLevelConfiguration>("PriorityLevelConfiguration");
const asSchema = (object: ApiObject): FlowSchema | undefined => (isSchema(object) ? object : undefined);
const asLevel = (object: ApiObject): PriorityLevelConfiguration | undefined => (isLevel(object) ? object : undefined);
/** Whether they are the same objects: stored objects are parsed once. */
const areSame = (some: readonly ApiObject[], others: readonly ApiObject[]): boolean =>
  some.length === others.length && some.every((one, at) => one === others[at]);

/** Maintains the flow schemas and priority levels. */
export class FlowObjects {
  readonly #parts: FlowObjectsParts;
  readonly #schemas: Resource | undefined;
  readonly #levels: Resource | undefined;
  readonly #queue: WorkQueue;
  readonly #watches: readonly RetryingWatch[];
  #timer: Timer | undefined;
  #configuration: FlowConfiguration | undefined;
  #closed = false;

  constructor(parts: FlowObjectsParts) {
    const { kinds, api, log, activity } = parts;
    this.#parts = parts;
    this.#configuration = parts.configuration;
    this.#schemas = kinds.find(GROUP, "v1", "flowschemas");
    this.#levels = kinds.find(GROUP, "v1", "prioritylevelconfigurations");
    this.#queue = new WorkQueue({
      clock: api.clock,
      random: api.random,
      name: "flow schemas",
      work: () => this.#sync(),
      activity,
      failed: (_, error) => log.warn("a flow schema could not be kept", { error: String(error) }),
    });
    const look = (): void => this.#queue.add("all");
    const failed = (error: unknown): void =>
      log.warn("flow schemas cannot be followed at the moment", { error: String(error) });
    this.#watches = [this.#schemas, this.#levels].flatMap((resource) =>
      resource ? [new RetryingWatch({ resource, clock: api.clock, deliver: look, restarted: look, failed })] : [],
    );
  }

  /** The latest schemas and levels. */
  get configuration(): FlowConfiguration | undefined {
    return this.#configuration;
  }

  /** Creates missing objects, resets those that must equal the release, and follows changes from then on. */
  async start(): Promise<void> {
    if (!this.#schemas || !this.#levels) return;
    await this.#ensure(() => true);
    await this.#sync().catch((error: unknown) => {
      this.#parts.log.warn("flow schemas could not be kept yet", { error: String(error) });
    });
    await this.follow();
  }

  /** Follows the objects; where the kinds are not served there is nothing to follow. */
  async follow(): Promise<void> {
    if (!this.#schemas || !this.#levels) return;
    // The current objects are processed in any case.
    const { revision } = this.#parts.kinds;
    await Promise.all(this.#watches.map((following) => following.begin(revision)));
    this.#queue.add("all");
    this.#again();
  }

  /** Stops following; resolves when nothing is running any more. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    for (const following of this.#watches) following.close();
    await this.#queue.close();
  }

  /** Checks at intervals whether the mandatory objects exist. */
  #again(): void {
    if (this.#closed) return;
    const look = (): void => {
      void this.#ensure(({ mandatory }) => mandatory);
      this.#again();
    };
    this.#timer = this.#parts.api.clock.after(MANDATORY_MS, look, { owner: "flow schemas", upkeep: true });
  }

  async #sync(): Promise<void> {
    const { lookup, changed, api } = this.#parts;
    const [schemas, levels] = await Promise.all([lookup.collect(SCHEMAS, asSchema), lookup.collect(LEVELS, asLevel)]);
    if (this.#closed) return;
    if (
      !this.#configuration ||
      !areSame(schemas, this.#configuration.schemas) ||
      !areSame(levels, this.#configuration.levels)
    )
      changed((this.#configuration = { schemas, levels }));
    const names = new Set(levels.map(({ metadata: { name = "" } }) => name));
    await Promise.all(
      schemas.map(async (schema) => {
        const condition = danglingNow(schema, names, api);
        if (condition) await this.#say(schema, condition);
      }),
    );
  }

  /** Updates the status of a schema, whether its level exists. */
  async #say({ metadata }: FlowSchema, condition: Value): Promise<void> {
    const { name = "", uid = "" } = metadata;
    const value = {
      apiVersion: `${GROUP}/v1`,
      kind: "FlowSchema",
      metadata: { name, uid },
      status: { conditions: [condition] },
    };
    const target = { namespace: "", name, subresource: "status" };
    const options = { ...OPTIONS, fieldManager: CONSUMER, type: "apply", force: true } as const;
    const write = this.#schemas?.patch(target, { value, duplicates: [] }, options, SYSTEM);
    await ignoring(write, "NotFound", "Conflict");
  }

  async #ensure(those: (one: Provided) => boolean): Promise<void> {
    const { api, log } = this.#parts;
    const ensure = async (resource: Resource | undefined, key: string, one: Provided): Promise<void> => {
      try {
        if (resource) await this.#ensureOne(resource, key, one);
      } catch (error) {
        log.warn("an object of fairness could not be made", { resource: key, name: one.name, error: String(error) });
      }
    };
    await Promise.all([
      ...providedLevels()
        .filter(those)
        .map((one) => ensure(this.#levels, LEVELS, one)),
      ...providedSchemas(api)
        .filter(those)
        .map((one) => ensure(this.#schemas, SCHEMAS, one)),
    ]);
  }

  async #ensureOne(resource: Resource, key: string, one: Provided): Promise<void> {
    const found = this.#parts.lookup.get(key, "", one.name);
    const wanted = found ? revised(found, one) : { metadata: { name: one.name, ...annotated(true) }, spec: one.spec };
    if (!wanted) return;
    const { version, kind } = resource.definition;
    const body = { value: asValue({ apiVersion: `${GROUP}/${version}`, kind, ...wanted }), duplicates: [] };
    const target = { namespace: "", name: found ? one.name : "", subresource: "" };
    const options = { ...OPTIONS, fieldManager: PRODUCER };
    const write = found
      ? resource.update(target, body, options, SYSTEM)
      : resource.create(target, body, options, SYSTEM);
    await ignoring(write, "AlreadyExists", "NotFound", "Conflict");
  }
}

const OPTIONS = { dryRun: false, fieldValidation: "Ignore" } as const;

async function ignoring(work: Promise<unknown> | undefined, ...reasons: StatusReason[]): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!hasReason(error, ...reasons)) throw error;
  }
}

const annotated = (isKept: boolean): { annotations: Record<string, string> } => ({
  annotations: { [AUTOUPDATE]: String(isKept) },
});

const TRUE = ["1", "t", "T", "true", "TRUE", "True"];
const FALSE = ["0", "f", "F", "false", "FALSE", "False"];

/** Whether an object is kept equal to the release; by default as long as its generation is 1. */
function follows({ metadata }: ApiObject): boolean {
  const said = metadata.annotations?.[AUTOUPDATE] ?? "";
  return TRUE.includes(said) || (!FALSE.includes(said) && metadata.generation === 1);
}

/** The desired state of an object; undefined where it has that state. */
function revised(found: ApiObject, { name, spec, mandatory }: Provided): ApiObject | undefined {
  const kept = mandatory || follows(found);
  // Administrators may change what the exempt level lends.
  const exempt = isLevel(found) && name === "exempt" ? found.spec.exempt : undefined;
  const wanted = exempt ? { ...spec, exempt } : spec;
  const isSaid = (kept ? TRUE : FALSE).includes(found.metadata.annotations?.[AUTOUPDATE] ?? "");
  const isSame = !kept || equal(found["spec"], wanted);
  if (isSaid && isSame) return undefined;
  const annotations = { ...found.metadata.annotations, ...annotated(kept).annotations };
  return { ...found, metadata: { ...found.metadata, annotations }, ...(isSame ? {} : { spec: wanted }) };
}

/** The desired condition of a schema; undefined where it has it. */
function danglingNow(schema: FlowSchema, levels: ReadonlySet<string>, { clock }: ApiContext): Value | undefined {
  const level = schema.spec.priorityLevelConfiguration?.name ?? "";
  const isThere = levels.has(level);
  const status = isThere ? "False" : "True";
  const reason = isThere ? "Found" : "NotFound";
  const message = `The level ${JSON.stringify(level)} that takes these requests is ${isThere ? "there" : "missing"}.`;
  const found = schema.status?.conditions?.find(({ type }) => type === "Dangling");
  if (found?.status === status && found.reason === reason && found.message === message) return undefined;
  const since = found?.status === status ? (found.lastTransitionTime ?? null) : null;
  return { type: "Dangling", status, lastTransitionTime: since ?? formatTime(clock.now()), reason, message };
}
