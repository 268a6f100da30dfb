/**
 * Reads the file of `--authorization-config`: the authorizers and their order (RBAC-38).
 *
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#using-configuration-file-for-authorization
 *
 * @module
 */
import { type Condition, compileCondition } from "../../cel/environments/reviews.ts";
import type { ReviewVersion } from "../../auth/webhook/access-review.ts";
import { type AuthorizationMode, isAuthorizationMode } from "../../auth/modes.ts";
import { dnsSubdomain } from "../../meta/names.ts";
import { parseDuration } from "../../util/duration.ts";
import { type Value, type ValueObject, isObject } from "../../value/value.ts";
import { decodeYaml } from "../../value/yaml.ts";
import { messageOf } from "../../util/error.ts";

/** The configuration of a webhook. */
export interface WebhookPlan {
  readonly name: string;
  readonly kubeconfig: string;
  readonly timeoutMillis: number;
  readonly version: ReviewVersion;
  readonly allowedMillis: number;
  readonly refusedMillis: number;
  readonly failurePolicy: "NoOpinion" | "Deny";
  readonly conditions: readonly Extract<Condition, { readonly source: string }>[];
}

/** The configuration of one authorizer: the name of a mode, or a webhook. */
export type AuthorizerPlan = Exclude<AuthorizationMode, "Webhook"> | WebhookPlan;

/** The file is not valid; the message has a line for each error, with its path. */
export class ConfigurationFault extends Error {
  override readonly name = "ConfigurationFault";
}

/** How long decisions are cached by default, in ms. */
export const ALLOWED_MILLIS = 300_000;
export const REFUSED_MILLIS = 30_000;

const MAX_TIMEOUT_MS = 30_000;
const MAX_CONDITIONS = 64;
const VERSIONS = [
  "apiserver.config.k8s.io/v1",
  "apiserver.config.k8s.io/v1beta1",
  "apiserver.config.k8s.io/v1alpha1",
] as const;

/** Reads a configuration in YAML or JSON. @throws ConfigurationFault with all errors in it */
export function readAuthorizationConfiguration(text: string): readonly AuthorizerPlan[] {
  const reader = new Reader();
  const plans = reader.read(text);
  if (reader.faults.length > 0) throw new ConfigurationFault(reader.faults.join("\n"));
  return plans;
}

class Reader {
  readonly faults: string[] = [];
  readonly #names = new Set<string>();
  readonly #types = new Set<string>();

  read(text: string): AuthorizerPlan[] {
    const root = this.#decoded(text);
    this.#only(root, "", ["apiVersion", "kind", "authorizers"]);
    this.#oneOf(root, "apiVersion", "", VERSIONS);
    this.#oneOf(root, "kind", "", ["AuthorizationConfiguration"]);
    const authorizers = root["authorizers"];
    if (!Array.isArray(authorizers) || authorizers.length === 0) {
      this.faults.push("authorizers: expected at least one");
      return [];
    }
    return authorizers.flatMap((one, i) => this.#authorizer(one, `authorizers[${i}]`) ?? []);
  }

  #decoded(text: string): ValueObject {
    try {
      const { value, duplicates } = decodeYaml(text);
      this.faults.push(...duplicates.map((path) => `${path}: expected once, found twice`));
      if (isObject(value)) return value;
    } catch (error) {
      throw new ConfigurationFault(`expected YAML or JSON: ${messageOf(error)}`);
    }
    throw new ConfigurationFault("expected an object of kind AuthorizationConfiguration, found none");
  }

  #authorizer(value: Value, at: string): AuthorizerPlan | undefined {
    const form = this.#object(value, at);
    this.#only(form, at, ["type", "name", "webhook"]);
    const type = this.#text(form, "type", at);
    if (!isAuthorizationMode(type)) {
      this.faults.push(
        `${at}.type: expected Node, RBAC, Webhook, AlwaysAllow or AlwaysDeny, found ${JSON.stringify(type)}`,
      );
      return undefined;
    }
    const name = this.#name(form, at);
    if (type === "Webhook") return this.#webhook(form["webhook"] ?? null, name, `${at}.webhook`);
    if (this.#types.has(type)) this.faults.push(`${at}.type: expected ${type} once, found it twice`);
    this.#types.add(type);
    if (form["webhook"] !== undefined) this.faults.push(`${at}.webhook: expected it with the type Webhook only`);
    return type;
  }

  #name(form: ValueObject, at: string): string {
    const name = this.#text(form, "name", at);
    const wrong = name === "" ? undefined : dnsSubdomain(name);
    if (wrong) this.faults.push(`${at}.name: ${wrong}`);
    if (this.#names.has(name)) this.faults.push(`${at}.name: expected a name of its own, found ${name} twice`);
    this.#names.add(name);
    return name;
  }

  #webhook(value: Value, name: string, at: string): WebhookPlan {
    const form = this.#object(value, at);
    this.#only(form, at, WEBHOOK_MEMBERS);
    const conditions = this.#conditions(form, at);
    if (conditions.length > 0) this.#oneOf(form, "matchConditionSubjectAccessReviewVersion", at, ["v1"]);
    const ttl = (flag: string, member: string, preset: number): number =>
      form[flag] === false ? 0 : form[member] === undefined ? preset : this.#duration(form, member, at, Infinity);
    return {
      name,
      kubeconfig: this.#kubeconfig(form["connectionInfo"] ?? null, `${at}.connectionInfo`),
      timeoutMillis: this.#duration(form, "timeout", at, MAX_TIMEOUT_MS),
      version: this.#oneOf(form, "subjectAccessReviewVersion", at, ["v1", "v1beta1"]),
      allowedMillis: ttl("cacheAuthorizedRequests", "authorizedTTL", ALLOWED_MILLIS),
      refusedMillis: ttl("cacheUnauthorizedRequests", "unauthorizedTTL", REFUSED_MILLIS),
      failurePolicy: this.#oneOf(form, "failurePolicy", at, ["NoOpinion", "Deny"]),
      conditions,
    };
  }

  #kubeconfig(value: Value, at: string): string {
    const form = this.#object(value, at);
    this.#only(form, at, ["type", "kubeConfigFile"]);
    this.#oneOf(form, "type", at, ["KubeConfigFile"]);
    return this.#text(form, "kubeConfigFile", at);
  }

  #conditions(form: ValueObject, at: string): WebhookPlan["conditions"] {
    const sent = form["matchConditions"] ?? [];
    if (!Array.isArray(sent) || sent.length > MAX_CONDITIONS) {
      this.faults.push(`${at}.matchConditions: expected a list of at most ${MAX_CONDITIONS}`);
      return [];
    }
    const seen = new Set<string>();
    return sent.flatMap((one, i) => {
      const path = `${at}.matchConditions[${i}]`;
      const condition = this.#object(one, path);
      this.#only(condition, path, ["expression"]);
      const source = this.#text(condition, "expression", path);
      if (seen.has(source)) this.faults.push(`${path}.expression: expected it once, found it twice`);
      seen.add(source);
      if (source.trim() === "") return [];
      const compiled = compileCondition(source);
      if (compiled.program) return [compiled];
      this.faults.push(`${path}.expression: ${compiled.error}`);
      return [];
    });
  }

  #object(value: Value, at: string): ValueObject {
    if (isObject(value)) return value;
    this.faults.push(`${at}: expected an object`);
    return {};
  }

  #only(form: ValueObject, at: string, members: readonly string[]): void {
    for (const member of Object.keys(form)) {
      if (!members.includes(member)) this.faults.push(`${at === "" ? "" : `${at}.`}${member}: unknown`);
    }
  }

  #text(form: ValueObject, member: string, at: string): string {
    const value = form[member];
    if (typeof value === "string" && value !== "") return value;
    this.faults.push(`${at === "" ? "" : `${at}.`}${member}: expected a text`);
    return "";
  }

  #oneOf<const T extends string>(form: ValueObject, member: string, at: string, words: readonly [T, ...T[]]): T {
    const found = words.find((word) => word === form[member]);
    if (found !== undefined) return found;
    this.faults.push(`${at === "" ? "" : `${at}.`}${member}: expected ${words.join(" or ")}`);
    return words[0];
  }

  /** Reads a duration above 0 and of at most `max` milliseconds. */
  #duration(form: ValueObject, member: string, at: string, max: number): number {
    const value = form[member];
    const millis = typeof value === "string" ? parseDuration(value) : undefined;
    if (millis !== undefined && millis > 0 && millis <= max) return millis;
    this.faults.push(
      `${at}.${member}: expected a duration such as 3s${max === Infinity ? "" : `, at most ${max / 1000}s`}`,
    );
    return 0;
  }
}

const WEBHOOK_MEMBERS = [
  "authorizedTTL",
  "cacheAuthorizedRequests",
  "cacheUnauthorizedRequests",
  "connectionInfo",
  "failurePolicy",
  "matchConditionSubjectAccessReviewVersion",
  "matchConditions",
  "subjectAccessReviewVersion",
  "timeout",
  "unauthorizedTTL",
];
