import { ANONYMOUS } from "../../auth/contract.ts";
import { CONSOLE_STREAM_PROTOCOL } from "../../meta/console-protocol.ts";
import { ApiError, badRequest, unauthorized } from "../../meta/status.ts";
import { type ServerContext, type ServerRequest, ownerOf } from "../../server/index.ts";
import { isOfOtherPage } from "../origin.ts";
import { Lists } from "./lists.ts";
import { LIST_LIMITS, type ListLimits } from "./memory.ts";
import { Rights } from "./rights.ts";
import { Seats } from "./access.ts";
import { Untaken } from "./untaken.ts";
import { ConsoleStream, type StreamParts } from "./stream.ts";

/** What there is now. */
export interface WindowFigures {
  readonly streams: number;
  readonly windows: number;
  readonly lists: number;
  readonly listBytes: number;
  readonly untakenBytes: number;
}

/** Responds to requests for streams; what they share is made for the first one. */
export class ConsoleWindows {
  readonly #limits: ListLimits;
  #parts: StreamParts | undefined;
  readonly #streams = new Set<ConsoleStream>();

  constructor(limits: ListLimits = LIST_LIMITS) {
    this.#limits = limits;
  }

  /** What there is now, read from all streams and lists. */
  get figures(): WindowFigures {
    const { lists, untaken } = this.#parts ?? {};
    return {
      streams: this.#streams.size,
      windows: this.#streams.values().reduce((sum, { windows }) => sum + windows, 0),
      lists: lists?.size ?? 0,
      listBytes: lists?.bytes ?? 0,
      untakenBytes: untaken?.bytes ?? 0,
    };
  }

  /** Begins a stream, which goes on by itself. */
  respond(server: ServerContext, request: ServerRequest): void {
    const { identity, response, incoming } = request;
    // A path that is open to every user is open to those without a name, too.
    if (identity.user === ANONYMOUS.user) throw unauthorized();
    // Scripts may read a WebSocket of another origin, unlike a response.
    if (isOfOtherPage(incoming.sent)) throw otherPage();
    const owner = ownerOf(request);
    const slot = server.sessionSlots.take(owner);
    const messages = response.upgrade([CONSOLE_STREAM_PROTOCOL], response.headers(""));
    if (!messages) {
      slot[Symbol.dispose]();
      if (response.responded) return;
      throw badRequest(
        `Upgrade request required: expected a WebSocket (GET over HTTP/1.1) with the protocol ${CONSOLE_STREAM_PROTOCOL}`,
      );
    }
    response.longRunning = true;
    response.uncount();
    const user = { identity, owner, connection: incoming.sent.connection };
    const stream: ConsoleStream = new ConsoleStream(this.#partsOf(server), user, messages, () => {
      this.#streams.delete(stream);
      slot[Symbol.dispose]();
    });
    this.#streams.add(stream);
    // What ends all streams may have come while this one was made.
    if (server.closing()) stream.finish();
    else if (server.authenticator.isRevoked?.(user.owner, user.connection)) stream.revoke();
  }

  #partsOf(server: ServerContext): StreamParts {
    const { registry, clock } = server;
    return (this.#parts ??= {
      server,
      lists: new Lists(server, this.#limits),
      rights: new Rights(registry, clock),
      seats: new Seats(server),
      untaken: new Untaken(),
    });
  }
}

const otherPage = (): ApiError =>
  new ApiError(
    "Forbidden",
    "expected the origin of the request to be that of this server; a proxy in front has to pass on the header Host",
    { details: {} },
  );
