/**
 * Bounds what connections take of a server before they have shown a credential, and how many there may be.
 *
 *     opening ──► asked ──► trusted        ending
 *     32 s        60 s      no end         5 s, from any other
 *
 * A connection is opening until a whole request has come (half a handshake, or headers without an end, are not enough), and asked until a
 * request on it has shown a credential. Both states have a total time, whatever is sent or read meanwhile. A connection that is to
 * end is broken off when its peer does not end it.
 *
 * Until it is trusted, and when it is to end, a connection is unauthenticated. The number of such connections is bounded, and the
 * number of responses that they have not read. Where there are too many, the one for which the server has waited longest is
 * closed: clients with a credential send it within milliseconds, so a flood hits itself. A connection that waits for the server
 * is not closed.
 *
 * A trusted connection counts for the first user who has shown a credential on it, until it is closed; the number for each user is
 * bounded.
 *
 * @module
 */
import type { Socket } from "node:net";
import type { Connection, Identity } from "../../auth/contract.ts";
import type { Clock } from "../../util/clock.ts";
import { Deadlines } from "../../util/deadlines.ts";
import type { Log } from "../../util/log.ts";
import type { ServerLimits } from "../shared/limits.ts";
import { type UserSlot, UserSlots } from "../shared/user-slots.ts";
import type { Collector } from "../../util/exposition.ts";

/** How many connections there may be. */
type ConnectionLimits = Pick<
  ServerLimits,
  "connections" | "connectionsPerAddress" | "connectionsPerUser" | "unauthenticatedConnections"
>;

const OPENING_MS = 32_000;
const ASKED_MS = 60_000;
const ENDING_MS = 5_000;
/** Unread responses of all unauthenticated connections, and of one of them; each costs some 8 KiB. */
const MAX_UNTAKEN = 1000;
const MAX_UNTAKEN_EACH = 8;
/** Requests on a connection without a credential, and bytes of their headers; then it needs a new handshake. */
const MAX_REQUESTS = 100;
const MAX_HEADER_BYTES = 1 << 20;
const ASKED_GRACE_MS = 50_000;
/** When a user at the limit of connections is to retry: each try costs a handshake. */
const RETRY_SECONDS = 5;

/** Why connections were refused or broken off, as the metrics have it. */
export type Refusal = "connections" | "address" | "strangers" | "untaken" | "opening" | "asked" | "ending";

type State = "opening" | "asked" | "trusted" | "ending" | "closed";

/** All connections from one address; the unauthenticated ones in the order in which the server began to wait for them. */
interface Address {
  count: number;
  readonly unauthenticated: Set<GuardedConnection>;
}

/** The other end of a connection: as other rooms see it, and what it may take. */
export interface Peer {
  readonly connection: Connection;
  readonly guarded: GuardedConnection;
}

/** One connection from its first byte to its last. */
export class GuardedConnection {
  readonly socket: Socket;
  readonly address: string;
  readonly since: number;
  state: State = "opening";
  /** Breaks it off, through the layer that reads from it. */
  destroy: () => void;
  /** Responses that it has not read, while it is unauthenticated. */
  untaken = 0;
  /** Its slot among the connections of its user, once a credential was shown. */
  slot: UserSlot | undefined = undefined;
  readonly #guard: ConnectionGuard;
  #requests = 0;
  #headerBytes = 0;

  constructor(guard: ConnectionGuard, socket: Socket, since: number) {
    this.#guard = guard;
    this.socket = socket;
    this.destroy = () => void socket.destroy();
    this.address = socket.remoteAddress ?? "";
    this.since = since;
  }

  /** Counts a whole request; true where its response has to be the last one, after so many requests, or so long, without a credential. */
  asks(rawHeaders: readonly string[]): boolean {
    if (this.state === "trusted") return false;
    if (this.state === "opening") this.#guard.enter(this, "asked");
    for (const text of rawHeaders) this.#headerBytes += text.length;
    return (
      ++this.#requests >= MAX_REQUESTS ||
      this.#headerBytes >= MAX_HEADER_BYTES ||
      this.#guard.age(this) >= ASKED_GRACE_MS
    );
  }

  /** The server keeps it waiting until the result is called: others are broken off before it. */
  waits(): () => void {
    return this.#guard.keepWaiting(this);
  }

  /** A response to it is being sent until the result is called; undefined where its responses are not counted. */
  responds(): (() => void) | undefined {
    return this.state === "asked" ? this.#guard.count(this) : undefined;
  }

  /** A request has a valid credential: the connection belongs to `owner` now; 429 where the owner is at the limit. */
  trust(owner: Identity): void {
    if (this.state !== "opening" && this.state !== "asked") return;
    this.slot = this.#guard.slots.take(owner);
    this.#guard.enter(this, "trusted");
  }

  /** The connection must end; it is broken off where it has not ended in a few seconds. */
  end(): void {
    if (this.state !== "closed") this.#guard.enter(this, "ending");
  }
}

/** See the head of this file. */
export class ConnectionGuard implements Disposable {
  readonly #clock: Clock;
  readonly #limits: ConnectionLimits;
  readonly #log: Pick<Log, "warn">;
  /** The trusted ones of each user. */
  readonly slots: UserSlots;
  readonly #all = new Map<string, GuardedConnection>();
  readonly #addresses = new Map<string, Address>();
  readonly #timed: Readonly<Record<"opening" | "asked" | "ending", Deadlines<GuardedConnection>>>;
  /** The unauthenticated connections that the server waits for, the longest-waiting one first. */
  readonly #unauthenticated = new Set<GuardedConnection>();
  /** Those of them that have unread responses. */
  readonly #holding = new Set<GuardedConnection>();
  #waiting = 0;
  #trusted = 0;
  #untaken = 0;
  /** How many were refused or broken off, by cause. */
  readonly #refused: Record<Refusal, number> = {
    connections: 0,
    address: 0,
    strangers: 0,
    untaken: 0,
    opening: 0,
    asked: 0,
    ending: 0,
  };

  constructor(clock: Clock, limits: ConnectionLimits, log: Pick<Log, "warn">) {
    this.#clock = clock;
    this.slots = new UserSlots({ what: "connections", most: limits.connectionsPerUser, retrySeconds: RETRY_SECONDS });
    this.#limits = limits;
    this.#log = log;
    const timed = (cause: "opening" | "asked" | "ending", millis: number): Deadlines<GuardedConnection> =>
      new Deadlines({ clock, millis, owner: "connections", over: (held) => this.#breakOff(held, cause) });
    this.#timed = {
      opening: timed("opening", OPENING_MS),
      asked: timed("asked", ASKED_MS),
      ending: timed("ending", ENDING_MS),
    };
  }

  /** How many connections there are, and how many have been dropped. */
  readonly metrics: Collector = () => [
    {
      name: "keelson_connections",
      type: "gauge",
      help: "Open connections, by whether a credential was shown on them.",
      samples: [
        { labels: { trusted: "true" }, value: this.#trusted },
        { labels: { trusted: "false" }, value: this.#unauthenticated.size + this.#waiting },
      ],
    },
    {
      name: "keelson_connections_dropped_total",
      type: "counter",
      help: "Connections that were dropped, by the limit that they met.",
      samples: Object.entries(this.#refused).map(([reason, value]) => ({ labels: { reason }, value })),
    },
  ];

  /** The connection of a socket, below its encryption or above; undefined when it is closed. */
  of(socket: Socket): GuardedConnection | undefined {
    return this.#all.get(idOf(socket));
  }

  /** Adds a connection that was accepted; undefined where there are too many, and it was dropped. */
  take(socket: Socket): GuardedConnection | undefined {
    const held = new GuardedConnection(this, socket, this.#clock.steady());
    const known = this.#addresses.get(held.address);
    const full = this.#fullFor(known);
    if (full) {
      const [oldest] = full === "address" ? (known?.unauthenticated ?? []) : this.#unauthenticated;
      if (!oldest) {
        this.#refuse(full, held);
        socket.resetAndDestroy();
        return undefined;
      }
      this.#breakOff(oldest, full);
    }
    const id = idOf(socket);
    const address = known ?? { count: 0, unauthenticated: new Set() };
    address.count++;
    this.#addresses.set(held.address, address);
    this.#all.set(id, held);
    this.#await(held);
    this.#timed.opening.add(held);
    socket.once("close", () => {
      this.#all.delete(id);
      if (--address.count === 0) this.#addresses.delete(held.address);
      held.slot?.[Symbol.dispose]();
      this.enter(held, "closed");
    });
    return held;
  }

  /** Sets the state of a connection. */
  enter(held: GuardedConnection, state: State): void {
    const { opening, asked, ending } = this.#timed;
    if (held.state === "opening") opening.delete(held);
    else if (held.state === "asked") asked.delete(held);
    else if (held.state === "ending") ending.delete(held);
    else if (held.state === "trusted") this.#trusted--;
    if (state === "trusted") this.#trusted++;
    held.state = state;
    if (state === "asked") {
      asked.add(held);
      return;
    }
    this.#release(held);
    this.#holding.delete(held);
    this.#untaken -= held.untaken;
    held.untaken = 0;
    if (state !== "ending") return;
    ending.add(held);
    this.#await(held);
  }

  /** See {@link GuardedConnection.waits}. */
  keepWaiting(held: GuardedConnection): () => void {
    this.#waiting++;
    this.#release(held);
    return () => {
      this.#waiting--;
      if (held.state === "opening") this.#await(held);
    };
  }

  /** See {@link GuardedConnection.responds}. */
  count(held: GuardedConnection): () => void {
    const [oldest] = this.#holding;
    if (held.untaken >= MAX_UNTAKEN_EACH) this.#breakOff(held, "untaken");
    else if (oldest && this.#untaken >= MAX_UNTAKEN) this.#breakOff(oldest, "untaken");
    if (held.state === "closed") return nothing;
    held.untaken++;
    this.#untaken++;
    this.#holding.add(held);
    return () => {
      if (held.untaken === 0) return;
      held.untaken--;
      this.#untaken--;
      if (held.untaken === 0) this.#holding.delete(held);
    };
  }

  /** The age of a connection, in ms. */
  age({ since }: GuardedConnection): number {
    return this.#clock.steady() - since;
  }

  [Symbol.dispose](): void {
    for (const deadlines of Object.values(this.#timed)) deadlines[Symbol.dispose]();
  }

  #fullFor(address: Address | undefined): "connections" | "strangers" | "address" | undefined {
    const { connections, connectionsPerAddress, unauthenticatedConnections } = this.#limits;
    if (address && address.count >= connectionsPerAddress) return "address";
    if (this.#all.size >= connections) return "connections";
    return this.#unauthenticated.size + this.#waiting >= unauthenticatedConnections ? "strangers" : undefined;
  }

  #await(held: GuardedConnection): void {
    this.#unauthenticated.add(held);
    this.#addresses.get(held.address)?.unauthenticated.add(held);
  }

  #release(held: GuardedConnection): void {
    this.#unauthenticated.delete(held);
    this.#addresses.get(held.address)?.unauthenticated.delete(held);
  }

  #breakOff(held: GuardedConnection, cause: Refusal): void {
    this.#refuse(cause, held);
    this.enter(held, "closed");
    held.destroy();
  }

  #refuse(cause: Refusal, { address }: GuardedConnection): void {
    this.#refused[cause]++;
    this.#log.warn(WHY[cause], { limit: cause, client: address, connections: this.#all.size });
  }
}

const nothing = (): void => {};

const WHY: Readonly<Record<Refusal, string>> = {
  connections: "a connection was dropped: there are as many as the server takes",
  address: "a connection was dropped: its address has as many as one may have",
  strangers: "a connection was dropped: as many as the server takes have shown no credential",
  untaken: "a connection was dropped: it showed no credential and did not read its responses",
  opening: "a connection was dropped: no request came on it in time",
  asked: "a connection was dropped: no request on it showed a credential in time",
  ending: "a connection was dropped: its peer did not end it in time",
};

/** A key that identifies a connection on both sides of its encryption. */
const idOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
