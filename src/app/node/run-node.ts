import type { NodeRequest, RunNode } from "../../cli/actions.ts";
import { dialectOf } from "../../meta/dialect.ts";
import type { PodMode } from "../../node/pod-modes.ts";
import { rateLimitedLog } from "../../util/rate-limited-log.ts";
import { systemClock, systemRandom } from "../../util/clock.ts";
import type { LogLevel } from "../../util/log.ts";
import { firstSignal } from "../process/first-signal.ts";
import type { LogFormat } from "../logs/log-format.ts";
import { stderrLog } from "../logs/log.ts";
import { openMetricsPort } from "./metrics-port.ts";
import { openAgent } from "./node.ts";
import { UnusedMemory } from "../../util/unused-memory.ts";
import { VERSION } from "../process/version.ts";

/** Runs the agent of a node until a signal stops it; volumes stay. Rejects if the server refuses the node. */
export async function runNode(request: NodeRequest, { client, server }: Parameters<RunNode>[1]): Promise<void> {
  const { name, directory, imageDirectory, capacity, labels, pods } = request;
  const logOptions = { logFormat: request.logFormat as LogFormat, logLevel: request.logLevel as LogLevel };
  await using open = new AsyncDisposableStack();
  const log = open.use(rateLimitedLog(stderrLog(logOptions, systemClock), systemClock));
  const stopped = firstSignal();
  log.info("the node starts", { name, directory, server, version: VERSION, pid: process.pid });
  const opening = openAgent({
    name,
    directory,
    imageDirectory,
    pods: pods as PodMode,
    capacity,
    labels,
    client,
    dialect: dialectOf(request.dialect)!,
    clock: systemClock,
    random: systemRandom,
    log,
    freeze: false,
  });
  const agent = await Promise.race([opening, stopped.then(() => undefined)]);
  // The agent has not started: there is nothing to stop.
  if (!agent) process.exit(0);
  open.defer(() => agent.stop());
  if (request.metrics !== undefined) open.use(await openMetricsPort(request.metrics, () => agent.metrics()));
  open.use(new UnusedMemory(systemClock, { trimsAtStart: false }));
  log.info("the node is ready", { name, millis: Math.round(performance.now()) });
  const why = await Promise.race([stopped, agent.failed]);
  if (why instanceof Error) throw why;
  log.info("the node stops", { why });
}
