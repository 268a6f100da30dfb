/**
 * `kubectl cordon`, `uncordon` and `drain`: no new Pods on a node, and those that are there evicted.
 *
 * @module
 */
import { sleep } from "../../../src/util/clock.ts";
import { type ApiJson, ApiFailure, Failure, type Json, MERGE, nameOf, pathOf, textOf } from "./api.ts";
import { dryRunText, writeQuery } from "./apply.ts";
import { type Command, type Target, eachOf, targetsOf } from "./context.ts";
import { timeoutOf, waitUntilGone } from "./wait.ts";

/** How long an eviction that a budget has refused waits for its next try, in ms. */
const EVICT_RETRY_MS = 5000;
const MIRROR = "kubernetes.io/config.mirror";

/** Runs `kubectl cordon` and `kubectl uncordon`. */
export const cordon =
  (unschedulable: boolean): ((command: Command) => Promise<number>) =>
  async (command) =>
    eachOf(command, await nodesOf(command, unschedulable ? "cordon" : "uncordon"), (node) =>
      setUnschedulable(command, node, unschedulable),
    );

const nodesOf = (command: Command, what: string): Promise<readonly Target[]> =>
  targetsOf(command, ["node", ...command.flags.words], what);

async function setUnschedulable(command: Command, node: Target, unschedulable: boolean): Promise<void> {
  const { api, streams } = command;
  const path = pathOf(node.kind, undefined, node.name);
  const before = await api.json<ApiJson & { spec: Json }>("GET", path);
  const what = unschedulable ? "cordoned" : "uncordoned";
  const isAlready = (before.spec["unschedulable"] === true) === unschedulable;
  if (!isAlready && command.flags.get("dry-run") !== "client") {
    const query = writeQuery(command, `kubectl-${unschedulable ? "cordon" : "uncordon"}`);
    const body = { spec: { unschedulable: unschedulable || null } };
    await api.json("PATCH", path, { query, contentType: MERGE, body });
  }
  streams.out(`${nameOf(node.kind, node.name)} ${isAlready ? `already ${what}` : what}${dryRunText(command)}\n`);
}

/** Runs `kubectl drain`. */
export async function drain(command: Command): Promise<number> {
  const { streams } = command;
  const nodes = await nodesOf(command, "drain");
  for (const node of nodes) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as kubectl
    await setUnschedulable(command, node, true);
  }
  const pending: string[] = [];
  const errors: string[] = [];
  for (const node of nodes) {
    try {
      // oxlint-disable-next-line no-await-in-loop
      await evictAll(command, node);
      streams.out(`${nameOf(node.kind, node.name)} drained${dryRunText(command)}\n`);
    } catch (error) {
      if (!(error instanceof Failure || error instanceof ApiFailure)) throw error;
      if (streams.signal.aborted) throw error;
      streams.err(`error: unable to drain node "${node.name}" due to error: ${error.message}, continuing command...\n`);
      pending.push(node.name);
      errors.push(...(error instanceof DrainFailure ? error.reasons : [error.message]));
    }
  }
  if (pending.length === 0) return 0;
  streams.err(`There are pending nodes to be drained:\n${pending.map((name) => ` ${name}\n`).join("")}`);
  streams.err(errors.map((error) => `${error}\n`).join(""));
  return 1;
}

/** Why the Pods of a node may not be evicted. */
class DrainFailure extends Failure {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    super(reasons.length === 1 ? reasons[0]! : `[${reasons.join(", ")}]`);
    this.reasons = reasons;
  }
}

/** What `drain` does with a Pod. */
interface Choice {
  readonly pod: ApiJson;
  readonly isEvicted: boolean;
  readonly warning?: string;
  readonly error?: string;
}

function choose(pod: ApiJson, { flags }: Command): Choice {
  const { annotations = {}, ownerReferences = [] } = pod.metadata as { annotations?: Json; ownerReferences?: Json[] };
  const { phase } = (pod["status"] ?? {}) as { phase?: string };
  const { volumes = [] } = (pod["spec"] ?? {}) as { volumes?: Json[] };
  const controller = ownerReferences.find((one) => one["controller"] === true);
  if (annotations[MIRROR] !== undefined) return { pod, isEvicted: false };
  if (phase === "Succeeded" || phase === "Failed") return { pod, isEvicted: true };
  if (controller?.["kind"] === "DaemonSet") {
    return flags.on("ignore-daemonsets")
      ? { pod, isEvicted: false, warning: "ignoring DaemonSet-managed Pods" }
      : {
          pod,
          isEvicted: false,
          error: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
        };
  }
  const isLocal = volumes.some((volume) => volume["emptyDir"] !== undefined);
  if (isLocal && !flags.on("delete-emptydir-data")) {
    return {
      pod,
      isEvicted: false,
      error: "Pods with local storage (use --delete-emptydir-data to override)",
    };
  }
  if (controller) return { pod, isEvicted: true };
  if (flags.on("force")) {
    return { pod, isEvicted: true, warning: "deleting Pods that declare no controller" };
  }
  // The error begins with the same words twice in kubectl, too.
  return { pod, isEvicted: false, error: "cannot delete Pods that declare no controller (use --force to override)" };
}

const placeOf = ({ metadata }: ApiJson): string => `${metadata.namespace}/${metadata.name}`;

/** `message: a/b, a/c` for each message. */
function grouped(choices: readonly Choice[], messageOf: (choice: Choice) => string | undefined): readonly string[] {
  const by = Map.groupBy(choices, messageOf);
  return [...by].flatMap(([message, some]) =>
    message === undefined ? [] : [`${message}: ${some.map(({ pod }) => placeOf(pod)).join(", ")}`],
  );
}

/** Evicts the Pods of a node, and waits until they are gone. @throws Failure */
async function evictAll(command: Command, node: Target): Promise<void> {
  const { api, flags, streams } = command;
  const query = { fieldSelector: `spec.nodeName=${node.name}`, labelSelector: flags.get("pod-selector") };
  const { items } = await api.json<{ items: readonly ApiJson[] }>("GET", "/api/v1/pods", { query });
  const choices = items.map((pod) => choose(pod, command));
  const reasons = grouped(choices, ({ error }) => error && `cannot delete ${error}`);
  if (reasons.length > 0) throw new DrainFailure(reasons);
  const warnings = grouped(choices, ({ warning }) => warning);
  if (warnings.length > 0) streams.err(`Warning: ${warnings.join("; ")}\n`);
  const pods = choices.filter(({ isEvicted }) => isEvicted).map(({ pod }) => pod);
  for (const pod of pods) streams.out(`evicting pod ${placeOf(pod)}${dryRunText(command)}\n`);
  if (flags.has("dry-run")) return;
  const timeout = timeoutOf(command, Infinity);
  const until = api.clock.steady() + (timeout === 0 ? Infinity : timeout);
  const kind = await api.findKind("pods");
  await Promise.all(
    pods.map(async (pod) => {
      await evict(command, pod, until);
      const { name, namespace } = pod.metadata;
      const isGone = await waitUntilGone(
        command,
        { kind, name, namespace, uid: textOf(pod.metadata["uid"]) },
        until - api.clock.steady(),
      );
      if (!isGone) throw new Failure("drain did not complete within its timeout: a Pod is still there");
      streams.out(`pod/${name} evicted\n`);
    }),
  );
}

/** Evicts a Pod; again where its budget does not allow it now. @throws Failure, ApiFailure */
async function evict(command: Command, { metadata }: ApiJson, until: number): Promise<void> {
  const { api, flags, streams } = command;
  const { name, namespace } = metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const grace = flags.get("grace-period");
  const options = grace === undefined || Number(grace) < 0 ? {} : { gracePeriodSeconds: Number(grace) };
  const deleteOptions = { apiVersion: "v1", kind: "DeleteOptions", ...options };
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace }, deleteOptions };
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- until the budget allows it
      await (flags.on("disable-eviction")
        ? api.json("DELETE", path, { body: deleteOptions })
        : api.json("POST", `${path}/eviction`, { body: eviction }));
      return;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (error.status.code === 404) return;
      const what = `error when evicting pods/"${name}" -n "${namespace}"`;
      if (error.status.code !== 429) throw new Failure(`${what}: ${error.message}`);
      if (api.clock.steady() + EVICT_RETRY_MS > until) throw new Failure(`${what}: global timeout reached`);
      streams.err(`${what} (will retry after 5s): ${error.message}\n`);
      // oxlint-disable-next-line no-await-in-loop
      await sleep(api.clock, EVICT_RETRY_MS, streams.signal);
      if (streams.signal.aborted) throw new Failure("", 130);
    }
  }
}
