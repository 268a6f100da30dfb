/**
 * Runs the emulated programs `etcd` and `kube-apiserver`.
 *
 * @module
 */
import { systemClock, systemRandom } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { stderrLog } from "../logs/log.ts";
import { type GoFlags, isVerbose, readFlags } from "./go-flags.ts";

/** The names of the emulated programs. */
export type ProgramName = "etcd" | "kube-apiserver";

const EXIT_USAGE = 2;
const EXIT_FAILED = 1;
const POLL_INTERVAL_MS = 1000;

/** Runs a program until a signal stops it or its parent process ends. */
export async function main(name: ProgramName, args: readonly string[]): Promise<void> {
  const stopped = untilStopped();
  try {
    const flags = readFlags(args);
    const log = stderrLog({ logFormat: "text", logLevel: isVerbose(flags) ? "debug" : "info" }, systemClock);
    const running = await (name === "etcd" ? etcd(flags, log) : apiServer(flags, log));
    const why = await Promise.race([stopped, running.failed]);
    log.info("stopping", { why: String(why) });
    await running[Symbol.asyncDispose]();
    process.exit(why instanceof Error ? EXIT_FAILED : 0);
  } catch (error) {
    process.stderr.write(`${name}: ${messageOf(error as Error)}\n`);
    process.exit((error as Error).name === "OptionError" ? EXIT_USAGE : EXIT_FAILED);
  }
}

interface Running extends AsyncDisposable {
  readonly failed: Promise<Error>;
}

async function etcd(flags: GoFlags, log: Log): Promise<Running> {
  const { planEtcd } = await import("./etcd-flags.ts");
  const { runEtcd } = await import("./etcd.ts");
  const plan = planEtcd(flags);
  logIgnored(plan.ignored, log);
  await runEtcd(plan);
  return { failed: new Promise(() => {}), [Symbol.asyncDispose]: () => Promise.resolve() };
}

async function apiServer(flags: GoFlags, log: Log): Promise<Running> {
  const { planApiServer } = await import("./apiserver-flags.ts");
  const { runApiServer } = await import("./apiserver.ts");
  const plan = planApiServer(flags, process.env);
  logIgnored(plan.ignored, log);
  const server = await runApiServer(plan, { clock: systemClock, random: systemRandom, log });
  log.info("ready", { url: server.url, millis: Math.round(performance.now()) });
  return server;
}

function logIgnored(flags: readonly string[], log: Log): void {
  if (flags.length > 0) log.info("flags that have no effect", { flags: flags.join(", ") });
}

/** The message of an expected error; the stack of any other one. */
function messageOf(error: Error): string {
  const isKnown = error.name === "OptionError" || error.name === "StoreError" || "syscall" in error;
  return (isKnown ? error.message : error.stack) ?? String(error);
}

/**
 * Resolves with the reason to stop: a signal, or the end of the parent process, which may be a test that was killed.
 */
function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (why: string): void => {
      if (isStopping) process.exit(EXIT_FAILED);
      isStopping = true;
      resolve(why);
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    const parent = process.ppid;
    const check = (): void => {
      if (process.ppid === parent) systemClock.after(POLL_INTERVAL_MS, check, { owner: "parent", upkeep: true });
      else if (!isStopping) stop("the parent process has ended");
    };
    check();
  });
}
