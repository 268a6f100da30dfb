/**
 * `kubectl rollout`: status, history, restart, undo, pause and resume.
 *
 * @module
 */
import { formatTime } from "../../../src/meta/time.ts";
import { type ApiJson, Failure, type Json, type JsonValue, MERGE, STRATEGIC, nameOf, pathOf, textOf } from "./api.ts";
import { writeQuery } from "./apply.ts";
import { type Command, eachOf, type Target, targetsOf } from "./context.ts";
import { timeoutOf, until } from "./wait.ts";
import { alignedRows } from "./print.ts";

const REVISION = "deployment.kubernetes.io/revision";
const CAUSE = "kubernetes.io/change-cause";

/** Runs `kubectl rollout`. */
export async function rollout(command: Command): Promise<number> {
  const [what = "", ...words] = command.flags.words;
  const work = WORKS[what];
  if (!work) throw new Failure(`error: unknown command "${what}"; expected one of ${Object.keys(WORKS).join(", ")}`);
  return eachOf(command, await targetsOf(command, words, `rollout ${what}`), (target) => work(command, target));
}

const specOf = (object: ApiJson): Json => (object["spec"] ?? {}) as Json;
const statusOf = (object: ApiJson): Json => (object["status"] ?? {}) as Json;
const numberOf = (value: JsonValue | undefined): number => (typeof value === "number" ? value : 0);

/** What a rollout waits for, and whether it has ended. @throws Failure where it has failed */
function progressOf(object: ApiJson): { readonly text: string; readonly isDone: boolean } {
  const { name } = object.metadata;
  const [spec, status] = [specOf(object), statusOf(object)];
  const replicas = typeof spec["replicas"] === "number" ? spec["replicas"] : 1;
  const isSeen = numberOf(object.metadata["generation"]) <= numberOf(status["observedGeneration"]);
  const [updated, ready, available] = [
    status["updatedReplicas"],
    status["readyReplicas"],
    status["availableReplicas"],
  ].map(numberOf) as [number, number, number];
  if (object.kind === "DaemonSet") {
    if (!isSeen) return { text: "Waiting for daemon set spec update to be observed...", isDone: false };
    const [desired, current, up] = [
      status["desiredNumberScheduled"],
      status["updatedNumberScheduled"],
      status["numberAvailable"],
    ].map(numberOf) as [number, number, number];
    if (current < desired)
      return {
        text: `Waiting for daemon set "${name}" rollout to finish: ${current} out of ${desired} new pods have been updated...`,
        isDone: false,
      };
    if (up < desired)
      return {
        text: `Waiting for daemon set "${name}" rollout to finish: ${up} of ${desired} updated pods are available...`,
        isDone: false,
      };
    return { text: `daemon set "${name}" successfully rolled out`, isDone: true };
  }
  if (object.kind === "StatefulSet") {
    if (!isSeen) return { text: "Waiting for statefulset spec update to be observed...", isDone: false };
    if (ready < replicas) return { text: `Waiting for ${replicas - ready} pods to be ready...`, isDone: false };
    if (status["updateRevision"] !== status["currentRevision"]) {
      return {
        text: `waiting for statefulset rolling update to complete ${updated} pods at revision ${textOf(status["updateRevision"])}...`,
        isDone: false,
      };
    }
    return {
      text: `statefulset rolling update complete ${numberOf(status["currentReplicas"])} pods at revision ${textOf(status["currentRevision"])}...`,
      isDone: true,
    };
  }
  if (!isSeen) return { text: "Waiting for deployment spec update to be observed...", isDone: false };
  const conditions = (status["conditions"] ?? []) as Json[];
  if (conditions.some(({ type, reason }) => type === "Progressing" && reason === "ProgressDeadlineExceeded")) {
    throw new Failure(`error: deployment "${name}" exceeded its progress deadline`);
  }
  const begin = `Waiting for deployment "${name}" rollout to finish:`;
  if (updated < replicas)
    return { text: `${begin} ${updated} out of ${replicas} new replicas have been updated...`, isDone: false };
  const total = numberOf(status["replicas"]);
  if (total > updated)
    return { text: `${begin} ${total - updated} old replicas are pending termination...`, isDone: false };
  if (available < updated)
    return { text: `${begin} ${available} of ${updated} updated replicas are available...`, isDone: false };
  return { text: `deployment "${name}" successfully rolled out`, isDone: true };
}

async function showStatus(command: Command, { kind, name, namespace }: Target): Promise<void> {
  const path = pathOf(kind, namespace, name);
  let last = "";
  const isDone = await until(command, timeoutOf(command, Infinity), async () => {
    const progress = progressOf(await command.api.json<ApiJson>("GET", path));
    if (progress.text !== last) command.streams.out(`${progress.text}\n`);
    last = progress.text;
    return progress.isDone || !command.flags.on("watch", true);
  });
  if (!isDone) throw new Failure("error: timed out waiting for the condition");
}

/** The revisions of a workload, the oldest first. */
async function revisionsOf(
  { api }: Command,
  { kind, name, namespace }: Target,
): Promise<readonly { readonly number: number; readonly object: ApiJson }[]> {
  const owner = await api.json<ApiJson>("GET", pathOf(kind, namespace, name));
  const isDeployment = kind.kind === "Deployment";
  const revisions = await api.findKind(isDeployment ? "replicasets.apps" : "controllerrevisions.apps");
  const { items } = await api.json<{ items: readonly ApiJson[] }>("GET", pathOf(revisions, namespace));
  const isOwn = ({ metadata }: ApiJson): boolean =>
    ((metadata["ownerReferences"] ?? []) as Json[]).some(({ uid }) => uid === owner.metadata["uid"]);
  return items
    .filter(isOwn)
    .map((object) => ({
      number: isDeployment
        ? Number(((object.metadata["annotations"] ?? {}) as Json)[REVISION])
        : numberOf(object["revision"]),
      object,
    }))
    .toSorted((a, b) => a.number - b.number);
}

async function history(command: Command, target: Target): Promise<void> {
  const revisions = await revisionsOf(command, target);
  const rows = revisions.map(({ number, object }) => [
    String(number),
    textOf(((object.metadata["annotations"] ?? {}) as Json)[CAUSE] ?? "<none>"),
  ]);
  command.streams.out(
    `${nameOf(target.kind, target.name)} \n${alignedRows([["REVISION", "CHANGE-CAUSE"], ...rows], 2)}\n`,
  );
}

async function restart(command: Command, { kind, name, namespace }: Target): Promise<void> {
  const at = formatTime(command.api.clock.now());
  const body = { spec: { template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": at } } } } };
  const query = writeQuery(command, "kubectl-rollout");
  await command.api.json("PATCH", pathOf(kind, namespace, name), { query, contentType: STRATEGIC, body });
  command.streams.out(`${nameOf(kind, name)} restarted\n`);
}

async function undo(command: Command, target: Target): Promise<void> {
  const { kind, name, namespace } = target;
  const revisions = await revisionsOf(command, target);
  const wanted = Number(command.flags.get("to-revision") ?? 0);
  const revision = wanted === 0 ? revisions.at(-2) : revisions.find(({ number }) => number === wanted);
  if (!revision)
    throw new Failure(
      wanted === 0
        ? `error: no rollout history found for ${kind.kind.toLowerCase()} "${name}"`
        : `error: unable to find specified revision ${wanted} in history`,
    );
  const path = pathOf(kind, namespace, name);
  const query = writeQuery(command, "kubectl-rollout");
  if (kind.kind === "Deployment") {
    const template = specOf(revision.object)["template"] as Json;
    const metadata = (template["metadata"] ?? {}) as Json;
    const { "pod-template-hash": _, ...labels } = (metadata["labels"] ?? {}) as Json;
    const value = { ...template, metadata: { ...metadata, labels } } as Json;
    await command.api.json("PATCH", path, {
      query,
      contentType: "application/json-patch+json",
      body: [{ op: "replace", path: "/spec/template", value }],
    });
  } else await command.api.json("PATCH", path, { query, contentType: STRATEGIC, body: revision.object["data"] });
  command.streams.out(`${nameOf(kind, name)} rolled back\n`);
}

const pause =
  (paused: boolean) =>
  async (command: Command, { kind, name, namespace }: Target): Promise<void> => {
    const body = { spec: { paused: paused || null } };
    await command.api.json("PATCH", pathOf(kind, namespace, name), {
      query: writeQuery(command, "kubectl-rollout"),
      contentType: MERGE,
      body,
    });
    command.streams.out(`${nameOf(kind, name)} ${paused ? "paused" : "resumed"}\n`);
  };

const WORKS: Readonly<Record<string, (command: Command, target: Target) => Promise<void>>> = {
  status: showStatus,
  history,
  restart,
  undo,
  pause: pause(true),
  resume: pause(false),
};
