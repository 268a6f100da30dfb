/**
 * The rules of probes and of what is done at the start and the end of a container (SUP-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ContainerValue } from "./container-schema.ts";
import { checkPortNumber, isPortName } from "./ports.ts";

type Probe = NonNullable<ContainerValue["livenessProbe"]>;
type Lifecycle = NonNullable<ContainerValue["lifecycle"]>;
type Handler = NonNullable<Lifecycle["postStart"]> & { readonly grpc?: Probe["grpc"] };

const ACTIONS = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"] as const;
const NUMBERS = [
  "initialDelaySeconds",
  "timeoutSeconds",
  "periodSeconds",
  "successThreshold",
  "failureThreshold",
] as const;

/** One action, and numbers that are not negative; only readiness may need several successes. */
export function checkProbes(container: ContainerValue, at: string, errors: FieldErrors): void {
  for (const kind of ["livenessProbe", "readinessProbe", "startupProbe"] as const) {
    const probe = container[kind];
    if (!probe) continue;
    const field = `${at}.${kind}`;
    checkHandler(probe as Handler, field, errors);
    for (const member of NUMBERS) {
      const value = probe[member] ?? 0;
      if (value < 0) errors.invalid(`${field}.${member}`, value, "expected a number that is not negative");
    }
    const grace = probe.terminationGracePeriodSeconds;
    if (grace !== undefined && grace <= 0) {
      errors.invalid(`${field}.terminationGracePeriodSeconds`, grace, "expected a number above 0");
    }
    if (kind === "readinessProbe") {
      if (grace === undefined) continue;
      errors.invalid(`${field}.terminationGracePeriodSeconds`, grace, "expected none at a readinessProbe");
    } else if ((probe.successThreshold ?? 1) !== 1) {
      errors.invalid(`${field}.successThreshold`, probe.successThreshold, "expected 1");
    }
  }
}

/** One action for each of the two moments. */
export function checkLifecycle(lifecycle: Lifecycle | undefined, at: string, errors: FieldErrors): void {
  if (lifecycle?.postStart) checkHandler(lifecycle.postStart as Handler, `${at}.postStart`, errors);
  if (lifecycle?.preStop) checkHandler(lifecycle.preStop as Handler, `${at}.preStop`, errors);
}

function checkHandler(handler: Handler, at: string, errors: FieldErrors): void {
  const set = ACTIONS.filter((action) => handler[action] !== undefined);
  if (set.length === 0) errors.required(at, `expected one of ${ACTIONS.join(", ")}`);
  for (const action of set.slice(1)) errors.forbidden(`${at}.${action}`, "expected one action, this is another one");
  const { exec, httpGet, tcpSocket, grpc } = handler;
  if (set[0] === "exec" && (exec?.command ?? []).length === 0) errors.required(`${at}.exec.command`);
  if (set[0] === "httpGet" && httpGet) {
    checkPort(`${at}.httpGet.port`, httpGet.port, errors);
    const schemes = ["HTTP", "HTTPS"];
    if (httpGet.scheme && !schemes.includes(httpGet.scheme)) {
      errors.notSupported(`${at}.httpGet.scheme`, httpGet.scheme, schemes);
    }
  }
  if (set[0] === "tcpSocket" && tcpSocket) checkPort(`${at}.tcpSocket.port`, tcpSocket.port, errors);
  if (set[0] === "grpc" && grpc) checkPort(`${at}.grpc.port`, grpc.port, errors);
}

/** A number from 1 to 65535, or the name of a port. */
function checkPort(field: string, port: string | number | undefined, errors: FieldErrors): void {
  if (typeof port === "string") {
    if (!isPortName(port)) errors.invalid(field, port, "expected the name of a port");
  } else checkPortNumber(field, port ?? 0, errors);
}
