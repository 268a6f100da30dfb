/**
 * The simulated nodes of a test cluster, as a test uses them: faults, logs, commands and requests.
 *
 * @module
 */
import type { Client } from "../client/index.ts";
import type {
  ContainerLog,
  ContainerRequest,
  ContainerResponse,
  ExecResult,
  LogLine,
  Simulation,
  SimulationFaults,
  NoResponse,
} from "../simulation/index.ts";

/** A container: the name of a Pod in `default`, or more of it. By default it is the first one of its Pod. */
export type ContainerOf =
  | string
  | {
      readonly pod: string;
      /** `default` by default. */
      readonly namespace?: string;
      readonly container?: string;
    };

/** An HTTP request to a container; GET of `/` at port 80 by default. */
export type TestRequest = Partial<Omit<ContainerRequest, "probe">>;

/** The operations of a test on simulated nodes and their Pods, besides faults: `await cluster.simulation.lose({ zone: "a" })`. */
export interface TestSimulation extends SimulationFaults {
  /**
   * The lines of the log of a container that are kept, or of its start before.
   *
   * @throws Error where there is none
   */
  logs(container: ContainerOf, options?: { readonly previous?: boolean }): Promise<readonly string[]>;
  /**
   * Runs a command as `kubectl exec` does; a command of one text is split at spaces.
   *
   * @throws Error where the container does not run
   */
  exec(
    container: ContainerOf,
    command: string | readonly string[],
    options?: { readonly stdin?: string },
  ): Promise<Required<ExecResult>>;
  /**
   * Sends an HTTP request to a container.
   *
   * @throws Error where the container does not run
   */
  request(container: ContainerOf, request?: TestRequest): Promise<Required<ContainerResponse>>;
}

/**
 * Returns the operations of a test on the current simulation.
 *
 * @param settled resolves when its controllers run and are idle
 */
export function testSimulation(
  simulation: () => Simulation,
  client: () => Client,
  settled: () => Promise<void>,
): TestSimulation {
  const faults = (): SimulationFaults => simulation().faults(client());
  return {
    lose: (target) => faults().lose(target),
    restore: (target) => faults().restore(target),
    slowPulls: (...args) => faults().slowPulls(...args),
    missingImage: (...args) => faults().missingImage(...args),
    restorePulls: (...args) => faults().restorePulls(...args),
    diskPressure: (target) => faults().diskPressure(target),
    restoreDisk: (target) => faults().restoreDisk(target),
    flapping: (...args) => faults().flapping(...args),
    async logs(container, { previous = false } = {}) {
      await settled();
      const log = resultOf<ContainerLog>(container, simulation().logs({ ...targetOf(container), previous }));
      return log.lines.map(({ text }: LogLine) => text);
    },
    async exec(container, command, options = {}) {
      await settled();
      const words = typeof command === "string" ? command.split(" ").filter((word) => word !== "") : command;
      const result = await simulation().exec(targetOf(container), { command: words, ...options });
      const { stdout = "", stderr = "", code = 0 } = resultOf<ExecResult>(container, result);
      return { stdout, stderr, code };
    },
    async request(container, request = {}) {
      await settled();
      const whole = { method: "GET", path: "/", port: 80, headers: {}, body: "", ...request };
      const response = await simulation().request(targetOf(container), whole);
      const { status = 200, headers = {}, body = "" } = resultOf<ContainerResponse>(container, response);
      return { status, headers, body };
    },
  };
}

const targetOf = (container: ContainerOf) =>
  typeof container === "string" ? { namespace: "default", pod: container } : { namespace: "default", ...container };

const WHY: Readonly<Record<NoResponse, string>> = {
  Elsewhere: "the controllers of the simulation do not run",
  NoPod: "there is no such Pod",
  NoContainer: "there is no such container",
  NotSimulated: "it is on no simulated node",
  NotRunning: "it does not run",
  NodeLost: "its node is lost",
};

function resultOf<T extends object>(container: ContainerOf, result: T | NoResponse): T {
  if (typeof result === "object") return result;
  const { namespace, pod, container: name } = { container: undefined, ...targetOf(container) };
  const what = name === undefined ? `Pod ${namespace}/${pod}` : `container ${name} of Pod ${namespace}/${pod}`;
  throw new Error(`expected ${what} to respond: ${WHY[result]}`);
}
