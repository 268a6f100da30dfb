/**
 * Decides whether programs over HTTP are at rest, by their requests and by the stored objects.
 *
 * @module
 */
import { isAside } from "../../explore/aside.ts";
import type { Actor, TraceEntry } from "../../explore/contract/trace.ts";
import type { Exchange } from "../../server/request/exchange.ts";
import type { Activity } from "../../util/activity.ts";
import { senderOf } from "../sender.ts";
import type { ProgramSender } from "./identity.ts";
import type { ProgramCommand } from "./programs-process.ts";
import type { Quiet } from "./programs-quiet.ts";
import type { Replica } from "./programs-replicas.ts";
import { staleUrl } from "./stale.ts";
import { refOf } from "./stored.ts";
import type { RunContext } from "./world.ts";

/** How long a new watch, or a retry, is expected: clients wait up to two seconds before either. */
const AGAIN_MS = 3000;

/** The parts for observing requests. */
export interface WatchedOptions {
  readonly programs: readonly ProgramCommand[];
  readonly context: RunContext;
  readonly quiet: Quiet;
  /** Programs that take part in an election of a leader, as runs have shown. */
  readonly electing: Set<Actor>;
  readonly isRunning: (actor: Actor) => boolean;
  /** Whether all programs have been ended for good. */
  readonly isStopped: () => boolean;
  /** Called with a replica that has written a Lease. */
  readonly leads: (replica: Replica) => void;
}

/** The expected requests of a program: each is resolved when it has come. */
interface Expected {
  /** After a response that a perturbation has made. */
  readonly retried: (() => void)[];
  /** Of watches that have ended, by their path. */
  readonly ended: Map<string, () => void>;
}

/** Looks at all requests of programs. */
export class WatchedPrograms {
  readonly #options: WatchedOptions;
  readonly #activity: Activity;
  readonly #expected: ReadonlyMap<Actor, Expected>;
  /** Entries of the trace that were read. */
  #read = 0;

  constructor(options: WatchedOptions) {
    this.#options = options;
    this.#expected = new Map(options.programs.map(({ name }) => [name, { retried: [], ended: new Map() }]));
    this.#activity = options.context.cluster.inside.activity;
  }

  /** A request has come to the port of a replica. */
  seen(replica: Replica, exchange: Exchange): void {
    const { program, host } = replica;
    const { method, url } = exchange;
    const { context, quiet, electing, leads } = this.#options;
    const sender = senderOf(exchange.connection) as ProgramSender;
    // Requests of a dead process still arrive.
    if (sender.isOver) return;
    host.seen();
    replica.hasAsked = true;
    if (sender.stale) {
      (exchange as { -readonly [M in "url"]: string }).url = staleUrl(method, url, sender.stale.revision);
    }
    if (program.leases.seen(method, url)) {
      if (method === "GET") return;
      electing.add(program.command.name);
      if (!replica.led) context.trace.life({ actor: sender.actor, life: sender.life, event: "leading" });
      replica.led = true;
      leads(replica);
      return;
    }
    this.#absorb();
    const expected = this.#expected.get(program.command.name)!;
    for (const came of expected.retried.splice(0)) came();
    if (isWatch(url)) this.#watches(expected, sender, exchange);
    else exchange.onOver(quiet.request(method !== "GET"));
  }

  isBusy(): boolean {
    this.#absorb();
    return this.#activity.count > 0;
  }

  /** Returns the error of programs that write without end, or of a server that has work without end. */
  stillWriting(millis: number): Error {
    const writes = this.#options.context.trace.entries.flatMap((entry) => {
      if (entry.type !== "change" || !stirs(entry)) return [];
      const { actor, change, object } = entry;
      return [
        `  ${actor} ${change} ${object.kind} ${object.namespace === undefined ? "" : `${object.namespace}/`}${object.name}`,
      ];
    });
    const work = this.#activity
      .list()
      .slice(0, 5)
      .map(({ what }) => `  ${what}`);
    return new StillWriting(
      `expected rest within ${millis / 1000} s, found more work; the last changes:\n${[...writes.slice(-5), ...work].join("\n")}`,
    );
  }

  /** A watch that ends while its program runs is opened again. */
  #watches({ ended }: Expected, sender: ProgramSender, exchange: Exchange): void {
    const { quiet, isStopped } = this.#options;
    const path = exchange.url.slice(0, exchange.url.indexOf("?"));
    ended.get(path)?.();
    quiet.stir();
    exchange.onOver(() => {
      if (sender.isOver || isStopped()) return;
      ended.get(path)?.();
      ended.set(path, quiet.expect(AGAIN_MS));
    });
  }

  /** Reads the new entries of the trace. */
  #absorb(): void {
    const { context, quiet, isRunning } = this.#options;
    const { entries } = context.trace;
    for (; this.#read < entries.length; this.#read++) {
      const entry = entries[this.#read]!;
      if (stirs(entry)) quiet.stir();
      if (entry.type !== "request" || entry.perturbation === undefined || !isRunning(entry.actor)) continue;
      this.#expected.get(entry.actor)?.retried.push(quiet.expect(AGAIN_MS));
    }
  }
}

/** `?watch=true`, as clients write it. */
const isWatch = (url: string): boolean => /[?&]watch=(true|1)(&|$)/.test(url);

/** Whether an entry shows that something happens; Leases are renewed for ever. */
function stirs(entry: TraceEntry): boolean {
  if (entry.type === "change") return !isAside(refOf(entry.after), entry.after);
  // A held delivery continues, or ends.
  if (entry.type === "perturbation") return true;
  return entry.type === "delivery" && entry.object.kind !== "Lease" && entry.object.kind !== "Event";
}

class StillWriting extends Error {
  override readonly name = "NotSettled";
}
