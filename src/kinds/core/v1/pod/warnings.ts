/**
 * Warnings about a Pod: accepted values without the effect that they seem to have (SUP-5).
 *
 * @module
 */
import type { ApiContext } from "../../../../schema/definition.ts";
import { oldNodeLabel } from "../../../rules/node-labels.ts";
import { dnsLabel } from "../../../../meta/names.ts";
import { addressWarnings } from "../../../../meta/addresses.ts";
import { termWarnings, wishWarnings } from "../../../rules/node-selector.ts";
import { fractionWarning } from "../../../rules/quantities.ts";
import type { Source } from "../volumes/sources.ts";
import type { ContainerValue } from "./container-schema.ts";
import { containersOf } from "./containers.ts";
import type { Pod } from "./defaults.ts";
import { seccompOf, seccompOfPod } from "./profile-annotations.ts";
import type { PodSpec } from "./spec-schema.ts";
import { volumeWarnings } from "./volumes.ts";

/** A Pod's name, and the names that Pods derive from, become host names, which are DNS labels. */
export function nameWarnings(name = ""): readonly string[] {
  const wrong = dnsLabel(name);
  return wrong === undefined
    ? []
    : [`metadata.name: this is used in the Pod's hostname, which can result in surprising behavior: ${wrong}`];
}

/**
 * All Warnings about a Pod. Each begins with the path of the member in the Pod.
 *
 * @param within the prefix of other paths in a text: the path of the template, and a dot
 */
export function* podWarnings(pod: Pod, sources: readonly Source[], ctx: ApiContext, within = ""): Generator<string> {
  const { spec } = pod;
  yield* labelWarnings(spec, ctx);
  yield* annotationWarnings(pod, ctx);
  yield* volumeWarnings(spec.volumes ?? [], sources);
  yield* repeated(spec.hostAliases ?? [], "spec.hostAliases", "ip");
  yield* repeated(spec.imagePullSecrets ?? [], "spec.imagePullSecrets", "name");
  for (const [i, { name }] of (spec.imagePullSecrets ?? []).entries()) {
    if (!name) yield `spec.imagePullSecrets[${i}].name: an empty name is not used`;
  }
  yield* fractions(spec.overhead, "spec.overhead");
  for (const [container, at] of containersOf(spec)) {
    yield* fractions(container.resources?.limits, `${at}.resources.limits`);
    yield* fractions(container.resources?.requests, `${at}.resources.requests`);
    yield* variableWarnings(container, at);
  }
  yield* portWarnings(spec, within);
  yield* portNameWarnings(spec, within);
  for (const [i, address] of (spec.dnsConfig?.nameservers ?? []).entries()) {
    yield* addressWarnings(`spec.dnsConfig.nameservers[${i}]`, address);
  }
  for (const [i, { ip }] of (spec.hostAliases ?? []).entries()) {
    yield* addressWarnings(`spec.hostAliases[${i}].ip`, ip);
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    yield "spec.terminationGracePeriodSeconds: a negative number is taken for 1";
  }
}

function labelWarnings(spec: PodSpec, ctx: ApiContext): readonly string[] {
  const node = spec.affinity?.nodeAffinity;
  const terms = node?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const wishes = node?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const at = "spec.affinity.nodeAffinity";
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => old(`spec.nodeSelector[${key}]`, key, ctx)),
    ...terms.flatMap((term, i) =>
      termWarnings(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`, ctx),
    ),
    ...wishes.flatMap(({ preference }, i) =>
      wishWarnings(preference, `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`, ctx),
    ),
    ...(spec.topologySpreadConstraints ?? []).flatMap((constraint, i) => {
      const field = `spec.topologySpreadConstraints[${i}]`;
      const none = constraint.labelSelector ? [] : [`${field}.labelSelector: without a selector no Pod matches`];
      return [...old(`${field}.topologyKey`, constraint.topologyKey, ctx), ...none];
    }),
    ...podTermWarnings(spec),
  ];
}

function old(field: string, key: string, ctx: ApiContext): readonly string[] {
  const text = oldNodeLabel(key, ctx.dialect);
  return text === undefined ? [] : [`${field}: ${text}`];
}

function podTermWarnings({ affinity }: PodSpec): readonly string[] {
  return (["podAffinity", "podAntiAffinity"] as const).flatMap((kind) => {
    const part = affinity?.[kind];
    const required = part?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const wished = part?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    const terms = [
      ...required.map((term, i) => [term, `requiredDuringSchedulingIgnoredDuringExecution[${i}]`] as const),
      ...wished.map(
        (wish, i) =>
          [wish.podAffinityTerm, `preferredDuringSchedulingIgnoredDuringExecution[${i}].podAffinityTerm`] as const,
      ),
    ];
    return terms
      .filter(([term]) => !term.labelSelector)
      .map(([, at]) => `spec.affinity.${kind}.${at}.labelSelector: a null labelSelector results in matching no pod`);
  });
}

/** Annotations that members have replaced. */
const OLD_ANNOTATIONS: Readonly<Record<string, string>> = {
  "scheduler.alpha.DOMAIN/critical-pod": "priorityClassName",
  "security.alpha.DOMAIN/sysctls": "sysctls",
  "security.alpha.DOMAIN/unsafe-sysctls": "sysctls",
};

function* annotationWarnings({ metadata: { annotations }, spec }: Pod, { dialect }: ApiContext): Generator<string> {
  if (!annotations) return;
  const unused = (key: string, member: string): readonly string[] =>
    annotations[key] === undefined ? [] : [`metadata.annotations[${key}]: not used, use the "${member}" field instead`];
  for (const [pattern, member] of Object.entries(OLD_ANNOTATIONS)) {
    yield* unused(pattern.replace("DOMAIN", dialect.labelDomain), member);
  }
  if (!spec.securityContext?.seccompProfile) yield* unused(seccompOfPod(dialect), "seccompProfile");
  for (const [{ name, securityContext }] of containersOf(spec)) {
    if (!securityContext?.seccompProfile) yield* unused(seccompOf(dialect) + name, "seccompProfile");
  }
}

function repeated<K extends string>(
  list: readonly { readonly [key in K]?: string }[],
  at: string,
  member: K,
): readonly string[] {
  const seen = new Set<string | undefined>();
  return list.flatMap((entry, i) => {
    if (seen.has(entry[member])) return [`${at}[${i}].${member}: ${entry[member]} stands in the list twice`];
    seen.add(entry[member]);
    return [];
  });
}

const fractions = (resources: Readonly<Record<string, string>> | undefined, at: string): readonly string[] =>
  ["memory", "ephemeral-storage"]
    .map((name) => fractionWarning(`${at}[${name}]`, resources?.[name]))
    .filter((warning) => warning !== undefined);

/** A repeated variable hides the first one, unless it refers to it. */
function variableWarnings({ env = [] }: ContainerValue, at: string): readonly string[] {
  const seen = new Set<string>();
  return env.flatMap(({ name, value = "", valueFrom }, i) => {
    const repeats = seen.has(name);
    seen.add(name);
    const reference = `$(${name})`;
    const extends_ = !valueFrom && value !== reference && value.includes(reference);
    return repeats && !extends_ ? [`${at}.env[${i}]: hides the definition of ${name} before it`] : [];
  });
}

/** Ports with the same name: a client that uses the name gets the first one. */
function portNameWarnings(spec: PodSpec, within: string): readonly string[] {
  const first = new Map<string, string>();
  return containersOf(spec).flatMap(([container, where]) =>
    (container.ports ?? []).flatMap(({ name }, i) => {
      if (!name) return [];
      const at = `${where}.ports[${i}]`;
      const other = first.get(name);
      if (other === undefined) first.set(name, `${within}${at}`);
      return other === undefined
        ? []
        : [
            `${at}: duplicate port name "${name}" with ${other}, services and probes that select ports by name will use ${other}`,
          ];
    }),
  );
}

interface SeenPort {
  readonly host: number;
  readonly ip: string;
  readonly at: string;
  readonly order: number;
}

/** Ports that are defined twice, or that may conflict on the node. */
function* portWarnings(spec: PodSpec, within: string): Generator<string> {
  // By the port of the container; by that and the port of the node; and by that and its address.
  const seen = new Map<string, SeenPort[]>();
  const found = (key: string): readonly SeenPort[] => seen.get(key) ?? [];
  let order = 0;
  for (const [container, where] of containersOf(spec)) {
    for (const [i, port] of (container.ports ?? []).entries()) {
      const at = `${where}.ports[${i}]`;
      const { hostPort: host = 0, hostIP: ip = "" } = port;
      if (ip !== "" && host === 0) yield `${at}: hostIP without hostPort`;
      const key = `${port.containerPort}/${port.protocol}`;
      const onHost = `${key}/${host}`;
      const onAddress = `${onHost}/${ip}`;
      const others =
        host === 0
          ? found(key)
          : [
              ...found(`${key}/0`),
              ...(ip === "" ? found(onHost) : [...found(onAddress), ...found(`${onHost}/`)]),
            ].toSorted((a, b) => a.order - b.order);
      for (const other of others) {
        if (host === other.host && ip === other.ip) yield `${at}: duplicate port definition with ${other.at}`;
        else if (host === 0 || other.host === 0) yield `${at}: overlapping port definition with ${other.at}`;
        else yield `${at}: dangerously ambiguous port definition with ${other.at}`;
      }
      const one = { host, ip, at: `${within}${at}`, order: order++ };
      for (const place of [key, onHost, onAddress]) {
        const there = seen.get(place);
        if (there) there.push(one);
        else seen.set(place, [one]);
      }
    }
  }
}
