/**
 * The HTTP requests of a program of Go: sent to the server of the same process, and read by the program piece by piece.
 *
 * @module
 */
import type { Transport, TransportResponse, TransportRequest } from "../../../client/index.ts";

/** A request that the program has made. */
export interface GoRequest {
  readonly id: number;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

interface Exchange {
  readonly isWatch: boolean;
  readonly abort: AbortController;
  head?: Uint8Array;
  readonly pieces: Uint8Array[];
  isOver: boolean;
  failure?: string;
}

/** Requests that were kept: those that had not been sent, and the running ones. */
export interface KeptRequests {
  readonly unsent: readonly GoRequest[];
  readonly open: readonly { readonly id: number; readonly isOpenWatch: boolean }[];
}

const METHODS: ReadonlySet<string> = new Set<TransportRequest["method"]>(["GET", "POST", "PUT", "PATCH", "DELETE"]);
/** Headers of connections, which do not exist here, and of credentials: the transport sends with an identity. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "connection",
  "transfer-encoding",
  "authorization",
  "accept-encoding",
  "host",
]);
const PENDING = -1;
const NONE = -2;
const END = -1;
const BROKEN = -2;

/** Returns the request that a program describes by its first line and its headers. */
export function requestOf(id: number, head: string, body: Uint8Array): GoRequest {
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", url = ""] = first.split(" ");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (!LEFT_OUT.has(name)) headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { id, method, url, headers: { ...headers, accept: jsonOf(headers["accept"]) }, body };
}

/** Responses are JSON, whatever a program prefers: those who look at a run read them, too. */
function jsonOf(accept = ""): string {
  const others = accept.split(",").filter((type) => !type.includes("protobuf") && type.trim() !== "");
  return others.length > 0 ? others.join(",").trim() : "application/json";
}

/** The requests of a program of Go. */
export class Requests {
  readonly #transport: Transport;
  /** The host names of the server. */
  readonly #hosts: ReadonlySet<string>;
  /** Tells the program that there is something to read. */
  readonly #wake: (id: number) => void;
  readonly #unsent: GoRequest[];
  readonly #exchanges = new Map<number, Exchange>();
  /** The number of requests of the program. */
  count = 0;

  constructor(kept: KeptRequests, transport: Transport, hosts: ReadonlySet<string>, wake: (id: number) => void) {
    this.#transport = transport;
    this.#hosts = hosts;
    this.#wake = wake;
    this.#unsent = [...kept.unsent];
    for (const { id, isOpenWatch } of kept.open) {
      // A watch ends in order, and the program resumes it.
      const end = isOpenWatch ? { head: new Uint8Array(0) } : { failure: "connection reset by peer" };
      this.#exchanges.set(id, { isWatch: isOpenWatch, abort: new AbortController(), pieces: [], isOver: true, ...end });
    }
  }

  /** The ids of exchanges that ended when the program was copied. */
  get ended(): readonly number[] {
    return [...this.#exchanges].filter(([, { isOver }]) => isOver).map(([id]) => id);
  }

  keep(): KeptRequests {
    const open = [...this.#exchanges].map(([id, { isWatch, head }]) => ({
      id,
      isOpenWatch: isWatch && head !== undefined,
    }));
    return { unsent: [...this.#unsent], open };
  }

  /** Takes a request; it is sent when the program waits. */
  add(request: GoRequest): void {
    this.#unsent.push(request);
    this.count++;
  }

  /** Sends the requests of the program. */
  flush(): void {
    for (const request of this.#unsent.splice(0)) void this.#exchange(request);
  }

  /** The head of a response for Go: its bytes, or a number with the reason why there is none. */
  head(id: number): Uint8Array | number {
    const exchange = this.#exchanges.get(id);
    return exchange?.head ?? (exchange?.failure === undefined ? PENDING : NONE);
  }

  /** The text of a failure. */
  failure(id: number): Uint8Array {
    return Buffer.from(this.#exchanges.get(id)?.failure ?? "the request was cancelled");
  }

  /** Moves bytes of a body, and returns how many; or a number with the reason why there are none. */
  read(id: number, to: Uint8Array): number {
    const exchange = this.#exchanges.get(id);
    if (!exchange) return BROKEN;
    const piece = exchange.pieces[0];
    if (piece) {
      const part = piece.subarray(0, to.length);
      to.set(part);
      if (part.length === piece.length) exchange.pieces.shift();
      else exchange.pieces[0] = piece.subarray(part.length);
      return part.length;
    }
    if (!exchange.isOver) return 0;
    return exchange.failure === undefined ? END : BROKEN;
  }

  cancel(id: number): void {
    const unsent = this.#unsent.findIndex((request) => request.id === id);
    if (unsent >= 0) this.#unsent.splice(unsent, 1);
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    if (exchange && !exchange.isOver) exchange.abort.abort();
  }

  /** Breaks all requests off, as the death of the process does. */
  close(): void {
    this.#unsent.length = 0;
    for (const id of this.#exchanges.keys()) this.cancel(id);
  }

  async #exchange(request: GoRequest): Promise<void> {
    const { id } = request;
    const isWatch = /[?&]watch=(?:true|1)(?:&|$)/.test(request.url);
    const exchange: Exchange = { isWatch, abort: new AbortController(), pieces: [], isOver: false };
    this.#exchanges.set(id, exchange);
    const tell = (): void => {
      if (this.#exchanges.get(id) === exchange) this.#wake(id);
    };
    try {
      const response = await this.#transport(this.#sent(request, exchange.abort.signal));
      exchange.head = headOf(response);
      tell();
      for await (const piece of response.body) {
        if (piece.length === 0) continue;
        exchange.pieces.push(piece);
        tell();
      }
    } catch (error) {
      exchange.failure = error instanceof Error ? error.message : String(error);
    }
    exchange.isOver = true;
    tell();
  }

  /** @throws Error where it is not for the server, or has a method that the server does not have */
  #sent({ method, url, headers, body }: GoRequest, signal: AbortSignal): TransportRequest {
    const { hostname, pathname, search } = new URL(url);
    if (!this.#hosts.has(hostname)) {
      throw new Error(`lookup ${hostname}: no such host: a program of Go in a test reaches the API server alone`);
    }
    if (!METHODS.has(method)) throw new Error(`expected a method of ${[...METHODS].join(", ")}, got ${method}`);
    return {
      method: method as TransportRequest["method"],
      path: pathname + search,
      headers,
      signal,
      ...(body.length === 0 ? {} : { body }),
    };
  }
}

/** A status line without the version, and the headers. */
function headOf({ status, headers = {} }: TransportResponse): Uint8Array {
  const lines = [`${status} status`];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || LEFT_OUT.has(name)) continue;
    for (const one of [value].flat()) lines.push(`${name}: ${one}`);
  }
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(""));
}
