/**
 * `kubectl logs` and `kubectl exec`: what a container has printed, and a command in it.
 *
 * @module
 */
import { parseGoMillis } from "../../../src/util/go-duration.ts";
import { type ApiJson, Failure, type Json, pathOf, textOf } from "./api.ts";
import { type Command, namespaceOf } from "./context.ts";

/** Runs `kubectl logs`. */
export async function logs(command: Command): Promise<number> {
  const { flags, streams, api } = command;
  const namespace = namespaceOf(command);
  const pods = await api.findKind("pods");
  const [word, second] = flags.words;
  if (word === undefined && !flags.has("selector"))
    throw new Failure(
      "error: expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command",
    );
  const names = await podsOf(command, word);
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop -- in the order of the Pods
    const response = await api.open("GET", pathOf(pods, namespace, name, "log"), {
      query: {
        container: flags.get("container") ?? second,
        follow: flags.on("follow") ? "true" : undefined,
        previous: flags.on("previous") ? "true" : undefined,
        tailLines: flags.get("tail"),
        timestamps: flags.on("timestamps") ? "true" : undefined,
        sinceSeconds: sinceSeconds(flags.get("since")),
      },
      signal: streams.signal,
    });
    const decoder = new TextDecoder();
    let text = "";
    // oxlint-disable-next-line no-await-in-loop
    for await (const piece of response.body) {
      const part = decoder.decode(piece, { stream: true });
      if (response.status >= 400) text += part;
      else streams.out(part);
    }
    if (response.status >= 400) {
      const { reason, message } = JSON.parse(text) as { reason?: string; message?: string };
      if (reason === "NotFound")
        throw new Failure(`error: error from server (NotFound): ${message} in namespace "${namespace}"`);
      throw new Failure(`Error from server (${reason}): ${message}`);
    }
  }
  return 0;
}

/** A time such as `1m30s` in whole seconds. @throws Failure */
function sinceSeconds(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const millis = parseGoMillis(text);
  if (millis === undefined)
    throw new Failure(`error: invalid argument "${text}" for "--since" flag: expected a time such as 30s`);
  return String(Math.max(1, Math.ceil(millis / 1000)));
}

/** The Pods of a word: a name, an object that has Pods, or those of the selector. */
async function podsOf(command: Command, word: string | undefined): Promise<readonly string[]> {
  if (word !== undefined && !word.includes("/")) return [word];
  const { api, flags } = command;
  const namespace = namespaceOf(command);
  let labelSelector = flags.get("selector");
  if (word !== undefined) {
    const at = word.indexOf("/");
    const kind = await api.findKind(word.slice(0, at));
    if (kind.kind === "Pod") return [word.slice(at + 1)];
    const object = await api.json<ApiJson>("GET", pathOf(kind, namespace, word.slice(at + 1)));
    const selector = ((object["spec"] ?? {}) as Json)["selector"] as Json | undefined;
    const labels = (selector?.["matchLabels"] ?? selector ?? {}) as Json;
    labelSelector = Object.entries(labels)
      .map(([name, value]) => `${name}=${textOf(value)}`)
      .join(",");
  }
  const pods = await api.findKind("pods");
  const { items } = await api.json<{ items: readonly ApiJson[] }>("GET", pathOf(pods, namespace), {
    query: { labelSelector },
  });
  const found = items.map(({ metadata }) => metadata.name);
  if (word === undefined) return found;
  if (found.length > 1) command.streams.err(`Found ${found.length} pods, using pod/${found[0]}\n`);
  return found.slice(0, 1);
}

/** Runs `kubectl exec`: one command in a container, which gets what is piped into it. */
export async function exec(command: Command): Promise<number> {
  const { flags, streams, api } = command;
  const [word, ...more] = flags.words;
  const run = flags.rest.length > 0 ? flags.rest : more;
  if (word === undefined) throw new Failure("error: pod, type/name or --filename must be specified");
  if (run.length === 0) throw new Failure("error: you must specify at least one command for the container");
  if (!command.exec) throw new Failure("error: expected a cluster with containers, which this is not");
  const [name] = await podsOf(command, word);
  if (name === undefined) throw new Failure(`error: no pods found for ${word}`);
  const namespace = namespaceOf(command);
  const pod = await api.json<ApiJson>("GET", pathOf(await api.findKind("pods"), namespace, name));
  const { containers = [] } = (pod["spec"] ?? {}) as { containers?: { name: string }[] };
  const { containerStatuses = [] } = (pod["status"] ?? {}) as { containerStatuses?: { name: string; state?: Json }[] };
  const container = flags.get("container") ?? containers[0]?.name ?? "";
  if (containers.length > 1 && !flags.has("container")) {
    const others = containers.map((one) => one.name).join(", ");
    streams.err(`Defaulted container "${container}" out of: ${others}\n`);
  }
  if (!containers.some((one) => one.name === container)) {
    const names = containers.map((one) => one.name).join(", ");
    throw new Failure(
      `Error from server (BadRequest): container ${container} is not valid for pod ${name}: it has ${names}`,
    );
  }
  if (!containerStatuses.some((one) => one.name === container && one.state?.["running"] !== undefined)) {
    throw new Failure(
      `Error from server (BadRequest): container not found ("${container}") in pod ${name}: it does not run`,
    );
  }
  const stdin = flags.on("stdin") ? streams.input : undefined;
  const result = await command.exec(
    { namespace, pod: name, container },
    { command: run, ...(stdin === undefined ? {} : { stdin }) },
  );
  if (typeof result === "string") throw new Failure(`error: unable to run a command in pod ${name}: ${WHY[result]}`);
  const { stdout = "", stderr = "", code = 0 } = result;
  streams.out(stdout);
  streams.err(stderr);
  if (code !== 0) streams.err(`command terminated with exit code ${code}\n`);
  return code;
}

/** Why a container runs no command. */
const WHY: Readonly<Record<string, string>> = {
  Elsewhere: "the nodes are not simulated yet; try again",
  NoPod: "there is no such Pod on a node",
  NoContainer: "there is no such container",
  NotSimulated: "it is on no simulated node",
  NotRunning: "its container does not run",
  NodeLost: "its node does not respond",
};
