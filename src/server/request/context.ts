import type { Authenticator, Authorizer } from "../../auth/contract.ts";
import type { Fairness } from "../../fairness/index.ts";
import type { Dialect } from "../../meta/dialect.ts";
import type { Registry } from "../../registry/contract.ts";
import type { ApiObject } from "../../schema/definition.ts";
import type { Reached } from "../../schema/session.ts";
import type { WorkerThreads } from "../../util/worker-threads.ts";
import type { Clock, Random } from "../../util/clock.ts";
import type { Faults } from "../../util/faults.ts";
import type { Log } from "../../util/log.ts";
import type { BodyMemory } from "../shared/body-memory.ts";
import type { Running, ServerLimits } from "../shared/limits.ts";
import type { ServerMetrics } from "../shared/metrics.ts";
import type { OngoingResponse } from "../shared/ongoing.ts";
import type { UserSlots } from "../shared/user-slots.ts";
import type { WatchWheel } from "../shared/wheel.ts";
import type { ServerRequest } from "./request.ts";
import type { ResponseParts } from "./response.ts";

/** Where failures of the server and refusals by its limits are logged; messages never contain credentials or bodies. */
export type ServerLog = Omit<Log, "info">;

/**
 * A path that is served and is no resource. The user is authorized, and the method is one of those named; errors of {@link Route.handle}
 * become responses as for any request.
 */
export interface Route {
  /**
   * The path as a template: `{name}` stands for a segment, `{name...}` at the end for all the rest, of a byte or more.
   * The first route that fits a path has it.
   */
  readonly path: string;
  /** Whether the same path with a slash at its end is served, too; false by default. */
  readonly slash?: boolean;
  /** The methods that are served, 405 for all others; any by default. */
  readonly methods?: readonly string[];
  /** Whether it is served without a credential; false by default. */
  readonly public?: boolean;
  /**
   * Whether every user may request it, independent of roles; false by default. It has no data, or data that the user may see anyway. With
   * {@link Route.public} it is served with a credential or without one.
   */
  readonly open?: boolean;
  /** Whether its query is a secret, which audit and traces omit; false by default. */
  readonly hidesQuery?: boolean;
  /** The paths that `/` lists for it: the path itself by default, or nothing where that is a template. */
  listed?(server: ServerContext): readonly string[];
  /** Responds; false, now or later, where there is nothing of that name: the response is 404. */
  handle(server: ServerContext, request: ServerRequest, params: RouteParams): RouteResult | Promise<RouteResult>;
}

/** The parts of a path in place of the names in its template. */
export type RouteParams = Readonly<Record<string, string>>;

/** False where there is nothing. */
export type RouteResult = void | false;

/** The table of routes. */
export interface Routes {
  readonly all: readonly Route[];
  /** The route that has a path, and the parts of the path for its names. */
  find(path: string): { readonly route: Route; readonly params: RouteParams } | undefined;
}

/**
 * Connects to the program behind an object, by a connector of its kind such as `log`; undefined where it cannot be connected to.
 * The response of the program ends when the signal is aborted.
 */
export type Programs = (
  way: string,
  object: ApiObject,
  parameter: ProgramParameters,
  signal: AbortSignal,
) => Promise<Reached> | undefined;

/** The query of a request to a program: the first value of a parameter, or every value of it. */
export interface ProgramParameters {
  (name: string): string | undefined;
  readonly all: (name: string) => readonly string[];
}

/** The parts of a server that every request may use. */
export interface ServerParts {
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ServerLog;
  /** Runs jobs in worker threads that would take too long on the event loop. */
  readonly threads: WorkerThreads;
}

/** Everything that requests share. */
export interface ServerContext extends ServerParts, ResponseParts {
  readonly limits: ServerLimits;
  readonly metrics: ServerMetrics;
  readonly routes: Routes;
  /** The time of objects in ms since the epoch, for their ages. */
  readonly objectTime: () => number;
  /** Connects to the programs behind objects. */
  readonly programs: Programs;
  readonly wheel: WatchWheel;
  readonly requestSlots: UserSlots;
  readonly watchSlots: UserSlots;
  readonly sessionSlots: UserSlots;
  readonly bodies: BodyMemory;
  /** Which request runs next; without it reads and writes are only counted. */
  readonly fairness: Fairness | undefined;
  readonly running: Running;
  /** Reports failures that the program did not expect. */
  readonly faults: Faults;
  /** The running watchers, so that a shutdown can end them in order. */
  readonly watchers: Set<{ finish(): void; destroy(): void }>;
  /** Long responses, which end when their users lose the right to them. */
  readonly ongoing: Set<OngoingResponse>;
  /** True from the beginning of the shutdown on. */
  readonly closing: () => boolean;
}
