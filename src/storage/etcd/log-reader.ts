/**
 * Reads the log of etcd for watchers that start before the changes in memory.
 *
 * @module
 */
import type { Clock, Timer } from "../../util/clock.ts";
import { StoreError, type StoreEvent } from "../contract.ts";
import type { LogPage } from "../watch-hub.ts";
import type { EtcdClient, Member } from "./client.ts";
import { requestProgress, writeProgressMark } from "./feed.ts";
import type { GrpcError } from "../../grpc/error.ts";
import type { Layout } from "./layout.ts";
import { WatchStream } from "./watch-stream.ts";

/** Changes of any key after which a page ends. */
const PAGE_EVENTS = 2000;
/** No event marks the end of the log, so progress is requested; less often where that needs a write. */
const PROGRESS_INTERVAL_MS = 100;
const MARK_INTERVAL_MS = 1000;
const MAX_TRIES = 5;

/** Reads pages of the log; see the head of this file. */
export class LogReader {
  readonly #client: EtcdClient;
  readonly #layout: Layout;
  readonly #clock: Clock;

  constructor(client: EtcdClient, layout: Layout, clock: Clock) {
    this.#client = client;
    this.#layout = layout;
    this.#clock = clock;
  }

  /**
   * Reads the changes after `after` under a prefix: one page, or all up to `until` or later. Rejects with StoreError, such as
   * `compacted`.
   */
  async read(prefix: string, after: number, until: number): Promise<LogPage> {
    for (let tries = 1; ; tries++) {
      const page = await this.#attempt(await this.#client.member(), prefix, after, until);
      if (!(page instanceof Error)) return page;
      if (page instanceof StoreError) throw page;
      if (tries >= MAX_TRIES) {
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
      const interval = member.reportsProgress ? PROGRESS_INTERVAL_MS : MARK_INTERVAL_MS;
      const request = (): void => {
        requestProgress(stream, member, () => void writeProgressMark(this.#client, this.#layout).catch(() => {}));
        timer = this.#clock.after(interval, request);
      };
      timer = this.#clock.after(interval, request);
    });
  }
}
