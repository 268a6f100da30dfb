/** Moves objects by Stages. */
import type { Client } from "../../client/client.ts";
import {
  type ApiObject,
  type JsonPatchOperation,
  type Kind,
  type Scope,
  apiVersionOf,
  attempt,
  keyOf,
} from "../../client/index.ts";
import type { Node } from "../../client/kinds/index.ts";
import type { Result } from "../../runtime/index.ts";
import type { ValueObject } from "../../value/value.ts";
import { seededRandom } from "../../util/clock.ts";
import { fnv1aOfText } from "../../util/fnv.ts";
import { hostAddressOf } from "../nodes/node-object.ts";
import type { SimulationState } from "../state.ts";
import { type StageFacts, functionsOf } from "./functions.ts";
import type { Effect } from "./stage.ts";

/** The version that templates get. */
const VERSION = "v0.7.0";
const KUBELET_PORT = 10250;
/** A Stage that is due later than this is checked again before: 24 days. */
const MAX_DELAY = 2 ** 31;

/** The parts that a Stage of an object needs. */
export interface StageParts {
  readonly client: Client;
  readonly now: number;
  readonly state: SimulationState;
  /** The node of the Pod, or the node itself. */
  readonly node: Node;
  /** The address of the Pod. */
  readonly podIP: string;
  readonly event: (type: "Normal" | "Warning", reason: string, message: string) => void;
}

/** Performs the Stage of an object that is due, and returns when to check again. */
export async function performStage<T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  object: T,
  parts: StageParts,
): Promise<Result> {
  const { state, now } = parts;
  const { uid, resourceVersion: version } = object.metadata;
  const value = { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind } as unknown as ValueObject;
  const identity = { uid, version };
  const next = state.stages.next(kind.kind, value, identity, now);
  if (!next) return undefined;
  if (next.due > now) return { requeueAfter: Math.min(Math.ceil(next.due - now), MAX_DELAY) };
  state.stages.done(identity);
  try {
    const effects = next.stage.effects(value, functionsOf(factsOf(object, parts)));
    for (const effect of effects) {
      // oxlint-disable-next-line no-await-in-loop -- steps are one after the other
      await perform(kind, object, effect, parts);
    }
  } catch (error) {
    state.report(error, `Stage ${next.stage.name}`);
  }
  return undefined;
}

function factsOf(object: ApiObject, { state, node, podIP, now }: StageParts): StageFacts {
  const random = seededRandom(fnv1aOfText(`${object.metadata.uid} ${object.metadata.resourceVersion} template`));
  const time = new Date(now).toISOString();
  return {
    now: time,
    startTime: time,
    version: VERSION,
    nodeIP: (name) => {
      const other = name === undefined || name === node.metadata.name ? node : state.view?.node(name);
      return other ? hostAddressOf(other) : "127.0.0.1";
    },
    podIP: (_, hostNetwork) => (hostNetwork ? hostAddressOf(node) : podIP),
    nodeName: node.metadata.name,
    nodePort: KUBELET_PORT,
    random: () => random.next(),
  };
}

async function perform<T extends ApiObject, S extends Scope>(
  kind: Kind<T, S>,
  object: T,
  effect: Effect,
  { client, event }: StageParts,
): Promise<void> {
  const resource = client.resource(kind);
  switch (effect.kind) {
    case "event":
      event(effect.type === "Warning" ? "Warning" : "Normal", effect.reason, effect.message);
      return;
    case "delete":
      await attempt(resource.delete(object, { gracePeriodSeconds: 0 }), "NotFound", "Conflict");
      return;
    case "patch": {
      const to =
        effect.subresource === undefined || effect.subresource === ""
          ? resource
          : resource.subresource(effect.subresource);
      const key = keyOf<S>(object);
      const { data, form } = effect;
      const sent =
        form === "json"
          ? to.patch(key, data as unknown as readonly JsonPatchOperation[])
          : form === "merge"
            ? to.patch(key, data as never)
            : to.patch(key, data as never, { strategic: true });
      await attempt(sent, "NotFound", "Conflict");
    }
  }
}
