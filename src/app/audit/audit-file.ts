import {
  type AuditEvent,
  type AuditMetrics,
  type AuditSink,
  Batches,
  legacyText,
  truncateEvent,
} from "../../audit/index.ts";
import type { Clock } from "../../util/clock.ts";
import type { Log } from "../../util/log.ts";
import { LineFile } from "../files/line-file.ts";
import { OptionError } from "../options/types.ts";
import type { AuditFileOptions } from "../options/audit-options.ts";
import { RotatingFile } from "./rotating-file.ts";
import type { Loop } from "../../util/loop.ts";

/** What sinks of events are given. */
export interface SinkParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AuditMetrics;
}

/**
 * Opens a sink that writes events to a file, or to standard output, which nobody waits for whatever the mode (AUDIT-24,
 * AUDIT-25).
 *
 * @param open closes what was opened
 * @throws OptionError where the file cannot be opened
 */
export function openAuditFile(options: AuditFileOptions, parts: SinkParts, open: AsyncDisposableStack): AuditSink {
  const { mode, batch, truncate, format } = options;
  const { clock, metrics } = parts;
  const write = writerOf(options, parts, open);
  const textOf = (event: AuditEvent): string => (format === "json" ? event.json : legacyText(event));
  /** The line of an event; undefined where it is too large. */
  const lineOf = (event: AuditEvent): string | undefined => {
    const kept = truncate ? truncateEvent(event, truncate) : event;
    if (!kept) metrics.lost("truncate", 1);
    return kept && `${textOf(kept)}\n`;
  };
  if (mode === "blocking-strict") {
    return {
      write(event) {
        const line = lineOf(event);
        return line !== undefined && write(line, 1);
      },
    };
  }
  if (mode === "blocking") return blocking(write, clock.loop, open, lineOf);
  const batches = new Batches({
    clock,
    options: batch,
    send: async (events) => {
      const lines = events.flatMap((event) => lineOf(event) ?? []);
      write(lines.join(""), lines.length);
      return Promise.resolve();
    },
    onDropped: (events) => metrics.lost("buffered", events),
  });
  open.defer(() => batches.flush());
  return batches;
}

/**
 * An answer waits for its event. That a request has come is written with whatever is written next, at the latest when the
 * pass of the event loop ends: nothing has been answered by then.
 */
function blocking(
  write: Write,
  loop: Loop,
  open: AsyncDisposableStack,
  lineOf: (event: AuditEvent) => string | undefined,
): AuditSink {
  let lines = "";
  let events = 0;
  const flush = (): void => {
    if (events === 0) return;
    const [text, count] = [lines, events];
    lines = "";
    events = 0;
    write(text, count);
  };
  open.defer(flush);
  return {
    write(event) {
      const line = lineOf(event);
      if (line === undefined) return true;
      lines += line;
      events++;
      if (event.stage.stage !== "RequestReceived") flush();
      else if (events === 1) loop.later(flush);
      return true;
    },
  };
}

/** Writes lines; false where they are lost. */
type Write = (lines: string, events: number) => boolean;

function writerOf({ path, rotation }: AuditFileOptions, parts: SinkParts, open: AsyncDisposableStack): Write {
  const { clock, log, metrics } = parts;
  const option = "audit-log-path";
  if (path === "-") {
    const output = open.use(new LineFile(path, { clock, log, what: "audit log", option }));
    return (lines) => {
      const before = output.dropped;
      output.add(lines.slice(0, -1));
      metrics.lost("log", output.dropped - before);
      return output.dropped === before;
    };
  }
  let file: RotatingFile;
  try {
    file = open.use(new RotatingFile(path, rotation, parts));
  } catch (error) {
    throw new OptionError(`expected --${option} to name a file that can be written: ${(error as Error).message}`);
  }
  return (lines, events) => {
    try {
      file.write(lines);
      return true;
    } catch (error) {
      log.error("audit events could not be written", { error: String(error) });
      metrics.lost("log", events);
      return false;
    }
  };
}
