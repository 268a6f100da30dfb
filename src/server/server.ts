/**
 * The server: requests in, answers out, over sockets or in the same process.
 *
 * It knows HTTP and the registry's contract, and nothing of storage, schemas or ownership. Everything that requests
 * share is put together here, once, in {@link createServer}.
 *
 * @module
 */
import { type Fairness, fairnessMetrics } from "../fairness/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Programs, Route, ServerContext, ServerGround } from "./context.ts";
import { areSeatsWanted, breakOff } from "./break-off.ts";
import { Discovery } from "./documents/discovery.ts";
import type { Exchange } from "./http/exchange.ts";
import { ConnectionGuard } from "./http/guard.ts";
import { FilterChain } from "./filters/chain.ts";
import type { Filter } from "./filters/contract.ts";
import { DEFAULT_FILTERS } from "./filters/default.ts";
import type { HealthCheck } from "./operations/health-check.ts";
import { type InjectAnswer, InjectExchange, type InjectRequest } from "./http/inject.ts";
import { DEFAULT_LIMITS, type ServerLimits } from "./limits.ts";
import { type ListenOptions, type Listener, listen } from "./http/listeners.ts";
import { ServerMetrics } from "./operations/metrics.ts";
import type { Collector } from "../util/exposition.ts";
import { Faults } from "../util/faults.ts";
import { OpenApi } from "./documents/openapi.ts";
import { LateRequests } from "./late-requests.ts";
import { endRevoked } from "./ongoing.ts";
import { ServerRequest } from "./request.ts";
import { RouteTable } from "./route-table.ts";
import { ROUTES } from "./routes.ts";
import { SlowClients } from "./slow-clients.ts";
import { UserPlaces, userPlacesMetrics } from "./user-places.ts";
import { versionInfo } from "./documents/version.ts";
import { WatchWheel } from "./watch/wheel.ts";
import { BodyMemory } from "./body/body-memory.ts";
import { KeyedLock } from "../util/keyed-lock.ts";

/** What a server is made of. */
export interface ServerOptions extends ServerGround {
  /** The version of this program, for `/version`. */
  readonly version: string;
  /** Checks of `/livez` and `/readyz` beside the server's own; none by default. */
  readonly health?: readonly HealthCheck[];
  /** What every request passes, in order; {@link DEFAULT_FILTERS} by default. */
  readonly filters?: readonly Filter[];
  /** Paths beside the server's own; none by default. */
  readonly routes?: readonly Route[];
  /** Reaches programs behind objects; none by default. */
  readonly programs?: Programs;
  /** Add metrics of other rooms to `/metrics`; none by default. */
  readonly collectors?: readonly Collector[];
  /** Who runs next (APF-9); without it so many reads and writes as {@link ServerOptions.limits} say run at a time. */
  readonly fairness?: Fairness | undefined;
  /** {@link DEFAULT_LIMITS} by default. */
  readonly limits?: Partial<ServerLimits>;
  /** When answers over 128 KiB are compressed for clients that take it: for those on other machines, by default. */
  readonly compress?: ServerContext["compress"];
  /**
   * Is told what is under way: a request until the last byte of its answer was sent or, in process, read. A watch is not,
   * but for events that were handed to a reader in process and not read yet.
   */
  readonly activity?: Activity;
  /** Takes failures that the program did not expect; logs and counts them by default. */
  readonly faults?: Faults;
}

/** A server that runs. */
export interface ServerHandle {
  /** Answers a request. Never rejects. */
  handle(exchange: Exchange): void;
  /** Opens a port. */
  listen(options: ListenOptions): Promise<Listener>;
  /**
   * Answers a request of the same process; resolves when the headers of the answer are there, and rejects where a filter
   * has broken off instead.
   */
  inject(request: InjectRequest): Promise<InjectAnswer>;
  /** Watches that are running. */
  readonly watches: number;
  /** Credentials may have been taken back: what they have begun and goes on ends. */
  endRevoked(): Promise<void>;
  /**
   * Stops: readiness fails, ports close, watches end with a last bookmark, running requests come to their end; what has
   * not ended after `graceMillis` is broken off.
   */
  close(graceMillis: number): Promise<void>;
}

/** Makes a server; it listens nowhere until {@link ServerHandle.listen} is called. */
export function createServer(options: ServerOptions): ServerHandle {
  const { registry, clock } = options;
  let closing = false;
  const running = { 1: 0, 2: 0 };
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const requestPlaces = new UserPlaces({ what: "requests", most: limits.requestsPerUser });
  const watchPlaces = new UserPlaces({ what: "watches", most: limits.watchesPerUser });
  const guard = new ConnectionGuard(clock, limits, options.log);
  const faults = options.faults ?? new Faults(options.log);
  const bodies = new BodyMemory(clock, limits.bodyMemoryBytes);
  const slowClients = new SlowClients<ServerRequest>({
    clock,
    isWanted: (request) => areSeatsWanted({ running, limits }, request),
    breakOff: (request) => breakOff(options, request),
  });
  const context: ServerContext = {
    registry,
    clock,
    authenticator: options.authenticator,
    authorizer: options.authorizer,
    dialect: options.dialect,
    random: options.random,
    log: options.log,
    limits,
    metrics: new ServerMetrics(
      registry,
      [
        guard.metrics,
        faults.metrics,
        userPlacesMetrics([guard.places, requestPlaces, watchPlaces]),
        bodies.metrics,
        ...(options.fairness ? [fairnessMetrics(options.fairness)] : []),
        ...(options.collectors ?? []),
      ],
      running,
    ),
    version: versionInfo(options.version),
    health: options.health ?? [],
    routes: new RouteTable([...(options.routes ?? []), ...ROUTES]),
    programs: options.programs ?? (() => undefined),
    wheel: new WatchWheel(clock),
    requestPlaces,
    watchPlaces,
    bodies,
    beside: options.beside,
    discovery: new Discovery(registry, clock.loop),
    openApi: new OpenApi(registry, clock.loop, options.version),
    compress: options.compress ?? "remote",
    fairness: options.fairness,
    running,
    slowClients,
    untaken: { bytes: 0 },
    conversions: new KeyedLock(),
    faults,
    watchers: new Set(),
    ongoing: new Set(),
    closing: () => closing,
  };
  const listeners = new Set<Listener>();
  const onFault = (error: unknown): void => faults.report("connection", error);
  const chain = new FilterChain(context, options.filters ?? DEFAULT_FILTERS, options.activity);
  const late = new LateRequests(context);
  const begin = (exchange: Exchange): void => {
    const request = new ServerRequest(exchange, clock);
    late.follow(request);
    // Many may come at once on one connection; who is behind it is found out in its turn.
    const turn = clock.loop.admit(exchange.connection);
    if (turn) void turn.then(() => (request.isOver ? exchange.destroy() : chain.run(request)));
    else void chain.run(request);
  };
  const handle = (exchange: Exchange): void => {
    try {
      begin(exchange);
    } catch (error) {
      faults.report("request", error);
      exchange.destroy();
    }
  };
  return {
    handle,
    async listen(where) {
      const listener = await listen(where, { clock, guard, onFault }, handle);
      listeners.add(listener);
      return listener;
    },
    inject(request) {
      const exchange = new InjectExchange(request, options.activity);
      const asked = new ServerRequest(exchange, clock);
      // Whoever is of this process is not counted.
      if (!request.identity) exchange.onOver(() => asked.over());
      void chain.run(asked);
      return exchange.answer;
    },
    get watches() {
      return context.watchers.size;
    },
    endRevoked: () => endRevoked(context.ongoing, options.authenticator, clock.loop, onFault),
    async close(graceMillis) {
      closing = true;
      const closed = [...listeners].map((listener) => listener.close(graceMillis));
      for (const watcher of context.watchers) watcher.finish();
      // Who is left has been kept from ending in order.
      for (const watcher of context.watchers) watcher.destroy();
      await Promise.all(closed);
      late[Symbol.dispose]();
      slowClients[Symbol.dispose]();
      guard[Symbol.dispose]();
      bodies[Symbol.dispose]();
    },
  };
}
