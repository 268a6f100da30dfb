/** Writes conditions of Pods, only where they change. */
import { type Client, attempt } from "../../client/index.ts";
import { Pod } from "../../client/kinds/index.ts";
import { formatTime } from "../../meta/time.ts";
import { errorText } from "../../util/cut-text.ts";

type Condition = NonNullable<Pod["status"]["conditions"]>[number];

/** A desired condition. */
export interface PodCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
  /** The generation of the Pod; the stored value is kept where it is left out. */
  readonly observedGeneration?: number;
}

/**
 * Writes a condition with other fields of the status, and returns whether it did: not where the Pod has it, or is gone.
 *
 * @throws StatusError where the Pod had changed: what follows would happen without the condition
 */
export async function setPodCondition(
  client: Client,
  { metadata, status }: Pod,
  said: PodCondition,
  { now, more = {} }: { readonly now: number; readonly more?: Readonly<Record<string, unknown>> },
): Promise<boolean> {
  const wanted = { ...said, message: errorText(said.message) };
  const old = status?.conditions?.find(({ type }) => type === wanted.type);
  const has = status as Readonly<Record<string, unknown>> | undefined;
  if (isSame(old, wanted) && Object.entries(more).every(([name, value]) => has?.[name] === value)) return false;
  const isKept = old?.status === wanted.status && old.lastTransitionTime;
  const condition = { ...wanted, lastTransitionTime: isKept ? old.lastTransitionTime : formatTime(now) };
  const { name, namespace = "", uid } = metadata;
  const patch = { metadata: { uid }, status: { ...more, conditions: [condition] } };
  const written = await attempt(
    client.resource(Pod).status.patch({ namespace, name }, patch, { strategic: true }),
    "NotFound",
  );
  return written.ok;
}

const isSame = (old: Condition | undefined, wanted: PodCondition): boolean =>
  old !== undefined &&
  old.status === wanted.status &&
  (old.reason ?? "") === wanted.reason &&
  (old.message ?? "") === wanted.message &&
  (wanted.observedGeneration ?? old.observedGeneration) === old.observedGeneration;
