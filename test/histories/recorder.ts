import { performance } from "node:perf_hooks";
import type { Beginning, Compaction, Frame, History, Operation, Stream } from "./history.ts";

/** A watch that is being recorded. */
export type Recording = Omit<Stream, "frames" | "end" | "due"> & {
  readonly frames: Frame[];
  end: Stream["end"];
  due?: number;
};

/** Takes down what happens, with the times of one clock. */
export class Recorder {
  beginnings: readonly Beginning[] = [];
  readonly operations: Operation[] = [];
  readonly streams: Recording[] = [];
  readonly compactions: Compaction[] = [];

  /** Milliseconds of a steady clock. */
  now(): number {
    return performance.now();
  }

  /** The newest revision that anybody was shown. */
  get newest(): number {
    let newest = 0;
    for (const { outcome } of this.operations) {
      if (outcome.is === "object") newest = Math.max(newest, outcome.object.revision);
      if (outcome.is === "list") newest = Math.max(newest, outcome.pages[0]!.revision);
    }
    return newest;
  }

  stream(about: Omit<Stream, "frames" | "end">): Recording {
    const recording: Recording = { ...about, frames: [], end: "open" };
    this.streams.push(recording);
    return recording;
  }

  history(keptMillis: number): History {
    const { beginnings, operations, streams, compactions } = this;
    // A watch that never answered says nothing.
    return {
      beginnings,
      operations,
      streams: streams.filter(({ frames, due }) => frames.length > 0 || due !== undefined),
      keptMillis,
      compactions,
    };
  }
}
