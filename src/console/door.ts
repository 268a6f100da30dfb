import type { SessionReader } from "../auth/sessions.ts";
import { CONSOLE_LINKS_PATH, CONSOLE_LOGIN_PATH, CONSOLE_SESSION_PATH } from "../meta/console-session.ts";
import { unauthorized } from "../meta/status.ts";
import type { Route, ServerContext, ServerRequest } from "../server/index.ts";
import type { Timer } from "../util/clock.ts";
import { once } from "../util/once.ts";
import type { Desk, DeskParts, ShareSignOut } from "./session/desk.ts";
import { cookieOf } from "./session/cookie.ts";
import type { PageSource } from "./session/page.ts";
import type { OpenSession, SessionCookies, SharedSignOuts } from "./session/sessions.ts";

/** What the console of a server is made of. */
export interface DoorParts extends Omit<DeskParts, "share"> {
  readonly page: PageSource;
}

/** How often sessions are looked at whose streams go on, while there are any. */
const CHECK_MILLIS = 30_000;
const CHECK = { owner: "sessions of the console", upkeep: true };

/** Everybody gets the page: its files have no data. */
const PAGE = { methods: ["GET", "HEAD"], public: true, open: true, listed: () => [] } as const;
/** Every user may have a session, and asks for it without a role. */
const SESSION = { open: true, listed: () => [] } as const;

/** Whatever leads into the console: its page, and sessions. */
export class ConsoleDoor implements Disposable {
  readonly #parts: DoorParts;
  #share: ShareSignOut = () => Promise.reject(new Error("expected a store to share it in"));
  #endRevoked: () => void = () => {};
  #timer: Timer | undefined;
  /** By the steady counter. */
  #usedAt = -Infinity;
  #isClosed = false;

  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  readonly #page = once(async () => (await import("./session/page.ts")).openPage(this.#parts.page));

  readonly #desk = once(async (): Promise<Desk> => {
    const { Desk } = await import("./session/desk.ts");
    return new Desk({ ...this.#parts, share: (change) => this.#share(change) });
  });

  /** The paths of the page and of sessions. */
  get routes(): readonly Route[] {
    const at =
      (work: (desk: Desk, server: ServerContext, request: ServerRequest) => Promise<void>): Route["handle"] =>
      async (server, request) =>
        work(await this.#desk(), server, request);
    const [signIn, show, signOut] = [
      at((desk, server, request) => desk.signIn(server, request)),
      at((desk, server, request) => desk.show(server, request)),
      at((desk, server, request) => desk.signOut(server, request)),
    ];
    return [
      { path: "/console", ...PAGE, handle: async (_server, request) => (await this.#page()).redirect(request) },
      { path: "/console/", ...PAGE, handle: async (_server, request) => (await this.#page()).respond(request, "") },
      {
        path: CONSOLE_LINKS_PATH,
        methods: ["POST"],
        ...SESSION,
        handle: at((desk, server, request) => desk.link(server, request)),
      },
      {
        path: CONSOLE_LOGIN_PATH,
        methods: ["GET"],
        ...SESSION,
        public: true,
        hidesQuery: true,
        handle: at((desk, _server, request) => desk.login(request)),
      },
      {
        path: CONSOLE_SESSION_PATH,
        methods: ["GET", "POST", "DELETE"],
        ...SESSION,
        handle: (server, request, params) => {
          const { method } = request.incoming.sent;
          const act = method === "POST" ? signIn : method === "GET" ? show : signOut;
          return act(server, request, params);
        },
      },
      {
        path: "/console/{path...}",
        ...PAGE,
        handle: async (_server, request, { path = "" }) => (await this.#page()).respond(request, path),
      },
    ];
  }

  /**
   * Reads the sessions of requests to a cluster.
   *
   * @param shared the sessions that were signed out on any server of its store
   */
  reader(shared: SharedSignOuts): SessionReader {
    let cookies: SessionCookies | undefined;
    const open = async (cookie: string): Promise<OpenSession> => {
      cookies ??= (await this.#desk()).sessions.reader(shared);
      const session = await cookies.open(cookie);
      if (!session) throw unauthorized();
      return session;
    };
    return (credentials) => {
      const cookie = cookieOf(credentials);
      if (cookie === undefined) return undefined;
      this.#isUsed();
      return cookies?.known(cookie) ?? open(cookie);
    };
  }

  /**
   * Joins the door to the cluster, once that is there.
   *
   * @param share changes the sessions that the servers of the store share as signed out
   * @param endRevoked ends what was begun with credentials that do not count any more
   */
  join(share: ShareSignOut, endRevoked: () => void): void {
    this.#share = share;
    this.#endRevoked = endRevoked;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #isUsed(): void {
    this.#usedAt = this.#parts.clock.steady();
    if (!this.#timer) this.#checkLater();
  }

  /** A stream may go on when its session is over; each ends within half a minute. */
  #checkLater(): void {
    const { clock, millis } = this.#parts;
    if (this.#isClosed) return;
    this.#timer = clock.after(
      CHECK_MILLIS,
      () => {
        this.#timer = undefined;
        this.#endRevoked();
        if (clock.steady() < this.#usedAt + millis + CHECK_MILLIS) this.#checkLater();
      },
      CHECK,
    );
  }
}
