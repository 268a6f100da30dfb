/**
 * A cluster of the kit: what a test holds, in front of the server of the moment.
 *
 * The server is made from a moment when somebody first needs it, and another one takes its place on a reset; clock,
 * traffic, faults, senders and ports stay.
 *
 * @module
 */
import { ADMIN, adminAuthenticator } from "../auth/admin.ts";
import type { Authenticator, Identity } from "../auth/contract.ts";
import { type TokenSigner, tokenSigner } from "../auth/service-account-tokens.ts";
import { type ApiObject, type ApplyConfiguration, Client, type Kind, type Transport } from "../client/index.ts";
import { inProcessTransport } from "../cluster/index.ts";
import type { Controller as BuiltIn } from "../runtime/index.ts";
import type { Dialect } from "../meta/dialect.ts";
import { type Pki, createPki } from "../pki/index.ts";
import type { Route } from "../server/index.ts";
import { Activity } from "../util/activity.ts";
import { type SeededRandom, seededRandom, systemClock } from "../util/clock.ts";
import type { Log } from "../util/log.ts";
import { FIELD_MANAGER, applyManifests } from "./apply.ts";
import { type TestClock, VirtualClock, machineClock } from "./clock.ts";
import type { Cluster, ClusterOptions, Mark } from "./contract.ts";
import { type Endpoint, HOSTS, openEndpoint } from "./endpoint.ts";
import { type ToldEvent, eventsOf } from "./events.ts";
import { watchExpires } from "./fault.ts";
import { FaultBook } from "./faults.ts";
import { filtersOf } from "./filters.ts";
import { type Manifest, readManifests } from "./manifests.ts";
import { Sender } from "./sender.ts";
import { type SettleOptions, settle } from "./settled.ts";
import { type Recording, type RequestMatch, type RequestRecord, Traffic } from "./traffic.ts";
import { type Moment, momentOf, serverFrom, snapshotOf } from "./world.ts";

/** How long clients of a port may take to read the last answers. */
const GRACE_MS = 1000;

/** What is the same for a cluster and its forks. */
export interface Settings {
  readonly dialect: Dialect;
  readonly virtual: boolean;
  readonly builtIn: readonly BuiltIn[];
  readonly log: Log;
}

/** A server that answers, and what ends with it. */
interface Live extends Pick<Moment, "core" | "store"> {
  readonly random: SeededRandom;
  readonly closing: AbortController;
  /** Whether the built-in controllers have been started. */
  awake: boolean;
}

/** A cluster that stands on moments; `begin()` it unless it is a fork. */
export class TestCluster implements Cluster {
  readonly #settings: Settings;
  readonly #routes: readonly Route[];
  readonly #activity = new Activity(systemClock);
  readonly #traffic = new Traffic();
  readonly #test = new Sender("test");
  readonly #subject = new Sender("subject");
  readonly #endpoints = new Set<Endpoint>();
  readonly #virtual: VirtualClock | undefined;
  readonly clock: TestClock;
  readonly faults: FaultBook;
  /** What `reset()` goes back to. */
  #origin: Moment;
  /** Made from the origin when it is first needed, so that a fork that nobody asks costs nothing. */
  #live: Live | undefined;
  #pki: Pki | undefined;
  #authenticator: Authenticator | undefined;
  #closed: Promise<void> | undefined;

  constructor(settings: Settings, origin: Moment, routes?: ClusterOptions["routes"]) {
    this.#settings = settings;
    this.#origin = origin;
    this.#routes = routes?.(() => this) ?? [];
    this.#virtual = settings.virtual ? new VirtualClock(origin.now, 0, () => this.settled()) : undefined;
    this.clock = this.#virtual ?? machineClock;
    this.faults = new FaultBook(origin.random.fork());
  }

  /** Lets the built-in controllers do their part, and takes what they leave as the beginning. */
  async begin(): Promise<void> {
    if (this.#settings.builtIn.length === 0) return;
    await this.settled();
    this.#origin = this.#moment();
    this.#traffic.clear();
  }

  client(userAgent = "test"): Client {
    return new Client(this.#transport(this.#test, ADMIN), { userAgent, clock: this.clock });
  }

  as({ user, groups = [] }: { readonly user: string; readonly groups?: readonly string[] }): Client {
    const identity = { user, groups: [...groups, "system:authenticated"] };
    return new Client(this.#transport(this.#subject, identity), { userAgent: user, clock: this.clock });
  }

  async apply<T extends ApiObject>(
    first?: string | Manifest | Kind<T>,
    ...rest: readonly (string | Manifest | ApplyConfiguration<T>)[]
  ): Promise<readonly T[]> {
    if (typeof first === "object" && "plural" in first) {
      const resource = this.client().resource(first as Kind<T>);
      const objects: T[] = [];
      for (const config of rest as ApplyConfiguration<T>[]) {
        objects.push(await resource.apply(config, { fieldManager: FIELD_MANAGER, force: true }));
      }
      return objects;
    }
    const sources = first === undefined ? [] : [first as string | Manifest, ...(rest as (string | Manifest)[])];
    const found = sources.flatMap(readManifests);
    return (await applyManifests(this.client(), () => this.#server().core.kinds, found)) as readonly T[];
  }

  async settled({ limit = "5s" }: SettleOptions = {}): Promise<void> {
    this.#mayAct();
    this.#wake();
    await settle(this.#activity, limit);
  }

  async track<V>(work: Promise<V>): Promise<V> {
    const end = this.#activity.begin("work of the test");
    try {
      return await work;
    } finally {
      end();
    }
  }

  fork({ seed }: { readonly seed?: number } = {}): Cluster {
    this.#mayAct();
    const moment = this.#moment();
    return new TestCluster(this.#settings, seed === undefined ? moment : { ...moment, random: seededRandom(seed) });
  }

  mark(): Mark {
    this.#mayAct();
    return this.#moment() as unknown as Mark;
  }

  async reset(to?: Mark): Promise<void> {
    this.#mayAct();
    const moment = (to as unknown as Moment | undefined) ?? this.#origin;
    const live = this.#live;
    this.faults.clear();
    this.faults.playAll(watchExpires());
    this.#traffic.clear();
    this.#virtual?.set(moment.now);
    // One further: a watch from the newest version of before must not go on as if nothing had happened.
    this.#live = this.#begin(moment, (live ?? this.#origin).store.revision + 1);
    if (live) await this.#end(live);
  }

  snapshot(): Uint8Array {
    this.#mayAct();
    return snapshotOf(this.#moment());
  }

  requests(match?: RequestMatch): readonly RequestRecord[] {
    return this.#traffic.requests(match);
  }

  record(match?: RequestMatch): Recording {
    return this.#traffic.record(match);
  }

  events(about?: ApiObject): Promise<readonly ToldEvent[]> {
    return eventsOf(this.client(), about);
  }

  async listen({ port = 0 }: { readonly port?: number } = {}): Promise<Endpoint> {
    this.#mayAct();
    this.#wake();
    const pki = this.#certificates();
    this.#authenticator ??= adminAuthenticator(pki.adminToken, () => systemClock.now());
    const endpoint = await openEndpoint(
      port,
      pki,
      (exchange) => this.#server().core.server.handle(exchange),
      () => this.#endpoints.delete(endpoint),
    );
    this.#endpoints.add(endpoint);
    return endpoint;
  }

  get realTime(): boolean {
    return !this.#settings.virtual || this.#endpoints.size > 0;
  }

  get version(): number {
    return this.#server().store.revision;
  }

  async changed(since: number, withinMillis: number): Promise<void> {
    const { store } = this.#server();
    const change = Promise.withResolvers<void>();
    const tell = (): void => change.resolve();
    const watch = store.watch("", since, { events: tell, ended: tell });
    const timer = systemClock.after(withinMillis, tell, { holds: true });
    try {
      await change.promise;
    } finally {
      watch.close();
      timer.cancel();
    }
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    const unmet = this.faults.pending().map(({ name }) => name);
    if (unmet.length > 0)
      this.#settings.log.warn(`a cluster was closed with faults that no request met: ${unmet.join(", ")}`);
    const live = this.#live;
    this.#live = undefined;
    // Side by side: a port waits for its watches, and the server ends them.
    await Promise.all([...[...this.#endpoints].map((endpoint) => endpoint.close()), live && this.#end(live)]);
  }

  #mayAct(): void {
    if (this.#closed) throw new Error("The cluster has been closed");
  }

  #moment(): Moment {
    const live = this.#live;
    return live ? momentOf(live, this.clock.now(), live.random) : this.#origin;
  }

  #server(): Live {
    this.#mayAct();
    return (this.#live ??= this.#begin(this.#origin));
  }

  /** The way of a request in this process; a write wakes the built-in controllers. */
  #transport(sender: Sender, identity: Identity): Transport {
    const inject: Live["core"]["server"]["inject"] = (request) => {
      if (request.method !== "GET") this.#wake();
      return this.#server().core.server.inject({ ...request, connection: sender });
    };
    return inProcessTransport({ inject })(identity);
  }

  /** Starts the built-in controllers; those of a fork that nobody writes to would only read what their parent's have. */
  #wake(): void {
    const live = this.#server();
    if (live.awake) return;
    live.awake = true;
    const end = this.#activity.begin("the start of the built-in controllers");
    const failed = (error: unknown): void => {
      if (!live.closing.signal.aborted)
        this.#settings.log.error("the built-in controllers did not start", { error: String(error) });
    };
    void live.core.start(this.#settings.builtIn).catch(failed).finally(end);
  }

  #begin(moment: Moment, revision?: number): Live {
    const closing = new AbortController();
    const random = moment.random.fork();
    const clock = this.#virtual?.manual ?? systemClock;
    const server = serverFrom(moment, {
      clock,
      random,
      activity: this.#activity,
      filters: filtersOf({ traffic: this.#traffic, faults: this.faults, clock, closing: closing.signal }),
      routes: this.#routes,
      authenticator: { authenticate: (credentials) => this.#authenticator?.authenticate(credentials) },
      signer: () => this.#signer(random),
      log: this.#settings.log,
      ...(revision === undefined ? {} : { revision }),
    });
    return { ...server, random, closing, awake: false };
  }

  #signer(random: SeededRandom): TokenSigner {
    const { dialect } = this.#settings;
    const context = { dialect, clock: this.clock, random };
    return tokenSigner(this.#certificates().tokenKey, `https://${dialect.labelDomain}`, context);
  }

  #certificates(): Pki {
    return (this.#pki ??= createPki({ hosts: HOSTS, clock: systemClock }));
  }

  async #end(live: Live): Promise<void> {
    live.closing.abort();
    await live.core.close(GRACE_MS);
    await live.store.close();
  }
}
