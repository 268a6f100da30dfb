/**
 * The server: requests in, responses out, over sockets or in the same process. Everything that requests share is put together
 * here, once.
 *
 * It knows HTTP and the registry's contract, and nothing of storage, schemas or ownership.
 *
 * @module
 */
import { type Fairness, fairnessMetrics } from "../fairness/index.ts";
import type { Activity } from "../util/activity.ts";
import type { Collector } from "../util/exposition.ts";
import { Faults } from "../util/faults.ts";
import { KeyedLock } from "../util/keyed-lock.ts";
import { FilterChain } from "./filters/chain.ts";
import type { Filter } from "./filters/contract.ts";
import { DEFAULT_FILTERS } from "./filters/default.ts";
import { ConnectionGuard } from "./http/guard.ts";
import { type InjectResponse, InjectExchange, type InjectRequest } from "./http/inject.ts";
import { type ListenOptions, type Listener, listen } from "./http/listeners.ts";
import { LateRequests } from "./late-requests.ts";
import type { Programs, ServerContext, ServerParts, Route } from "./request/context.ts";
import type { Exchange } from "./request/exchange.ts";
import { ServerRequest } from "./request/request.ts";
import { RouteTable } from "./routing/route-table.ts";
import { type RouteParts, routesOf } from "./routing/routes.ts";
import { BodyMemory } from "./shared/body-memory.ts";
import { DEFAULT_LIMITS, type ServerLimits } from "./shared/limits.ts";
import { ServerMetrics } from "./shared/metrics.ts";
import { endRevoked } from "./shared/ongoing.ts";
import { SlowClients } from "./shared/slow-clients.ts";
import { UserSlots, userSlotsMetrics } from "./shared/user-slots.ts";
import { WatchWheel } from "./shared/wheel.ts";

/** What a server is made of. */
export interface ServerOptions extends ServerParts, RouteParts {
  /** The filters of every request, in order; {@link DEFAULT_FILTERS} by default. */
  readonly filters?: readonly Filter[];
  /** Paths beside the server's own; none by default. */
  readonly routes?: readonly Route[];
  /** The time of objects in ms since the epoch, where it is not that of the clock. */
  readonly objectTime?: () => number;
  /** Connects to programs behind objects; no program by default. */
  readonly programs?: Programs;
  /** Add metrics of other rooms to `/metrics`; none by default. */
  readonly collectors?: readonly Collector[];
  /** Which request runs next (APF-9); without it so many reads and writes as {@link ServerOptions.limits} say run at a time. */
  readonly fairness?: Fairness | undefined;
  /** {@link DEFAULT_LIMITS} by default. */
  readonly limits?: Partial<ServerLimits>;
  /** When responses over 128 KiB are compressed for clients that accept it: for those on other machines, by default. */
  readonly compress?: ServerContext["compress"];
  /**
   * Counts running work: a request until the last byte of its response was sent or, in process, read. A watch is not counted, but its
   * events are while they wait for a reader in this process.
   */
  readonly activity?: Activity;
  /** Receives failures that the program did not expect; logs and counts them by default. */
  readonly faults?: Faults;
}

/** A server that runs. */
export interface ServerHandle {
  /** Responds to a request. Never rejects. */
  handle(exchange: Exchange): void;
  /** Opens a port. */
  listen(options: ListenOptions): Promise<Listener>;
  /**
   * Responds to a request of the same process; resolves when the headers of the response are there, and rejects where a filter
   * has broken off instead.
   */
  inject(request: InjectRequest): Promise<InjectResponse>;
  /** Watches that are running. */
  readonly watches: number;
  /** Ends watches and other long responses whose credentials are no longer valid. */
  endRevoked(): Promise<void>;
  /**
   * Stops: readiness fails, ports close, watches end with a last bookmark, running requests complete; those that have not after
   * `graceMillis` are broken off.
   */
  close(graceMillis: number): Promise<void>;
}

/** Makes a server; it listens nowhere until {@link ServerHandle.listen} is called. */
export const createServer = (options: ServerOptions): ServerHandle => new HttpServer(options);

/** A running server. */
class HttpServer implements ServerHandle {
  readonly #context: ServerContext;
  readonly #activity: Activity | undefined;
  readonly #guard: ConnectionGuard;
  readonly #late: LateRequests;
  readonly #chain: FilterChain;
  readonly #listeners = new Set<Listener>();
  /** What is closed with the server. */
  readonly #opened: DisposableStack;
  #isClosing = false;

  /** Where a part cannot be made, the parts before it are closed. */
  constructor(options: ServerOptions) {
    using opened = new DisposableStack();
    const limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#activity = options.activity;
    this.#guard = opened.use(new ConnectionGuard(options.clock, limits, options.log));
    this.#context = contextOf(options, limits, this.#guard, opened, () => this.#isClosing);
    this.#late = opened.use(new LateRequests(this.#context));
    this.#chain = new FilterChain(this.#context, options.filters ?? DEFAULT_FILTERS, options.activity);
    this.#opened = opened.move();
  }

  get watches(): number {
    return this.#context.watchers.size;
  }

  handle(exchange: Exchange): void {
    try {
      this.#begin(exchange);
    } catch (error) {
      this.#context.faults.report("request", error);
      exchange.destroy();
    }
  }

  async listen(where: ListenOptions): Promise<Listener> {
    const parts = { clock: this.#context.clock, guard: this.#guard, onFault: this.#onFault };
    const listener = await listen(where, parts, (exchange) => this.handle(exchange));
    this.#listeners.add(listener);
    return listener;
  }

  inject(sent: InjectRequest): Promise<InjectResponse> {
    const exchange = new InjectExchange(sent, this.#activity);
    const request = new ServerRequest(this.#context, exchange);
    // Callers of this process are not counted.
    if (!sent.identity) exchange.onOver(() => request.response.over());
    void this.#chain.run(request);
    return exchange.response;
  }

  endRevoked(): Promise<void> {
    const { ongoing, authenticator, clock } = this.#context;
    return endRevoked(ongoing, authenticator, clock.loop, this.#onFault);
  }

  async close(graceMillis: number): Promise<void> {
    const { watchers } = this.#context;
    this.#isClosing = true;
    const closed = [...this.#listeners].map((listener) => listener.close(graceMillis));
    for (const watcher of watchers) watcher.finish();
    // Some requests are still running after the grace period.
    for (const watcher of watchers) watcher.destroy();
    await Promise.all(closed);
    this.#opened.dispose();
  }

  #begin(exchange: Exchange): void {
    const request = new ServerRequest(this.#context, exchange);
    this.#late.follow(request);
    // Many may come at once on one connection: each is authenticated in its position.
    const turn = this.#context.clock.loop.admit(exchange.connection);
    if (turn) void turn.then(() => (request.response.isOver ? exchange.destroy() : this.#chain.run(request)));
    else void this.#chain.run(request);
  }

  readonly #onFault = (error: unknown): void => this.#context.faults.report("connection", error);
}

/** Makes what all requests share; adds the parts that must be closed to `opened`. */
function contextOf(
  options: ServerOptions,
  limits: ServerLimits,
  guard: ConnectionGuard,
  opened: DisposableStack,
  closing: () => boolean,
): ServerContext {
  const { registry, authenticator, authorizer, dialect, clock, random, log, threads, fairness } = options;
  const running = { 1: 0, 2: 0 };
  const faults = options.faults ?? new Faults(log);
  const requestSlots = new UserSlots({ what: "requests", most: limits.requestsPerUser });
  const watchSlots = new UserSlots({ what: "watches", most: limits.watchesPerUser });
  const sessionSlots = new UserSlots({ what: "sessions", most: limits.sessionsPerUser });
  const bodies = opened.use(new BodyMemory(clock, limits.bodyMemoryBytes));
  const collectors = [
    guard.metrics,
    faults.metrics,
    userSlotsMetrics([guard.slots, requestSlots, watchSlots, sessionSlots]),
    bodies.metrics,
    ...(fairness ? [fairnessMetrics(fairness)] : []),
    ...(options.collectors ?? []),
  ];
  return {
    registry,
    authenticator,
    authorizer,
    dialect,
    clock,
    random,
    log,
    threads,
    fairness,
    limits,
    running,
    faults,
    requestSlots,
    watchSlots,
    sessionSlots,
    bodies,
    metrics: opened.use(new ServerMetrics(registry, collectors, running)),
    slowClients: opened.use(new SlowClients(clock)),
    untaken: { bytes: 0 },
    conversions: new KeyedLock(),
    wheel: new WatchWheel(clock),
    watchers: new Set(),
    ongoing: new Set(),
    routes: new RouteTable([...(options.routes ?? []), ...routesOf(options)]),
    objectTime: options.objectTime ?? (() => clock.now()),
    programs: options.programs ?? (() => undefined),
    compress: options.compress ?? "remote",
    closing,
  };
}
