import { SpanExporter } from "../../tracing/exporter.ts";
import { SpanContext } from "../../tracing/span-context.ts";
import { Tracer } from "../../tracing/tracer.ts";
import { traced } from "../../server/filters/tracing.ts";
import type { Filter } from "../../server/index.ts";
import type { Collector } from "../../util/exposition.ts";
import type { CurrentSpan, InTrace } from "../../util/span.ts";
import { readNamed } from "../files/named-file.ts";
import { OptionError } from "../options/types.ts";
import type { SystemParts } from "../process/system-parts.ts";
import { VERSION } from "../process/version.ts";
import { TracingConfigurationError, readTracingConfiguration } from "./tracing-configuration.ts";

/** The tracing of a server. */
export interface Tracing {
  /** Returns filters that also trace requests. */
  traced(filters: readonly Filter[]): readonly Filter[];
  readonly currentSpan: CurrentSpan;
  readonly inTrace: InTrace;
  readonly metrics: Collector;
}

/** The service name of kube-apiserver in traces. */
const SERVICE = "apiserver";

/**
 * Opens the tracing of `--tracing-config-file`. A server without the option does not load this module.
 *
 * @param open sends the pending spans when it is disposed of
 * @throws OptionError for a file that cannot be read, and for an invalid one
 */
export function openTracing(file: string, system: SystemParts, open: AsyncDisposableStack): Tracing {
  const { collector, ratio } = configurationOf(file);
  const { clock, random } = system;
  const exporter = new SpanExporter({
    ...system,
    collector,
    origin: {
      scope: { name: "keelson", version: VERSION },
      resource: {
        "service.name": SERVICE,
        "service.version": VERSION,
        "service.instance.id": `${SERVICE}-${random.uuid()}`,
        "process.pid": process.pid,
      },
    },
  });
  open.defer(() => exporter.close());
  const context = new SpanContext();
  const tracer = new Tracer({ clock, random, ratio, context, sink: exporter });
  return {
    traced: (filters) => traced(filters, tracer),
    currentSpan: context.current,
    inTrace: tracer.inTrace,
    metrics: exporter.metrics,
  };
}

function configurationOf(file: string): ReturnType<typeof readTracingConfiguration> {
  const text = readNamed("tracing-config-file", file);
  try {
    return readTracingConfiguration(text);
  } catch (error) {
    if (!(error instanceof TracingConfigurationError)) throw error;
    throw new OptionError(
      `expected --tracing-config-file to name a TracingConfiguration:\n${error.message.replaceAll(/^/gm, "  ")}`,
    );
  }
}
