/**
 * What every handler may use of the server that it runs in, its table of paths among it.
 *
 * @module
 */
import type { Authenticator, Authorizer } from "../auth/contract.ts";
import type { Fairness } from "../fairness/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import type { Registry } from "../registry/contract.ts";
import type { ApiObject } from "../schema/definition.ts";
import type { Clock, Random } from "../util/clock.ts";
import type { Faults } from "../util/faults.ts";
import type { Log } from "../util/log.ts";
import type { HealthCheck } from "./operations/health-check.ts";
import type { ServerMetrics } from "./operations/metrics.ts";
import type { ServerLimits } from "./limits.ts";
import type { OngoingAnswer } from "./ongoing.ts";
import type { Running, ServerRequest } from "./request.ts";
import type { SlowClients } from "./slow-clients.ts";
import type { UserPlaces } from "./user-places.ts";
import type { VersionInfo } from "./documents/version.ts";
import type { WatchWheel } from "./watch/wheel.ts";
import type { Beside } from "../util/beside.ts";
import type { BodyMemory } from "./body/body-memory.ts";
import type { Discovery } from "./documents/discovery.ts";
import type { OpenApi } from "./documents/openapi.ts";
import type { KeyedLock } from "../util/keyed-lock.ts";

/** Where failures of the server are logged, and what it refuses by its limits; messages never carry credentials or bodies. */
export type ServerLog = Omit<Log, "info">;

/**
 * A path that is answered and is no resource. Who asks has been let in, and the method is one of those named; what
 * {@link Route.answer} throws is answered as for any request.
 */
export interface Route {
  /**
   * The path as a template: `{name}` stands for a segment, `{name...}` at the end for all the rest, of a byte or more.
   * The first route that fits a path has it.
   */
  readonly path: string;
  /** Whether the same path with a slash at its end is meant, too; false by default. */
  readonly slash?: boolean;
  /** The methods that are answered, 405 for all others; any by default. */
  readonly methods?: readonly string[];
  /** Whether anybody may ask, without a credential; false by default. */
  readonly public?: boolean;
  /** The paths that `/` lists for it: the path itself by default, or nothing where that is a template. */
  listed?(server: ServerContext): readonly string[];
  /** Answers; false, now or later, where there is nothing of that name: the answer is 404. */
  answer(server: ServerContext, request: ServerRequest, params: RouteParams): RouteAnswer | Promise<RouteAnswer>;
}

/** What stood in a path for the names in its template. */
export type RouteParams = Readonly<Record<string, string>>;

/** False where there is nothing. */
export type RouteAnswer = void | false;

/** The table of routes. */
export interface Routes {
  readonly all: readonly Route[];
  /** The route that has a path, and what stood there for its names. */
  find(path: string): { readonly route: Route; readonly params: RouteParams } | undefined;
}

/**
 * Asks the program behind an object, by one of the ways of its kind such as `log`; undefined where it is not reached. What is asked for
 * ends when the signal is aborted.
 */
export type Programs = (
  way: string,
  object: ApiObject,
  parameter: (name: string) => string | undefined,
  signal: AbortSignal,
) => Promise<AsyncIterable<Uint8Array>> | undefined;

/** What a server stands on. */
export interface ServerGround {
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly dialect: Dialect;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ServerLog;
  /** Does in threads what would take too long on the event loop. */
  readonly beside: Beside;
}

/** Everything that requests share. */
export interface ServerContext extends ServerGround {
  readonly limits: ServerLimits;
  readonly metrics: ServerMetrics;
  readonly version: VersionInfo;
  readonly health: readonly HealthCheck[];
  readonly routes: Routes;
  /** Reaches the programs behind objects that it can. */
  readonly programs: Programs;
  readonly wheel: WatchWheel;
  readonly requestPlaces: UserPlaces;
  readonly watchPlaces: UserPlaces;
  readonly bodies: BodyMemory;
  readonly discovery: Discovery;
  readonly openApi: OpenApi;
  /** Who runs next; without it reads and writes are only counted. */
  readonly fairness: Fairness | undefined;
  /** How many requests run now: reads at 1, writes at 2. */
  readonly running: Running;
  /** Waits for clients that keep the server waiting. */
  readonly slowClients: SlowClients<ServerRequest>;
  /** Bytes of all responses over sockets that their clients have not taken. */
  readonly untaken: { bytes: number };
  /** Of large responses in another form than JSON one is made at a time. */
  readonly conversions: KeyedLock;
  /** Takes failures that the program did not expect. */
  readonly faults: Faults;
  /** The watchers that run, so that a shutdown can end them in order. */
  readonly watchers: Set<{ finish(): void; destroy(): void }>;
  /** Answers that go on, of those who may lose the right to them. */
  readonly ongoing: Set<OngoingAnswer>;
  /** When large answers are compressed: for peers on other machines, always, or never. */
  readonly compress: "remote" | "always" | "never";
  /** True from the beginning of the shutdown on. */
  readonly closing: () => boolean;
}
