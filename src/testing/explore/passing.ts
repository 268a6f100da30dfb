/**
 * A request in progress: its known properties, and the response that refuses it.
 *
 * @module
 */
import { isAside } from "../../explore/aside.ts";
import type { Refusal } from "../../explore/contract/plan.ts";
import type { StoredObject } from "../../explore/contract/state.ts";
import type { ActionVerb, Actor, ObjectRef } from "../../explore/contract/trace.ts";
import type { Met, RequestPerturbation } from "../../explore/player.ts";
import type { PointRequest } from "../../explore/points.ts";
import { type ApiError, conflict, internalError, tooManyRequests, unavailable } from "../../meta/status.ts";
import type { ServerRequest } from "../../server/index.ts";
import { FAULT_REASON } from "../fault.ts";
import type { ProgramLife } from "./identity.ts";

/** A request on its way. */
export interface Passing {
  readonly actor: Actor;
  /** Undefined for a user. */
  readonly program: ProgramLife | undefined;
  readonly verb: ActionVerb;
  readonly object: ObjectRef;
  generateName: string | undefined;
  sent: unknown;
  met: readonly Met<RequestPerturbation>[];
  /** The first bytes of the response. */
  head: Uint8Array | undefined;
  /** The revision of a list. */
  listed: number | undefined;
  /** Called when a watch has begun. */
  begun: (() => void) | undefined;
}

const APPLY = "application/apply-patch+";

/** The known properties when a request arrives. */
export function passingOf(request: ServerRequest, program: ProgramLife | undefined): Passing {
  const { info, incoming, resource } = request;
  const { group, namespaced, namespace, name, verb } = info;
  const isApply = verb === "patch" && incoming.sent.header("content-type").startsWith(APPLY);
  return {
    actor: program?.actor ?? "user",
    program,
    verb: isApply ? "apply" : verb,
    object: {
      group,
      kind: resource!.definition.kind,
      ...(namespaced && namespace !== "" && { namespace }),
      ...(name !== "" && { name }),
    },
    generateName: undefined,
    sent: undefined,
    met: NOTHING,
    head: undefined,
    listed: undefined,
    begun: undefined,
  };
}

const NOTHING: readonly never[] = [];

/** Adds the properties that are known once the body is read: the name of a create is in it. */
export function addBody(passing: Passing, { body, info }: ServerRequest): void {
  if (body === undefined) return;
  passing.sent = body;
  if (info.verb !== "create") return;
  const { name, generateName } =
    (body as { readonly metadata?: { readonly name?: unknown; readonly generateName?: unknown } } | null)?.metadata ??
    {};
  if (typeof name === "string" && name !== "") (passing.object as { name?: string }).name ??= name;
  else if (typeof generateName === "string") passing.generateName = generateName;
}

/** Whether a request takes a Lease of leader election, or keeps it. */
export const isElection = ({ object, sent }: Passing): boolean =>
  object.kind === "Lease" && typeof sent === "object" && sent !== null && isAside(object, sent as StoredObject);

/** The key by which a request is counted. */
export const pointOf = (
  { actor, verb, object, generateName }: Passing,
  { info: { subresource } }: ServerRequest,
): PointRequest => ({
  actor,
  protocol: "api",
  verb,
  object,
  ...(subresource !== "" && { subresource }),
  ...(generateName !== undefined && { generateName }),
});

/** Stored objects and lists have their version at the beginning of their metadata. */
const VERSION = /"metadata":\{(?:"[a-zA-Z]+":"[^"]*",){0,8}?"resourceVersion":"(\d+)"/;
const HEAD_BYTES = 2048;

/** The revision in a response. */
export function revisionOf({ head, listed }: Passing): number | undefined {
  if (listed !== undefined) return listed;
  if (!head) return undefined;
  const found = VERSION.exec(
    Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES)).toString(),
  );
  return found ? Number(found[1]) : undefined;
}

/** The error of a refusal. */
export function refusalOf(
  refusal: Exclude<Refusal, "timeout" | "deadline-exceeded">,
  request: ServerRequest,
): ApiError {
  const { group, plural, kind } = request.resource!.definition;
  switch (refusal) {
    case "conflict":
    case "aborted":
      return conflict(
        { group, plural, kind },
        request.info.name,
        "the object has been modified; please apply your changes to the latest version and try again",
      );
    case "too-many-requests":
      return tooManyRequests(`the server is busy; try again: ${FAULT_REASON}`, undefined, 1);
    case "internal-error":
      return internalError(new Error(FAULT_REASON));
    case "unavailable":
      return unavailable(`the server is currently unable to handle the request: ${FAULT_REASON}`);
  }
}
