/**
 * Reads the log of etcd for watchers that start further back than memory reaches.
 *
 * @module
 */
import type { Clock, Timer } from "../../util/clock.ts";
import { StoreError, type StoreEvent } from "../contract.ts";
import type { LogPage } from "../watch-hub.ts";
import type { EtcdClient, Member } from "./client.ts";
import { askProgress, writeMark } from "./feed.ts";
import type { GrpcError } from "../../grpc/error.ts";
import type { Layout } from "./layout.ts";
import { WatchStream } from "./watch-stream.ts";

/** Changes, of whatever key, after which a page ends. */
const PAGE_EVENTS = 2000;
/** Who is at the end of the log sees no event that says so, and asks; later where asking takes a write. */
const ASK_EVERY_MS = 100;
const MARK_MS = 1000;
const TRIES = 5;

/** Reads pages of the log; see the head of this file. */
export class Past {
  readonly #client: EtcdClient;
  readonly #layout: Layout;
  readonly #clock: Clock;

  constructor(client: EtcdClient, layout: Layout, clock: Clock) {
    this.#client = client;
    this.#layout = layout;
    this.#clock = clock;
  }

  /**
   * The changes after `after` under a prefix: a page of them, or all up to `until` at least. Rejects with StoreError,
   * `compacted` among others.
   */
  async read(prefix: string, after: number, until: number): Promise<LogPage> {
    for (let tries = 1; ; tries++) {
      const page = await this.#attempt(await this.#client.member(), prefix, after, until);
      if (!(page instanceof Error)) return page;
      if (page instanceof StoreError) throw page;
      if (tries >= TRIES) {
        throw new StoreError("unavailable", `The log of etcd could not be read: ${page.message}`, { cause: page });
      }
    }
  }

  #attempt(member: Member, prefix: string, after: number, until: number): Promise<LogPage | StoreError | GrpcError> {
    return new Promise((resolve) => {
      const events: StoreEvent[] = [];
      let seen = 0;
      let timer: Timer | undefined;
      const finish = (result: LogPage | StoreError | GrpcError): void => {
        timer?.cancel();
        stream.cancel();
        resolve(result);
      };
      const stream = new WatchStream(member, this.#layout.everything, after, {
        changes: (changes, revision) => {
          try {
            for (const event of this.#layout.events(changes)) if (event.key.startsWith(prefix)) events.push(event);
          } catch (error) {
            return finish(error as StoreError);
          }
          seen += changes.length;
          if (revision >= until || seen >= PAGE_EVENTS) finish({ events, through: revision });
        },
        progress: (revision) => {
          if (revision >= until) finish({ events, through: revision });
        },
        ended: finish,
      });
      const every = member.tellsProgress ? ASK_EVERY_MS : MARK_MS;
      const ask = (): void => {
        askProgress(stream, member, () => void writeMark(this.#client, this.#layout).catch(() => {}));
        timer = this.#clock.after(every, ask);
      };
      timer = this.#clock.after(every, ask);
    });
  }
}
