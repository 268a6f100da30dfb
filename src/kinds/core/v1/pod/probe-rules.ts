/**
 * The rules of probes and of lifecycle hooks (KIND-PodSpec-4, KIND-PodSpec-5).
 *
 * @module
 */
import type { FieldErrors } from "../../../../meta/field-errors.ts";
import type { ContainerCheck } from "./check.ts";
import type { ContainerValue } from "./container-schema.ts";
import { checkPortNumber, isPortName } from "../../../rules/ports.ts";
import { checkSignal } from "./signals.ts";
import type { PodSpec } from "./spec-schema.ts";

type Probe = NonNullable<ContainerValue["livenessProbe"]>;
type Lifecycle = NonNullable<ContainerValue["lifecycle"]>;
type Handler = NonNullable<Lifecycle["postStart"]> & { readonly grpc?: Probe["grpc"] };
type Request = NonNullable<Handler["httpGet"]>;

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

/** One action for each of the two hooks, and a signal of the operating system. */
export function checkLifecycle(lifecycle: Lifecycle, at: string, { spec, errors }: ContainerCheck): void {
  for (const moment of ["postStart", "preStop"] as const) {
    const handler = lifecycle[moment];
    if (!handler) continue;
    checkHandler(handler as Handler, `${at}.${moment}`, errors);
    if (firstAction(handler) === "sleep") checkSleep(handler.sleep!.seconds, spec, `${at}.${moment}.sleep`, errors);
  }
  if (lifecycle.stopSignal !== undefined) checkSignal(lifecycle.stopSignal, spec.os?.name, `${at}.stopSignal`, errors);
}

/** A sleep is shorter than the grace period of the Pod. */
function checkSleep(
  seconds: number,
  { terminationGracePeriodSeconds: most }: PodSpec,
  field: string,
  errors: FieldErrors,
): void {
  if (most === undefined || (seconds >= 0 && seconds <= most)) return;
  errors.invalid(field, seconds, `expected a number from 0 to the terminationGracePeriodSeconds, ${most}`);
}

const firstAction = (handler: Handler) => ACTIONS.find((action) => handler[action] !== undefined);

function checkHandler(handler: Handler, at: string, errors: FieldErrors): void {
  const first = firstAction(handler);
  if (!first) return errors.required(at, `expected one of ${ACTIONS.join(", ")}`);
  for (const action of ACTIONS.slice(ACTIONS.indexOf(first) + 1)) {
    if (handler[action] !== undefined) errors.forbidden(`${at}.${action}`, "expected one action, this is another one");
  }
  const { exec, httpGet, tcpSocket, grpc } = handler;
  if (first === "exec" && !exec?.command) errors.required(`${at}.exec.command`);
  if (first === "httpGet") checkRequest(httpGet!, `${at}.httpGet`, errors);
  if (first === "tcpSocket") checkPort(`${at}.tcpSocket.port`, tcpSocket!.port, errors);
  if (first === "grpc") checkPort(`${at}.grpc.port`, grpc!.port, errors);
}

const SCHEMES = ["HTTP", "HTTPS"];
const HEADER = /^[-A-Za-z0-9]+$/;

function checkRequest({ port, scheme, httpHeaders = [] }: Request, at: string, errors: FieldErrors): void {
  checkPort(`${at}.port`, port, errors);
  if (scheme && !SCHEMES.includes(scheme)) errors.notSupported(`${at}.scheme`, scheme, SCHEMES);
  for (const { name } of httpHeaders) {
    if (!HEADER.test(name)) errors.invalid(`${at}.httpHeaders`, name, "expected letters, digits and '-'");
  }
}

/** A number from 1 to 65535, or the name of a port. */
function checkPort(field: string, port: string | number | undefined, errors: FieldErrors): void {
  if (typeof port === "string") {
    if (!isPortName(port)) errors.invalid(field, port, "expected the name of a port");
  } else checkPortNumber(field, port ?? 0, errors);
}
