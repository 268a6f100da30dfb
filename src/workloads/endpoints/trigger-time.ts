/** The time of the change that caused a write, for `endpoints.kubernetes.io/last-change-trigger-time`. */
import type { Pod, Service } from "../../client/kinds/index.ts";
import { isoTime } from "../../meta/iso-time.ts";
import { conditionOfPod } from "../common/pods.ts";

/** The annotation with the time. */
export const TRIGGER_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** The last seen times of a Service and its Pods. */
export interface SeenTimes {
  readonly service: number;
  /** When the readiness of each Pod changed, by name, from its condition. */
  readonly pods: ReadonlyMap<string, string>;
}

/** The result of a comparison. */
export interface TriggerTime {
  readonly seen: SeenTimes;
  /** The time of the first change since the last seen times, in RFC 3339; undefined where there was none. */
  readonly text: string | undefined;
}

/**
 * Compares the times of a Service and its Pods with the last seen ones; the first time, the creation of the Service
 * counts.
 */
export function triggerTimeOf(service: Service, pods: Iterable<Pod>, before: SeenTimes | undefined): TriggerTime {
  const { creationTimestamp } = service.metadata;
  const created = creationTimestamp ? Date.parse(creationTimestamp) : 0;
  const times = new Map<string, string>();
  let first = before && created > before.service ? created : Infinity;
  for (const pod of pods) {
    const changed = conditionOfPod(pod, "Ready")?.lastTransitionTime;
    if (!changed) continue;
    times.set(pod.metadata.name, changed);
    const known = before?.pods.get(pod.metadata.name);
    if (!before || known === changed) continue;
    const time = Date.parse(changed);
    if (known === undefined || time > Date.parse(known)) first = Math.min(first, time);
  }
  const found = before ? first : created;
  return { seen: { service: created, pods: times }, text: found === Infinity ? undefined : timeText(found) };
}

/** A time without zero milliseconds. */
function timeText(millis: number): string {
  const text = isoTime(millis);
  let end = text.length - 1;
  while (text[end - 1] === "0") end--;
  if (text[end - 1] === ".") end--;
  return `${text.slice(0, end)}Z`;
}
