/**
 * A small kubectl for the terminal of a page: the commands that the guides use, with the output of kubectl 1.35.
 *
 * @module
 */
import type { Transport } from "../../../src/client/transport.ts";
import type { Clock } from "../../../src/util/clock.ts";
import type { Program } from "../shell/shell.ts";
import { Api, ApiFailure, Failure, conflictText, failureText } from "./api.ts";
import { apply, diff, replace } from "./apply.ts";
import { autoscale, expose, mark, patch, remove, run, scale, set, taint } from "./change.ts";
import { config } from "./config.ts";
import type { Command, Exec } from "./context.ts";
import { create } from "./create.ts";
import { describe, events } from "./describe.ts";
import { cordon, drain } from "./drain.ts";
import { edit } from "./edit.ts";
import { explain } from "./explain.ts";
import { type FlagTable, UsageError, parseFlags } from "./flags.ts";
import { get } from "./get.ts";
import { apiResources, apiVersions, auth, clusterInfo, top, version } from "./others.ts";
import { exec, logs } from "./pods.ts";
import { rollout } from "./rollout.ts";
import { wait } from "./wait.ts";

interface Entry {
  readonly run: (command: Command) => Promise<number>;
  readonly about: string;
  readonly flags?: Partial<FlagTable>;
}

const WRITE = { values: ["dry-run", "validate"], switches: ["save-config"] };
const write = (more: Partial<FlagTable> = {}): Partial<FlagTable> => ({
  values: [...WRITE.values, ...(more.values ?? [])],
  switches: [...WRITE.switches, "all", "local", ...(more.switches ?? [])],
  short: more.short ?? {},
});

const EXEC_SHORT = { c: "container", i: "stdin", t: "tty", q: "quiet" };

/** Commands of kubectl that a page cannot have, and why. */
const ABSENT: Readonly<Record<string, string>> = {
  "port-forward": "it listens on a port of your machine, and a page can listen on none; exec and logs are here",
  proxy: "it listens on a port of your machine, and a page can listen on none; get --raw is here",
  attach: "it holds the terminal of a container; exec and logs are here",
  cp: "it copies to a disk; exec with cat is here",
  debug: "it needs the terminal of a container; exec is here",
  kustomize: "it is a program of its own; apply -f is here",
  certificate: "a page issues no certificates",
};

const COMMANDS: Readonly<Record<string, Entry>> = {
  get: {
    run: get,
    about: "Print objects.",
    flags: {
      values: ["field-selector", "sort-by", "label-columns", "raw"],
      switches: ["watch", "watch-only", "show-labels", "no-headers", "ignore-not-found", "show-managed-fields", "all"],
      short: { w: "watch", L: "label-columns" },
    },
  },
  describe: { run: describe, about: "Print an object with its Events.", flags: { switches: ["show-events"] } },
  events: { run: events, about: "Print Events.", flags: { values: ["for"] } },
  explain: { run: explain, about: "Print the fields of a kind.", flags: { values: ["api-version"] } },
  create: {
    run: create,
    about: "Create objects of files, or one that flags describe.",
    flags: write({
      values: [
        "raw",
        "from-literal",
        "from-file",
        "image",
        "replicas",
        "hard",
        "type",
        "schedule",
        "verb",
        "resource",
        "non-resource-url",
        "user",
        "group",
        "serviceaccount",
        "role",
        "clusterrole",
        "value",
        "port",
      ],
    }),
  },
  apply: {
    run: apply,
    about: "Apply objects of files.",
    flags: write({ switches: ["server-side", "force-conflicts", "force", "prune", "wait", "overwrite"] }),
  },
  diff: {
    run: diff,
    about: "Print what an apply would change.",
    flags: write({ switches: ["server-side", "force-conflicts"] }),
  },
  replace: { run: replace, about: "Replace objects by those of files.", flags: write({ switches: ["force"] }) },
  patch: {
    run: patch,
    about: "Change members of an object.",
    flags: write({ values: ["patch", "patch-file", "type", "subresource"], short: { p: "patch" } }),
  },
  edit: { run: edit, about: "Edit an object in an editor.", flags: write() },
  label: {
    run: mark("labels"),
    about: "Set or remove labels.",
    flags: write({ switches: ["overwrite"], values: ["resource-version"] }),
  },
  annotate: {
    run: mark("annotations"),
    about: "Set or remove annotations.",
    flags: write({ switches: ["overwrite"] }),
  },
  scale: {
    run: scale,
    about: "Set the number of replicas.",
    flags: write({ values: ["replicas", "current-replicas"] }),
  },
  set: { run: set, about: "Set the image or the environment of containers.", flags: write() },
  rollout: {
    run: rollout,
    about: "Status, history, restart, undo, pause and resume of rollouts.",
    flags: write({ values: ["timeout", "to-revision"], switches: ["watch"], short: { w: "watch" } }),
  },
  wait: {
    run: wait,
    about: "Wait for a condition, a value, a create or a delete.",
    flags: { values: ["for", "timeout"], switches: ["all"] },
  },
  logs: {
    run: logs,
    about: "Print the log of a container.",
    flags: {
      values: ["container", "tail", "since"],
      switches: ["follow", "previous", "timestamps"],
      short: { c: "container", p: "previous", f: "follow" },
    },
  },
  exec: {
    run: exec,
    about: "Run a command in a container.",
    flags: { values: ["container"], switches: ["stdin", "tty", "quiet"], short: EXEC_SHORT },
  },
  delete: {
    run: remove,
    about: "Delete objects.",
    flags: write({
      values: ["cascade", "grace-period", "timeout"],
      switches: ["wait", "now", "force", "ignore-not-found"],
    }),
  },
  taint: { run: taint, about: "Set or remove taints of nodes.", flags: write({ switches: ["overwrite"] }) },
  cordon: { run: cordon(true), about: "Keep new Pods off a node.", flags: write() },
  uncordon: { run: cordon(false), about: "Let new Pods on a node.", flags: write() },
  drain: {
    run: drain,
    about: "Evict the Pods of a node.",
    flags: write({
      values: ["grace-period", "timeout", "pod-selector"],
      switches: ["ignore-daemonsets", "delete-emptydir-data", "force", "disable-eviction"],
    }),
  },
  expose: {
    run: expose,
    about: "Create a Service for a workload.",
    flags: write({ values: ["port", "target-port", "name", "type"] }),
  },
  autoscale: {
    run: autoscale,
    about: "Create an autoscaler for a workload.",
    flags: write({ values: ["min", "max", "cpu-percent", "cpu", "name"] }),
  },
  run: { run, about: "Create a Pod.", flags: write({ values: ["image", "restart"], switches: ["command"] }) },
  top: { run: top, about: "Print the usage of Pods or nodes." },
  auth: { run: auth, about: "Print what a user may do." },
  "api-resources": { run: apiResources, about: "Print the kinds.", flags: { values: ["api-group", "namespaced"] } },
  "api-versions": { run: apiVersions, about: "Print the groups and versions." },
  version: { run: version, about: "Print the versions." },
  config: {
    run: config,
    about: "Print the context, and set the namespace of commands.",
    flags: { switches: ["current", "minify"] },
  },
  "cluster-info": { run: clusterInfo, about: "Print where the cluster runs." },
};

const help = (): string =>
  `A small kubectl for the cluster of this page:\n\n${Object.entries(COMMANDS)
    .map(([name, { about }]) => `  ${name.padEnd(16)}${about}\n`)
    .join("")}`;

/** The program `kubectl`. */
export const kubectl =
  (transport: Transport, clock: Clock, runIn?: Exec): Program =>
  async (args, streams) => {
    const at = args.findIndex(
      (arg, i) => !arg.startsWith("-") && !/^(?:-n|--namespace|--context|--kubeconfig)$/.test(args[i - 1] ?? ""),
    );
    const name = at < 0 ? "" : args[at]!;
    const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (name === "" || name === "help" || (entry && (args.includes("--help") || args.includes("-h")))) {
      streams.out(
        entry
          ? `${entry.about}\n\nFlags: ${[...(entry.flags?.values ?? []), ...(entry.flags?.switches ?? [])].map((flag) => `--${flag}`).join(" ")}\n`
          : help(),
      );
      return 0;
    }
    if (!entry) {
      const why = Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
      streams.err(
        why === undefined
          ? `error: unknown command "${name}" for "kubectl"\n`
          : `error: the kubectl of this page has no ${name}: ${why}\n`,
      );
      return 1;
    }
    try {
      const flags = parseFlags([...args.slice(0, at), ...args.slice(at + 1)], entry.flags);
      return await entry.run({ flags, streams, api: new Api(transport, clock, streams.err), exec: runIn });
    } catch (error) {
      if (streams.signal.aborted) return 130;
      if (error instanceof ApiFailure) streams.err(`${conflictText(error) ?? failureText(error)}\n`);
      else if (error instanceof Failure) streams.err(error.message === "" ? "" : `${error.message}\n`);
      else if (error instanceof UsageError)
        streams.err(`error: ${error.message}\nSee 'kubectl ${name} --help' for usage.\n`);
      else throw error;
      return error instanceof Failure ? error.code : 1;
    }
  };
