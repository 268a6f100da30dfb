/**
 * Levels and versions of Pod Security, and the policy that the labels of a namespace set.
 *
 * @module
 */
import type { FieldErrors } from "../../meta/field-errors.ts";

const LEVELS = ["privileged", "baseline", "restricted"] as const;

/** A level of Pod Security; a later one is stricter. */
export type Level = (typeof LEVELS)[number];

/** A level with the version of Kubernetes that defines it. */
export interface LevelVersion {
  readonly level: Level;
  /** `latest`, or the minor number as text: `v1.25`. */
  readonly version: string;
  /** The minor number of the version; infinite for `latest`. */
  readonly minor: number;
}

/** The effect on a Pod that violates a level: it is refused, recorded for audit, or its client gets a warning. */
export type Mode = "enforce" | "audit" | "warn";

/** The level of each mode. */
export type PodSecurityPolicy = Readonly<Record<Mode, LevelVersion>>;

/** The policy of a namespace without labels. */
const PRIVILEGED: LevelVersion = { level: "privileged", version: "latest", minor: Infinity };

/** A level and its version as messages show them: `restricted:v1.25`. */
export const shown = ({ level, version }: LevelVersion): string => `${level}:${version}`;

/** Whether two levels with their versions are the same. */
export const isSame = (a: LevelVersion, b: LevelVersion): boolean => a.level === b.level && a.version === b.version;

/** A number below, equal to or above 0 where `a` is less strict than `b`, as strict, or stricter. */
export const compareLevels = (a: Level, b: Level): number => LEVELS.indexOf(a) - LEVELS.indexOf(b);

/** Whether a policy allows every Pod without a record or a warning. */
export const isPrivileged = ({ enforce, audit, warn }: PodSecurityPolicy): boolean =>
  [enforce, audit, warn].every(({ level }) => level === "privileged");

/** Reads the labels of Pod Security of one label domain. */
export class PolicyLabels {
  readonly #prefix: string;

  /** @param domain the label domain of the dialect: `kubernetes.io` */
  constructor(domain: string) {
    this.#prefix = `pod-security.${domain}/`;
  }

  /** The key of an audit annotation. */
  annotation(name: string): string {
    return `${this.#prefix}${name}`;
  }

  /**
   * The policy of a namespace with these labels. An invalid level counts as `restricted` for `enforce` and as `privileged` for
   * the other modes, an invalid version as `latest`; each is added to the errors.
   */
  read(labels: Readonly<Record<string, string>> | undefined, errors: FieldErrors): PodSecurityPolicy {
    if (!labels) return { enforce: PRIVILEGED, audit: PRIVILEGED, warn: PRIVILEGED };
    const enforce = this.#modeOf("enforce", labels, errors);
    const audit = this.#modeOf("audit", labels, errors);
    const warn = this.#modeOf("warn", labels, errors);
    return {
      enforce,
      audit,
      warn: this.#warnsLikeEnforce(labels, enforce) ? { ...enforce, ...this.#own(labels, warn) } : warn,
    };
  }

  /** Whether `warn` follows the level of `enforce`, since no label sets it. */
  #warnsLikeEnforce(labels: Readonly<Record<string, string>>, { level }: LevelVersion): boolean {
    return (
      labels[this.annotation("warn")] === undefined &&
      level !== "privileged" &&
      isLevel(labels[this.annotation("enforce")])
    );
  }

  /** The version of `warn` where a label sets it. */
  #own(labels: Readonly<Record<string, string>>, { version, minor }: LevelVersion): Partial<LevelVersion> {
    return labels[this.annotation("warn-version")] === undefined ? {} : { version, minor };
  }

  #modeOf(mode: Mode, labels: Readonly<Record<string, string>>, errors: FieldErrors): LevelVersion {
    const level = labels[this.annotation(mode)];
    const version = labels[this.annotation(`${mode}-version`)];
    return {
      level: level === undefined ? "privileged" : this.#levelOf(mode, level, errors),
      ...(version === undefined ? LATEST : this.#versionOf(`${mode}-version`, version, errors)),
    };
  }

  #levelOf(mode: Mode, text: string, errors: FieldErrors): Level {
    if (isLevel(text)) return text;
    errors.invalid(this.#field(mode), text, `must be one of ${LEVELS.join(", ")}`);
    return mode === "enforce" ? "restricted" : "privileged";
  }

  #versionOf(name: string, text: string, errors: FieldErrors): Version {
    const version = parseVersion(text);
    if (!version) errors.invalid(this.#field(name), text, 'must be "latest" or "v1.x"');
    return version ?? LATEST;
  }

  #field(name: string): string {
    return `metadata.labels[${this.annotation(name)}]`;
  }
}

const isLevel = (text: string | undefined): text is Level => (LEVELS as readonly (string | undefined)[]).includes(text);

type Version = Pick<LevelVersion, "version" | "minor">;

const LATEST: Version = { version: "latest", minor: Infinity };

/** The largest number of 64 bits. */
const MAX_INT64 = (1n << 63n) - 1n;

/** Reads `latest` or `v1.25`; undefined for another text. */
function parseVersion(text: string): Version | undefined {
  if (text === "latest") return LATEST;
  if (!/^v1\.(0|[1-9][0-9]*)$/.test(text)) return undefined;
  const digits = text.slice("v1.".length);
  return BigInt(digits) <= MAX_INT64 ? { version: text, minor: Number(digits) } : undefined;
}
