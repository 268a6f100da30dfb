/**
 * A thread that plays orders: it loads the module of an exploration, opens a laboratory of its own, and replies with records. See
 * `pool.ts`.
 *
 * @module
 */
import { parentPort, workerData } from "node:worker_threads";
import type { RunOrder, RunRecord, ScenarioOutline } from "../../explore/contract/laboratory.ts";
import type { PerturbationType } from "../../explore/contract/plan.ts";
import { messageOf } from "../../util/error.ts";
import type { ExplorationModule } from "./explored.ts";
import { openLaboratory } from "./explore.ts";
import type { InProcessLaboratory } from "./laboratory.ts";

/** The input of a new thread. */
export interface ThreadData {
  /** The URL of the module. */
  readonly module: string;
}

/** A message to a thread: play an order, cancel the running one, or reply to a check of its loop. */
export type ThreadRequest = { readonly type: "play"; readonly order: RunOrder } | { readonly type: "cancel" | "ping" };

/** A message from a thread: it is ready, the result of an order, an error of either; or the reply to a check of its loop. */
export type ThreadReply =
  | {
      readonly type: "ready";
      readonly scenario: ScenarioOutline;
      readonly perturbations: readonly PerturbationType[];
      readonly skipped: InProcessLaboratory["skipped"];
    }
  | { readonly type: "played"; readonly record: RunRecord; readonly perturbations: readonly PerturbationType[] }
  | { readonly type: "failed"; readonly message: string }
  | { readonly type: "pong" };

const port = parentPort;
const reply = (message: ThreadReply): void => port?.postMessage(message);
const fail = (error: unknown): void => reply({ type: "failed", message: messageOf(error) });

/** Loads the default export of a module. @throws TypeError where that is no exploration */
async function load(module: string): Promise<ExplorationModule> {
  const { default: exploration } = (await import(module)) as { default?: Partial<ExplorationModule> };
  if (exploration?.scenario) return exploration as ExplorationModule;
  throw new TypeError(
    `expected ${module} to export by default what defineExploration({ scenario, ... }) returns, got ${typeof exploration}`,
  );
}

async function serve({ module }: ThreadData): Promise<void> {
  const exploration = await load(module);
  const lab = await openLaboratory(exploration.scenario, exploration);
  let cancel = new AbortController();
  port?.on("message", (request: ThreadRequest) => {
    if (request.type !== "play") return request.type === "ping" ? reply({ type: "pong" }) : cancel.abort();
    cancel = new AbortController();
    const played = (record: RunRecord): void =>
      reply({ type: "played", record, perturbations: [...lab.perturbations] });
    lab.run(request.order, cancel.signal).then(played, fail);
  });
  reply({ type: "ready", scenario: lab.scenario, perturbations: [...lab.perturbations], skipped: lab.skipped });
}

if (port) serve(workerData as ThreadData).catch(fail);
