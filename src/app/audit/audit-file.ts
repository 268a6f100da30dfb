import {
  type AuditEvent,
  type AuditMetrics,
  type AuditSink,
  Batches,
  legacyText,
  truncateEvent,
} from "../../audit/index.ts";
import { LineFile } from "../files/line-file.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { OptionError } from "../options/types.ts";
import type { AuditFileOptions } from "../options/audit-options.ts";
import { RotatingFile } from "./rotating-file.ts";
import type { Loop } from "../../util/loop.ts";
import { messageOf } from "../../util/error.ts";

/** What a sink of audit events is built from. */
export interface SinkParts extends Pick<SystemParts, "clock" | "log"> {
  readonly metrics: AuditMetrics;
}

/**
 * Opens a sink that writes events to a file or to standard output (AUDIT-24, AUDIT-25). No request waits for standard output,
 * whatever the mode.
 *
 * @param open closes the file
 * @throws OptionError if the file cannot be opened
 */
export function openAuditFile(options: AuditFileOptions, parts: SinkParts, open: AsyncDisposableStack): AuditSink {
  const { mode, batch, truncate, format } = options;
  const { clock, metrics } = parts;
  const write = writerOf(options, parts, open);
  const textOf = (event: AuditEvent): string => (format === "json" ? event.json : legacyText(event));
  /** Returns the line of an event; undefined if it is too large. */
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
 * Writes an event before its response is sent. A RequestReceived event is written together with the next event, at the latest
 * when the pass of the event loop ends: no response has been sent by then.
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

/** Writes lines; false if they are lost. */
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
    throw new OptionError(`expected --${option} to name a file that can be written: ${messageOf(error)}`);
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
