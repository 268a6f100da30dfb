/**
 * The commands that change one thing of objects: `patch`, `label`, `annotate`, `scale`, `set image`, `taint`, `delete`,
 * `expose` and `autoscale`.
 *
 * @module
 */
import { decodeYaml } from "../../../src/value/yaml.ts";
import {
  type ApiJson,
  ApiFailure,
  Failure,
  JSON_PATCH,
  type Json,
  type JsonValue,
  MERGE,
  STRATEGIC,
  nameOf,
  pathOf,
  titleOf,
  textOf,
} from "./api.ts";
import { createObject, dryRunText, printResult, writeQuery } from "./apply.ts";
import { type Command, eachOf, type Target, namespaceOf, targetsOf } from "./context.ts";
import { timeoutOf, waitUntilGone } from "./wait.ts";

const PATCH_TYPES: Readonly<Record<string, string>> = { strategic: STRATEGIC, merge: MERGE, json: JSON_PATCH };

const patchOf = (text: string): unknown => JSON.parse(JSON.stringify(decodeYaml(text, { jsonEscapes: true }).value));

/** Patches an object, and resolves to it before and after. */
async function patchObject(
  command: Command,
  { kind, name, namespace }: Target,
  {
    contentType,
    body,
    subresource,
  }: { readonly contentType: string; readonly body: unknown; readonly subresource?: string | undefined },
  manager: string,
): Promise<{ readonly before: ApiJson; readonly after: ApiJson }> {
  const { api } = command;
  const before = await api.json<ApiJson>("GET", pathOf(kind, namespace, name));
  const path = pathOf(kind, namespace, name, subresource);
  const after = await api.json<ApiJson>("PATCH", path, { query: writeQuery(command, manager), contentType, body });
  return { before, after };
}

const isSame = (a: ApiJson, b: ApiJson): boolean => a.metadata["resourceVersion"] === b.metadata["resourceVersion"];

/** Runs `kubectl patch`. */
export async function patch(command: Command): Promise<number> {
  const { flags, streams } = command;
  const file = flags.get("patch-file");
  const text = flags.get("patch") ?? (file === undefined ? undefined : streams.shell.files.read(file));
  if (text === undefined)
    throw new Failure("error: must specify --patch or --patch-file containing the contents of the patch");
  const type = flags.get("type") ?? "strategic";
  const contentType = PATCH_TYPES[type];
  if (contentType === undefined)
    throw new Failure(`error: --type must be one of [json merge strategic], not "${type}"`);
  return eachOf(command, await targetsOf(command, flags.words, "patch"), async (target) => {
    const change = { contentType, body: patchOf(text), subresource: flags.get("subresource") };
    const { before, after } = await patchObject(command, target, change, "kubectl-patch");
    printResult(
      command,
      target,
      after,
      isSame(before, after) && !flags.has("dry-run") ? "patched (no change)" : "patched",
    );
  });
}

/** Splits words into those that name objects and changes such as `team=shop` and `team-`. */
function changesIn(words: readonly string[]): {
  readonly names: readonly string[];
  readonly changes: Readonly<Record<string, string | null>>;
} {
  const isChange = (word: string): boolean => word.includes("=") || /^[^-].*-$/.test(word);
  const changes = words
    .filter(isChange)
    .map((word): [string, string | null] =>
      word.includes("=")
        ? [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]
        : [word.slice(0, -1), null],
    );
  return { names: words.filter((word) => !isChange(word)), changes: Object.fromEntries(changes) };
}

/** Runs `kubectl label` and `kubectl annotate`. */
export const mark =
  (member: "labels" | "annotations"): ((command: Command) => Promise<number>) =>
  async (command) => {
    const { flags, api } = command;
    const what = member === "labels" ? "label" : "annotate";
    const { names, changes } = changesIn(flags.words);
    if (Object.keys(changes).length === 0)
      throw new Failure(`error: at least one ${what === "label" ? "label" : "annotation"} update is required`);
    return eachOf(command, await targetsOf(command, names, what), async (target) => {
      const path = pathOf(target.kind, target.namespace, target.name);
      const before = await api.json<ApiJson>("GET", path);
      const own = (before.metadata[member] ?? {}) as Json;
      const taken = Object.entries(changes).find(
        ([name, value]) => value !== null && own[name] !== undefined && own[name] !== value,
      );
      if (taken && !flags.on("overwrite")) {
        throw new Failure(
          `error: '${taken[0]}' already has a value (${textOf(own[taken[0]])}), and --overwrite is false`,
        );
      }
      const query = writeQuery(command, `kubectl-${what}`);
      const after = await api.json<ApiJson>("PATCH", path, {
        query,
        contentType: MERGE,
        body: { metadata: { [member]: changes } },
      });
      const removes = Object.values(changes).every((value) => value === null);
      const done = member === "annotations" ? "annotated" : removes ? "unlabeled" : "labeled";
      printResult(command, target, after, isSame(before, after) && !flags.has("dry-run") ? `not ${done}` : done);
    });
  };

/** Runs `kubectl scale`. */
export async function scale(command: Command): Promise<number> {
  const { flags, api } = command;
  const replicas = flags.get("replicas");
  if (replicas === undefined) throw new Failure('error: required flag(s) "replicas" not set');
  const current = flags.get("current-replicas");
  return eachOf(command, await targetsOf(command, flags.words, "scale"), async (target) => {
    const path = pathOf(target.kind, target.namespace, target.name, "scale");
    if (current !== undefined) {
      const { spec } = await api.json<ApiJson & { spec: { replicas?: number } }>("GET", path);
      if ((spec.replicas ?? 0) !== Number(current))
        throw new Failure(`error: Expected replicas to be ${current}, was ${spec.replicas ?? 0}`);
    }
    const query = writeQuery(command, "kubectl-scale");
    await api.json<ApiJson>("PATCH", path, {
      query,
      contentType: MERGE,
      body: { spec: { replicas: Number(replicas) } },
    });
    command.streams.out(`${nameOf(target.kind, target.name)} scaled${dryRunText(command)}\n`);
  });
}

/** The spec of the Pods of a workload, and the patch around a change of it. */
function podSpecOf(object: ApiJson): { readonly spec: Json; readonly around: (spec: Json) => Json } {
  const spec = (object["spec"] ?? {}) as Json;
  if (object.kind === "Pod") return { spec, around: (change) => ({ spec: change }) };
  if (object.kind === "CronJob") {
    const job = ((spec["jobTemplate"] as Json)["spec"] as Json)["template"] as Json;
    return {
      spec: job["spec"] as Json,
      around: (change) => ({ spec: { jobTemplate: { spec: { template: { spec: change } } } } }),
    };
  }
  return {
    spec: ((spec["template"] ?? {}) as Json)["spec"] as Json,
    around: (change) => ({ spec: { template: { spec: change } } }),
  };
}

/** Runs `kubectl set image` and `kubectl set env`. */
export async function set(command: Command): Promise<number> {
  const [what = "", ...words] = command.flags.words;
  if (what !== "image" && what !== "env") throw new Failure(`error: expected set image or set env, got set ${what}`);
  const isPair = (word: string): boolean => word.includes("=");
  const pairs = words
    .filter(isPair)
    .map((word): [string, string] => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
  return eachOf(
    command,
    await targetsOf(
      command,
      words.filter((word) => !isPair(word)),
      "set",
    ),
    async (target) => {
      const before = await command.api.json<ApiJson>("GET", pathOf(target.kind, target.namespace, target.name));
      const { spec, around } = podSpecOf(before);
      const containers = ((spec["containers"] ?? []) as JsonValue[]).map((one) => (one as Json)["name"] as string);
      const changed = (what === "image" ? pairs : containers.map((name): [string, string] => [name, ""])).flatMap(
        ([name, image]): Json[] => {
          const named = name === "*" ? containers : [name];
          if (what === "env")
            return named.map((one) => ({ name: one, env: pairs.map(([key, value]) => ({ name: key, value })) }));
          const missing = named.find((one) => !containers.includes(one));
          if (missing !== undefined) throw new Failure(`error: unable to find container named "${missing}"`);
          return named.map((one) => ({ name: one, image }));
        },
      );
      const body = around({ containers: changed });
      const { after } = await patchObject(command, target, { contentType: STRATEGIC, body }, "kubectl-set");
      if (isSame(before, after)) return;
      printResult(command, target, after, `${what} updated`);
    },
  );
}

/** Runs `kubectl taint node`. */
export async function taint(command: Command): Promise<number> {
  const { flags, api } = command;
  const isTaint = (word: string): boolean => word.includes(":") || /^[^-].*-$/.test(word);
  const given = flags.words.filter(isTaint);
  return eachOf(
    command,
    await targetsOf(
      command,
      flags.words.filter((word) => !isTaint(word)),
      "taint",
    ),
    async (target) => {
      const path = pathOf(target.kind, target.namespace, target.name);
      const node = await api.json<ApiJson & { spec: { taints?: Json[] } }>("GET", path);
      let taints = node.spec.taints ?? [];
      let removes = false;
      for (const word of given) {
        const isRemoval = word.endsWith("-");
        removes ||= isRemoval;
        const [pair = "", effect] = (isRemoval ? word.slice(0, -1) : word).split(":");
        const [key = "", value] = pair.split("=");
        taints = taints.filter((one) => one["key"] !== key || (effect !== undefined && one["effect"] !== effect));
        if (!isRemoval) taints = [...taints, { key, effect: effect ?? "", ...(value === undefined ? {} : { value }) }];
      }
      await api.json("PATCH", path, {
        query: writeQuery(command, "kubectl-taint"),
        contentType: MERGE,
        body: { spec: { taints } },
      });
      command.streams.out(`${nameOf(target.kind, target.name)} ${removes ? "untainted" : "tainted"}\n`);
    },
  );
}

const CASCADE: Readonly<Record<string, string>> = {
  background: "Background",
  foreground: "Foreground",
  orphan: "Orphan",
  true: "Background",
  false: "Orphan",
};

/** Runs `kubectl delete`. */
export async function remove(command: Command): Promise<number> {
  const { flags, api, streams } = command;
  const propagationPolicy = CASCADE[flags.get("cascade") ?? "background"];
  if (propagationPolicy === undefined)
    throw new Failure(
      `error: invalid cascade value (${flags.get("cascade")}). Must be "background", "foreground", or "orphan"`,
    );
  const grace = flags.on("now") ? "1" : flags.get("grace-period");
  const gone: Target[] = [];
  const targets = await targetsOf(command, flags.words, "delete");
  if (targets.length === 0) streams.err("No resources found\n");
  const code = await eachOf(command, targets, async (target) => {
    const path = pathOf(target.kind, target.namespace, target.name);
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      propagationPolicy,
      ...(flags.get("dry-run") === "server" ? { dryRun: ["All"] } : {}),
      ...(grace === undefined ? {} : { gracePeriodSeconds: Math.max(0, Number(grace)) }),
    };
    try {
      await api.json("DELETE", path, { body });
    } catch (error) {
      if (flags.on("ignore-not-found") && error instanceof ApiFailure && error.status.code === 404) return;
      throw error;
    }
    gone.push(target);
    const from = target.namespace === undefined ? "" : ` from ${target.namespace} namespace`;
    const forced = grace === "0" && flags.on("force") ? "force deleted" : "deleted";
    if (flags.get("output") === "name") streams.out(`${nameOf(target.kind, target.name)}\n`);
    else streams.out(`${titleOf(target.kind)} "${target.name}" ${forced}${from}${dryRunText(command)}\n`);
  });
  if (flags.on("wait", true) && !flags.has("dry-run")) {
    for (const target of gone) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, as kubectl
      await waitUntilGone(command, target, timeoutOf(command, 0) || Infinity);
    }
  }
  return code;
}

/** Runs `kubectl expose`: a Service for the Pods of a workload. */
export async function expose(command: Command): Promise<number> {
  const { flags, api } = command;
  return eachOf(command, await targetsOf(command, flags.words, "expose"), async ({ kind, name, namespace }) => {
    const object = await api.json<ApiJson>("GET", pathOf(kind, namespace, name));
    const spec = (object["spec"] ?? {}) as Json;
    const selector =
      kind.kind === "Pod" ? object.metadata["labels"] : ((spec["selector"] as Json)["matchLabels"] ?? spec["selector"]);
    const port = Number(flags.get("port") ?? 80);
    const target = flags.get("target-port");
    const service: ApiJson = {
      apiVersion: "v1",
      kind: "Service",
      metadata: {
        name: flags.get("name") ?? name,
        ...(object.metadata["labels"] ? { labels: object.metadata["labels"] } : {}),
      },
      spec: {
        ports: [
          {
            port,
            protocol: "TCP",
            targetPort: target === undefined ? port : /^\d+$/.test(target) ? Number(target) : target,
          },
        ],
        selector: selector as Json,
        ...(flags.has("type") ? { type: flags.get("type")! } : {}),
      },
    };
    const services = await api.findKind("services");
    const stored = await api.json<ApiJson>("POST", pathOf(services, namespace), {
      query: writeQuery(command, "kubectl-expose"),
      body: service,
    });
    printResult(command, { kind: services }, stored, "exposed");
  });
}

/** Runs `kubectl autoscale`. */
export async function autoscale(command: Command): Promise<number> {
  const { flags, api } = command;
  return eachOf(command, await targetsOf(command, flags.words, "autoscale"), async ({ kind, name }) => {
    const cpu = Number((flags.get("cpu-percent") ?? flags.get("cpu") ?? "80").replace("%", ""));
    const object: ApiJson = {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: flags.get("name") ?? name },
      spec: {
        scaleTargetRef: { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, name },
        minReplicas: Number(flags.get("min") ?? 1),
        maxReplicas: Number(flags.get("max") ?? 1),
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: cpu } } },
        ],
      },
    };
    const scalers = await api.kindOf(object, "the command line");
    const stored = await api.json<ApiJson>("POST", pathOf(scalers, namespaceOf(command)), {
      query: writeQuery(command, "kubectl-autoscale"),
      body: object,
    });
    printResult(command, { kind: scalers }, stored, "autoscaled");
  });
}

/** Runs `kubectl run`: one Pod. */
export async function run(command: Command): Promise<number> {
  const { flags, api } = command;
  const [name] = flags.words;
  const image = flags.get("image");
  if (name === undefined || image === undefined) throw new Failure("error: expected a name and --image");
  const { rest } = flags;
  const object: ApiJson = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { run: name } },
    spec: {
      containers: [
        {
          image,
          name,
          resources: {},
          ...(rest.length === 0 ? {} : flags.on("command") ? { command: [...rest] } : { args: [...rest] }),
        },
      ],
      ...(flags.has("restart") ? { restartPolicy: flags.get("restart")! } : {}),
    },
  };
  await createObject(command, { kind: await api.findKind("pods"), namespace: namespaceOf(command), object });
  return 0;
}
