/**
 * Sends what a seed says to a server, and looks at it: every answer, each turn of its event loop, its memory, its log.
 *
 * @module
 */
import { MAX_SLICE_MS, isLongSlice } from "../../src/util/testing/slices.ts";
import type { Healthy, Target } from "../attacks/target.ts";
import { until } from "../serve/keelson.ts";
import { type RequestCase, show } from "./case.ts";
import { Draw } from "../../src/util/testing/draw.ts";
import { NAMESPACE, requestCases } from "./requests.ts";
import { Sender } from "./sender.ts";
import { clear } from "./world.ts";

const MOST_MORE_BYTES = 24 << 20;
/** What recent changes cost at most, times what is counted of them. */
const CHANGE_COST = 1.3;
const TIMES_TO_FILL = 10;
const SENDERS = 6;
/** What each of them sends before the server is looked at. */
const STORIES = 8;
const TRIES_ALONE = 3;

/** Something that must not be. */
export interface Finding {
  readonly what: string;
  /** What was sent, the last of it last. */
  readonly cases: readonly RequestCase[];
}

/** The figures of a run. */
export interface Figures {
  cases: number;
  longestTurn: number;
  /** Bytes in use, those of them that recent changes hold, and resident ones, each time that all has been cleared. */
  readonly memory: { readonly used: number; readonly history: number; readonly rss: number }[];
}

/** The sums of several counts. */
function sumOf(counts: readonly ReadonlyMap<number, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [code, count] of counts.flatMap((one) => [...one])) sums[code] = (sums[code] ?? 0) + count;
  return sums;
}

/** See the head of this file. */
export class Fuzzer {
  readonly figures: Figures = { cases: 0, longestTurn: 0, memory: [] };
  readonly #target: Target;
  readonly #healthy: Healthy;
  readonly #draw: Draw;
  readonly #senders: readonly Sender[];
  readonly #report: (finding: Finding) => void;
  /** How much of the log has been looked at. */
  #logged = 0;
  #troubles = 0;

  private constructor(target: Target, healthy: Healthy, seed: number, report: (finding: Finding) => void) {
    this.#target = target;
    this.#healthy = healthy;
    this.#draw = new Draw(seed);
    this.#senders = Array.from({ length: SENDERS }, () => new Sender(target));
    this.#report = report;
  }

  /** @param report is called with violations */
  static async start(target: Target, seed: number, report: (finding: Finding) => void): Promise<Fuzzer> {
    return new Fuzzer(target, await target.healthy(50), seed, report);
  }

  /** How many requests were answered with which code. */
  get codes(): Readonly<Record<string, number>> {
    return sumOf(this.#senders.map(({ codes }) => codes));
  }

  /** Draws and sends some stories at once. */
  async round(): Promise<void> {
    const shares = this.#senders.map((sender) => ({
      sender,
      stories: this.#draw.many(STORIES, () => requestCases(this.#draw)),
    }));
    await Promise.all(
      shares.map(async ({ sender, stories }) => {
        for (const cases of stories) await this.#tell(cases, sender);
      }),
    );
    await this.#look(shares.flatMap(({ stories }) => stories));
  }

  /** Sends cases that are known, one after the other. */
  async replay(cases: readonly RequestCase[]): Promise<void> {
    await this.#tell(cases, this.#senders[0]!);
    await this.#look([cases]);
  }

  /** Clears everything, and compares what is left with what was left before. */
  async settle(): Promise<void> {
    for (const sender of this.#senders) sender.close();
    const client = await this.#target.connect();
    await clear(client);
    await until(async () => (await this.#target.metric('keelson_connections{trusted="false"}')) === 0);
    const { memory } = this.figures;
    const history = await this.#target.metric("keelson_cache_history_bytes");
    const { used, rss } = await this.#target.memory();
    memory.push({ used, history, rss });
    await client.send("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    client.session.destroy();
    // What is kept on purpose, recent changes and parsed objects, is bounded, and fills up first.
    if (memory.length < TIMES_TO_FILL) return;
    const middle = memory[memory.length >> 1]!;
    const more = used - middle.used - CHANGE_COST * (history - middle.history);
    if (more > MOST_MORE_BYTES) this.#report({ what: `memory grew by ${more} bytes in the second half`, cases: [] });
  }

  /** Ends it; what the healthy client met meanwhile has been reported. */
  async stop(): Promise<number> {
    await this.#healthy.stop();
    for (const sender of this.#senders) sender.close();
    return this.#healthy.p99;
  }

  async #tell(cases: readonly RequestCase[], sender: Sender): Promise<void> {
    for (const [i, sent] of cases.entries()) {
      this.figures.cases++;
      const wrong = await sender.send(sent).catch((error: unknown) => String(error));
      if (wrong !== "") this.#report({ what: `${wrong}: ${show(sent)}`, cases: cases.slice(0, i + 1) });
    }
  }

  async #look(stories: readonly (readonly RequestCase[])[]): Promise<void> {
    const { longestTurn } = this.figures;
    const turn = await this.#target.turn();
    this.figures.longestTurn = Math.max(longestTurn, turn);
    const logged = this.#target.keelson.stderr;
    const errors = logged
      .slice(this.#logged)
      .split("\n")
      .filter((line) => /^\S+ ERROR /.test(line));
    this.#logged = logged.length;
    for (const line of errors) this.#report({ what: `logged: ${line}`, cases: stories.flat() });
    const troubles = this.#healthy.troubles.slice(this.#troubles);
    this.#troubles += troubles.length;
    for (const trouble of troubles) this.#report({ what: `the healthy client: ${trouble}`, cases: stories.flat() });
    if (isLongSlice(turn)) await this.#blame(stories.flat(), turn);
  }

  /** Which of several cases it was that made a turn so long; none when it was all of them together. */
  async #blame(cases: readonly RequestCase[], turn: number): Promise<void> {
    const [sender] = this.#senders;
    for (const sent of cases) {
      let least = Infinity;
      for (let i = 0; i < TRIES_ALONE; i++) {
        await sender!.send(sent).catch(() => "");
        least = Math.min(least, await this.#target.turn());
      }
      if (isLongSlice(least)) this.#report({ what: `a turn of ${least} ms: ${show(sent)}`, cases: [sent] });
    }
    if (isLongSlice(turn, 2 * MAX_SLICE_MS)) this.#report({ what: `a turn of ${turn} ms, once`, cases });
  }
}
